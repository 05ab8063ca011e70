"""Misspellings nobody wrote down: learn from lists how people misspell, then do it to any word.

A pair is cut into edits of a few letters ("ei" for "ie", "f" for "ph", nothing for a doubled
letter), each between two neighbours. How often an edit is made where it could be made is its rate;
a new misspelling is one or a few edits, drawn by their rates.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from respell.types import Error

LONGEST_EDIT = 3
FAITH = 20.0
"""Sightings after which an edit's own neighbours count as much as all places together."""
EDGE = "\0"
Place = tuple[str, str, str]  # letter before, letters to edit, letter behind


@dataclass(frozen=True, slots=True)
class Edit:
    """What to write instead of the letters from `start` to `end` of a word."""

    start: int
    end: int
    new: str
    rate: float


def edits(word: str, spelling: str) -> list[tuple[int, int, str]]:
    """The fewest stretches that differ: (start and end in the word, what was written instead)."""
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
    """Edit distances of all beginnings: [len(word) + 1][len(spelling) + 1]."""
    rows = [list(range(len(spelling) + 1))]
    for i, x in enumerate(word, 1):
        before, row = rows[-1], [i]
        for j, y in enumerate(spelling, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y)))
        rows.append(row)
    return rows


def _places(word: str) -> Iterator[tuple[int, int, Place]]:
    """Every stretch of a word that may be edited, between its neighbours."""
    framed = EDGE + word + EDGE
    for start in range(len(word) + 1):
        for end in range(start, min(start + LONGEST_EDIT, len(word)) + 1):
            yield start, end, (framed[start], word[start:end], framed[end + 1])


class EditModel:
    """How people misspell, counted from pairs."""

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
            framed = EDGE + word + EDGE
            for spelling in spellings:
                made = edits(word, spelling)
                if not made or any(max(b - a, len(new)) > LONGEST_EDIT for a, b, new in made):
                    continue
                numbers[min(len(made), 3)] += 1
                for start, end, new in made:
                    here[framed[start], word[start:end], framed[end + 1]][new] += 1
                    anywhere[word[start:end]][new] += 1
        if not numbers:
            raise Error("the lists hold no pair to learn from")
        self._here, self._chances_here = here, chances_here
        self._anywhere = {
            old: {new: n / chances[old] for new, n in made.items() if n > 1}
            for old, made in anywhere.items()
        }
        self._numbers = numbers
        self._known: dict[Place, list[tuple[str, float]]] = {}

    def _rates(self, place: Place) -> list[tuple[str, float]]:
        """What people write at a place, and how often: seen there, or else anywhere."""
        known = self._known.get(place)
        if known is None:
            seen = self._here.get(place, Counter[str]())
            general = self._anywhere.get(place[1], {})
            chances = self._chances_here[place] + FAITH
            known = [
                (new, (seen[new] + FAITH * general.get(new, 0.0)) / chances)
                for new in sorted({*seen, *general})
            ]
            self._known[place] = known
        return known

    def options(self, word: str) -> list[Edit]:
        """All edits a word invites."""
        return [
            Edit(start, end, new, rate)
            for start, end, place in _places(word)
            for new, rate in self._rates(place)
        ]

    def misspell(
        self, word: str, count: int, dice: random.Random, *, boldness: float = 1.0
    ) -> list[str]:
        """Up to `count` different misspellings of a word.

        Below 1, `boldness` draws fewer of the rare edits.
        """
        options = self.options(word)
        if not options:
            return []
        weights = list(accumulate(option.rate ** (1 / boldness) for option in options))
        sizes = dice.choices(list(self._numbers), list(self._numbers.values()), k=4 * count)
        found: dict[str, None] = {}
        for size in sizes:
            drawn = dice.choices(options, cum_weights=weights, k=size)
            spelling = _apply(word, drawn)
            if spelling and spelling != word:
                found[spelling] = None
            if len(found) == count:
                break
        return list(found)


def _apply(word: str, drawn: Iterable[Edit]) -> str:
    """The word with the edits made; of two that touch each other the first drawn is."""
    chosen: list[Edit] = []
    for edit in drawn:
        if all(edit.start > other.end or edit.end < other.start for other in chosen):
            chosen.append(edit)
    for edit in sorted(chosen, key=lambda e: -e.start):
        word = word[: edit.start] + edit.new + word[edit.end :]
    return word
