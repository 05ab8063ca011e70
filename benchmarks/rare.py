"""One slip in one word of a sentence: how many are put right, by how frequent the word is.

python benchmarks/rare.py american british                  writes results/model/rare.json
python benchmarks/rare.py … --bundle FOLDER --output FILE   the same of another bundle

`american` and `british` are dictionaries, a word a line: a slip must lead to none of their words
and none of the lexicon. Sentences are of the texts in $RESPELL_DATA that recipes/corpora.toml keeps
from training. A letter is put in, left out, another one, or changes places with the one before.
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
PLACES = (1000, 3000, 10_000, 20_000, 30_000, 50_000)
"""Last places in the lexicon, which begins with the most frequent word, of the groups of words;
what is behind them belongs to the last."""
SHORTEST = 6
LONGEST_LINE = 60
EACH = 1000
LETTERS = "abcdefghijklmnopqrstuvwxyz"

Slip = tuple[list[str], int, str]
"""A sentence, the place of a word in it, and the word as it should be."""


def slipped(word: str, chance: random.Random) -> str:
    """The word with one slip; its first letter may change places, but it is not lost."""
    i, letter = chance.randrange(1, len(word)), chance.choice(LETTERS)
    return chance.choice(
        (
            word[:i] + letter + word[i:],
            word[:i] + word[i + 1 :],
            word[:i] + letter + word[i + 1 :],
            word[: i - 1] + word[i] + word[i - 1] + word[i + 1 :],
        )
    )


def slips(
    lines: Sequence[str], lexicon: Sequence[str], known: Collection[str]
) -> dict[int, list[Slip]]:
    """Sentences with one slip each, by the group of its word."""
    chance = random.Random(1)
    place = {word: i for i, word in enumerate(lexicon, 1)}
    found: dict[int, list[Slip]] = {group: [] for group in PLACES}
    for line in chance.sample(lines, len(lines)):
        words = line.split()
        options = [i for i, word in enumerate(words) if _may_slip(word, place)]
        chance.shuffle(options)
        for i in options:
            group = PLACES[min(bisect_left(PLACES, place[words[i]]), len(PLACES) - 1)]
            wrong = slipped(words[i], chance)
            if len(found[group]) < EACH and wrong not in place and wrong not in known:
                found[group].append(([*words[:i], wrong, *words[i + 1 :]], i, words[i]))
                break
    return found


def _may_slip(word: str, place: Collection[str]) -> bool:
    return len(word) >= SHORTEST and set(word) <= set(LETTERS) and word in place


def measure(bundle: Path, lines: Sequence[str], known: Collection[str]) -> dict[str, Any]:
    """For every preset and group: the share put right, left as it is, made another word."""
    presets: dict[str, Any] = {}
    for preset in PRESETS:
        corrector = respell.load(bundle, preset=preset)
        drawn = slips(lines, corrector.bundle.lexicon.words, known)
        presets[preset] = {}
        for group, sentences in ((group, some) for group, some in drawn.items() if some):
            answers = corrector.correct_tokens_many(words for words, _, _ in sentences)
            said = [
                (words[i], meant, answer[i])
                for (words, i, meant), answer in zip(sentences, answers, strict=True)
            ]
            presets[preset][group] = {
                "put_right": round(fmean(meant == answer for _, meant, answer in said), 3),
                "left": round(fmean(wrong == answer for wrong, _, answer in said), 3),
                "slips": len(said),
            }
    return presets


def main() -> int:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", type=Path, nargs="+", help="dictionaries, a word a line")
    parser.add_argument("--bundle", type=Path, default=default_path())
    parser.add_argument("--output", type=Path, default=RESULT)
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the corpora, see docs/data.md")
    folder = Path(os.environ["RESPELL_DATA"]) / "corpora"
    sources = texts(CORPORA)
    read = (line for s in sources for line in heldout_lines(folder / s.file, s.heldout))
    lines = sorted({line for line in read if len(line.split()) <= LONGEST_LINE})
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
