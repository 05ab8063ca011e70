"""A statistical model of misspellings: learn edits from lists and apply them to any word.

Each pair is split into edits of a few letters ("ei" for "ie", "f" for "ph", nothing for a doubled
letter), each with its two neighbouring letters. The rate of an edit is how often it is made where
it is possible. A new misspelling is one or a few edits, drawn by their rates.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from respell.types import Error

LONGEST_EDIT = 3
PRIOR = 20.0
"""Weight of the rate of an edit anywhere, in occurrences of its place."""
EDGE = "\0"
Place = tuple[str, str, str]  # letter before, letters to edit, letter after


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of the letters from `start` to `end` of a word."""

    start: int
    end: int
    new: str
    rate: float


def edits(word: str, spelling: str) -> list[tuple[int, int, str]]:
    """The parts of a word that differ from a spelling: (start, end, replacement)."""
    costs = _costs(word, spelling)
    found: list[tuple[int, int, str]] = []
    i, j, end, last = len(word), len(spelling), len(word), len(spelling)
    while i or j:
        if i and j and word[i - 1] == spelling[j - 1] and costs[i][j] == costs[i - 1][j - 1]:
            if (i, j) != (end, last):
                found.append((i, end, spelling[j:last]))
            i, j = i - 1, j - 1
            end, last = i, j
        elif i and j and costs[i][j] == costs[i - 1][j - 1] + 1:
            i, j = i - 1, j - 1
        elif i and costs[i][j] == costs[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    if (i, j) != (end, last):
        found.append((i, end, spelling[j:last]))
    return found[::-1]


def _costs(word: str, spelling: str) -> list[list[int]]:
    """Edit distances of all prefixes: [len(word) + 1][len(spelling) + 1]."""
    rows = [list(range(len(spelling) + 1))]
    for i, x in enumerate(word, 1):
        before, row = rows[-1], [i]
        for j, y in enumerate(spelling, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y)))
        rows.append(row)
    return rows


def _places(word: str) -> Iterator[tuple[int, int, Place]]:
    """Every part of a word that may be edited, with its neighbours."""
    padded = EDGE + word + EDGE
    for start in range(len(word) + 1):
        for end in range(start, min(start + LONGEST_EDIT, len(word)) + 1):
            yield start, end, (padded[start], word[start:end], padded[end + 1])


class EditModel:
    """Rates of edits, counted in pairs of words and misspellings."""

    def __init__(self, pairs: Mapping[str, Sequence[str]]) -> None:
        here: dict[Place, Counter[str]] = defaultdict(Counter)
        anywhere: dict[str, Counter[str]] = defaultdict(Counter)
        chances_here: Counter[Place] = Counter()
        chances: Counter[str] = Counter()
        numbers: Counter[int] = Counter()
        for word, spellings in pairs.items():
            for _, _, place in _places(word):
                chances_here[place] += len(spellings)
                chances[place[1]] += len(spellings)
            padded = EDGE + word + EDGE
            for spelling in spellings:
                made = edits(word, spelling)
                if not made or any(max(b - a, len(new)) > LONGEST_EDIT for a, b, new in made):
                    continue
                numbers[min(len(made), 3)] += 1
                for start, end, new in made:
                    here[padded[start], word[start:end], padded[end + 1]][new] += 1
                    anywhere[word[start:end]][new] += 1
        if not numbers:
            raise Error("the lists have no pair to learn from")
        self._here, self._chances_here = here, chances_here
        self._anywhere = {
            old: {new: n / chances[old] for new, n in made.items() if n > 1}
            for old, made in anywhere.items()
        }
        self._numbers = numbers
        self._cache: dict[Place, list[tuple[str, float]]] = {}

    def _rates(self, place: Place) -> list[tuple[str, float]]:
        """The replacements at a place with their rates, from this place and from all places."""
        rates = self._cache.get(place)
        if rates is None:
            seen = self._here.get(place, Counter[str]())
            general = self._anywhere.get(place[1], {})
            chances = self._chances_here[place] + PRIOR
            rates = [
                (new, (seen[new] + PRIOR * general.get(new, 0.0)) / chances)
                for new in sorted({*seen, *general})
            ]
            self._cache[place] = rates
        return rates

    def options(self, word: str) -> list[Edit]:
        """All possible edits of a word."""
        return [
            Edit(start, end, new, rate)
            for start, end, place in _places(word)
            for new, rate in self._rates(place)
        ]

    def misspell(
        self, word: str, count: int, rng: random.Random, *, temperature: float = 1.0
    ) -> list[str]:
        """Up to `count` different misspellings of a word.

        A `temperature` below 1 makes rare edits rarer.
        """
        options = self.options(word)
        if not options:
            return []
        weights = list(accumulate(option.rate ** (1 / temperature) for option in options))
        sizes = rng.choices(list(self._numbers), list(self._numbers.values()), k=4 * count)
        found: dict[str, None] = {}
        for size in sizes:
            spelling = _apply(word, rng.choices(options, cum_weights=weights, k=size))
            if spelling and spelling != word:
                found[spelling] = None
            if len(found) == count:
                break
        return list(found)


def _apply(word: str, edits: Iterable[Edit]) -> str:
    """Apply edits to a word; an edit that touches an earlier one is ignored."""
    applied: list[Edit] = []
    for edit in edits:
        if all(edit.start > other.end or edit.end < other.start for other in applied):
            applied.append(edit)
    for edit in sorted(applied, key=lambda e: -e.start):
        word = word[: edit.start] + edit.new + word[edit.end :]
    return word
