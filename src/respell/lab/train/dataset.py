"""From a build folder to batches: sentences packed into rows, noised, spelled once each."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from respell.lab.common.storage import read_json
from respell.lab.data.corpus import read_lines
from respell.lab.data.shards import ESCAPE, read_shard
from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.sampler import Noised, Noiser
from respell.lab.noise.surfaces import Pairs, SurfaceTable, alphabet, extend
from respell.lab.train.models.base import Batch, Sizes, Targets
from respell.lab.train.models.layers import PACK
from respell.model.encode import (
    CHAR_PAD,
    FIRST_CHARACTER,
    NOISE_FLAG,
    PRONOUN,
    WIDTH,
    Casing,
    Encoder,
)
from respell.model.lexicon import Lexicon
from respell.text.tokenize import is_single_word
from respell.types import Error

BUCKETS = ((1, WIDTH), (5, 12), (10, 8))
"""How a batch's spellings are laid out, the longest first: sixteenths of the room, and columns.

Twice the share that running text asks of each, so that hardly a spelling ever lacks its place.
"""
SMALL = 2048
"""Words of a batch so small that each has room for a spelling of its own."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A build folder in memory: a stream of tokens, sentence after sentence."""

    lexicon: Lexicon
    surfaces: tuple[str, ...]  # spellings outside the lexicon, in the order of their ids
    tokens: NDArray[np.int32]  # [tokens] surface ids
    shapes: NDArray[np.uint8]  # [tokens] case shapes
    lengths: NDArray[np.int32]  # [sentences]

    @classmethod
    def read(cls, folder: Path, *, permissive: bool = False) -> "Corpus":
        """Read all shards of a folder written by `build`, or only what has a free licence."""
        lexicon = Lexicon.read(folder / "lexicon.txt")
        shards = sorted(folder.glob("shard-*.npz.xz"))
        if not shards:
            raise Error(f"{folder}: no shards here, run `python -m respell.lab build` first")
        spelled = folder / "surfaces.txt.xz"
        surfaces = tuple(read_lines(spelled)) if spelled.exists() else ()
        known = len(lexicon) + len(surfaces)
        with ThreadPoolExecutor() as threads:  # decompression leaves the interpreter's lock
            parts = list(threads.map(lambda path: _read_shard(path, len(lexicon), known), shards))
        tokens, shapes, lengths = (np.concatenate(part) for part in zip(*parts, strict=True))
        if permissive:
            kept = _permissive(folder, len(lengths))
            of_kept = np.repeat(kept, lengths)
            tokens, shapes, lengths = tokens[of_kept], shapes[of_kept], lengths[kept]
        return cls(lexicon, surfaces, tokens, shapes, lengths)


def _read_shard(path: Path, lexicon_size: int, known: int) -> tuple[NDArray[np.generic], ...]:
    shard = read_shard(path)
    whole = len(shard.ids) == len(shard.shapes) == shard.lengths.sum()
    if not whole or (shard.ids == ESCAPE).sum() != len(shard.escapes):
        raise Error(f"{path}: damaged, its arrays do not fit each other; build it again")
    tokens = shard.numbers(lexicon_size)
    if tokens.max(initial=0) >= known:
        raise Error(f"{path}: holds words that the folder does not list; build it again")
    return tokens, shard.shapes, shard.lengths.astype(np.int32)


def _permissive(folder: Path, sentences: int) -> NDArray[np.bool_]:
    """Which sentences are of a source with a free licence: they stand in the order of sources."""
    sources = read_json(folder / "manifest.json")["sources"]
    kept = np.repeat([s["permissive"] for s in sources], [s["sentences"] for s in sources])
    if len(kept) != sentences or not kept.any():
        raise Error(f"{folder}: its manifest names no sources with free licences; build it anew")
    return kept


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of clean sentences."""

    surfaces: Tensor  # [rows, length] surface ids, -1 = padding
    shapes: Tensor  # [rows, length] uint8
    segments: Tensor  # [rows, length] sentence number from 1, 0 = padding
    places: Tensor  # [rows, length] place within the sentence


class Packer:
    """Packs whole sentences into rows, in a new order every epoch, on the training device."""

    def __init__(self, corpus: Corpus, *, rows: int, length: int, device: torch.device) -> None:
        fits = corpus.lengths <= length
        starts = np.cumsum(corpus.lengths) - corpus.lengths
        self.starts = starts[fits].astype(np.int64)
        self.lengths = corpus.lengths[fits].astype(np.int64)
        if not len(self.lengths):
            raise Error(f"no sentence of the corpus has at most {length} words")
        self.rows, self.length, self.device = rows, length, device
        self.tokens = torch.from_numpy(corpus.tokens).to(device)
        self.shapes = torch.from_numpy(corpus.shapes).to(device)

    def epoch(self, seed: int, number: int) -> Iterator[Packed]:
        """Every sentence once, but for the last rows that do not fill a batch."""
        order = np.random.default_rng((seed, number)).permutation(len(self.lengths))
        lengths, ends = self.lengths[order], np.cumsum(self.lengths[order])
        heads = _row_heads(ends, self.length)  # [rows + 1] first sentence of each row
        begins = torch.from_numpy(np.concatenate(([0], ends))[heads]).to(self.device)
        starts = torch.from_numpy(self.starts[order]).to(self.device)
        counts = torch.from_numpy(lengths).to(self.device)
        index = torch.arange(int(ends[-1]), device=self.device)
        first = torch.zeros(len(index), dtype=torch.bool, device=self.device)
        first[torch.from_numpy(ends - lengths).to(self.device)] = True
        shift = starts - torch.from_numpy(ends - lengths).to(self.device)
        index += shift.repeat_interleave(counts, output_size=len(index))
        tokens, shapes = self.tokens[index], self.shapes[index]
        for row in range(0, len(heads) - 1, self.rows):
            chunk = begins[row : row + self.rows + 1]
            if len(chunk) == self.rows + 1 or row == 0:
                yield self._rows(chunk, tokens, shapes, first)

    def _rows(self, begins: Tensor, tokens: Tensor, shapes: Tensor, first: Tensor) -> Packed:
        column = torch.arange(self.length, device=self.device)
        place = begins[:-1, None] + column
        real = column < (begins[1:] - begins[:-1])[:, None]
        place = place.clamp(max=len(tokens) - 1)
        head = first[place] & real
        return Packed(
            surfaces=tokens[place].long().where(real, -1),
            shapes=shapes[place].where(real, 0),
            segments=head.long().cumsum(1).where(real, 0),
            places=(column - (column * head).cummax(1).values).where(real, 0),
        )


def _row_heads(ends: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Fill row after row with sentences as long as they fit: index of each row's first one."""
    heads, head, filled = [0], 0, 0
    while head < len(ends):
        head = int(np.searchsorted(ends, filled + length, side="right"))
        heads.append(head)
        filled = int(ends[head - 1])
    return np.array(heads, np.int64)


class Batcher:
    """Makes of packed clean rows what a model trains on."""

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
    ) -> None:
        self.drawn = math.ceil(composed * len(corpus.lexicon) / PACK) * PACK
        self.noise_flag = noise_flag
        self.characters = alphabet(corpus.lexicon.words)
        count = len(self.characters) + FIRST_CHARACTER
        self.sizes = Sizes(len(corpus.lexicon), count, length, self.characters)
        self.spellings = spellings
        surfaces = extend(
            extend([*corpus.lexicon.words, *corpus.surfaces], pairs), noisy_pairs, casing=casing
        )
        encoder = Encoder(corpus.lexicon, self.characters, casing)
        rows = encoder.spell(surfaces).astype(np.uint8)
        table = SurfaceTable.build(
            torch.from_numpy(rows).to(device), lexicon_size=self.sizes.lexicon
        )
        index = {surface: i for i, surface in enumerate(surfaces)}
        words = [casing == "exact" or is_single_word(surface) for surface in surfaces]
        # A typo of the text itself must not be learnt as a word to keep.
        unsure = [surface in listed_misspellings for surface in corpus.surfaces]
        self.judged = torch.tensor(words, device=device)
        self.judged[len(corpus.lexicon) :][: len(unsure)] &= ~torch.tensor(
            unsure, dtype=torch.bool, device=device
        )
        in_lexicon = torch.arange(len(surfaces), device=device) < self.sizes.lexicon
        self.noiser = Noiser(
            table,
            Pairs.from_lists(pairs, index, corpus.lexicon.words),
            noise,
            alphabet=self.characters,
            eligible=self.judged & in_lexicon,
            # Few tokens of a mixed batch are noised at all; room for more would only cost time.
            capacity=0.15 if noise.mixed else 0.35,
            pronoun=torch.tensor([surface in PRONOUN for surface in surfaces]),
            noisy=Pairs.from_lists(noisy_pairs, index, corpus.lexicon.words, casing=casing)
            if noisy_pairs
            else None,
            valid_words=_spelled(valid_words, encoder),
        )

    def __call__(self, packed: Packed, generator: torch.Generator) -> tuple[Batch, Targets]:
        """Noise the rows and spell every distinct word once."""
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
            segments=packed.segments,
            places=packed.places,
            buckets=buckets,
            **self._draw(generator),
        )
        return batch, self._targets(packed.shapes, noised, fits)

    @property
    def lexicon_spellings(self) -> Tensor:
        """[lexicon, WIDTH] character ids of the lexicon's words."""
        return self.noiser.table.characters[: self.sizes.lexicon].long()

    def _draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        """Words of the lexicon whose output vectors are to be composed."""
        if not self.drawn:
            return {}
        table = self.noiser.table
        lot = torch.empty(self.drawn, device=table.words.device).uniform_(generator=generator)
        drawn = (lot * table.lexicon_size).long().clamp(max=table.lexicon_size - 1)
        return {"drawn": drawn, "drawn_spellings": table.characters[drawn].long()}

    def _targets(self, shapes: Tensor, noised: Noised, fits: Tensor) -> Targets:
        real = (noised.surfaces >= 0) & fits
        labelled = real & (noised.surfaces < self.sizes.lexicon)
        return Targets(
            labels=noised.surfaces.where(labelled, -1),
            wrong=noised.changed & fits,
            masked=noised.masked,
            judged=self.judged[noised.surfaces.clamp(min=0)] & real,
            shapes=shapes,
        )


def _spelled(words: Collection[str], encoder: Encoder) -> Tensor | None:
    """Character rows of those outside the lexicon: [n, WIDTH]."""
    outside = sorted(word for word in words if word not in encoder.lexicon)
    return torch.from_numpy(encoder.spell(outside).astype(np.uint8)) if outside else None


def buckets_for(words: int, spellings: float) -> tuple[tuple[int, int], ...]:
    """Room for the spellings of so many words; in small batches every word may be another."""
    room = max(int(words * spellings), min(words, SMALL))
    return tuple((-(-room * part // (16 * PACK)) * PACK, width) for part, width in BUCKETS)


def distinct_rows(
    rows: Tensor, buckets: Sequence[tuple[int, int]]
) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct rows among [..., width], the longest first, without a sync.

    Each bucket has room for a number of rows of so many columns. Gives each row's slot [...], the
    distinct rows [slots, width] and, for the case that there are more or longer ones than fit,
    which rows have a slot that spells them [...].
    """
    flat = rows.flatten(0, -2)
    odd = torch.arange(flat.shape[1], device=rows.device) * 2 + 1
    # Products with powers of a large odd number, summed modulo 2^64: a hash of the row.
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
