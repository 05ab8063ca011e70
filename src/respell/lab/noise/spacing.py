"""Run words together and pull words apart, on the training device."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from respell.lab.misspellings.spacing import SpacingLists
from respell.lab.noise.confusions import Choices
from respell.lab.noise.synthetic import Dice
from respell.model.encode import CHAR_PAD
from respell.model.lexicon import Lexicon
from respell.text.case import LOWER, TITLE

WHOLE, TOGETHER, FIRST_PART, SECOND_PART = range(4)
"""What a token is: a word, two words run together, or a part of a word that was pulled apart."""
FEWEST = 20
"""Occurrences that two words and the word made of both must have for both to be a real choice."""
SHORTEST = 4
"""Letters of a word that is pulled apart anywhere."""
TYPO = 0.02
"""What people write for two words is a typo in the text if its count is below this share of the
count of the two words."""
LEAST_LISTED = 0.25
"""A word that people pull apart into two words, as in *with out*, is pulled apart at least at this
share of the rate of the lists, however seldom the two words stand side by side in the text."""


@dataclass(frozen=True, slots=True)
class Spaced:
    """Rows after words have been run together or pulled apart."""

    surfaces: Tensor  # [rows, length] the word, the first of two, or the whole; -1 = padding
    segments: Tensor  # [rows, length] number of the sentence within the row, -1 = padding
    shapes: Tensor  # [rows, length] uint8
    parts: Tensor  # [rows, length] WHOLE, TOGETHER, FIRST_PART or SECOND_PART
    seconds: Tensor  # [rows, length] surface of the second word, where words run together
    cuts: Tensor  # [rows, length] letters of the first part, where words are pulled apart


@dataclass(frozen=True, slots=True, kw_only=True)
class SpacingRates:
    """How often words are run together or pulled apart."""

    anywhere: float
    """Share of the words that are run together with the next one, and that are pulled apart."""
    listed: float
    """The same share for the words that people often run together or pull apart."""
    confused: float
    """The same share for those of them that then are other words (*everyday* for *every day*)."""
    balance: float
    """Limit for mistakes that give other words (*everyday* for *every day*): their number, as a
    share of the correct occurrences of these. Pairs that no list has are limited to `anywhere`:
    few people write *soon* for *so on*."""


class Spacer:
    """Runs words together and pulls words apart, without changing the shape of a batch."""

    def __init__(
        self,
        characters: Tensor,
        eligible: Tensor,
        joins: tuple[Tensor, Tensor],
        cuts: Choices,
        rates: SpacingRates,
    ) -> None:
        """`characters` [surfaces, width] and `eligible` [surfaces] as in a Noiser.

        `joins` are keys of two words of the lexicon, ascending, and their rates.
        """
        device = characters.device
        self.lengths = (characters != CHAR_PAD).sum(1) - 1  # without START
        self.room = characters.shape[1] - 1
        self.eligible = eligible & (self.lengths > 0)
        self.size = len(cuts.rates)
        self.joins = (joins[0].to(device), joins[1].to(device))
        self.cuts, self.rates = cuts.to(device), rates

    def __call__(self, surfaces: Tensor, segments: Tensor, shapes: Tensor, dice: Dice) -> Spaced:
        """Change some words; all arguments are [rows, length], -1 = padding."""
        surface = surfaces.clamp(min=0)
        able = (surfaces >= 0) & self.eligible[surface]
        joined = self._joined(surface, segments, shapes, able, dice)
        apart, cut = self._apart(surface, able, dice)
        after = _shift(joined)
        apart &= ~joined & ~after
        counts = (surfaces >= 0).long() + apart - after.long()
        full = counts.sum(1, keepdim=True) > surfaces.shape[1]
        apart &= ~full
        counts = counts.where(~full, (surfaces >= 0).long() - after.long())
        source, second = _sources(counts)
        real = source >= 0
        source = source.clamp(min=0)
        parts = torch.full_like(surfaces, WHOLE)
        parts = parts.where(~joined.gather(1, source), TOGETHER)
        halves = torch.where(second, SECOND_PART, FIRST_PART)
        parts = torch.where(apart.gather(1, source), halves, parts).where(real, WHOLE)
        shape = shapes.gather(1, source)
        shape = torch.where(second & (shape == TITLE), LOWER, shape.long()).to(shapes.dtype)
        following = torch.zeros_like(surface)
        following[:, :-1] = surface[:, 1:]
        return Spaced(
            surfaces=surfaces.gather(1, source).where(real, -1),
            segments=segments.gather(1, source).where(real, -1),
            shapes=shape.where(real, 0),
            parts=parts,
            seconds=following.gather(1, source),
            cuts=cut.gather(1, source),
        )

    def spell(self, spaced: Spaced, characters: Tensor, seconds: Tensor) -> Tensor:
        """The spellings after the change.

        characters [rows, length, width] of the surfaces, seconds [rows, length, width] of the
        second words.
        """
        column = torch.arange(characters.shape[-1], device=characters.device)
        part, cut = spaced.parts[..., None], spaced.cuts[..., None]
        first = torch.where(column <= cut, characters, CHAR_PAD)
        shifted = characters.gather(-1, (column + cut * (column > 0)).clamp(max=self.room))
        beyond = column + cut > self.room
        rest = torch.where(beyond & (column > 0), CHAR_PAD, shifted)
        length = (characters != CHAR_PAD).sum(-1, keepdim=True) - 1
        source = (column - length).clamp(min=0, max=self.room)
        both = torch.where(column <= length, characters, seconds.gather(-1, source))
        spelled = torch.where(part == TOGETHER, both, characters)
        spelled = torch.where(part == FIRST_PART, first, spelled)
        return torch.where(part == SECOND_PART, rest, spelled).to(characters.dtype)

    def _joined(
        self, surface: Tensor, segments: Tensor, shapes: Tensor, able: Tensor, dice: Dice
    ) -> Tensor:
        """Which words are run together with the next one."""
        follows = torch.zeros_like(able)
        same = (segments[:, 1:] == segments[:, :-1]) & (shapes[:, 1:] == LOWER)
        same &= shapes[:, :-1] <= TITLE  # else the shape of both would be another one
        fits = self.lengths[surface[:, 1:]] + self.lengths[surface[:, :-1]] <= self.room
        follows[:, :-1] = able[:, 1:] & able[:, :-1] & same & fits
        key = torch.zeros_like(surface)
        key[:, :-1] = surface[:, :-1] * self.size + surface[:, 1:]
        keys, rates = self.joins
        place = torch.searchsorted(keys, key).clamp(max=len(keys) - 1)
        rate = torch.where(keys[place] == key, rates[place], self.rates.anywhere)
        joined = follows & (dice.uniform(rate.shape) < rate)
        return joined & ~_shift(joined)

    def _apart(self, surface: Tensor, able: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
        """Which words are pulled apart, and after how many letters."""
        index = surface.clamp(max=self.size - 1)
        listed, cut = self.cuts.draw(index, dice)
        length = self.lengths[surface]
        anywhere = dice.chance(self.rates.anywhere, surface.shape) & (length >= SHORTEST)
        random = dice.below(length - 1) + 1
        cut = torch.where(listed, cut, random)
        return able & (surface < self.size) & (listed | anywhere), cut


def _shift(flags: Tensor) -> Tensor:
    """The flags of the words before."""
    moved = torch.zeros_like(flags)
    moved[:, 1:] = flags[:, :-1]
    return moved


def _sources(counts: Tensor) -> tuple[Tensor, Tensor]:
    """Where each new token comes from, -1 = padding, and whether it is the second of two.

    counts [rows, length]: how many tokens each token becomes, at most `length` in a row.
    """
    rows, length = counts.shape
    place = counts.cumsum(1) - counts
    column = torch.arange(length, device=counts.device).expand(rows, length)
    source = counts.new_full((rows, length + 1), -1)  # the last column is dropped
    source = source.scatter(1, place.where(counts > 0, length), column)
    again = torch.where(counts > 1, place + 1, length)
    second = torch.zeros_like(source).scatter(1, again, 1)
    source = source.scatter(1, again, column)
    return source[:, :length], second[:, :length] > 0


def run_together_typos(
    lists: SpacingLists,
    surfaces: Sequence[str],
    lexicon: Lexicon,
    valid_words: Collection[str],
    tokens: Tensor,
) -> frozenset[str]:
    """The surfaces that people write for two words and that are no words, such as *alot*.

    Listed spellings that the text has more often than writers make this mistake are taken for
    words: *Hera* is not *her a*.
    """
    size = len(lexicon)
    index = {surface: i for i, surface in enumerate(surfaces)}
    found: dict[str, int] = {}
    for one, other in lists.together:
        first, second = lexicon.index(one), lexicon.index(other)
        if first is not None and second is not None and one + other not in valid_words:
            found[one + other] = first * size + second
    pairs = _count_pairs(tokens, sorted(set(found.values())), size)
    counts = torch.bincount(tokens, minlength=len(surfaces)).tolist()
    return frozenset(
        word
        for word, key in found.items()
        if word in index and counts[index[word]] < TYPO * pairs[key]
    )


def spacing_tables(
    lists: SpacingLists,
    lexicon: Lexicon,
    words: Collection[str],
    tokens: Tensor,
    rates: SpacingRates,
) -> tuple[tuple[Tensor, Tensor], Choices]:
    """The tables of a Spacer: pairs to run together with their rates, and places to cut.

    `words` are real words, inside and outside the lexicon. `tokens` are the surfaces of the
    training text, one after the other. They show how often two words and the word made of both are
    written, as in *every day* and *everyday*.
    """
    size = len(lexicon)
    counts = torch.bincount(tokens[tokens < size], minlength=size).tolist()
    ambiguous = list(_in_two(lexicon, counts))
    keys = {first * size + second for _, first, second in ambiguous}
    pairs = _count_pairs(tokens, sorted(keys), size)
    together: dict[int, float] = {}
    apart: dict[int, dict[int, float]] = {}
    for one, other in sorted(lists.together):
        before, after = lexicon.index(one), lexicon.index(other)
        if before is not None and after is not None and one + other not in words:
            together[before * size + after] = rates.listed
    for one, other in sorted(lists.apart):
        word = lexicon.index(one + other)
        if word is not None:
            both = one in lexicon and other in lexicon
            rate = rates.listed * (LEAST_LISTED if both else 1.0)
            apart.setdefault(word, {})[len(one)] = rate
    for whole, first, second in ambiguous:
        key, cut = first * size + second, len(lexicon.words[first])
        if key in together or min(pairs[key], counts[whole]) < FEWEST:
            continue
        one, other = lexicon.words[first], lexicon.words[second]
        listed = (one, other) in lists.together or (one, other) in lists.apart
        most = rates.confused if listed else rates.anywhere
        together[key] = min(most, rates.balance * counts[whole] / pairs[key])
        rate = min(most, rates.balance * pairs[key] / counts[whole])
        cuts = apart.setdefault(whole, {})
        cuts[cut] = max(rate, cuts.get(cut, 0.0))
    ordered = sorted(together.items()) or [(-1, 0.0)]
    joins = (
        torch.tensor([key for key, _ in ordered]),
        torch.tensor([rate for _, rate in ordered], dtype=torch.float32),
    )
    return joins, Choices.build(size, {word: [*cuts.items()] for word, cuts in apart.items()})


def _in_two(lexicon: Lexicon, counts: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Words that can be read as two words of the lexicon: the numbers of all three."""
    for whole, word in enumerate(lexicon.words):
        if not word.isalpha() or counts[whole] < FEWEST:
            continue
        for cut in range(1, len(word)):
            first, second = lexicon.index(word[:cut]), lexicon.index(word[cut:])
            if first is not None and second is not None:
                yield whole, first, second


def _count_pairs(tokens: Tensor, keys: Sequence[int], size: int) -> dict[int, int]:
    """How often the pairs of neighbours with these keys occur."""
    if not keys:
        return {}
    wanted = torch.tensor(keys, device=tokens.device)
    totals = torch.zeros(len(keys), dtype=torch.long, device=tokens.device)
    for start in range(0, max(len(tokens) - 1, 0), _CHUNK):
        chunk = tokens[start : start + _CHUNK + 1].long()
        inside = (chunk[:-1] < size) & (chunk[1:] < size)
        key = (chunk[:-1] * size + chunk[1:])[inside]
        place = torch.searchsorted(wanted, key).clamp(max=len(keys) - 1)
        totals += torch.bincount(place[wanted[place] == key], minlength=len(keys))
    return dict(zip(keys, totals.tolist(), strict=True))


_CHUNK = 1 << 24
