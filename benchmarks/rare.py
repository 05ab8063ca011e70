"""Measure how many typos are corrected, by the frequency of the word.

python benchmarks/rare.py american british                  writes results/model/rare.json
python benchmarks/rare.py … --bundle FOLDER --output FILE   the same for another bundle

`american` and `british` are dictionaries, one word per line: a typo must not result in one of their
words or in a word of the lexicon. Each sentence has one typo: a letter is inserted, deleted,
replaced or swapped with the one before. The sentences are from the texts in $RESPELL_DATA that
recipes/corpora.toml holds out from training.
"""

import argparse
import os
import random
import sys
from bisect import bisect_left
from collections.abc import Collection, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from alarms import CORPORA, ROOT, texts

import respell
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import sha256
from respell.lab.data.corpus import heldout_lines
from respell.model.bundle import default_path
from respell.types import PRESETS

RESULT = ROOT / "results" / "model" / "rare.json"
RANKS = (1000, 3000, 10_000, 20_000, 30_000, 50_000)
"""The last rank of each group of words. The lexicon starts with the most frequent word; lower ranks
belong to the last group."""
MIN_LENGTH = 6
MAX_WORDS = 60
PER_GROUP = 1000
LETTERS = "abcdefghijklmnopqrstuvwxyz"

Case = tuple[list[str], int, str]
"""A sentence with a typo, the index of the word, and the right word."""


def add_typo(word: str, generator: random.Random) -> str:
    """The word with one typo; its first letter may be swapped, but is not lost."""
    i, letter = generator.randrange(1, len(word)), generator.choice(LETTERS)
    return generator.choice(
        (
            word[:i] + letter + word[i:],
            word[:i] + word[i + 1 :],
            word[:i] + letter + word[i + 1 :],
            word[: i - 1] + word[i] + word[i - 1] + word[i + 1 :],
        )
    )


def draw(
    lines: Sequence[str], lexicon: Sequence[str], known: Collection[str]
) -> dict[int, list[Case]]:
    """Draw sentences and add a typo to each, by the group of the word."""
    generator = random.Random(1)
    rank = {word: i for i, word in enumerate(lexicon, 1)}
    found: dict[int, list[Case]] = {group: [] for group in RANKS}
    for line in generator.sample(lines, len(lines)):
        words = line.split()
        options = [i for i, word in enumerate(words) if _usable(word, rank)]
        generator.shuffle(options)
        for i in options:
            group = RANKS[min(bisect_left(RANKS, rank[words[i]]), len(RANKS) - 1)]
            wrong = add_typo(words[i], generator)
            if len(found[group]) < PER_GROUP and wrong not in rank and wrong not in known:
                found[group].append(([*words[:i], wrong, *words[i + 1 :]], i, words[i]))
                break
    return found


def _usable(word: str, lexicon: Collection[str]) -> bool:
    return len(word) >= MIN_LENGTH and set(word) <= set(LETTERS) and word in lexicon


def measure(bundle: Path, lines: Sequence[str], known: Collection[str]) -> dict[str, Any]:
    """The shares of typos that were corrected and missed, for every preset and group."""
    presets: dict[str, Any] = {}
    for preset in PRESETS:
        corrector = respell.load(bundle, preset=preset)
        drawn = draw(lines, corrector.bundle.lexicon.words, known)
        presets[preset] = {}
        for group, sentences in ((group, some) for group, some in drawn.items() if some):
            answers = corrector.correct_tokens_many(words for words, _, _ in sentences)
            answered = [
                (words[i], right, answer[i])
                for (words, i, right), answer in zip(sentences, answers, strict=True)
            ]
            presets[preset][group] = {
                "corrected": round(fmean(right == answer for _, right, answer in answered), 3),
                "missed": round(fmean(wrong == answer for wrong, _, answer in answered), 3),
                "typos": len(answered),
            }
    return presets


def main() -> int:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", type=Path, nargs="+", help="dictionaries, one word per line")
    parser.add_argument("--bundle", type=Path, default=default_path())
    parser.add_argument("--output", type=Path, default=RESULT)
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the corpora, see docs/internals/data.md")
    folder = Path(os.environ["RESPELL_DATA"]) / "corpora"
    sources = texts(CORPORA)
    read = (line for s in sources for line in heldout_lines(folder / s.file, s.heldout))
    lines = sorted({line for line in read if len(line.split()) <= MAX_WORDS})
    known = {word for path in args.words for word in path.read_text(encoding="utf-8").split("\n")}
    paths = [*args.words, *(folder / source.file for source in sources)]
    record = {
        "presets": measure(args.bundle, lines, known),
        "files": {path.name: sha256(path) for path in paths},
        "system": {"kind": "bundle", "sha256": hash_bundle(args.bundle)},
        **provenance("python benchmarks/rare.py"),
    }
    write_json(args.output, record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
