"""Align the words of an answer with the words that were given."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

GAP = 0.75
"""The cost of a word that was added or dropped; other words cost their edit distance, up to 1."""
PUNCTUATION_GAP = 0.3
"""The same for a token without letters and digits."""
CHANGED_SPACE = 0.3
"""The cost of a word that was split, or of two that were joined."""
BAND = 10
"""How far an alignment may shift, besides the difference of the lengths."""
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_NOT_LETTERS = re.compile(r"[\W_]+")
_CLITIC = re.compile(r"(?:['’]|n['’]t\b)", re.IGNORECASE)


def fold(word: str) -> str:
    """The word in lower case without punctuation at its edges."""
    return _EDGES.sub("", word.lower())


@dataclass(frozen=True, slots=True)
class Aligned:
    """An answer, word by word."""

    words: tuple[str, ...]
    """The folded answer for each word that was given.

    It is empty for a word that was dropped, has a space for a word that was split, and is the same
    for two words that were joined.
    """
    added: int
    """Words that answer to none of the given words."""


def align(given: Sequence[str], answer: Sequence[str]) -> Aligned:
    """Align an answer with the given words, at the least cost.

    A split or a join must keep all letters. A contraction that was split (*I 've*) is unchanged.
    """
    left, right = list(map(fold, given)), list(map(fold, answer))
    words = [""] * len(left)
    added = 0
    for i, j, width, height in _moves(left, right):
        if width == 0:
            added += bool(right[j])
        elif height == 2:
            words[i] = _joined(answer[j], answer[j + 1])
        elif height == 1:
            words[i : i + width] = [right[j]] * width
    return Aligned(tuple(words), added)


def _joined(first: str, second: str) -> str:
    """The folded answer for a word that was split in two."""
    if _CLITIC.match(second):
        return fold(first + second)
    return f"{fold(first)} {fold(second)}"


Move = tuple[int, int, int, int]
"""Start in the given words, start in the answer, number of given words, number of answers."""


def _moves(left: Sequence[str], right: Sequence[str]) -> list[Move]:
    """The cheapest alignment of folded words."""
    bound = _cost_word_by_word(left, right)
    if bound <= 2 * min(CHANGED_SPACE, PUNCTUATION_GAP):  # other alignments cost at least this
        return [(i, i, 1, 1) for i in range(len(left))]
    costs = {(0, 0): 0.0}
    steps: dict[tuple[int, int], Move] = {}
    band = abs(len(left) - len(right)) + BAND
    for i in range(len(left) + 1):
        for j in range(max(0, i - band), min(len(right), i + band) + 1):
            cost = costs.get((i, j), inf)
            if cost > bound + 1e-9:
                continue
            for width, height, price in _options(left, right, i, j):
                end = i + width, j + height
                if cost + price < costs.get(end, inf):
                    costs[end] = cost + price
                    steps[end] = (i, j, width, height)
    path: list[Move] = []
    end = len(left), len(right)
    while end != (0, 0):
        path.append(steps[end])
        end = steps[end][:2]
    return path[::-1]


def _cost_word_by_word(left: Sequence[str], right: Sequence[str]) -> float:
    """The cost if nothing was added, dropped, split or joined."""
    if len(left) != len(right):
        return inf
    return sum(map(distance, left, right))


def _options(
    left: Sequence[str], right: Sequence[str], i: int, j: int
) -> Iterator[tuple[int, int, float]]:
    """The possible next moves: given words, answers, cost."""
    more_left, more_right = len(left) - i, len(right) - j
    if more_left and more_right:
        yield 1, 1, distance(left[i], right[j])
    if more_left:
        yield 1, 0, GAP if left[i] else PUNCTUATION_GAP
    if more_right:
        yield 0, 1, GAP if right[j] else PUNCTUATION_GAP
    if more_left and more_right > 1 and _same_letters(left[i : i + 1], right[j : j + 2]):
        yield 1, 2, CHANGED_SPACE
    if more_left > 1 and more_right and _same_letters(left[i : i + 2], right[j : j + 1]):
        yield 2, 1, CHANGED_SPACE


def _same_letters(some: Sequence[str], others: Sequence[str]) -> bool:
    return all((*some, *others)) and _letters("".join(some)) == _letters("".join(others))


@lru_cache(maxsize=1 << 16)
def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text)


@lru_cache(maxsize=1 << 16)
def distance(a: str, b: str) -> float:
    """The edit distance of two words divided by the length of the longer one."""
    if a == b:
        return 0.0
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1] / max(len(a), len(b))
