"""The `truecase` command: add the usual capitalization of words to a bundle.

It counts the spellings of each word of the lexicon in the training text, except at the start of
sentences and in headlines, where capitals say nothing. A word that is almost always written
*YouTube*, *O'Neill*, *NASA* or *February* is listed; one that is also common in lower case
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
from respell.lab.common.storage import finish_replacing, replacing_files, save_text
from respell.lab.data.corpus import read_sources, training_lines
from respell.model.bundle import CONFIG, TRUECASE, Bundle, digest
from respell.model.lexicon import Lexicon
from respell.model.truecase import read_truecase
from respell.text.case import MIXED, TITLE, UPPER, case_shape
from respell.text.tokenize import tokenize
from respell.types import Error, Token

MIN_COUNT = 20
"""Words that are seen less often are not listed."""
MIN_SHARES = {MIXED: 0.8, UPPER: 0.9, TITLE: 0.99}
"""The share of a word's occurrences that must have the same capitals. Acronyms need more, because
many are words in lower case too (*rim*, *dab*) and emphasis looks the same. Names need most,
because single capitals are common (*United*)."""
_ENDS = tuple('.!?:"”')
_CACHED = 1_000_000
_SHAPES = {"mixed": MIXED, "upper": UPPER, "title": TITLE}


class CaseCounts:
    """Counts how often each word of a lexicon was written with which capitals."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.counts: Counter[str] = Counter()
        self._lexicon = lexicon
        self._cache: dict[str, tuple[str, ...]] = {}

    def read(self, line: str) -> int:
        """Count the words of a line of one or more sentences; return the number of its tokens."""
        # Inline code is the only kind of token that may contain spaces.
        pieces = [token.text for token in tokenize(line)] if "`" in line else line.split()
        if line.isupper():
            return len(pieces)
        first = True
        for piece in pieces:
            words = self._cache.get(piece)
            words = self._words(piece) if words is None else words
            if words and not first:
                self.counts.update(words)
            first = piece.endswith(_ENDS) or (first and not words)
        return len(pieces)

    def usual(self) -> Iterator[str]:
        """The words that have usual capitals, written that way, in the order of the lexicon."""
        written: dict[str, list[tuple[int, str]]] = {}
        for word, number in self.counts.items():
            written.setdefault(word.lower(), []).append((number, word))
        for lower in self._lexicon:
            seen = written.get(lower, [])
            most, word = max(seen, default=(0, lower))
            share = MIN_SHARES.get(case_shape(word))
            if share and most >= MIN_COUNT and most >= share * sum(count for count, _ in seen):
                yield word

    def _words(self, piece: str) -> tuple[str, ...]:
        if len(self._cache) >= _CACHED:
            self._cache.clear()
        texts = (t.text.replace("’", "'") for t in tokenize(piece) if _is_word(t))
        words = self._cache[piece] = tuple(t for t in texts if t.lower() in self._lexicon)
        return words


def _is_word(token: Token) -> bool:
    """A word with capitals inside may look like code."""
    return token.kind in ("word", "name") or (token.kind == "code" and token.text.isalpha())


def add_truecase(words: Iterable[str], folder: Path) -> None:
    """Write the words and their hash into a bundle."""
    finish_replacing(folder)
    bundle = Bundle.read(folder)
    with replacing_files(folder) as drafts:
        save_text("".join(f"{word}\n" for word in words), drafts / TRUECASE)
        read_truecase(drafts / TRUECASE, bundle.lexicon)
        hashes = {**bundle.config.sha256, TRUECASE: digest(drafts / TRUECASE)}
        save_text(replace(bundle.config, sha256=hashes).to_json(), drafts / CONFIG)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `truecase`."""
    parser.add_argument("--corpora", type=Path, required=True, help="TOML list of corpora")
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--bundle", type=Path, required=True, help="the bundle to add them to")
    parser.add_argument("--limit", type=count, help="words to read of each corpus (default: all)")
    parser.add_argument("--output", type=Path, metavar="JSON", help="where to write the counts")


def run(args: argparse.Namespace) -> int:
    """Count capitals in the training lines of corpora and add the usual ones to a bundle."""
    bundle = Bundle.read(args.bundle)
    if bundle.config.casing != "lower":
        raise Error(f"{args.bundle}: its lexicon is cased already")
    began = time.perf_counter()
    counts = CaseCounts(bundle.lexicon)
    sources = [source for source in read_sources(args.corpora) if source.heldout != "all"]
    read: dict[str, int] = {}
    for source in sources:
        words = 0
        for line in training_lines(args.data / source.file, source.heldout):
            words += counts.read(line)
            if args.limit is not None and words >= args.limit:
                break
        read[source.file] = words
    found = list(counts.usual())
    if not found:
        raise Error("no word has usual capitals in this text; give more text")
    record = _record(found, read) | provenance()  # before tracked files change
    add_truecase(found, args.bundle)
    if args.output:
        write_json(args.output, record)
    seconds = time.perf_counter() - began
    sys.stderr.write(
        f"{args.bundle / TRUECASE}: the usual capitals of {len(found):,} words, "
        f"from {sum(read.values()):,} words in {seconds:.0f} s\n"
    )
    return 0


def _record(found: list[str], read: dict[str, int]) -> dict[str, Any]:
    shapes = Counter(case_shape(word) for word in found)
    return {
        "min_count": MIN_COUNT,
        "min_shares": {name: MIN_SHARES[shape] for name, shape in _SHAPES.items()},
        "found": {name: shapes[shape] for name, shape in _SHAPES.items()},
        "words": sum(read.values()),
        "sources": read,
    }
