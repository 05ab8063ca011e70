"""Turn rows of clean sentences into batches: add noise and collect the distinct spellings."""

import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from respell.lab.misspellings.spacing import SpacingLists
from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.confusions import confusion_choices
from respell.lab.noise.sampler import FREQUENT, Channels, Classes, Noised, Noiser
from respell.lab.noise.spacing import (
    Spacer,
    SpacingRates,
    run_together_typos,
    spacing_tables,
)
from respell.lab.noise.surfaces import Pairs, SurfaceTable, alphabet, extend
from respell.lab.train.dataset import Corpus
from respell.lab.train.models.base import Batch, Sizes, Targets
from respell.lab.train.models.layers import PACK
from respell.lab.train.packing import Packed
from respell.model.encode import (
    CHAR_PAD,
    CODE,
    FIRST_CHARACTER,
    NOISE_FLAG,
    PRONOUN,
    WIDTH,
    WORD_OFFSET,
    Casing,
    Encoder,
    classify,
)
from respell.model.lexicon import Lexicon
from respell.model.vocabulary import ABSENT, FREQUENCIES, GROUPS, ODD, Vocabulary
from respell.text.tokenize import is_single_word

BUCKETS = ((1, WIDTH), (5, 12), (10, 8))
"""Layout of the spellings of a batch, longest first: sixteenths of the room, and columns.

Each share is twice that of running text, so that nearly all spellings find room.
"""
SMALL = 2048
"""In a batch of at most this many words, each word has room for its own spelling."""


class Batcher:
    """Turns packed clean rows into inputs and targets of a model."""

    def __init__(
        self,
        corpus: Corpus,
        pairs: Mapping[str, Sequence[str]],
        noise: NoiseConfig,
        *,
        casing: Casing,
        length: int,
        spellings: float,
        device: torch.device,
        noisy_pairs: Mapping[str, Sequence[str]] = MappingProxyType({}),
        noise_flag: bool = False,
        listed_misspellings: Collection[str] = (),
        valid_words: Collection[str] = (),
        composed: float = 0.0,
        confusions: Sequence[tuple[str, str, float]] = (),
        spacing: SpacingLists | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self.composed = math.ceil(composed * len(corpus.lexicon) / PACK) * PACK
        self.noise_flag = noise_flag
        self.characters = alphabet(corpus.lexicon.words)
        count = len(self.characters) + FIRST_CHARACTER
        self.sizes = Sizes(len(corpus.lexicon), count, length, self.characters)
        self.spellings = spellings
        surfaces = extend(
            extend([*corpus.lexicon.words, *corpus.surfaces], pairs), noisy_pairs, casing=casing
        )
        vocabulary = None if vocabulary is None else vocabulary.unpack()
        if vocabulary is not None and noise.inserted_valid_words:
            surfaces = [*surfaces, *_valid_words(vocabulary, surfaces)]
        encoder = Encoder(corpus.lexicon, self.characters, casing)
        read, classes = surfaces, [ABSENT] * len(surfaces)
        if vocabulary is not None:
            read, classes = _classified(surfaces, corpus.lexicon, vocabulary)
        rows = encoder.spell(read).astype(np.uint8)
        table = SurfaceTable.build(
            torch.from_numpy(rows).to(device), lexicon_size=self.sizes.lexicon
        )
        index = {surface: i for i, surface in enumerate(surfaces)}
        words = [casing == "exact" or is_single_word(surface) for surface in surfaces]
        tokens = torch.from_numpy(corpus.tokens).to(device)
        written = surfaces[: len(corpus.lexicon) + len(corpus.surfaces)]
        joined: frozenset[str] = frozenset()
        if spacing is not None:
            joined = run_together_typos(spacing, written, corpus.lexicon, valid_words, tokens)
        # The model must not learn to keep the typos of the text. In the lexicon are frequent ones
        # such as *alot*, but most misspellings there are real words.
        typos = [word in joined for word in corpus.lexicon]
        typos += [word in joined or word in listed_misspellings for word in corpus.surfaces]
        self.checked = torch.tensor(words, device=device)
        self.checked[: len(typos)] &= ~torch.tensor(typos, dtype=torch.bool, device=device)
        in_lexicon = torch.arange(len(surfaces), device=device) < self.sizes.lexicon
        eligible = self.checked & in_lexicon
        counts = torch.bincount(tokens[tokens < self.sizes.lexicon], minlength=self.sizes.lexicon)
        self.noiser = Noiser(
            table,
            Pairs.from_lists(pairs, index, corpus.lexicon.words),
            noise,
            alphabet=self.characters,
            eligible=eligible,
            # Only few tokens of a mixed batch get noise; more room would only cost time.
            capacity=0.15 if noise.mixed else 0.35,
            pronoun=torch.tensor([surface in PRONOUN for surface in surfaces]),
            noisy=Pairs.from_lists(noisy_pairs, index, corpus.lexicon.words, casing=casing)
            if noisy_pairs
            else None,
            valid_words=_spelled(valid_words, encoder),
            channels=Channels(
                confusions=confusion_choices(
                    confusions,
                    corpus.lexicon,
                    counts.tolist(),
                    rate=noise.confusions,
                    balance=noise.balance,
                    shares=_shares(noise, self.sizes.lexicon),
                ).to(device)
                if confusions
                else None,
                spacer=_spacer(
                    spacing,
                    corpus.lexicon,
                    {*valid_words, *corpus.lexicon} - joined,
                    tokens,
                    noise,
                    table,
                    eligible,
                )
                if spacing is not None
                else None,
                **_class_tables(vocabulary, surfaces, read, classes, self.checked, encoder, table),
            ),
        )

    def __call__(self, packed: Packed, generator: torch.Generator) -> tuple[Batch, Targets]:
        """Add noise to the rows and collect the distinct spellings."""
        noised = self.noiser(packed.surfaces, packed.segments - 1, packed.shapes, generator)
        buckets = buckets_for(packed.surfaces.numel(), self.spellings)
        slots, spellings, fits = distinct_rows(noised.characters, buckets)
        batch = Batch(
            words=noised.words,
            shapes=noised.shapes.long() + NOISE_FLAG * noised.noisy
            if self.noise_flag
            else noised.shapes.long(),
            slots=slots,
            spellings=spellings.long(),
            segments=noised.segments + 1,
            places=_places(noised.segments),
            buckets=buckets,
            classes=noised.classes,
            **self._composed(generator),
        )
        return batch, self._targets(noised, fits)

    @property
    def lexicon_spellings(self) -> Tensor:
        """Character ids of the words of the lexicon: [lexicon, WIDTH]."""
        return self.noiser.table.characters[: self.sizes.lexicon].long()

    def _composed(self, generator: torch.Generator) -> dict[str, Tensor]:
        """Random words of the lexicon whose output vectors are composed from the spelling."""
        if not self.composed:
            return {}
        table = self.noiser.table
        random = torch.empty(self.composed, device=table.words.device)
        random = random.uniform_(generator=generator) * table.lexicon_size
        ids = random.long().clamp(max=table.lexicon_size - 1)
        return {"composed_ids": ids, "composed_spellings": table.characters[ids].long()}

    def _targets(self, noised: Noised, fits: Tensor) -> Targets:
        real = (noised.surfaces >= 0) & fits
        labelled = real & (noised.surfaces < self.sizes.lexicon)
        return Targets(
            labels=noised.surfaces.where(labelled, -1),
            wrong=noised.changed & fits,
            masked=noised.masked,
            checked=self.checked[noised.surfaces.clamp(min=0)] & real,
            shapes=noised.gold_shapes,
            kinds=noised.kinds,
        )


LEAST_FREQUENT = 0.4
"""The share of the lexicon, from its end, whose words `inserted_valid_words` may insert."""


def _valid_words(vocabulary: Vocabulary, surfaces: Sequence[str]) -> list[str]:
    """Dictionary words and technical terms that the text does not have."""
    known = set(surfaces)
    return [word for word, number in vocabulary.words() if _is_valid(number) and word not in known]


def _is_valid(number: int) -> bool:
    return GROUPS[number % ODD // FREQUENCIES] in ("common", "technical")


def _classified(
    surfaces: Sequence[str], lexicon: Lexicon, vocabulary: Vocabulary
) -> tuple[list[str], list[int]]:
    """How the model reads each spelling, and its class."""
    read, classes = list(surfaces), [ABSENT] * len(surfaces)
    for i, surface in enumerate(surfaces):
        if surface not in lexicon and surface != CODE:
            read[i], classes[i] = classify(surface, vocabulary)
    return read, classes


def _class_tables(
    vocabulary: Vocabulary | None,
    surfaces: Sequence[str],
    read: Sequence[str],
    classes: Sequence[int],
    checked: Tensor,
    encoder: Encoder,
    table: SurfaceTable,
) -> dict[str, Any]:
    """The tables of the noise channels that need a vocabulary."""
    if vocabulary is None:
        return {}
    known, size = dict(vocabulary.words()), table.lexicon_size
    return {
        "classes": _class_table(vocabulary, classes, encoder, table),
        "odd_words": _odd_words(read, surfaces, encoder.lexicon),
        "insertable": _insertable(surfaces, checked, known, size),
    }


def _odd_words(read: Sequence[str], surfaces: Sequence[str], lexicon: Lexicon) -> Tensor:
    """Input ids of the spellings that are read as another word of the lexicon, -1 = others."""
    found = torch.full((len(surfaces),), -1)
    for i, (word, surface) in enumerate(zip(read, surfaces, strict=True)):
        index = lexicon.index(word) if word != surface else None
        if index is not None:
            found[i] = index + WORD_OFFSET
    return found


def _class_table(
    vocabulary: Vocabulary, classes: Sequence[int], encoder: Encoder, table: SurfaceTable
) -> Classes:
    """The classes of all surfaces, and of all words of the vocabulary with their plurals."""
    known = dict(vocabulary.words())
    words = {
        plural: number
        for word in known
        for plural in (f"{word}s", f"{word}es")
        if (number := vocabulary.class_of(plural)) != ABSENT
    } | known
    device = table.characters.device
    rows = torch.from_numpy(encoder.spell(list(words)).astype(np.uint8)).to(device)
    hashes, order = table.hashed(rows).sort()
    numbers = torch.tensor(list(words.values()), device=device)
    return Classes(torch.tensor(classes, device=device), hashes, numbers[order])


def _insertable(
    surfaces: Sequence[str], checked: Tensor, known: Mapping[str, int], lexicon_size: int
) -> Tensor:
    """Rare words of the lexicon and valid words outside it."""
    first_rare = int(lexicon_size * (1 - LEAST_FREQUENT))
    valid = torch.tensor(
        [
            i >= first_rare if i < lexicon_size else _is_valid(known.get(surface, ABSENT))
            for i, surface in enumerate(surfaces)
        ],
        device=checked.device,
    )
    return torch.nonzero(valid & checked).squeeze(-1)


def _shares(noise: NoiseConfig, size: int) -> list[float]:
    """How often the word of each rank is confused, compared with the one of rank `FREQUENT`.

    People confuse rare words more often. Besides, the text has too few of them to learn from.
    """
    return [((rank + 1) / FREQUENT) ** noise.frequency_exponent for rank in range(size)]


def _spacer(
    lists: SpacingLists,
    lexicon: Lexicon,
    words: Collection[str],
    tokens: Tensor,
    noise: NoiseConfig,
    table: SurfaceTable,
    eligible: Tensor,
) -> Spacer:
    rates = SpacingRates(
        anywhere=noise.run_together,
        listed=noise.listed_spacing,
        confused=noise.confused_spacing or noise.listed_spacing,
        balance=noise.balance,
    )
    joins, cuts = spacing_tables(lists, lexicon, words, tokens, rates)
    return Spacer(table.characters, eligible, joins, cuts, rates)


def _places(segments: Tensor) -> Tensor:
    """The position of each word within its sentence: [rows, length] -> like it."""
    column = torch.arange(segments.shape[1], device=segments.device).expand_as(segments)
    head = torch.ones_like(segments, dtype=torch.bool)
    head[:, 1:] = segments[:, 1:] != segments[:, :-1]
    return (column - (column * head).cummax(1).values).where(segments >= 0, 0)


def _spelled(words: Collection[str], encoder: Encoder) -> Tensor | None:
    """Character rows of the words outside the lexicon: [n, WIDTH]."""
    outside = sorted(word for word in words if word not in encoder.lexicon)
    return torch.from_numpy(encoder.spell(outside).astype(np.uint8)) if outside else None


def buckets_for(words: int, spellings: float) -> tuple[tuple[int, int], ...]:
    """Room for the spellings of a batch; in a small batch all words may be different."""
    room = max(int(words * spellings), min(words, SMALL))
    return tuple((-(-room * part // (16 * PACK)) * PACK, width) for part, width in BUCKETS)


def distinct_rows(
    rows: Tensor, buckets: Sequence[tuple[int, int]]
) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct rows among [..., width], longest first, without synchronising the device.

    Each bucket has room for a number of rows of a maximum width. Returns the slot of each row
    [...], the distinct rows [slots, width], and which rows have a slot that spells them [...];
    there may be more or longer rows than fit.
    """
    flat = rows.flatten(0, -2)
    odd = torch.arange(flat.shape[1], device=rows.device) * 2 + 1
    # The hash of a row: products with powers of a large odd number, summed modulo 2^64.
    hashed = (flat.long() * (6364136223846793005**odd)).sum(-1)
    ordered, order = hashed.sort()
    new = torch.ones_like(ordered, dtype=torch.bool)
    new[1:] = ordered[1:] != ordered[:-1]
    group = new.long().cumsum(0) - 1
    room = sum(count for count, _ in buckets)
    groups = torch.empty_like(group).scatter_(0, order, group)
    first = torch.zeros(room + 1, dtype=torch.long, device=rows.device)
    first.scatter_(0, torch.where(new, group.clamp(max=room), room), order)
    distinct = flat[first[:room]]
    place = torch.arange(room, device=rows.device)
    lengths = (distinct != CHAR_PAD).sum(1).where(place <= group[-1], 0)  # 0: an empty slot
    lengths, order = lengths.sort(descending=True)
    rank = torch.empty_like(order).scatter_(0, order, place)
    columns = torch.cat([place.new_full((count,), width) for count, width in buckets])
    slots = rank[groups.clamp(max=room - 1)]
    fits = (groups < room) & (lengths <= columns)[slots]
    shape = rows.shape[:-1]
    return slots.view(shape), distinct[order], fits.view(shape)
