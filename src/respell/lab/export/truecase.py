"""The `capitals` command: which words of a lexicon people write with capitals of their own.

Every training line is read and counted how each word is written where capitals mean something:
not at the start of a sentence and not in a headline. A word that nearly always is *YouTube*,
*O'Neill*, *NASA* or *February* is listed so in a bundle; one that also lives in small letters
(*spa*, *SpA*; *march*, *March*) is not.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from respell.cli.args import count
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.storage import replacing_files, save_text
from respell.lab.data.corpus import read_sources, training_lines
from respell.model.bundle import CONFIG, TRUECASE, Bundle, digest
from respell.model.lexicon import Lexicon
from respell.model.truecase import read_truecase
from respell.text.case import MIXED, TITLE, UPPER, case_shape
from respell.text.tokenize import tokenize
from respell.types import Error, Token

LEAST = 20
"""Sightings without which nothing is said of a word."""
SHARES = {MIXED: 0.8, UPPER: 0.9, TITLE: 0.99}
"""How much of a word's sightings must be written one way. Acronyms need more, for many are words
in small letters too (*rim*, *dab*), and shouting looks the same; names need most, for a single
capital is soon given (*United*)."""
_ENDS = tuple('.!?:"”')
_CACHED = 1_000_000


class Sightings:
    """How often each writing of the words of a lexicon was seen."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.counts: Counter[str] = Counter()
        self._lexicon = lexicon
        self._cache: dict[str, tuple[str, ...]] = {}

    def read(self, line: str) -> int:
        """Count the words of a line, one sentence or more; tell how many pieces it has."""
        # Inline code is the one kind of token that may hold blanks.
        pieces = [token.text for token in tokenize(line)] if "`" in line else line.split()
        if line.isupper():
            return len(pieces)
        first = True
        for piece in pieces:
            words = self._cache.get(piece)
            words = self._learn(piece) if words is None else words
            if words and not first:
                self.counts.update(words)
            first = piece.endswith(_ENDS) or (first and not words)
        return len(pieces)

    def usual(self) -> Iterator[str]:
        """The words with capitals of their own as people write them, in the lexicon's order."""
        written: dict[str, list[tuple[int, str]]] = {}
        for word, number in self.counts.items():
            written.setdefault(word.lower(), []).append((number, word))
        for small in self._lexicon:
            seen = written.get(small, [])
            most, word = max(seen, default=(0, small))
            share = SHARES.get(case_shape(word))
            if share and most >= LEAST and most >= share * sum(count for count, _ in seen):
                yield word

    def _learn(self, piece: str) -> tuple[str, ...]:
        if len(self._cache) >= _CACHED:
            self._cache.clear()
        texts = (t.text.replace("’", "'") for t in tokenize(piece) if _is_word(t))
        words = self._cache[piece] = tuple(t for t in texts if t.lower() in self._lexicon)
        return words


def _is_word(token: Token) -> bool:
    """What looks like code may be a word with capitals inside."""
    return token.kind in ("word", "name") or (token.kind == "code" and token.text.isalpha())


def put(words: Iterable[str], folder: Path) -> None:
    """Write the words into a bundle, with their hash."""
    bundle = Bundle.read(folder)
    with replacing_files(folder) as drafts:
        save_text("".join(f"{word}\n" for word in words), drafts / TRUECASE)
        read_truecase(drafts / TRUECASE, bundle.lexicon)
        hashes = {**bundle.config.sha256, TRUECASE: digest(drafts / TRUECASE)}
        save_text(replace(bundle.config, sha256=hashes).to_json(), drafts / CONFIG)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `capitals`."""
    parser.add_argument("--corpora", type=Path, required=True, help="TOML list of corpora")
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--bundle", type=Path, required=True, help="to put them into")
    parser.add_argument("--limit", type=count, help="words to take from each corpus, for trials")
    parser.add_argument("--output", type=Path, metavar="JSON", help="where the figures are kept")


def run(args: argparse.Namespace) -> int:
    """Count the writings in the training lines of corpora and put the usual ones into a bundle."""
    bundle = Bundle.read(args.bundle)
    if bundle.config.casing != "lower":
        raise Error(f"{args.bundle}: its words have their case already")
    began = time.perf_counter()
    sightings = Sightings(bundle.lexicon)
    sources = [source for source in read_sources(args.corpora) if source.heldout != "all"]
    read: dict[str, int] = {}
    for source in sources:
        words = 0
        for line in training_lines(args.data / source.file, source.heldout):
            words += sightings.read(line)
            if args.limit is not None and words >= args.limit:
                break
        read[source.file] = words
    found = list(sightings.usual())
    if not found:
        raise Error("no word has capitals of its own in this text; more text may show some")
    record = _record(found, read) | provenance()  # before tracked files change
    put(found, args.bundle)
    if args.output:
        write_json(args.output, record)
    seconds = time.perf_counter() - began
    sys.stderr.write(
        f"{args.bundle / TRUECASE}: {len(found):,} words with capitals of their own, "
        f"from {sum(read.values()):,} words in {seconds:.0f} s\n"
    )
    return 0


def _record(found: list[str], read: dict[str, int]) -> dict[str, Any]:
    shapes = Counter(case_shape(word) for word in found)
    return {
        "least": LEAST,
        "shares": {"inside": SHARES[MIXED], "all": SHARES[UPPER], "first": SHARES[TITLE]},
        "found": {"inside": shapes[MIXED], "all": shapes[UPPER], "first": shapes[TITLE]},
        "words": sum(read.values()),
        "sources": read,
    }
