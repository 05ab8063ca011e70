"""Tables of all spellings and of the misspellings of each word, on the training device."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from respell.lab.misspellings.word_lists import has_odd_capitals
from respell.model.encode import (
    FIRST_CHARACTER,
    WORD_OFFSET,
    WORD_UNKNOWN,
    Casing,
    normalize,
)
from respell.text.case import case_shape
from respell.types import Error

ANY_SHAPE = 255
"""The shape of a misspelling that takes the case of the word."""


@dataclass(frozen=True, slots=True)
class SurfaceTable:
    """All distinct spellings: the words of the lexicon in its order, then the others."""

    characters: Tensor  # [surfaces, width] uint8
    words: Tensor  # [surfaces] int64: word input id, WORD_UNKNOWN outside the lexicon
    lexicon_size: int
    hashes: Tensor  # [lexicon] int64: sorted hashes of the rows of the lexicon
    order: Tensor  # [lexicon] int64: the lexicon index of each sorted hash
    factors: Tensor  # [width] int64: factor of each column in the hash

    @classmethod
    def build(cls, characters: Tensor, *, lexicon_size: int) -> "SurfaceTable":
        """Index the character rows of all spellings; the first `lexicon_size` are the lexicon."""
        if not 0 < lexicon_size <= len(characters):
            raise Error(f"a lexicon of {lexicon_size} words does not fit {len(characters)} rows")
        index = torch.arange(len(characters), device=characters.device)
        factors = _factors(characters.shape[1]).to(characters.device)
        hashes = (characters[:lexicon_size].long() * factors).sum(-1)
        hashes, order = hashes.sort(stable=True)  # the first of equal rows is found
        return cls(
            characters=characters,
            words=torch.where(index < lexicon_size, index + WORD_OFFSET, WORD_UNKNOWN),
            lexicon_size=lexicon_size,
            hashes=hashes,
            order=order,
            factors=factors,
        )

    def to(self, device: torch.device | str) -> "SurfaceTable":
        """The same table on a device."""
        return SurfaceTable.build(self.characters.to(device), lexicon_size=self.lexicon_size)

    def look_up(self, rows: Tensor) -> Tensor:
        """The word input id of each row, WORD_UNKNOWN if it spells no word of the lexicon.

        [..., width] uint8 -> [...] int64
        """
        place = torch.searchsorted(self.hashes, self.hashed(rows)).clamp(max=self.lexicon_size - 1)
        found = self.order[place]
        same = (self.characters[found] == rows).all(-1)  # rules out hash collisions
        return torch.where(same, found + WORD_OFFSET, WORD_UNKNOWN)

    def hashed(self, rows: Tensor) -> Tensor:
        """[..., width] uint8 -> [...] int64."""
        return (rows.long() * self.factors).sum(-1)


def _factors(width: int) -> Tensor:
    """Fixed odd 63-bit numbers; sums of their multiples rarely collide modulo 2^64."""
    generator = torch.Generator().manual_seed(20)
    return torch.randint(2**62, (width,), generator=generator) * 2 + 1


@dataclass(frozen=True, slots=True)
class Pairs:
    """The misspellings of each word of the lexicon as surface ids, stored one after the other."""

    offsets: Tensor  # [lexicon + 1] int64
    spellings: Tensor  # [pairs] int64
    shapes: Tensor  # [pairs] uint8: case shape it always has, or ANY_SHAPE

    @classmethod
    def from_lists(
        cls,
        pairs: Mapping[str, Sequence[str]],
        surface_index: Mapping[str, int],
        lexicon: Sequence[str],
        *,
        casing: Casing = "exact",
    ) -> "Pairs":
        """Convert lists to surface ids; words outside the lexicon are ignored."""
        offsets, spellings, shapes = [0], [], []
        for word in lexicon:
            for listed in pairs.get(word, ()):
                spelling = normalize(listed, casing=casing)
                if spelling not in surface_index:
                    raise Error(f"{spelling!r} (for {word!r}) is not a surface: extend the table")
                spellings.append(surface_index[spelling])
                odd = casing == "lower" and has_odd_capitals(listed)
                shapes.append(case_shape(listed) if odd else ANY_SHAPE)
            offsets.append(len(spellings))
        return cls(
            offsets=torch.tensor(offsets, dtype=torch.int64),
            spellings=torch.tensor(spellings, dtype=torch.int64),
            shapes=torch.tensor(shapes, dtype=torch.uint8),
        )


def extend(
    surfaces: Sequence[str], pairs: Mapping[str, Sequence[str]], *, casing: Casing = "exact"
) -> list[str]:
    """The surfaces, followed by their misspellings that are not surfaces yet."""
    heads = [word for word in dict.fromkeys(surfaces) if word in pairs]
    new = dict.fromkeys(
        normalize(spelling, casing=casing) for word in heads for spelling in pairs[word]
    )
    present = set(surfaces)
    return [*surfaces, *(spelling for spelling in new if spelling not in present)]


def alphabet(lexicon: Sequence[str]) -> str:
    """The characters of the lexicon by frequency; at most as many as fit into a byte."""
    counts: dict[str, int] = {}
    for word in lexicon:
        for character in word:
            counts[character] = counts.get(character, 0) + 1
    ranked = sorted(counts, key=lambda c: (-counts[c], c))
    return "".join(ranked[: 256 - FIRST_CHARACTER])
