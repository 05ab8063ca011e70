"""Write what the JavaScript package must answer, as this package answers it.

python benchmarks/js_cases.py             writes js/test/cases/
python benchmarks/js_cases.py --out FOLDER --count 10000 --seed 1
                                          writes as many cases of each kind to another folder
python benchmarks/js_cases.py --out FOLDER --model FOLDER
                                          asks another model than the one in the package

The tests read other cases and ask another model if the environment says so, as in
`RESPELL_CASES=FOLDER RESPELL_MODEL=FOLDER node --test js/test/answers.test.mjs`.

The texts are those of the tests and of the documentation, changed at random: letters are swapped,
lines are cut, and markup, odd Unicode and other texts are put in.

The model is run by onnxruntime-web, so js/ must be built. Its probabilities are not those of the
native onnxruntime: the model rounds to 8 bits, and where two programs differ in the last digit of a
sum, one may round up and the other down. Answers with native probabilities go to other files:
native.jsonl, to count what differs, and recorded.jsonl, which has the probabilities themselves.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from js_fakes import fake_inputs, with_corrections, with_features, word_inputs
from js_model import WebModel
from js_recorded import DICTIONARY, recorded_inputs, with_recorded_answers
from js_texts import changed, foreign, misspelled, notebook, prose, respaced, samples

from respell.corrector import Corrector
from respell.decision.policy import Policy
from respell.formats.languages import FORMATS, language_of
from respell.formats.masker import mask
from respell.model.bundle import Bundle, default_path
from respell.model.compose import UserWordScorer
from respell.model.forward import Forward
from respell.model.session import open_session
from respell.text.sentences import sentences
from respell.text.tokenize import tokenize, tokenize_words
from respell.types import PRESETS, VARIANTS, Correction, Error
from respell.types import SPACING as SPACING_KINDS

Case = dict[str, Any]

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "js" / "test" / "cases"
COUNT, SEED = 400, 22
"""Of the cases in the repository."""
INPUTS = frozenset(
    (
        "text words noisy format preset dictionary variant spacing "
        "lexicon table config composes seed ask options"
    ).split()
)
"""The keys of a case that are not answers."""
MAX_DOCUMENTS = 20
CLOSE = 0.05
"""Margins are reported up to here."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("--count", type=int, default=COUNT, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--model", type=Path, default=default_path(), metavar="FOLDER")
    given = parser.parse_args(arguments)
    bundle = Bundle.read(given.model)
    given.out.mkdir(parents=True, exist_ok=True)
    committed = given.out == FOLDER
    for name in KINDS:
        if (committed and name in (NATIVE, RECORDED)) or (
            name == SPACING and not bundle.config.spacing
        ):
            continue
        count = given.count if committed else int(given.count * SHARES.get(name, 1))
        write(given.out / name, bundle, count=count, seed=given.seed)
    return 0


def write(path: Path, bundle: Bundle, *, count: int, seed: int) -> None:
    """Write the file of this name."""
    inputs, answer = KINDS[path.name]
    path.write_text(lines(answer(inputs(count, seed), bundle)), encoding="utf-8", newline="")


def lines(cases: Iterable[Case]) -> str:
    """One case in a line."""
    return "".join(json.dumps(case, ensure_ascii=True) + "\n" for case in cases)


def out_of_date(name: str) -> bool:
    """Whether this package now answers the cases of a committed file differently."""
    committed = (FOLDER / name).read_text(encoding="utf-8")
    cases = [json.loads(line) for line in committed.splitlines()]
    inputs = [{key: case[key] for key in INPUTS & case.keys()} for case in cases]
    answered = KINDS[name][1](inputs, Bundle.read(default_path()))
    return [json.loads(line) for line in lines(answered).splitlines()] != cases


def token_inputs(count: int, seed: int) -> Iterator[Case]:
    """Texts and split sentences."""
    dice = random.Random(seed)
    texts = [*samples(), *prose()]
    for i in range(count):
        text = changed(dice, dice.choice(texts)[:400], texts)
        yield {"text": text}
        if i % 4 == 0:
            yield from ({"words": text.split(), "noisy": noisy} for noisy in (False, True))
            yield {"text": foreign(dice, text)}


def with_tokens(cases: Iterable[Case], _: Bundle) -> Iterator[Case]:
    """The cases with their tokens and sentences."""
    for case in cases:
        if "words" in case:
            tokens = tokenize_words(case["words"], noisy=case["noisy"])
            yield {**case, "tokens": [[t.start, t.text, t.kind] for t in tokens]}
        else:
            tokens = tokenize(case["text"])
            listed = [[t.start, t.text, t.kind] for t in tokens]
            yield {**case, "tokens": listed, "sentences": sentences(case["text"], tokens)}


def mask_inputs(count: int, seed: int) -> Iterator[Case]:
    """Texts in all formats."""
    dice = random.Random(seed)
    texts = samples()
    for i in range(count):
        format = FORMATS[i % len(FORMATS)]
        text = changed(dice, dice.choice(texts)[:600], texts)
        if format == "notebook":
            text = notebook(dice, text, texts)
        yield {"format": format, "text": text}


def with_masks(cases: Iterable[Case], _: Bundle) -> Iterator[Case]:
    """The cases with what is left when their markup is hidden."""
    for case in cases:
        yield {**case, "masked": mask(case["text"], case["format"])}


def answer_inputs(count: int, seed: int) -> list[Case]:
    """Texts of all formats, and who shall check them."""
    dice = random.Random(seed)
    sentences_, odd = prose(), samples()
    found: list[Case] = []
    for _ in range(count):
        text = misspelled(dice, dice.choice(sentences_)[:300])
        format = dice.choice(("plain", "plain", "plain", "markdown", dice.choice(FORMATS)))
        if dice.random() < 0.3:
            text = changed(dice, dice.choice(odd)[:300], sentences_)
        elif dice.random() < 0.3:
            text = changed(dice, text, odd)
        preset = dice.choice(("default", *PRESETS))
        knows = dice.random() < 0.1
        if knows:
            text += misspelled(dice, f" {' '.join(dice.sample(DICTIONARY, 3))}", share=0.1)
        words = sorted(DICTIONARY) if knows else []
        found.append({"preset": preset, "format": format, "dictionary": words, "text": text})
    return sorted(found, key=_checker)


def spacing_inputs(count: int, seed: int) -> list[Case]:
    """Texts with missing and extra blanks and foreign letters."""
    dice = random.Random(seed)
    texts = prose()
    found: list[Case] = []
    for _ in range(count):
        text = respaced(dice, misspelled(dice, dice.choice(texts)[:300], share=0.01), share=0.15)
        if dice.random() < 0.5:
            text = foreign(dice, text, share=0.03)
        words = sorted(DICTIONARY) if dice.random() < 0.1 else []
        found.append(
            {
                "preset": dice.choice(PRESETS),
                "format": dice.choice(("plain", "plain", "markdown")),
                "dictionary": words,
                "variant": dice.choice(VARIANTS),
                "spacing": dice.random() < 0.7,
                "text": text,
            }
        )
    return sorted(found, key=_checker)


def _checker(case: Case) -> tuple[str, str, list[str], str, bool]:
    options = case["preset"], case["format"], case["dictionary"]
    return *options, case.get("variant", "auto"), case.get("spacing", False)


def _groups(
    cases: Iterable[Case], bundle: Bundle, forward: Forward
) -> Iterator[tuple[Corrector, list[Case]]]:
    """Neighbouring cases that one corrector can check at once."""
    for (preset, _, dictionary, variant, spacing), group in groupby(cases, _checker):
        corrector = Corrector(
            bundle, forward, preset=preset, dictionary=dictionary, variant=variant, spacing=spacing
        )
        yield corrector, list(group)


def _check(corrector: Corrector, group: Sequence[Case]) -> Iterator[list[Correction]]:
    return corrector.check_many([case["text"] for case in group], format=group[0]["format"])


def with_answers(cases: Iterable[Case], bundle: Bundle) -> Iterator[Case]:
    """The cases with their corrections."""
    with WebModel(bundle.model) as model:
        forward = UserWordScorer(model.rank, model.compose)
        for corrector, group in _groups(cases, bundle, forward):
            for case, found in zip(group, _check(corrector, group), strict=True):
                corrections = [one.to_dict() for one in found]
                explained = _explained(corrector, case["text"])
                yield {**case, "corrections": corrections, "explained": explained}


def with_native_answers(cases: Iterable[Case], bundle: Bundle) -> Iterator[Case]:
    """The same with the probabilities of the native onnxruntime."""
    for corrector, group in _groups(cases, bundle, open_session(bundle.model)):
        both = zip(
            _check(corrector, group), _check(_with_lower_thresholds(corrector), group), strict=True
        )
        for case, (found, more) in zip(group, both, strict=True):
            margins = (_margin(corrector.policy, one) for one in (*found, *more))
            margin = round(min(margins, default=1.0), 5)
            yield {**case, "corrections": [one.to_dict() for one in found], "margin": margin}


def _with_lower_thresholds(corrector: Corrector) -> Corrector:
    """A corrector that also finds what just misses the thresholds."""
    lower, policy = copy(corrector), corrector.policy
    lower.policy = replace(
        policy,
        threshold=max(0.0, policy.threshold - CLOSE),
        oov_threshold=max(0.0, policy.oov_threshold - CLOSE),
        spacing_threshold=max(0.0, policy.spacing_threshold - CLOSE),
    )
    return lower


def _explained(corrector: Corrector, text: str) -> dict[str, Any] | None:
    """What the model says about the last word of a short text."""
    words = [token for token in tokenize(text) if token.kind == "word"]
    if not words or len(text) > 60:
        return None
    found = corrector.explain(text, words[-1].start, max_candidates=3)
    candidates = [candidate.to_dict() for candidate in found.candidates]
    return {"start": found.start, "keep": found.keep, "candidates": candidates}


def document_inputs(count: int, seed: int) -> Iterator[Case]:
    """Documents with a few misspellings: pages of the documentation and modules."""
    dice = random.Random(seed)
    paths = [path for folder in ("docs/*.md", "src/respell/cli/*.py") for path in ROOT.glob(folder)]
    paths.sort()
    for i in range(min(MAX_DOCUMENTS, count // 40)):
        path = paths[i * 7 % len(paths)]
        text = misspelled(dice, path.read_text(encoding="utf-8")[:6000], share=0.002)
        variant = ("auto", "auto", "en-GB", "en-US")[i % 4]
        options = {"variant": variant, "format": language_of(path.name).name}
        yield {**options, "spacing": "auto" if i % 2 else False, "text": text}


def with_evidence(cases: Iterable[Case], bundle: Bundle) -> Iterator[Case]:
    """The documents with their corrections."""
    with WebModel(bundle.model) as model:
        forward = UserWordScorer(model.rank, model.compose)
        for case in cases:
            spacing = case.get("spacing", False)
            corrector = Corrector(bundle, forward, variant=case["variant"], spacing=spacing)
            found = corrector.check_document(case["text"], format=case["format"])
            yield {**case, "corrections": [one.to_dict() for one in found]}


def _margin(policy: Policy, found: Correction) -> float:
    """How much a probability would have to change to change the answer."""
    if found.kind in SPACING_KINDS:
        distances = [abs(found.score - policy.spacing_threshold)]
    else:
        measure = policy.measure_of(found)
        limits = (policy.threshold, policy.oov_threshold, policy.name_threshold)
        distances = [abs(measure - limit) for limit in limits]
    if policy.rewrite_threshold:
        distances.append(abs(found.score - policy.rewrite_threshold))
    if len(found.suggestions) > 1:
        distances.append(abs(found.score - found.suggestions[1].probability))
    return min(distances)


ANSWERS, SPACING, NATIVE = "answers.jsonl", "spacing.jsonl", "native.jsonl"
RECORDED = "recorded.jsonl"
SHARES: Mapping[str, float] = {ANSWERS: 0.2, SPACING: 0.2, RECORDED: 5}
"""How many cases of each kind are written elsewhere: few that onnxruntime-web is slow for, many
that need no model in JavaScript."""
Ask = Callable[[int, int], Iterable[Case]]
Answer = Callable[[Iterable[Case], Bundle], Iterable[Case]]
KINDS: Mapping[str, tuple[Ask, Answer]] = {
    "tokens.jsonl": (token_inputs, with_tokens),
    "masks.jsonl": (mask_inputs, with_masks),
    ANSWERS: (answer_inputs, with_answers),
    "words.jsonl": (word_inputs, lambda cases, _: with_features(cases)),
    "fakes.jsonl": (fake_inputs, lambda cases, _: with_corrections(cases)),
    SPACING: (spacing_inputs, with_answers),
    "documents.jsonl": (document_inputs, with_evidence),
    NATIVE: (answer_inputs, with_native_answers),
    RECORDED: (recorded_inputs, with_recorded_answers),
}
"""The files: what makes the questions, and what answers them."""

if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"js_cases: {error}")
