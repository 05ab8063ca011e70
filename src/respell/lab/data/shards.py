"""Shards: compressed files that hold sentences as word indexes, case shapes and escapes."""

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from respell.lab.common.storage import replacing
from respell.types import Error

ESCAPE = 65_535
"""The index of a word outside the lexicon; its number is the next entry of `escapes`."""
_DAMAGE = (
    *(lzma.LZMAError, zipfile.BadZipFile, zlib.error, EOFError, MemoryError),
    *(ValueError, KeyError, TypeError, RuntimeError, SyntaxError),  # numpy, for invalid headers
)
_TYPES: tuple[type[np.generic], ...] = (np.uint16, np.uint8, np.int32, np.uint16)
# Word indexes are 16 bits wide; with this setting lzma writes smaller files, and faster.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 3, "lp": 1, "pb": 1}]


@dataclass(frozen=True, slots=True)
class Shard:
    """Sentences, stored one after the other."""

    ids: NDArray[np.uint16]  # [tokens] index in the lexicon, or ESCAPE
    shapes: NDArray[np.uint8]  # [tokens] case shapes
    escapes: NDArray[np.int32]  # [tokens with ESCAPE] line in the list of surfaces
    lengths: NDArray[np.uint16]  # [sentences] number of tokens

    @classmethod
    def from_numbers(
        cls,
        numbers: NDArray[np.int32],  # [tokens] index in lexicon + surfaces
        shapes: NDArray[np.uint8],  # [tokens]
        lengths: NDArray[np.uint16],  # [sentences]
        *,
        lexicon_size: int,
    ) -> "Shard":
        """Split indexes into lexicon + surfaces into word indexes and escapes."""
        outside = numbers >= lexicon_size
        ids = np.where(outside, ESCAPE, numbers).astype(np.uint16)
        return cls(ids, shapes, numbers[outside] - np.int32(lexicon_size), lengths)

    def numbers(self, lexicon_size: int) -> NDArray[np.int32]:
        """The index of each token in lexicon + surfaces."""  # [tokens]
        numbers = self.ids.astype(np.int32)
        numbers[self.ids == ESCAPE] = self.escapes + np.int32(lexicon_size)
        return numbers


def join(shards: Iterable[Shard]) -> Shard:
    """Concatenate shards."""
    columns = zip(*map(astuple, shards), strict=True)
    return Shard(*(np.concatenate(column) for column in columns))


def write_shard(shard: Shard, path: Path) -> None:
    """Write a shard; an existing file is replaced atomically."""
    raw = io.BytesIO()
    np.savez(raw, **{field.name: getattr(shard, field.name) for field in fields(Shard)})
    with replacing(path) as temporary, lzma.open(temporary, "wb", filters=_FILTERS) as stream:
        stream.write(raw.getbuffer())


def read_shard(path: Path) -> Shard:
    """Read a shard."""
    try:
        with lzma.open(path) as stream, np.load(io.BytesIO(stream.read())) as arrays:
            columns = [arrays[field.name] for field in fields(Shard)]
    except OSError as error:
        raise Error(f"{path}: cannot read the shard ({error.strerror or error})") from error
    except _DAMAGE as error:
        reason = " ".join(str(error).split())
        raise Error(f"{path}: not a shard, or damaged ({reason}); build it again") from error
    if not all(_is_column(c, kind) for c, kind in zip(columns, _TYPES, strict=True)):
        raise Error(f"{path}: not a shard, its arrays have wrong shapes or types; build it again")
    shard = Shard(*columns)
    if shard.escapes.min(initial=0) < 0:
        raise Error(f"{path}: damaged, it holds a negative line number; build it again")
    return shard


def _is_column(value: object, kind: type[np.generic]) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == kind
