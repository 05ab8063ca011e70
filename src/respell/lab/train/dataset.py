"""Read a build folder into memory."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from respell.lab.common.storage import read_json
from respell.lab.common.text_files import read_lines
from respell.lab.data.shards import ESCAPE, read_shard
from respell.model.lexicon import Lexicon
from respell.types import Error


@dataclass(frozen=True, slots=True)
class Corpus:
    """A build folder in memory: the tokens of all sentences, one after the other."""

    lexicon: Lexicon
    surfaces: tuple[str, ...]  # spellings outside the lexicon, in the order of their ids
    tokens: NDArray[np.int32]  # [tokens] surface ids
    shapes: NDArray[np.uint8]  # [tokens] case shapes
    lengths: NDArray[np.int32]  # [sentences]

    @classmethod
    def read(cls, folder: Path, *, permissive: bool = False) -> "Corpus":
        """Read the shards of a folder written by `build`, or only text with a free licence."""
        lexicon = Lexicon.read(folder / "lexicon.txt")
        shards = sorted(folder.glob("shard-*.npz.xz"))
        if not shards:
            raise Error(f"{folder}: no shards; run `python -m respell.lab build` first")
        spelled = folder / "surfaces.txt.xz"
        surfaces = tuple(read_lines(spelled)) if spelled.exists() else ()
        known = len(lexicon) + len(surfaces)
        with ThreadPoolExecutor() as threads:  # decompression releases the interpreter lock
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
        raise Error(f"{path}: damaged, its arrays do not match; build it again")
    tokens = shard.numbers(lexicon_size)
    if tokens.max(initial=0) >= known:
        raise Error(f"{path}: has words that the folder does not list; build it again")
    return tokens, shard.shapes, shard.lengths.astype(np.int32)


def _permissive(folder: Path, sentences: int) -> NDArray[np.bool_]:
    """Which sentences have a free licence; sentences are stored in the order of the sources."""
    sources = read_json(folder / "manifest.json")["sources"]
    kept = np.repeat([s["permissive"] for s in sources], [s["sentences"] for s in sources])
    if len(kept) != sentences or not kept.any():
        raise Error(f"{folder}: the manifest has no sources with free licences; build it again")
    return kept
