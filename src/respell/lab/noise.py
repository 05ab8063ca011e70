"""Noise on the training device: batches of clean words become batches of misspelled ones."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from respell.features import (
    CHAR_MASK,
    CHAR_PAD,
    CHAR_START,
    WORD_MASK,
    WORD_PAD,
    WORD_UNKNOWN,
)
from respell.lab.surfaces import ANY_SHAPE, Pairs, SurfaceTable
from respell.lab.synthetic import METHODS, PAPER_METHODS, QWERTY, Dice, Letters, Synthetic
from respell.text import LOWER, MIXED
from respell.types import Error


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseConfig:
    """How much of which noise; the defaults are the paper's natural noise."""

    clean: float = 0.0
    """Share of sentences left untouched (words may still be hidden)."""
    sigmas: tuple[float, ...] = (0.2,)
    """Each sentence draws one of these; its noise rate is alpha = min(|N(0, sigma)|, 1)."""
    at_least_one: bool = True
    """Noise max(floor(alpha·n), 1) of n tokens, as the paper; else alpha·n rounded by chance."""
    synthetic: float = 0.0
    """Share of the sentences that get synthetic noise instead of natural ("+ random char": .5)."""
    mixed: bool = False
    """`synthetic` is a share of the noised tokens instead, each drawing by itself.

    A token whose word has no list of misspellings is always noised synthetically.
    """
    wild: float = 0.0
    """Share of the sentences that get the paper's natural noise instead, from lists of their own:
    much of it, and much of that absurd."""
    ordinary: float = 0.0
    """Share of the tokens of wild sentences that get the ordinary noise if they get any: else a
    model meets no misspelling there that is not in the lists."""
    spared: float = 0.0
    """Above 0: frequent words get less of the ordinary noise, as people misspell them less. The
    share of a word at place p of the lexicon is (p / 1000) to this power, and no more than 1."""
    planted: float = 0.0
    """Share of the lexicon's words in whose place another word of the lexicon stands, misspelled
    so that it is no word: text alone has too few rare words to learn how they are spelled. It comes
    on top of all other noise, in sentences that are left clean otherwise too."""
    methods: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(PAPER_METHODS, 1.0))
    """Synthetic methods by name, with their weights."""
    hide: float = 0.0
    """Share of the lexicon's words that are hidden."""
    flat: float = 0.0
    """Share of the sentences written without capitals, but for the first token and *I*."""
    lose_case: float = 0.0
    """Share of the changed tokens whose shape is drawn anew: lower, Title or UPPER."""
    slips: float = 0.0
    """Share of the lexicon's words whose capitals slip, as in *THe*; in wild sentences to any."""

    def __post_init__(self) -> None:
        rates = ("hide", "planted", "flat", "lose_case", "slips")
        for name in ("clean", "synthetic", "wild", "ordinary", *rates):
            if not 0 <= getattr(self, name) <= 1:
                raise Error(f"noise.{name} = {getattr(self, name)}: write a share from 0 to 1")
        if self.spared < 0:
            raise Error(f"noise.spared = {self.spared}: write 0 or more")
        if not self.sigmas or min(self.sigmas) < 0:
            raise Error(f"noise.sigmas = {list(self.sigmas)}: write at least one, none below 0")
        for name, needed in (("mixed", "synthetic"), ("planted", "mixed")):
            if getattr(self, name) and not getattr(self, needed):
                raise Error(f"noise.{name} needs noise.{needed}")
        self._check_methods()

    def _check_methods(self) -> None:
        if unknown := sorted(set(self.methods) - set(METHODS)):
            raise Error(f"noise.methods.{unknown[0]}: unknown, write one of {', '.join(METHODS)}")
        if min(self.methods.values(), default=0) < 0 or not sum(self.methods.values()):
            raise Error("noise.methods: write weights of 0 or more, at least one above 0")


FREQUENT = 1000
"""Words of the lexicon, from the first on, that `spared` is about."""
PLANTED_LENGTH = 5
"""Characters of a planted word at least: nobody can tell what a shorter one was without context."""
WILD_SIGMA = 0.2
WILD_LOWERED = 0.28
WILD_CASE = 0.02
"""The paper's noise rate, how often its list gives a misspelled word with a capital a small letter,
and how often it does no more than that to such a word."""


@dataclass(frozen=True, slots=True)
class Noised:
    """A batch as the model sees it, and where it differs from the clean one."""

    surfaces: Tensor  # [rows, length] int64 the right words, planted ones included; -1 is padding
    words: Tensor  # [rows, length] int64 word input ids
    characters: Tensor  # [rows, length, width] uint8, an empty spelling (START alone) at padding
    shapes: Tensor  # [rows, length] uint8
    changed: Tensor  # [rows, length] bool: written otherwise than the clean word, and not hidden
    hidden: Tensor  # [rows, length] bool
    wild: Tensor  # [rows, length] bool: of a sentence with wild noise


class Noiser:
    """Makes fresh noise for every batch, on the device of its table.

    `alphabet` is the character of each id, `eligible` [surfaces] says which spellings may be
    noised or hidden at all, `pronoun` [surfaces] which are *I* and always have a capital. `right`
    [n, width] are spellings outside the lexicon that synthetic noise must not lead to.
    Synthetic noise is computed for at most a share `capacity` of a batch's tokens; tokens selected
    beyond it, drawn by lot, stay clean.
    """

    def __init__(
        self,
        table: SurfaceTable,
        pairs: Pairs,
        config: NoiseConfig,
        *,
        alphabet: Sequence[str],
        eligible: Tensor,
        keyboard: Mapping[str, str] = QWERTY,
        capacity: float = 0.35,
        wild: Pairs | None = None,
        pronoun: Tensor | None = None,
        right: Tensor | None = None,
    ) -> None:
        if config.wild and wild is None:
            raise Error("noise.wild needs lists: name them under data.wild")
        lists = [pairs] if wild is None else [pairs, wild]
        if any(len(each.offsets) != table.lexicon_size + 1 for each in lists):
            raise Error("the misspellings were numbered for another lexicon: number them again")
        if not 0 < capacity <= 1:
            raise Error(f"capacity = {capacity}: write a share above 0, at most 1")
        if eligible.shape != table.words.shape:
            raise Error("`eligible` needs one entry for each row of the surface table")
        device, width = table.characters.device, table.characters.shape[1]
        self.table, self.config, self.capacity = table, config, capacity
        # The wild lists behind the others: word i's are at lexicon + i.
        begins = (pairs.offsets, len(pairs.spellings) + lists[-1].offsets)[: len(lists)]
        self.starts = torch.cat([offsets[:-1] for offsets in begins]).to(device)
        self.counts = torch.cat([offsets.diff() for offsets in begins]).to(device)
        # One spare entry, so that there is something to index when no word has a misspelling.
        spare = pairs.offsets.new_zeros(1)
        self.spellings = torch.cat([*(each.spellings for each in lists), spare]).to(device)
        self.own_shapes = torch.cat([*(each.shapes for each in lists), spare]).to(device)
        self.eligible = eligible.to(device)
        self.pronoun = torch.zeros_like(self.eligible) if pronoun is None else pronoun.to(device)
        self.right = None if right is None else table.hashed(right.to(device)).sort().values
        letters = Letters.build(alphabet, keyboard, device=device)
        self.synthetic = Synthetic(config.methods, letters)
        places = torch.arange(1, table.lexicon_size + 1, device=device)
        self.shares = (places / FREQUENT).clamp(max=1) ** config.spared
        self.sigmas = torch.tensor(config.sigmas, dtype=torch.float32, device=device)
        own = slice(table.lexicon_size)
        long_enough = table.characters[own, PLANTED_LENGTH] != CHAR_PAD  # the first is START
        self.plantable = torch.nonzero(long_enough & self.eligible[own]).squeeze(-1)
        if config.planted and not len(self.plantable):
            raise Error(f"noise.planted: no word of the lexicon has {PLANTED_LENGTH} letters")
        blank = [CHAR_PAD] * (width - 2)
        rows = [[CHAR_START, CHAR_PAD, *blank], [CHAR_START, CHAR_MASK, *blank]]
        self.empty_row, self.mask_row = torch.tensor(rows, dtype=torch.uint8, device=device)

    def __call__(
        self,
        surfaces: Tensor,
        segments: Tensor,
        shapes: Tensor,
        generator: torch.Generator | None = None,
    ) -> Noised:
        """Noise a batch of packed sentences.

        All are [rows, length]: surface ids (-1 is padding), the sentence's number within its row
        (0, 1, …; -1 is padding), and case shapes (uint8).
        """
        dice = Dice(surfaces.device, generator)
        real = surfaces >= 0
        surface, planted = self._plant(surfaces.clamp(min=0), real, dice)
        allowed = real & self.eligible[surface]
        place = surface.clamp(max=self.table.lexicon_size - 1)
        wild = self._wild(segments, dice)
        in_wild = wild.gather(1, segments.clamp(min=0))
        absurd = in_wild & ~dice.chance(self.config.ordinary, in_wild.shape) & ~planted
        word = place + absurd * self.table.lexicon_size
        listed = allowed & (surface < self.table.lexicon_size) & (self.counts[word] > 0)
        usable = torch.where(absurd, listed, allowed & self._met(place, dice))
        natural, synthetic = self._select(usable, listed, absurd, planted, segments, wild, dice)

        entry = self.starts[word] + dice.below(self.counts[word])
        spelled = torch.where(natural, self.spellings[entry], surface)
        words = torch.where(real, self.table.words[spelled], WORD_PAD)
        gold = torch.where(real[..., None], self.table.characters[surface], self.empty_row)
        characters = torch.where(natural[..., None], self.table.characters[spelled], gold)
        if self.config.synthetic:
            words, characters = self._misspell(words, characters, synthetic, dice)
        if self.config.planted:  # what is a word, or still right, would be one in a strange place
            failed = planted & (words != WORD_UNKNOWN)
            surface = torch.where(failed, surfaces, surface)
            natural &= ~failed
            gold = torch.where(failed[..., None], self.table.characters[surface], gold)
            words = torch.where(failed, self.table.words[surface], words)
            characters = torch.where(failed[..., None], gold, characters)
            planted &= ~failed

        hidden = allowed & (surface < self.table.lexicon_size) & ~planted
        hidden &= dice.chance(self.config.hide, hidden.shape)
        own = self.own_shapes[entry].to(shapes.dtype)
        odd = natural & (own != ANY_SHAPE) & (own != shapes) & ~hidden
        changed = ((characters != gold).any(-1) & ~hidden) | odd
        shown = allowed & ~hidden
        slippery = shown & (surface < self.table.lexicon_size)
        slippery &= gold[..., 2] != CHAR_PAD  # of one letter none can slip
        changed, recased, shape = self._recase(shapes, changed, shown, slippery, in_wild, dice)
        if self.config.flat:
            shapes = torch.where(self._flat(surface, segments, dice), LOWER, shapes)
        return Noised(
            surfaces=torch.where(real, surface, -1),
            words=torch.where(hidden, WORD_MASK, words),
            characters=torch.where(hidden[..., None], self.mask_row, characters),
            shapes=torch.where(odd, own, torch.where(recased, shape, shapes)),
            changed=changed,
            hidden=hidden,
            wild=in_wild,
        )

    def _recase(
        self,
        shapes: Tensor,
        changed: Tensor,
        shown: Tensor,
        slippery: Tensor,
        in_wild: Tensor,
        dice: Dice,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Which tokens are changed now, which have another shape, and that shape."""
        recased = changed & dice.chance(self.config.lose_case, changed.shape)
        shape = dice.whole(3, shapes.shape).to(shapes.dtype)
        if self.config.wild:
            lowered = changed & in_wild & dice.chance(WILD_LOWERED, changed.shape)
            slips = shown & in_wild & (shapes != LOWER)
            slips &= dice.chance(WILD_CASE, changed.shape)
            changed, lowered = changed | slips, lowered | slips
            shape, recased = torch.where(lowered, LOWER, shape), recased | lowered
        if self.config.slips:
            slipped = torch.where(in_wild, dice.whole(4, shapes.shape).to(shapes.dtype), MIXED)
            slips = slippery & (shapes != slipped)
            slips &= dice.chance(self.config.slips, changed.shape)
            changed, recased = changed | slips, recased | slips
            shape = torch.where(slips, slipped, shape)
        return changed, recased, shape

    def _plant(self, surface: Tensor, real: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
        """The text with other words here and there, and where they are."""
        if not self.config.planted:
            return surface, torch.zeros_like(real)
        planted = real & self.eligible[surface] & (surface < self.table.lexicon_size)
        planted &= dice.chance(self.config.planted, surface.shape)
        drawn = self.plantable[dice.whole(len(self.plantable), surface.shape)]
        return torch.where(planted, drawn, surface), planted

    def _met(self, place: Tensor, dice: Dice) -> Tensor:
        """Which tokens ordinary noise may meet, given their words' places in the lexicon."""
        if not self.config.spared:
            return torch.ones_like(place, dtype=torch.bool)
        return dice.uniform(place.shape) < self.shares[place]

    def _flat(self, surface: Tensor, segments: Tensor, dice: Dice) -> Tensor:
        """Which tokens lose their capitals, as the runtime reads text that has none."""
        flat = dice.chance(self.config.flat, segments.shape).gather(1, segments.clamp(min=0))
        inside = torch.zeros_like(flat)
        inside[:, 1:] = segments[:, 1:] == segments[:, :-1]
        return flat & inside & ~self.pronoun[surface]

    def _wild(self, segments: Tensor, dice: Dice) -> Tensor:
        """Which sentences get wild noise, by their number within the row."""
        if not self.config.wild:
            return torch.zeros_like(segments, dtype=torch.bool)
        return dice.chance(self.config.wild, segments.shape)

    def _select(
        self,
        usable: Tensor,
        listed: Tensor,
        absurd: Tensor,
        planted: Tensor,
        segments: Tensor,
        wild: Tensor,
        dice: Dice,
    ) -> tuple[Tensor, Tensor]:
        """Which tokens get natural and which synthetic noise."""  # all [rows, length]
        share = self.config.synthetic
        segment = segments.clamp(min=0)
        counts = torch.zeros_like(segment).scatter_add(1, segment, (segments >= 0).long())
        wanted = self._wanted(counts, dice)
        if self.config.wild:
            much = (dice.normal(counts.shape) * WILD_SIGMA).abs().clamp(max=1) * counts
            wanted = torch.where(wild, much.long().clamp(min=1), wanted)
        if self.config.mixed:
            synthetic = dice.chance(share, listed.shape) | ~listed
        else:
            synthetic = dice.chance(share, segment.shape).gather(1, segment)
            usable = torch.where(synthetic, usable, listed)
        synthetic &= ~absurd
        chosen = _choose(usable, segments, counts, wanted, dice) | planted
        return chosen & ~synthetic, chosen & synthetic

    def _wanted(self, counts: Tensor, dice: Dice) -> Tensor:
        """How many tokens of each sentence to noise, given how many it has."""
        rate = dice.normal(counts.shape) * dice.pick(self.sigmas, counts.shape)
        wanted = rate.abs().clamp(max=1) * counts
        if self.config.at_least_one:
            wanted = wanted.floor().clamp(min=1)
        else:
            wanted = (wanted + dice.uniform(counts.shape)).floor()
        return torch.where(dice.chance(self.config.clean, counts.shape), 0, wanted.long())

    def _misspell(
        self, words: Tensor, characters: Tensor, selected: Tensor, dice: Dice
    ) -> tuple[Tensor, Tensor]:
        """Noise the selected tokens synthetically, in a block of fixed size."""
        width = characters.shape[-1]
        flat_words, rows, flat = words.flatten(), characters.view(-1, width), selected.flatten()
        slots = math.ceil(flat.numel() * self.capacity)
        place = torch.where(flat, dice.uniform(flat.shape), -1.0).topk(slots).indices
        block = rows[place]  # [capacity, width]
        noised = torch.where(flat[place][:, None], self.synthetic(block, dice), block)
        if self.right is not None:
            hashes = self.table.hashed(noised)
            near = torch.searchsorted(self.right, hashes).clamp(max=len(self.right) - 1)
            noised = torch.where((self.right[near] == hashes)[:, None], block, noised)
        same = (noised == block).all(-1)
        found = torch.where(same, flat_words[place], self.table.look_up(noised))
        flat_words = flat_words.scatter(0, place, found)
        return flat_words.view_as(words), rows.index_copy(0, place, noised).view_as(characters)


def _choose(usable: Tensor, segments: Tensor, counts: Tensor, wanted: Tensor, dice: Dice) -> Tensor:
    """As many usable tokens as each sentence wants, drawn without replacement."""
    segment = segments.clamp(min=0)
    lot = dice.whole(2**24, usable.shape)
    # Sorted by sentence, then usable first, then by lot; padding behind everything.
    key = (torch.where(segments >= 0, segment, segment.shape[1]) * 2 + ~usable) * 2**24 + lot
    order = key.argsort(1)
    column = torch.arange(order.shape[1], device=order.device).expand_as(order)
    rank = torch.empty_like(order).scatter_(1, order, column)
    first = (counts.cumsum(1) - counts).gather(1, segment)
    return usable & (rank - first < wanted.gather(1, segment))
