"""Lists of misspellings: read and merge them, hold pairs out, and filter them for training."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from respell.lab.common.storage import save_text
from respell.lab.common.text_files import read_lines
from respell.text.case import MIXED, UPPER, case_shape
from respell.text.edits import count_edits
from respell.types import Error

CONFIRMED = 2
"""A pair is confirmed if this many lists contain it."""
Pairs = Mapping[str, Sequence[str]]
"""Correct word -> its misspellings. This module returns them sorted and without duplicates."""


def read_birkbeck(path: Path) -> dict[str, list[str]]:
    """Read Mitton's format: a `$word` line, then a line per misspelling ("_" is a space)."""
    pairs: list[tuple[str, str]] = []
    word = ""
    for number, line in enumerate(read_lines(path), 1):
        entry = line.strip()
        if entry.startswith("$"):
            word = entry[1:]
        if not entry:
            continue
        if not word or " " in entry:
            raise Error(f"{path}:{number}: expected $word or one misspelling, found {entry!r}")
        if not entry.startswith("$"):
            pairs.append((word, entry))
    return _collect(pairs)


def read_natural(path: Path) -> dict[str, list[str]]:
    """Read Belinkov and Bisk's format: a word and its misspellings on one line.

    If a word has several lines, only the last one is used, as in the authors' own reader.
    """
    lists: dict[str, list[str]] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        word, *spellings = line.split()
        if not spellings:
            raise Error(f"{path}:{number}: {word!r} has no misspelling after it")
        lists[word] = spellings
    return _collect(_each(lists))


def read_tsv(path: Path) -> dict[str, list[str]]:
    """Read lines with a correct word, a tab and a misspelling."""
    pairs: list[tuple[str, str]] = []
    for number, line in enumerate(read_lines(path), 1):
        word, tab, spelling = line.partition("\t")
        if not (word and tab and spelling) or "\t" in spelling:
            raise Error(f"{path}:{number}: expected correct word, tab, misspelling: {line!r}")
        pairs.append((word, spelling))
    return _collect(pairs)


def write_tsv(pairs: Pairs, path: Path) -> None:
    """Write lines with a correct word, a tab and a misspelling; the file is replaced atomically."""
    lines = []
    for word, spelling in _each(pairs):
        if not word or not spelling or any(c in "\t\n\r" for c in word + spelling):
            raise Error(f"{path}: cannot write the pair {word!r}, {spelling!r} as a line")
        lines.append(f"{word}\t{spelling}\n")
    save_text("".join(lines), path)


def merge(*lists: Pairs) -> dict[str, list[str]]:
    """The union of lists; case matters."""
    return _collect(pair for pairs in lists for pair in _each(pairs))


def split_known(
    pairs: Pairs, *, share: float = 0.8, seed: int = 0
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Split pairs into known ones, each with probability `share`, and unknown ones.

    The decision is a hash of seed and pair, so that additional pairs do not change it.
    """
    if not 0 <= share <= 1:
        raise Error(f"the share of known pairs must be from 0 to 1, not {share}")
    known: list[tuple[str, str]] = []
    unknown: list[tuple[str, str]] = []
    for pair in _each(pairs):
        key = "\t".join((str(seed), *pair)).encode()
        draw = int.from_bytes(hashlib.blake2b(key, digest_size=8).digest()) / 2**64
        (known if draw < share else unknown).append(pair)
    return _collect(known), _collect(unknown)


def without(pairs: Pairs, held_out: Pairs) -> dict[str, list[str]]:
    """The pairs that are not in `held_out`, ignoring case."""
    banned = {(word.lower(), spelling.lower()) for word, spelling in _each(held_out)}
    return _collect(
        (word, spelling)
        for word, spelling in _each(pairs)
        if (word.lower(), spelling.lower()) not in banned
    )


_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def tidy(pairs: Pairs) -> dict[str, list[str]]:
    """The pairs that are plausible misspellings of single words.

    Dropped are pairs with anything but letters and inner apostrophes (spaces, digits, hyphens,
    markup), pairs with a single letter, pairs that differ only in case, and pairs with more edits
    than `limit` allows.
    """
    return _collect(pair for pair in _each(pairs) if _plausible(*pair))


def votes(lists: Iterable[Pairs]) -> Counter[tuple[str, str]]:
    """How many lists contain each pair."""
    return Counter(pair for each in lists for pair in _each(each))


def nearest(
    pairs: Pairs, counts: Mapping[tuple[str, str], int] | None = None
) -> dict[str, list[str]]:
    """Assign each misspelling to the best of the words that list it, and drop the other pairs.

    Lists give "recieve" for "receive" and for "received". A model trained on both would choose the
    more frequent word. The best word is one for which several lists have the misspelling, as
    "paid" for "payed"; otherwise the nearest, and among equally near ones that of most lists.
    `counts` is the number of lists with each pair.
    """
    counts = counts or {}
    heads: dict[str, list[str]] = {}
    for word, spelling in _each(pairs):
        heads.setdefault(spelling, []).append(word)
    kept: list[tuple[str, str]] = []
    for spelling, words in heads.items():
        if len(words) > 1:
            count = {word: counts.get((word, spelling), 0) for word in words}
            ranks = {w: (n < CONFIRMED, count_edits(w, spelling), -n) for w, n in count.items()}
            least = min(ranks.values())
            words = [word for word in words if ranks[word] == least]
        kept += [(word, spelling) for word in words]
    return _collect(kept)


def limit(word: str) -> int:
    """The largest edit distance of a plausible misspelling of a word.

    One for two letters, two for three to five letters, then half of the letters.
    """
    return 1 if len(word) < 3 else max(2, len(word) // 2)


def _plausible(word: str, spelling: str) -> bool:
    if min(len(word), len(spelling)) < 2:
        return False
    if not (_WORD.fullmatch(word) and _WORD.fullmatch(spelling)):
        return False
    return 0 < count_edits(word.lower(), spelling.lower()) <= limit(word)


def _each(pairs: Pairs) -> Iterator[tuple[str, str]]:
    for word, spellings in pairs.items():
        for spelling in spellings:
            yield word, spelling


def _collect(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    collected: dict[str, list[str]] = {}
    for word, spelling in sorted(dict.fromkeys(pairs)):
        collected.setdefault(word, []).append(spelling)
    return collected


def has_odd_capitals(spelling: str) -> bool:
    """Whether a misspelling has capitals other than a single one at its start."""
    return case_shape(spelling) in (UPPER, MIXED)
