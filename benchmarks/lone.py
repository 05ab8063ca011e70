"""Measure what a carrier sentence gains for words that stand alone, and for short phrases.

python benchmarks/lone.py /usr/share/dict/american-english    writes results/model/lone.json

Reads $RESPELL_DATA: misspellings are from the lists, phrases are cut from dev sentences. The
carrier sentence was chosen on the halves that are not counted here. Most of the listed misspellings
were used in training, but inside sentences.
"""

import argparse
import os
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from pathlib import Path
from typing import Any

import respell
from respell.corrector import Corrector
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import sha256
from respell.model.bundle import default_path
from respell.text.windows import Window, in_carrier_sentence
from respell.types import PRESETS, Token

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "results" / "model" / "lone.json"
LISTS = {  # pairs to use of each; None: all
    "wikipedia_machines": None,
    "wikipedia_csv": None,
    "aspell_orig": None,
    "codespell": 2000,
    "misspell_go": 2000,
}
SETS = ("neuspell_jfleg_dev", "holbrook_dev")
TEMPLATES = ("{}.", "{}!", "{}:", "{}?", "({})", "- {}")
MAX_WORDS = 3
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_FREQUENT, _EVERY, _RARE, _NAMES = 20_000, 5, 3000, 1000
_CARRIER = in_carrier_sentence(Window(0, (Token(0, "x"),), 0, 1))
BEFORE, AFTER = _CARRIER.tokens[: _CARRIER.first], _CARRIER.tokens[_CARRIER.last :]
"""The tokens of the carrier sentence before and after the word."""

Misspellings = list[tuple[str, set[str]]]
CorrectWords = dict[str, list[str]]
Phrase = tuple[str, str]


class CarrierCorrector(Corrector):
    """A corrector with a carrier sentence for up to `max_words` words; normally it is one."""

    max_words = 1

    def _in_context(self, window: Window) -> Window:
        count = sum(token.kind != "mark" for token in window.tokens)
        if count > self.max_words:
            return window
        if count == 1:
            return super()._in_context(window)
        shift = len(BEFORE)
        tokens = (*BEFORE, *window.tokens, *AFTER)
        first, last = window.first + shift, window.last + shift
        return replace(window, tokens=tokens, first=first, last=last, lone=True)


def misspellings(folder: Path, known: set[str]) -> Misspellings:
    """Misspellings that are not words, in lower case, each with all its corrections."""
    meant: dict[str, set[str]] = {}
    for name, count in LISTS.items():
        lines = (folder / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        pairs = [line.split("\t") for line in lines]
        pairs = [pair for pair in pairs if _is_pair(pair, known)]
        for right, wrong in random.Random(1).sample(pairs, count) if count else pairs:
            meant.setdefault(wrong.lower(), set()).add(right.lower())
    found = sorted(meant.items())
    random.Random(2).shuffle(found)
    return found[len(found) // 2 :]


def _is_pair(pair: Sequence[str], known: set[str]) -> bool:
    return all(map(_WORD.fullmatch, pair)) and len(pair[1]) > 1 and pair[1].lower() not in known


def correct_words(words: Sequence[str], lexicon: Sequence[str]) -> CorrectWords:
    """Words of a dictionary, by how well the model knows them."""
    known, listed = {word.lower() for word in words}, set(lexicon)
    frequent = [
        word
        for word in lexicon[:_FREQUENT:_EVERY]
        if _WORD.fullmatch(word) and word in known and len(word) > 1
    ]
    plain = [word for word in words if word.isalpha() and word.isascii()]
    lower = {word: None for word in plain if word.islower()}
    generator = random.Random(3)
    rare = generator.sample([word for word in lower if word not in listed], _RARE)
    names = generator.sample(
        [word for word in plain if word == word.capitalize() and word.lower() not in lower], _NAMES
    )
    generator.shuffle(frequent)
    drawn = {
        "frequent": frequent,
        "rare": rare,
        "names": names,
        "frequent, title case": [word.capitalize() for word in frequent],
        "rare, title case": [word.capitalize() for word in rare],
    }
    return {kind: words[len(words) // 2 :] for kind, words in drawn.items()}


def phrases(folder: Path, count: int) -> list[Phrase]:
    """Phrases of `count` words, as they were written and corrected."""
    found = [phrase for name in SETS for phrase in _phrases(folder / name, count)]
    return found[1::2]


def _phrases(stem: Path, count: int) -> Iterator[Phrase]:
    noisy, clean = (
        Path(f"{stem}.{side}.txt").read_text(encoding="utf-8").split("\n")
        for side in ("noisy", "clean")
    )
    for line, corrected in zip(noisy, clean, strict=True):
        words, targets = line.split(" "), corrected.split(" ")
        i = 0
        while i + count <= len(words):
            if all(map(str.isalpha, words[i : i + count])):
                yield " ".join(words[i : i + count]), " ".join(targets[i : i + count])
                i += count
            else:
                i += 1


def count_lone(corrector: Corrector, wrong: Misspellings, correct: CorrectWords) -> dict[str, Any]:
    """Misspellings corrected and changed to other words; correct words flagged, per 1,000."""
    lists = {"lower case": wrong, "title case": [(w.capitalize(), m) for w, m in wrong]}
    counts: dict[str, Any] = {}
    for case, pairs in lists.items():
        answers = _answers(corrector, [word for word, _ in pairs])
        changed = [_is_right(w, a, m) for (w, m), a in zip(pairs, answers, strict=True) if a != w]
        counts[case] = {
            "corrected": round(sum(changed) / len(pairs), 3),
            "miscorrected": round((len(changed) - sum(changed)) / len(pairs), 3),
        }
    counts["flagged_per_1000"] = {kind: _flagged(corrector, w) for kind, w in correct.items()}
    return counts


def _is_right(word: str, answer: str, targets: set[str]) -> bool:
    """Whether an answer is one of the right words, and no capital is lost."""
    return answer.lower() in targets and answer[0].isupper() >= word[0].isupper()


def _flagged(corrector: Corrector, words: Sequence[str]) -> float:
    changed = starmap(str.__ne__, zip(words, _answers(corrector, words), strict=True))
    return round(1000 * sum(changed) / len(words), 2)


def _answers(corrector: Corrector, texts: Sequence[str]) -> list[str]:
    return list(corrector.correct_many(texts))


def count_phrases(
    corrector: Corrector, pairs: Sequence[Phrase], template: str = "{}"
) -> dict[str, float]:
    """Errors corrected, with their case, and correct words changed, per 1,000."""
    answers = _answers(corrector, [template.format(noisy) for noisy, _ in pairs])
    errors = corrected = words = changed = 0
    for (noisy, clean), answer in zip(pairs, answers, strict=True):
        before, _, after = template.partition("{}")
        inner = answer.removeprefix(before).removesuffix(after)
        for word, target, said in zip(noisy.split(), clean.split(), inner.split(), strict=True):
            errors += word != target
            corrected += word != target == said
            words += word == target
            changed += word == target != said
    return {
        "corrected": round(corrected / errors, 3),
        "changed_per_1000": round(1000 * changed / words, 2),
        "errors": errors,
        "correct_words": words,
    }


def measure(data: Path, words: Sequence[str]) -> dict[str, Any]:
    """Measure every preset, without and with a carrier sentence."""
    known = {word.lower() for word in words}
    wrong = misspellings(data / "misspellings", known)
    cut = {count: phrases(data / "bench", count) for count in range(1, MAX_WORDS + 1)}
    correct: CorrectWords = {}
    presets: dict[str, Any] = {}
    for preset in PRESETS:
        loaded = respell.load(preset=preset)
        corrector = CarrierCorrector(loaded.bundle, loaded.forward, preset=preset)
        correct = correct or correct_words(words, corrector.bundle.lexicon.words)
        results: dict[str, dict[str, Any]] = {}
        for name, max_words in (("without_carrier", 0), ("with_carrier", MAX_WORDS)):
            corrector.max_words = max_words
            results[name] = {
                "lone": count_lone(corrector, wrong, correct),
                "with_punctuation": {t: count_phrases(corrector, cut[1], t) for t in TEMPLATES},
                "phrases": {n: count_phrases(corrector, pairs) for n, pairs in cut.items()},
            }
        presets[preset] = results
    counts = {"misspellings": len(wrong)} | {kind: len(words) for kind, words in correct.items()}
    return {"presets": presets, "counts": counts}


def main() -> int:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", type=Path, help="American English dictionary, one word per line")
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of lists and dev sets, see docs/internals/data.md")
    data = Path(os.environ["RESPELL_DATA"])
    words = [word for word in args.words.read_text(encoding="utf-8").split("\n") if word]
    record = {
        "carrier_sentence": " ".join(token.text for token in (*BEFORE, *AFTER)),
        **measure(data, words),
        "files": _files(data, args.words),
        "system": {"kind": "bundle", "sha256": hash_bundle(default_path())},
        **provenance("python benchmarks/lone.py"),
    }
    write_json(RESULT, record)
    return 0


def _files(data: Path, words: Path) -> Mapping[str, str]:
    paths = [words, *(data / "misspellings" / f"{name}.tsv" for name in LISTS)]
    paths += [data / "bench" / f"{name}.{side}.txt" for name in SETS for side in ("noisy", "clean")]
    return {path.name: sha256(path) for path in paths}


if __name__ == "__main__":
    sys.exit(main())
