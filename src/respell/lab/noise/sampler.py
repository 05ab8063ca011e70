"""Add noise to batches of clean sentences, on the training device."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.confusions import Choices
from respell.lab.noise.spacing import FIRST_PART, SECOND_PART, TOGETHER, WHOLE, Spaced, Spacer
from respell.lab.noise.surfaces import ANY_SHAPE, Pairs, SurfaceTable
from respell.lab.noise.synthetic import QWERTY, Dice, Letters, Synthetic
from respell.model.encode import CHAR_MASK, CHAR_PAD, CHAR_START, WORD_MASK, WORD_PAD, WORD_UNKNOWN
from respell.model.forward import JOIN, REPLACE, SPLIT
from respell.model.vocabulary import ABSENT, ODD
from respell.text.case import LOWER, MIXED
from respell.types import Error

FREQUENT = 1000
"""The number of frequent words, which `frequency_exponent` affects."""
INSERTED_LENGTH = 5
"""Fewest characters of an inserted word; a shorter one cannot be recognised without context."""
MISSPELLED_PARTS = 0.1
"""How often words that are run together or pulled apart are also misspelled."""
NOISY_SIGMA = 0.2
"""The paper's noise rate."""
NOISY_LOWERED = 0.28
"""How often the paper's list writes a misspelled word without its capital."""
NOISY_CASE = 0.02
"""How often the paper's list changes nothing but the capital of a word."""


@dataclass(frozen=True, slots=True)
class Noised:
    """A batch with noise, and where it differs from the clean one."""

    surfaces: Tensor  # [rows, length] int64 the correct words, with the inserted ones; -1 = padding
    words: Tensor  # [rows, length] int64 word input ids
    characters: Tensor  # [rows, length, width] uint8, an empty spelling (only START) at padding
    shapes: Tensor  # [rows, length] uint8
    changed: Tensor  # [rows, length] bool: differs from the clean word and is not masked
    masked: Tensor  # [rows, length] bool
    noisy: Tensor  # [rows, length] bool: belongs to a noisy sentence
    segments: Tensor  # [rows, length] number of the sentence within the row, -1 = padding
    gold_shapes: Tensor  # [rows, length] uint8: case shapes of the correct words
    kinds: Tensor  # [rows, length] int64: REPLACE, SPLIT or JOIN
    classes: Tensor | None  # [rows, length] int64, if the noiser has a vocabulary


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of spellings outside the lexicon."""

    surfaces: Tensor  # [surfaces] int64
    hashes: Tensor  # [words] int64: sorted hashes of the words of the vocabulary
    classes: Tensor  # [words] int64: their classes

    def of(self, spelled: Tensor, as_spelled: Tensor, hashes: Tensor) -> Tensor:
        """The class of each word; by its hash if it is not written as the surface `spelled`."""
        place = torch.searchsorted(self.hashes, hashes).clamp(max=len(self.hashes) - 1)
        found = torch.where(self.hashes[place] == hashes, self.classes[place], ABSENT)
        return torch.where(as_spelled, self.surfaces[spelled], found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """Tables for kinds of noise that a recipe may add, on the training device."""

    confusions: Choices | None = None
    spacer: Spacer | None = None
    classes: Classes | None = None
    odd_words: Tensor | None = None
    """[surfaces] input ids of words that are read without their foreign letters, -1 = others."""
    insertable: Tensor | None = None
    """The surfaces that `inserted_valid_words` draws from."""

    def check(self, config: NoiseConfig) -> None:
        """Raise an error if a table is missing."""
        if config.confusions and self.confusions is None:
            raise Error("noise.confusions needs a list: name it under data.confusion_tables")
        if config.run_together and self.spacer is None:
            raise Error("noise.run_together needs model.spacing")
        if config.odd_letters and self.classes is None:
            raise Error("noise.odd_letters needs model.classes")
        if config.inserted_valid_words and (self.insertable is None or not len(self.insertable)):
            raise Error("noise.inserted_valid_words needs model.classes and a vocabulary")


class Noiser:
    """Adds new noise to every batch, on the device of its table.

    `alphabet` gives the character of each id. `eligible` [surfaces] says which spellings may get
    noise or be masked, `pronoun` [surfaces] which are *I* and always have a capital. `valid_words`
    [n, width] are spellings outside the lexicon that synthetic noise must not produce. Synthetic
    noise is computed for at most the share `capacity` of the tokens of a batch; a random choice of
    the tokens beyond it stays clean.
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
        channels: "Channels | None" = None,
    ) -> None:
        if config.noisy and noisy is None:
            raise Error("noise.noisy needs lists: name them under data.noisy")
        lists = [pairs] if noisy is None else [pairs, noisy]
        if any(len(each.offsets) != table.lexicon_size + 1 for each in lists):
            raise Error("the misspellings belong to another lexicon: convert them again")
        if not 0 < capacity <= 1:
            raise Error(f"capacity = {capacity}: write a share above 0, at most 1")
        if eligible.shape != table.words.shape:
            raise Error("`eligible` needs one entry for each row of the surface table")
        device, width = table.characters.device, table.characters.shape[1]
        self.table, self.config, self.capacity = table, config, capacity
        # The noisy lists come after the others: those of word i are at lexicon + i.
        begins = (pairs.offsets, len(pairs.spellings) + lists[-1].offsets)[: len(lists)]
        self.starts = torch.cat([offsets[:-1] for offsets in begins]).to(device)
        self.counts = torch.cat([offsets.diff() for offsets in begins]).to(device)
        # One additional entry, so that the table is not empty if no word has a misspelling.
        extra = pairs.offsets.new_zeros(1)
        self.spellings = torch.cat([*(each.spellings for each in lists), extra]).to(device)
        self.own_shapes = torch.cat([*(each.shapes for each in lists), extra]).to(device)
        self.eligible = eligible.to(device)
        self.pronoun = torch.zeros_like(self.eligible) if pronoun is None else pronoun.to(device)
        self.valid_words = (
            None if valid_words is None else table.hashed(valid_words.to(device)).sort().values
        )
        letters = Letters.build(alphabet, keyboard, device=device)
        self.synthetic = Synthetic(config.methods, letters)
        ranks = torch.arange(1, table.lexicon_size + 1, device=device)
        self.shares = (ranks / FREQUENT).clamp(max=1) ** config.frequency_exponent
        self.sigmas = torch.tensor(config.sigmas, dtype=torch.float32, device=device)
        own = slice(table.lexicon_size)
        long_enough = table.characters[own, INSERTED_LENGTH] != CHAR_PAD  # column 0 is START
        self.misspellable = torch.nonzero(long_enough & self.eligible[own]).squeeze(-1)
        if config.inserted_rare_words and not len(self.misspellable):
            raise Error(
                f"noise.inserted_rare_words: no word of the lexicon has {INSERTED_LENGTH} letters"
            )
        blank = [CHAR_PAD] * (width - 2)
        rows = [[CHAR_START, CHAR_PAD, *blank], [CHAR_START, CHAR_MASK, *blank]]
        self.channels = channels or Channels()
        self.channels.check(config)
        self.odd_words = (
            torch.full_like(self.table.words, -1)
            if self.channels.odd_words is None
            else self.channels.odd_words.to(device)
        )
        self.empty_row, self.mask_row = torch.tensor(rows, dtype=torch.uint8, device=device)

    def __call__(
        self,
        surfaces: Tensor,
        segments: Tensor,
        shapes: Tensor,
        generator: torch.Generator | None = None,
    ) -> Noised:
        """Add noise to a batch of packed sentences.

        All arguments are [rows, length]: surface ids (-1 = padding), the number of the sentence
        within its row (0, 1, …; -1 = padding), and case shapes (uint8).
        """
        dice = Dice(surfaces.device, generator)
        spaced = self._space(surfaces, segments, shapes, dice)
        surfaces, segments, shapes = spaced.surfaces, spaced.segments, spaced.shapes
        whole, gold_shapes = spaced.parts == WHOLE, shapes
        real = surfaces >= 0
        surface, inserted = self._insert(surfaces.clamp(min=0), real & whole, dice)
        surface, valid = self._insert_valid(surface, real & whole & ~inserted, dice)
        allowed = real & whole & self.eligible[surface]
        index = surface.clamp(max=self.table.lexicon_size - 1)
        noisy = self._noisy(segments, dice)
        in_noisy = noisy.gather(1, segments.clamp(min=0))
        from_noisy_lists = (
            in_noisy & ~dice.chance(self.config.light_in_noisy, in_noisy.shape) & ~inserted
        )
        word = index + from_noisy_lists * self.table.lexicon_size
        listed = allowed & (surface < self.table.lexicon_size) & (self.counts[word] > 0)
        light = allowed & self._rare_enough(index, dice)
        usable = torch.where(from_noisy_lists, listed, light)
        natural, synthetic = self._select(
            usable, listed, from_noisy_lists, inserted, segments, noisy, dice
        )

        entry = self.starts[word] + dice.below(self.counts[word])
        spelled = torch.where(natural, self.spellings[entry], surface)
        confusable = allowed & (surface < self.table.lexicon_size) & ~inserted & ~valid
        confused, other = self._confuse(index, confusable, dice)
        natural, synthetic = natural | confused, synthetic & ~confused
        spelled = torch.where(confused, other, spelled)
        odd_word = self.odd_words[spelled]
        words = torch.where(odd_word >= 0, odd_word, self.table.words[spelled])
        words = torch.where(real, words, WORD_PAD)
        gold = torch.where(real[..., None], self.table.characters[surface], self.empty_row)
        characters = torch.where(natural[..., None], self.table.characters[spelled], gold)
        if self.channels.spacer is not None:
            seconds = self.table.characters[spaced.seconds]
            parts = self.channels.spacer.spell(spaced, gold, seconds)
            gold = torch.where(whole[..., None], gold, parts)
            characters = torch.where(whole[..., None], characters, parts)
            words = torch.where(whole | ~real, words, self.table.look_up(parts))
            synthetic |= real & ~whole & dice.chance(MISSPELLED_PARTS, real.shape)
        if self.config.synthetic:
            words, characters = self._misspell(words, characters, synthetic, dice)
        if self.config.inserted_rare_words:
            # An inserted word that is not a non-word is taken back.
            failed = inserted & (words != WORD_UNKNOWN)
            surface = torch.where(failed, surfaces, surface)
            natural &= ~failed
            gold = torch.where(failed[..., None], self.table.characters[surface], gold)
            words = torch.where(failed, self.table.words[surface], words)
            characters = torch.where(failed[..., None], gold, characters)
            inserted &= ~failed

        masked = allowed & (surface < self.table.lexicon_size) & ~inserted & ~valid & ~confused
        masked &= dice.chance(self.config.mask, masked.shape)
        own = self.own_shapes[entry].to(shapes.dtype)
        odd = natural & ~confused & (own != ANY_SHAPE) & (own != shapes) & ~masked
        altered = (characters != gold).any(-1)
        changed = (altered & ~masked) | odd
        visible = allowed & ~masked
        recasable = visible & (surface < self.table.lexicon_size)
        recasable &= gold[..., 2] != CHAR_PAD  # more than one letter
        changed, recased, shape = self._recase(shapes, changed, visible, recasable, in_noisy, dice)
        if self.config.uncased:
            shapes = torch.where(self._uncased(surface, segments, dice), LOWER, shapes)
        foreign = self._foreign(visible & (surface < self.table.lexicon_size), in_noisy, dice)
        changed = changed | foreign
        together, first = spaced.parts == TOGETHER, spaced.parts == FIRST_PART
        # The first part of a word that is pulled apart stands for both: the second is right.
        changed = (changed & (spaced.parts != SECOND_PART)) | together | first
        return Noised(
            surfaces=torch.where(real, surface, -1),
            words=torch.where(masked, WORD_MASK, words),
            characters=torch.where(masked[..., None], self.mask_row, characters),
            shapes=torch.where(odd, own, torch.where(recased, shape, shapes)),
            changed=changed,
            masked=masked,
            noisy=in_noisy,
            segments=segments,
            gold_shapes=gold_shapes,
            kinds=torch.where(together, SPLIT, torch.where(first, JOIN, REPLACE)),
            classes=self._classes(spelled, words, characters, whole, foreign, real & ~masked),
        )

    def _space(self, surfaces: Tensor, segments: Tensor, shapes: Tensor, dice: Dice) -> Spaced:
        """The rows after words have been run together or pulled apart."""
        if self.channels.spacer is not None and self.config.run_together:
            return self.channels.spacer(surfaces, segments, shapes, dice)
        none = torch.zeros_like(surfaces)
        return Spaced(surfaces, segments, shapes, torch.full_like(surfaces, WHOLE), none, none)

    def _confuse(self, index: Tensor, possible: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
        """Which words are replaced by words that they are confused with, and these."""
        confusions = self.channels.confusions
        if confusions is None or not self.config.confusions:
            return torch.zeros_like(possible), index
        confused, other = confusions.draw(index, dice)
        return confused & possible, other

    def _classes(
        self,
        spelled: Tensor,
        words: Tensor,
        characters: Tensor,
        whole: Tensor,
        foreign: Tensor,
        visible: Tensor,
    ) -> Tensor | None:
        """The class of each word, if there is a vocabulary."""
        if self.channels.classes is None:
            return None
        as_spelled = whole & (characters == self.table.characters[spelled]).all(-1)
        classes = self.channels.classes.of(spelled, as_spelled, self.table.hashed(characters))
        classes = torch.where(words == WORD_UNKNOWN, classes, classes // ODD * ODD)
        classes = torch.where(foreign & (classes < ODD), classes + ODD, classes)
        return classes.where(visible, ABSENT)

    def _insert_valid(self, surface: Tensor, possible: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
        """The text with random valid words in some places, and these places."""
        insertable = self.channels.insertable
        if not self.config.inserted_valid_words or insertable is None:
            return surface, torch.zeros_like(possible)
        valid = possible & self.eligible[surface]
        valid &= dice.chance(self.config.inserted_valid_words, surface.shape)
        random = insertable[dice.whole(len(insertable), surface.shape)]
        return torch.where(valid, random, surface), valid

    def _foreign(self, possible: Tensor, in_noisy: Tensor, dice: Dice) -> Tensor:
        """Which words get a foreign letter."""
        share = self.config.odd_letters
        if not share:
            return torch.zeros_like(possible)
        rate = torch.where(in_noisy, min(10 * share, 1.0), share)
        return possible & (dice.uniform(possible.shape) < rate)

    def _recase(
        self,
        shapes: Tensor,
        changed: Tensor,
        visible: Tensor,
        recasable: Tensor,
        in_noisy: Tensor,
        dice: Dice,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Which tokens are now changed, which get another shape, and that shape."""
        recased = changed & dice.chance(self.config.random_case, changed.shape)
        shape = dice.whole(3, shapes.shape).to(shapes.dtype)
        if self.config.noisy:
            lowered = changed & in_noisy & dice.chance(NOISY_LOWERED, changed.shape)
            errors = visible & in_noisy & (shapes != LOWER)
            errors &= dice.chance(NOISY_CASE, changed.shape)
            changed, lowered = changed | errors, lowered | errors
            shape, recased = torch.where(lowered, LOWER, shape), recased | lowered
        if self.config.case_noise:
            wrong = torch.where(in_noisy, dice.whole(4, shapes.shape).to(shapes.dtype), MIXED)
            errors = recasable & (shapes != wrong)
            errors &= dice.chance(self.config.case_noise, changed.shape)
            changed, recased = changed | errors, recased | errors
            shape = torch.where(errors, wrong, shape)
        return changed, recased, shape

    def _insert(self, surface: Tensor, real: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
        """The text with random words in some places, and these places."""
        if not self.config.inserted_rare_words:
            return surface, torch.zeros_like(real)
        inserted = real & self.eligible[surface] & (surface < self.table.lexicon_size)
        inserted &= dice.chance(self.config.inserted_rare_words, surface.shape)
        random = self.misspellable[dice.whole(len(self.misspellable), surface.shape)]
        return torch.where(inserted, random, surface), inserted

    def _rare_enough(self, index: Tensor, dice: Dice) -> Tensor:
        """Which tokens may get light noise, given the lexicon index of their words."""
        if not self.config.frequency_exponent:
            return torch.ones_like(index, dtype=torch.bool)
        return dice.uniform(index.shape) < self.shares[index]

    def _uncased(self, surface: Tensor, segments: Tensor, dice: Dice) -> Tensor:
        """Which tokens lose their capitals: all of an uncased sentence except the first and *I*."""
        share = self.config.uncased
        uncased = dice.chance(share, segments.shape).gather(1, segments.clamp(min=0))
        inside = torch.zeros_like(uncased)
        inside[:, 1:] = segments[:, 1:] == segments[:, :-1]
        return uncased & inside & ~self.pronoun[surface]

    def _noisy(self, segments: Tensor, dice: Dice) -> Tensor:
        """Which sentences are noisy, by their number within the row."""
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
            heavy = (dice.normal(counts.shape) * NOISY_SIGMA).abs().clamp(max=1) * counts
            wanted = torch.where(noisy, heavy.long().clamp(min=1), wanted)
        if self.config.mixed:
            synthetic = dice.chance(share, listed.shape) | ~listed
        else:
            synthetic = dice.chance(share, segment.shape).gather(1, segment)
            usable = torch.where(synthetic, usable, listed)
        synthetic &= ~from_noisy_lists
        chosen = _choose(usable, segments, counts, wanted, dice) | inserted
        return chosen & ~synthetic, chosen & synthetic

    def _wanted(self, counts: Tensor, dice: Dice) -> Tensor:
        """How many tokens of each sentence to change, given how many it has."""
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
        """Add synthetic noise to the selected tokens, in a block of fixed size."""
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
    """Choose `wanted` usable tokens of each sentence at random, without replacement."""
    segment = segments.clamp(min=0)
    random = dice.whole(2**24, usable.shape)
    # Sorted by sentence, then usable tokens first, then randomly; padding comes last.
    key = (torch.where(segments >= 0, segment, segment.shape[1]) * 2 + ~usable) * 2**24 + random
    order = key.argsort(1)
    column = torch.arange(order.shape[1], device=order.device).expand_as(order)
    rank = torch.empty_like(order).scatter_(1, order, column)
    first = (counts.cumsum(1) - counts).gather(1, segment)
    return usable & (rank - first < wanted.gather(1, segment))
