"""The `everyday` command: make dev sets of everyday text to choose presets on.

The sentences are held out from training: those of the development part of
`benchmarks/confusions.py`.
"""

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from respell.lab.common.storage import made, save_text
from respell.lab.data.corpus import read_sources
from respell.lab.data.pretokenize import split
from respell.lab.evaluate.confusions.pairs import FILE, Direction, read_directions
from respell.lab.evaluate.confusions.sentences import find_places, read_heldout, texts_of

CLEAN, NOISY, GOLD = "clean.txt", "confused.noisy.txt", "confused.gold.txt"
PER_DIRECTION = 4
"""Sentences in which a word is confused with another one."""
SENTENCES = 6000
"""Clean sentences."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `everyday`."""
    parser.add_argument("--corpora", type=Path, required=True, help="TOML list of corpora")
    parser.add_argument("--data", type=Path, required=True, help="folder of corpora and lists")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")


def run(args: argparse.Namespace) -> int:
    """Write clean sentences, and sentences in which one word is confused with another."""
    sources = texts_of("dev", read_sources(args.corpora))
    lines = list(read_heldout(args.data / "corpora", sources))
    pairs = list(_confused(lines, read_directions(args.data / FILE)))
    clean = random.Random(1).sample(lines, min(SENTENCES, len(lines)))
    with made(args.out):
        save_text("".join(f"{_tokens(line)}\n" for line in clean), args.out / CLEAN)
        save_text("".join(f"{noisy}\n" for noisy, _ in pairs), args.out / NOISY)
        save_text("".join(f"{gold}\n" for _, gold in pairs), args.out / GOLD)
    sys.stdout.write(f"{len(clean)} clean sentences, {len(pairs)} with a confused word\n")
    return 0


def _confused(lines: Iterable[str], directions: Iterable[Direction]) -> Iterator[tuple[str, str]]:
    """Sentences as tokens, each with a wrong word and without it."""
    ordered = list(directions)
    places = find_places(lines, {d.meant for d in ordered}, limit=PER_DIRECTION)
    for direction in ordered:
        for place in places.get(direction.meant, ()):
            noisy, gold = _tokens(place.replaced(direction.written).text), _tokens(place.text)
            # A contraction may be two tokens: they're, their.
            if noisy != gold and noisy.count(" ") == gold.count(" "):
                yield noisy, gold


def _tokens(line: str) -> str:
    return " ".join(split(line))
