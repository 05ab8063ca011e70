"""Words that stand alone: what reading them in a frame is worth, and what it would be for more.

python benchmarks/lone.py /usr/share/dict/american-english    writes results/model/lone.json

Reads $RESPELL_DATA: misspellings are those of the lists, phrases are cut out of dev sentences. The
frame was chosen on the halves that are not counted here. Most of the misspellings of the lists were
taught, though in sentences.
"""

import argparse
import os
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

import respell
from respell.corrector import Corrector
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import sha256
from respell.model.bundle import default_path
from respell.text.windows import BEFORE, BEHIND, Window
from respell.types import PRESETS

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "results" / "model" / "lone.json"
LISTS = {  # how many pairs of each
    "wikipedia_machines": None,
    "wikipedia_csv": None,
    "aspell_orig": None,
    "codespell": 2000,
    "misspell_go": 2000,
}
SETS = ("neuspell_jfleg_dev", "holbrook_dev")
MARKED = ("{}.", "{}!", "{}:", "{}?", "({})", "- {}")
MOST_WORDS = 3
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_FREQUENT, _EVERY, _RARE, _NAMES = 20_000, 5, 3000, 1000

Wrong = list[tuple[str, set[str]]]
Right = dict[str, list[str]]
Phrase = tuple[str, str]


class Framing(Corrector):
    """A corrector that frames sentences of up to so many words: as it is shipped, of one."""

    most = 1

    def _framed(self, window: Window) -> Window:
        count = sum(token.kind != "mark" for token in window.tokens)
        if count == 1 <= self.most:
            return super()._framed(window)
        if count > self.most:
            return window
        shift = len(BEFORE)
        tokens = (*BEFORE, *window.tokens, *BEHIND)
        return Window(window.owner, tokens, window.first + shift, window.last + shift)


def misspellings(folder: Path, known: set[str]) -> Wrong:
    """Misspellings that are no words, with all that they may mean, in small letters."""
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


def right_words(words: Sequence[str], lexicon: Sequence[str]) -> Right:
    """Words of a dictionary, by how well the model knows them."""
    known, listed = {word.lower() for word in words}, set(lexicon)
    frequent = [
        word
        for word in lexicon[:_FREQUENT:_EVERY]
        if _WORD.fullmatch(word) and word in known and len(word) > 1
    ]
    plain = [word for word in words if word.isalpha() and word.isascii()]
    small = {word: None for word in plain if word.islower()}
    chance = random.Random(3)
    rare = chance.sample([word for word in small if word not in listed], _RARE)
    names = chance.sample(
        [word for word in plain if word == word.capitalize() and word.lower() not in small], _NAMES
    )
    chance.shuffle(frequent)
    drawn = {
        "frequent": frequent,
        "rare": rare,
        "names": names,
        "frequent, Title case": [word.capitalize() for word in frequent],
        "rare, Title case": [word.capitalize() for word in rare],
    }
    return {kind: words[len(words) // 2 :] for kind, words in drawn.items()}


def phrases(folder: Path, count: int) -> list[Phrase]:
    """So many words side by side, as they were written and as they should be."""
    found = [phrase for name in SETS for phrase in _phrases(folder / name, count)]
    return found[1::2]


def _phrases(stem: Path, count: int) -> Iterator[Phrase]:
    noisy, clean = (
        Path(f"{stem}.{side}.txt").read_text(encoding="utf-8").split("\n")
        for side in ("noisy", "clean")
    )
    for line, wanted in zip(noisy, clean, strict=True):
        words, meant = line.split(" "), wanted.split(" ")
        i = 0
        while i + count <= len(words):
            if all(map(str.isalpha, words[i : i + count])):
                yield " ".join(words[i : i + count]), " ".join(meant[i : i + count])
                i += count
            else:
                i += 1


def count_lone(corrector: Corrector, wrong: Wrong, right: Right) -> dict[str, Any]:
    """Misspellings put right and changed into other words; right words flagged, per 1,000."""
    lists = {"small letters": wrong, "Title case": [(w.capitalize(), m) for w, m in wrong]}
    figures: dict[str, Any] = {}
    for case, pairs in lists.items():
        answers = _answers(corrector, [word for word, _ in pairs])
        changed = [_is_meant(w, a, m) for (w, m), a in zip(pairs, answers, strict=True) if a != w]
        figures[case] = {
            "put_right": round(sum(changed) / len(pairs), 3),
            "miscorrected": round((len(changed) - sum(changed)) / len(pairs), 3),
        }
    flagged = {kind: _flagged(corrector, words) for kind, words in right.items()}
    figures["flagged_per_thousand"] = flagged
    return figures


def _is_meant(word: str, answer: str, meant: set[str]) -> bool:
    """Whether an answer is one of the words that were meant, and no capital is lost."""
    return answer.lower() in meant and answer[0].isupper() >= word[0].isupper()


def _flagged(corrector: Corrector, words: Sequence[str]) -> float:
    changed = starmap(str.__ne__, zip(words, _answers(corrector, words), strict=True))
    return round(1000 * sum(changed) / len(words), 2)


def _answers(corrector: Corrector, texts: Sequence[str]) -> list[str]:
    found = corrector.check_many(texts)
    return [respell.apply(text, each) for text, each in zip(texts, found, strict=True)]


def count_phrases(
    corrector: Corrector, pairs: Sequence[Phrase], template: str = "{}"
) -> dict[str, float]:
    """Errors put right, case included, and right words changed, per 1,000."""
    answers = _answers(corrector, [template.format(noisy) for noisy, _ in pairs])
    errors = put_right = words = changed = 0
    for (noisy, clean), answer in zip(pairs, answers, strict=True):
        before, _, behind = template.partition("{}")
        inner = answer.removeprefix(before).removesuffix(behind)
        for is_word, meant, said in zip(noisy.split(), clean.split(), inner.split(), strict=True):
            errors += is_word != meant
            put_right += is_word != meant == said
            words += is_word == meant
            changed += is_word == meant != said
    return {
        "put_right": round(put_right / errors, 3),
        "changed_per_thousand": round(1000 * changed / words, 2),
        "errors": errors,
        "right_words": words,
    }


def measure(data: Path, words: Sequence[str]) -> dict[str, Any]:
    """All figures of every preset, without a frame and with it."""
    known = {word.lower() for word in words}
    wrong = misspellings(data / "misspellings", known)
    cut = {count: phrases(data / "bench", count) for count in range(1, MOST_WORDS + 1)}
    right: Right = {}
    presets: dict[str, Any] = {}
    for preset in PRESETS:
        loaded = respell.load(preset=preset)
        corrector = Framing(loaded.bundle, loaded.forward, preset=preset)
        right = right or right_words(words, corrector.bundle.lexicon.words)
        figures: dict[str, dict[str, Any]] = {}
        for name, most in (("plain", 0), ("framed", MOST_WORDS)):
            corrector.most = most
            figures[name] = {
                "lone": count_lone(corrector, wrong, right),
                "marked": {t: count_phrases(corrector, cut[1], t) for t in MARKED},
                "phrases": {n: count_phrases(corrector, pairs) for n, pairs in cut.items()},
            }
        presets[preset] = figures
    counts = {"misspellings": len(wrong)} | {kind: len(words) for kind, words in right.items()}
    return {"presets": presets, "counts": counts}


def main() -> int:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", type=Path, help="a dictionary of American English, a word a line")
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the lists and dev sets, see docs/data.md")
    data = Path(os.environ["RESPELL_DATA"])
    words = [word for word in args.words.read_text(encoding="utf-8").split("\n") if word]
    record = {
        "frame": " ".join(token.text for token in (*BEFORE, *BEHIND)),
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
