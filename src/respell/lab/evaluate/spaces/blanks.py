"""Compare texts by their blanks alone."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import NamedTuple

from respell.lab.common.metrics import ratio
from respell.types import Error

Gaps = frozenset[int]
"""Blanks, each as the number of letters before it."""


class BlankScore(NamedTuple):
    """How many blanks should change, how many were changed, and how many of these rightly."""

    wanted: int
    changed: int
    right: int
    lines: int
    exact: int
    """Lines whose blanks are all right."""

    @property
    def precision(self) -> float:
        """The share of changes that are right."""
        return ratio(self.right, self.changed)

    @property
    def recall(self) -> float:
        """The share of mistakes that were put right."""
        return ratio(self.right, self.wanted)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return ratio(2 * self.right, self.wanted + self.changed)


def score(rows: Iterable[tuple[str, str, str]]) -> BlankScore:
    """The score of (corrupt, correct, answer) lines.

    Only blanks count. Letters that an answer has changed are aligned; a blank beside letters that
    it has dropped counts as unchanged.
    """
    wanted = changed = right = lines = exact = 0
    for corrupt, correct, answer in rows:
        letters, before = gaps(corrupt)
        other, after = gaps(correct)
        if letters != other:
            raise Error(f"the lines differ in more than blanks: {corrupt[:40]!r}")
        made = before ^ projected(letters, before, answer)
        meant = before ^ after
        wanted, changed, right = (
            wanted + len(meant),
            changed + len(made),
            right + len(meant & made),
        )
        lines, exact = lines + 1, exact + (made == meant)
    return BlankScore(wanted, changed, right, lines, exact)


def gaps(text: str) -> tuple[str, Gaps]:
    """The letters of a text without its blanks, and where the blanks are."""
    words = text.split()
    ends, length = set(), 0
    for word in words[:-1]:
        length += len(word)
        ends.add(length)
    return "".join(words), frozenset(ends)


def projected(letters: str, before: Gaps, answer: str) -> Gaps:
    """The blanks of an answer between the letters of the question."""
    own, found = gaps(answer)
    if own == letters:
        return found
    place: dict[int, int] = {}
    matcher = SequenceMatcher(None, letters.lower(), own.lower(), autojunk=False)
    for block in matcher.get_matching_blocks():
        place.update((block.a + i, block.b + i) for i in range(block.size))
    result = set()
    for i in range(1, len(letters)):
        left, right = place.get(i - 1), place.get(i)
        if left is None or right is None:
            has = i in before
        else:
            has = any(gap in found for gap in range(left + 1, right + 1))
        if has:
            result.add(i)
    return frozenset(result)
