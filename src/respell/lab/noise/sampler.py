"""Noise on the training device: batches of clean words become batches of misspelled ones."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.surfaces import ANY_SHAPE, Pairs, SurfaceTable
from respell.lab.noise.synthetic import QWERTY, Dice, Letters, Synthetic
from respell.model.encode import CHAR_MASK, CHAR_PAD, CHAR_START, WORD_MASK, WORD_PAD, WORD_UNKNOWN
from respell.text.case import LOWER, MIXED
from respell.types import Error

FREQUENT = 1000
"""Words of the lexicon, from the first on, that `frequency_exponent` is about."""
INSERTED_LENGTH = 5
"""Characters of a inserted word at least: nobody can tell what a shorter one was without context."""
NOISY_SIGMA = 0.2
NOISY_LOWERED = 0.28
NOISY_CASE = 0.02
"""The paper's noise rate, how often its list gives a misspelled word with a capital a small letter,
and how often it does no more than that to such a word."""


@dataclass(frozen=True, slots=True)
class Noised:
    """A batch as the model sees it, and where it differs from the clean one."""

    surfaces: Tensor  # [rows, length] int64 the right words, inserted ones included; -1 is padding
    words: Tensor  # [rows, length] int64 word input ids
    characters: Tensor  # [rows, length, width] uint8, an empty spelling (START alone) at padding
    shapes: Tensor  # [rows, length] uint8
    changed: Tensor  # [rows, length] bool: written otherwise than the clean word, and not masked
    masked: Tensor  # [rows, length] bool
    noisy: Tensor  # [rows, length] bool: of a sentence with noisy noise


class Noiser:
    """Makes fresh noise for every batch, on the device of its table.

    `alphabet` is the character of each id, `eligible` [surfaces] says which spellings may be
    noised or masked at all, `pronoun` [surfaces] which are *I* and always have a capital. `valid_words`
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
        noisy: Pairs | None = None,
        pronoun: Tensor | None = None,
        valid_words: Tensor | None = None,
    ) -> None:
        if config.noisy and noisy is None:
            raise Error("noise.noisy needs lists: name them under data.noisy")
        lists = [pairs] if noisy is None else [pairs, noisy]
        if any(len(each.offsets) != table.lexicon_size + 1 for each in lists):
            raise Error("the misspellings were numbered for another lexicon: number them again")
        if not 0 < capacity <= 1:
            raise Error(f"capacity = {capacity}: write a share above 0, at most 1")
        if eligible.shape != table.words.shape:
            raise Error("`eligible` needs one entry for each row of the surface table")
        device, width = table.characters.device, table.characters.shape[1]
        self.table, self.config, self.capacity = table, config, capacity
        # The noisy lists behind the others: word i's are at lexicon + i.
        begins = (pairs.offsets, len(pairs.spellings) + lists[-1].offsets)[: len(lists)]
        self.starts = torch.cat([offsets[:-1] for offsets in begins]).to(device)
        self.counts = torch.cat([offsets.diff() for offsets in begins]).to(device)
        # One spare entry, so that there is something to index when no word has a misspelling.
        spare = pairs.offsets.new_zeros(1)
        self.spellings = torch.cat([*(each.spellings for each in lists), spare]).to(device)
        self.own_shapes = torch.cat([*(each.shapes for each in lists), spare]).to(device)
        self.eligible = eligible.to(device)
        self.pronoun = torch.zeros_like(self.eligible) if pronoun is None else pronoun.to(device)
        self.valid_words = (
            None if valid_words is None else table.hashed(valid_words.to(device)).sort().values
        )
        letters = Letters.build(alphabet, keyboard, device=device)
        self.synthetic = Synthetic(config.methods, letters)
        places = torch.arange(1, table.lexicon_size + 1, device=device)
        self.shares = (places / FREQUENT).clamp(max=1) ** config.frequency_exponent
        self.sigmas = torch.tensor(config.sigmas, dtype=torch.float32, device=device)
        own = slice(table.lexicon_size)
        long_enough = table.characters[own, INSERTED_LENGTH] != CHAR_PAD  # the first is START
        self.insertable = torch.nonzero(long_enough & self.eligible[own]).squeeze(-1)
        if config.inserted_rare_words and not len(self.insertable):
            raise Error(
                f"noise.inserted_rare_words: no word of the lexicon has {INSERTED_LENGTH} letters"
            )
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
        surface, inserted = self._insert(surfaces.clamp(min=0), real, dice)
        allowed = real & self.eligible[surface]
        place = surface.clamp(max=self.table.lexicon_size - 1)
        noisy = self._noisy(segments, dice)
        in_noisy = noisy.gather(1, segments.clamp(min=0))
        from_noisy_lists = (
            in_noisy & ~dice.chance(self.config.light_in_noisy, in_noisy.shape) & ~inserted
        )
        word = place + from_noisy_lists * self.table.lexicon_size
        listed = allowed & (surface < self.table.lexicon_size) & (self.counts[word] > 0)
        usable = torch.where(from_noisy_lists, listed, allowed & self._met(place, dice))
        natural, synthetic = self._select(
            usable, listed, from_noisy_lists, inserted, segments, noisy, dice
        )

        entry = self.starts[word] + dice.below(self.counts[word])
        spelled = torch.where(natural, self.spellings[entry], surface)
        words = torch.where(real, self.table.words[spelled], WORD_PAD)
        gold = torch.where(real[..., None], self.table.characters[surface], self.empty_row)
        characters = torch.where(natural[..., None], self.table.characters[spelled], gold)
        if self.config.synthetic:
            words, characters = self._misspell(words, characters, synthetic, dice)
        if (
            self.config.inserted_rare_words
        ):  # what is a word, or still right, would be one in a strange place
            failed = inserted & (words != WORD_UNKNOWN)
            surface = torch.where(failed, surfaces, surface)
            natural &= ~failed
            gold = torch.where(failed[..., None], self.table.characters[surface], gold)
            words = torch.where(failed, self.table.words[surface], words)
            characters = torch.where(failed[..., None], gold, characters)
            inserted &= ~failed

        masked = allowed & (surface < self.table.lexicon_size) & ~inserted
        masked &= dice.chance(self.config.mask, masked.shape)
        own = self.own_shapes[entry].to(shapes.dtype)
        odd = natural & (own != ANY_SHAPE) & (own != shapes) & ~masked
        changed = ((characters != gold).any(-1) & ~masked) | odd
        shown = allowed & ~masked
        slippery = shown & (surface < self.table.lexicon_size)
        slippery &= gold[..., 2] != CHAR_PAD  # of one letter none can slip
        changed, recased, shape = self._recase(shapes, changed, shown, slippery, in_noisy, dice)
        if self.config.uncased:
            shapes = torch.where(self._uncased(surface, segments, dice), LOWER, shapes)
        return Noised(
            surfaces=torch.where(real, surface, -1),
            words=torch.where(masked, WORD_MASK, words),
            characters=torch.where(masked[..., None], self.mask_row, characters),
            shapes=torch.where(odd, own, torch.where(recased, shape, shapes)),
            changed=changed,
            masked=masked,
            noisy=in_noisy,
        )

    def _recase(
        self,
        shapes: Tensor,
        changed: Tensor,
        shown: Tensor,
        slippery: Tensor,
        in_noisy: Tensor,
        dice: Dice,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Which tokens are changed now, which have another shape, and that shape."""
        recased = changed & dice.chance(self.config.random_case, changed.shape)
        shape = dice.whole(3, shapes.shape).to(shapes.dtype)
        if self.config.noisy:
            lowered = changed & in_noisy & dice.chance(NOISY_LOWERED, changed.shape)
            slips = shown & in_noisy & (shapes != LOWER)
            slips &= dice.chance(NOISY_CASE, changed.shape)
            changed, lowered = changed | slips, lowered | slips
            shape, recased = torch.where(lowered, LOWER, shape), recased | lowered
        if self.config.case_noise:
            slipped = torch.where(in_noisy, dice.whole(4, shapes.shape).to(shapes.dtype), MIXED)
            slips = slippery & (shapes != slipped)
            slips &= dice.chance(self.config.case_noise, changed.shape)
            changed, recased = changed | slips, recased | slips
            shape = torch.where(slips, slipped, shape)
        return changed, recased, shape

    def _insert(self, surface: Tensor, real: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
        """The text with other words here and there, and where they are."""
        if not self.config.inserted_rare_words:
            return surface, torch.zeros_like(real)
        inserted = real & self.eligible[surface] & (surface < self.table.lexicon_size)
        inserted &= dice.chance(self.config.inserted_rare_words, surface.shape)
        drawn = self.insertable[dice.whole(len(self.insertable), surface.shape)]
        return torch.where(inserted, drawn, surface), inserted

    def _met(self, place: Tensor, dice: Dice) -> Tensor:
        """Which tokens ordinary noise may meet, given their words' places in the lexicon."""
        if not self.config.frequency_exponent:
            return torch.ones_like(place, dtype=torch.bool)
        return dice.uniform(place.shape) < self.shares[place]

    def _uncased(self, surface: Tensor, segments: Tensor, dice: Dice) -> Tensor:
        """Which tokens lose their capitals, as the runtime reads text that has none."""
        flat = dice.chance(self.config.uncased, segments.shape).gather(1, segments.clamp(min=0))
        inside = torch.zeros_like(flat)
        inside[:, 1:] = segments[:, 1:] == segments[:, :-1]
        return flat & inside & ~self.pronoun[surface]

    def _noisy(self, segments: Tensor, dice: Dice) -> Tensor:
        """Which sentences get noisy noise, by their number within the row."""
        if not self.config.noisy:
            return torch.zeros_like(segments, dtype=torch.bool)
        return dice.chance(self.config.noisy, segments.shape)

    def _select(
        self,
        usable: Tensor,
        listed: Tensor,
        from_noisy_lists: Tensor,
        inserted: Tensor,
        segments: Tensor,
        noisy: Tensor,
        dice: Dice,
    ) -> tuple[Tensor, Tensor]:
        """Which tokens get natural and which synthetic noise."""  # all [rows, length]
        share = self.config.synthetic
        segment = segments.clamp(min=0)
        counts = torch.zeros_like(segment).scatter_add(1, segment, (segments >= 0).long())
        wanted = self._wanted(counts, dice)
        if self.config.noisy:
            much = (dice.normal(counts.shape) * NOISY_SIGMA).abs().clamp(max=1) * counts
            wanted = torch.where(noisy, much.long().clamp(min=1), wanted)
        if self.config.mixed:
            synthetic = dice.chance(share, listed.shape) | ~listed
        else:
            synthetic = dice.chance(share, segment.shape).gather(1, segment)
            usable = torch.where(synthetic, usable, listed)
        synthetic &= ~from_noisy_lists
        chosen = _choose(usable, segments, counts, wanted, dice) | inserted
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
        if self.valid_words is not None:
            hashes = self.table.hashed(noised)
            near = torch.searchsorted(self.valid_words, hashes).clamp(max=len(self.valid_words) - 1)
            noised = torch.where((self.valid_words[near] == hashes)[:, None], block, noised)
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
