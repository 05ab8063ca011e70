"""Pack sentences into rows of a fixed length."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from respell.lab.train.dataset import Corpus
from respell.types import Error


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of clean sentences."""

    surfaces: Tensor  # [rows, length] surface ids, -1 = padding
    shapes: Tensor  # [rows, length] uint8
    segments: Tensor  # [rows, length] number of the sentence from 1, 0 = padding
    places: Tensor  # [rows, length] position within the sentence


class Packer:
    """Packs complete sentences into rows, in a new order every epoch, on the training device."""

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
        """Every sentence once, except the last rows if they do not fill a batch."""
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
    """Fill each row with sentences while they fit; return the index of its first sentence."""
    heads, head, filled = [0], 0, 0
    while head < len(ends):
        head = int(np.searchsorted(ends, filled + length, side="right"))
        heads.append(head)
        filled = int(ends[head - 1])
    return np.array(heads, np.int64)
