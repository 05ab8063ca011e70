"""Synthetic misspellings: methods to change character rows, vectorized over many rows.

A row is `[START, c1, …, cn, 0, …]`; column i holds the i-th character. No value is copied back to
the host and no shape depends on the data, so all methods run and compile on any device.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

import torch
from torch import Tensor

from respell.model.encode import CHAR_PAD, FIRST_CHARACTER
from respell.types import Error

# fmt: off
# Letters only: the tokenizer would split words at digits and punctuation marks.
QWERTY: Mapping[str, str] = {
    "q": "wa", "w": "qeas", "e": "wrsd", "r": "etdf", "t": "ryfg",
    "y": "tugh", "u": "yihj", "i": "uojk", "o": "ipkl", "p": "ol",
    "a": "qwsz", "s": "awedxz", "d": "serfcx", "f": "drtgvc", "g": "ftyhbv",
    "h": "gyujnb", "j": "huikmn", "k": "jiolm", "l": "kop",
    "z": "asx", "x": "zsdc", "c": "xdfv", "v": "cfgb", "b": "vghn", "n": "bhjm", "m": "njk",
}
# fmt: on
"""The neighbours of each letter on an English keyboard."""


@dataclass(frozen=True, slots=True)
class Dice:
    """Random tensors on a device, from a given generator or the default one.

    Tensors are filled in place, since `rand(generator=…)` does not compile for dynamic shapes.
    """

    device: torch.device
    generator: torch.Generator | None = None

    def uniform(self, shape: Sequence[int]) -> Tensor:
        """Numbers from [0, 1)."""
        return torch.empty(shape, device=self.device).uniform_(generator=self.generator)

    def normal(self, shape: Sequence[int]) -> Tensor:
        """Numbers from the standard normal distribution."""
        return torch.empty(shape, device=self.device).normal_(generator=self.generator)

    def chance(self, share: float, shape: Sequence[int]) -> Tensor:
        """True with the given probability, independently for each element."""
        return self.uniform(shape) < share

    def whole(self, limit: int, shape: Sequence[int]) -> Tensor:
        """Integers from 0 to limit - 1; the limit is at most 2^24."""
        return (self.uniform(shape) * limit).long().clamp(max=limit - 1)

    def below(self, count: Tensor) -> Tensor:
        """Integers from 0 to count - 1 for a tensor of counts; 0 where the count is 0 or less."""
        return (self.uniform(count.shape) * count).long().minimum(count - 1).clamp(min=0)

    def pick(self, choices: Tensor, shape: Sequence[int]) -> Tensor:
        """Random entries of a 1-d tensor."""
        return choices[self.whole(len(choices), shape)]


@dataclass(frozen=True, slots=True)
class Letters:
    """The alphabet and the keyboard as character ids."""

    small: Tensor  # [letters] uint8: a-z, to replace or insert a letter
    every: Tensor  # [letters] uint8: a-zA-Z, for the paper's random words
    apostrophe: int  # its id, CHAR_PAD if the alphabet has none
    s: int
    neighbours: Tensor  # [256, most] uint8: keyboard neighbours of a character id, 0-padded
    counts: Tensor  # [256] int64: how many neighbours a character id has

    @classmethod
    def build(
        cls, alphabet: Sequence[str], keyboard: Mapping[str, str], *, device: torch.device
    ) -> "Letters":
        """Convert an alphabet and a keyboard to character ids, as the encoder does."""
        if len(alphabet) > 256 - FIRST_CHARACTER:
            raise Error(f"{len(alphabet)} characters do not fit a byte: keep the most frequent")
        ids = {c: i for i, c in enumerate(alphabet, start=FIRST_CHARACTER)}
        small = [ids[c] for c in ascii_lowercase if c in ids]
        if not small:
            raise Error("the alphabet has no letter a-z: pass the characters in the order of ids")
        every = small + [ids[c] for c in ascii_uppercase if c in ids]
        lists = {i: _neighbour_ids(c, keyboard, ids) for c, i in ids.items()}
        most = max(map(len, lists.values()))
        neighbours = torch.zeros(256, max(most, 1), dtype=torch.uint8)
        counts = torch.zeros(256, dtype=torch.int64)
        for i, near in lists.items():
            neighbours[i, : len(near)] = torch.tensor(near, dtype=torch.uint8)
            counts[i] = len(near)
        return cls(
            small=torch.tensor(small, dtype=torch.uint8, device=device),
            every=torch.tensor(every, dtype=torch.uint8, device=device),
            apostrophe=ids.get("'", CHAR_PAD),
            s=ids.get("s", CHAR_PAD),
            neighbours=neighbours.to(device),
            counts=counts.to(device),
        )

    def neighbour(self, characters: Tensor, dice: Dice) -> Tensor:
        """A random keyboard neighbour of each character; the character itself if it has none."""
        index = characters.long()
        count = self.counts[index]
        return torch.where(count > 0, self.neighbours[index, dice.below(count)], characters)


def _neighbour_ids(c: str, keyboard: Mapping[str, str], ids: Mapping[str, int]) -> list[int]:
    """The ids of the neighbours of a character; those of a capital are capitals if possible."""
    if c in keyboard:
        return [ids[near] for near in keyboard[c] if near in ids]
    if not c.isupper():
        return []
    typed = (near.upper() if near.upper() in ids else near for near in keyboard.get(c.lower(), ""))
    return [ids[near] for near in typed if near in ids]


Method = Callable[[Tensor, Tensor, Letters, Dice], Tensor]
"""(rows [n, width], number of characters [n], letters, dice) -> noised rows [n, width]."""


def swap(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Swap two interior characters, not necessarily neighbours, of words longer than 3."""
    first = dice.below(lengths - 2)
    second = dice.below(lengths - 3)
    second = second + (second >= first)
    return torch.where((lengths > 3)[:, None], _exchange(rows, first + 2, second + 2), rows)


def middle(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Shuffle all characters except the first and the last."""
    return _shuffle(rows, 2, lengths - 1, dice)


def shuffle(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Shuffle all characters."""
    return _shuffle(rows, 1, lengths, dice)


def keyboard(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Replace one character by a keyboard neighbour, if it has any."""
    place = dice.below(lengths) + 1
    return _put(rows, lengths, place, letters.neighbour(_at(rows, place), dice))


def generate(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Replace every character by a random letter of either case."""
    column = _columns(rows)
    inside = (column >= 1) & (column <= lengths[:, None])
    return torch.where(inside, dice.pick(letters.every, rows.shape), rows)


def insert(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Insert a letter at a random place.

    In half of the cases it is a random letter. In a quarter it is a keyboard neighbour of the
    letter before (at the start of a word: of the first letter). In a quarter it repeats the letter.
    """
    place = dice.below(lengths + 1) + 1
    before = _at(rows, (place - 1).clamp(min=1))
    kind = dice.uniform(lengths.shape)
    near = torch.where(kind < 0.75, letters.neighbour(before, dice), before)
    new = torch.where(kind < 0.5, dice.pick(letters.small, lengths.shape), near)
    return _insert_at(rows, lengths, place, new)


def delete(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Delete one character of words longer than 2."""
    place = dice.below(lengths)[:, None] + 1
    column = _columns(rows)
    source = (column + (column >= place)).clamp(max=rows.shape[1] - 1)
    shorter = torch.where(column < lengths[:, None], rows.gather(1, source), CHAR_PAD)
    return torch.where((lengths > 2)[:, None], shorter, rows)


def repeat(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Repeat one character."""
    place = dice.below(lengths) + 1
    return _insert_at(rows, lengths, place + 1, _at(rows, place))


def transpose(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Swap two adjacent characters; the first character less often (its draw is repeated once)."""
    place, again = dice.below(lengths - 1) + 1, dice.below(lengths - 1) + 1
    place = torch.where(place > 1, place, again)
    return torch.where((lengths > 1)[:, None], _exchange(rows, place, place + 1), rows)


def replace(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Replace one character by a random letter (which may be the same)."""
    place = dice.below(lengths) + 1
    return _put(rows, lengths, place, dice.pick(letters.small, lengths.shape))


def apostrophe(rows: Tensor, lengths: Tensor, letters: Letters, dice: Dice) -> Tensor:
    """Drop an apostrophe; in words without one, insert one before a final "s"."""
    if CHAR_PAD in (letters.apostrophe, letters.s):
        return rows
    column = _columns(rows)
    there = (rows == letters.apostrophe) & (lengths > 1)[:, None]
    place = there.int().argmax(1, keepdim=True)
    source = (column + (column >= place)).clamp(max=rows.shape[1] - 1)
    without = torch.where(column < lengths[:, None], rows.gather(1, source), CHAR_PAD)
    ends = (_at(rows, lengths) == letters.s) & (lengths > 2)
    mark = torch.full_like(rows[:, 0], letters.apostrophe)
    added = torch.where(ends[:, None], _insert_at(rows, lengths, lengths, mark), rows)
    return torch.where(there.any(1, keepdim=True), without, added)


PAPER_METHODS = ("swap", "middle", "shuffle", "keyboard", "generate")
METHODS: Mapping[str, Method] = {
    "swap": swap,
    "middle": middle,
    "shuffle": shuffle,
    "keyboard": keyboard,
    "generate": generate,
    "insert": insert,
    "delete": delete,
    "repeat": repeat,
    "transpose": transpose,
    "replace": replace,
    "apostrophe": apostrophe,
}
"""The methods that a recipe can use."""


class Synthetic:
    """Changes each row by one method, drawn by weight."""

    def __init__(self, weights: Mapping[str, float], letters: Letters) -> None:
        used = {name: weight for name, weight in weights.items() if weight}
        shares = torch.tensor(list(used.values()), device=letters.small.device)
        self.letters = letters
        self.methods = [METHODS[name] for name in used]
        self.bounds = (shares.cumsum(0) / shares.sum())[:-1]  # [methods - 1]

    def __call__(self, rows: Tensor, dice: Dice) -> Tensor:
        """Add noise to rows [n, width]; a method that does not fit a row leaves it unchanged."""
        lengths = (rows != CHAR_PAD).sum(1) - 1  # without START
        kind = torch.bucketize(dice.uniform(lengths.shape), self.bounds, right=True)
        noised = rows
        for number, method in enumerate(self.methods):
            changed = method(rows, lengths, self.letters, dice)
            noised = torch.where((kind == number)[:, None], changed, noised)
        return noised


def _columns(rows: Tensor) -> Tensor:
    return torch.arange(rows.shape[1], device=rows.device)  # [width]


def _at(rows: Tensor, place: Tensor) -> Tensor:
    """The character of each row at a place."""  # [n, width], [n] -> [n]
    return rows.gather(1, place[:, None])[:, 0]


def _put(rows: Tensor, lengths: Tensor, place: Tensor, new: Tensor) -> Tensor:
    """Replace one character of each row; empty rows stay empty."""
    here = (_columns(rows) == place[:, None]) & (lengths > 0)[:, None]
    return torch.where(here, new[:, None], rows)


def _exchange(rows: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """Swap two columns of each row; places beyond the row mean its last column."""
    last = rows.shape[1] - 1
    first, second = first.clamp(max=last)[:, None], second.clamp(max=last)[:, None]
    column = _columns(rows)
    source = torch.where(column == first, second, torch.where(column == second, first, column))
    return rows.gather(1, source)


def _insert_at(rows: Tensor, lengths: Tensor, place: Tensor, new: Tensor) -> Tensor:
    """Insert one character at a place of each row, unless the row is full or empty."""
    column = _columns(rows)
    source = column - (column > place[:, None]).long()
    longer = torch.where(column == place[:, None], new[:, None], rows.gather(1, source))
    fits = (lengths > 0) & (lengths < rows.shape[1] - 1)
    return torch.where(fits[:, None], longer, rows)


def _shuffle(rows: Tensor, first: int, last: Tensor, dice: Dice) -> Tensor:
    """Shuffle the columns from `first` to `last` of each row by sorting random keys."""
    column = _columns(rows)
    keys = dice.uniform(rows.shape)
    inside = (column >= first) & (column <= last[:, None])
    # The keys inside are in [first, first + ½), so the other columns keep their places.
    order = torch.where(inside, first + keys / 2, column).argsort(1)
    return rows.gather(1, order)
