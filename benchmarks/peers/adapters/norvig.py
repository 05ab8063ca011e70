"""Our implementation of Peter Norvig's corrector: the most frequent known word within two edits."""

import functools
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from words import each, like

LETTERS = "abcdefghijklmnopqrstuvwxyz'"
COUNTS = "counts.json"
MIN_COUNT = 2  # words that occur once are often misspellings


def train(text: Path, folder: Path) -> None:
    """Count the words of a text."""
    counts: Counter[str] = Counter()
    with text.open(encoding="utf-8") as lines:
        for line in lines:
            counts.update(re.findall(r"[a-z]+(?:'[a-z]+)*", line.lower()))
    kept = {word: count for word, count in counts.items() if count >= MIN_COUNT}
    (folder / COUNTS).write_text(json.dumps(kept), encoding="utf-8")


@functools.cache
def _counts() -> dict[str, int]:
    path = Path(os.environ["PEER_FOLDER"]) / COUNTS
    counts: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))
    return counts


def edits(word: str) -> Iterator[str]:
    """Every string one edit away: a letter deleted, swapped with the next, replaced or inserted."""
    halves = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    for left, right in halves:
        if right:
            yield left + right[1:]
        if len(right) > 1:
            yield left + right[1] + right[0] + right[2:]
        for letter in LETTERS:
            if right:
                yield left + letter + right[1:]
            yield left + letter + right


def best(word: str, counts: dict[str, int]) -> str:
    """The most frequent known word with the fewest edits, at most two, or else the word itself."""

    def most_frequent(words: Iterable[str]) -> str | None:
        known = {candidate for candidate in words if candidate in counts}
        return max(sorted(known), key=counts.__getitem__, default=None)

    if word in counts:
        return word
    once = set(edits(word))
    twice = (second for first in once for second in edits(first))
    return most_frequent(once) or most_frequent(twice) or word


def _word(word: str) -> str | None:
    lower = word.lower()
    answer = best(lower, _counts())
    return None if answer == lower else like(word, answer)


correct = each(_word)
