"""MUDE (Wang et al. 2019): characters through a transformer, words through a BiLSTM.

A second decoder spells the word from its vector; it is used only in training.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respell.lab.train.models.base import Batch, Model, Sizes, Targets
from respell.lab.train.models.heads import ClosedHead, OpenHead
from respell.lab.train.models.layers import Speller
from respell.model.encode import CHAR_PAD
from respell.types import Error


@dataclass(frozen=True, slots=True, kw_only=True)
class MUDEConfig:
    """Sizes; the defaults are the paper's."""

    width: int = 512
    layers: int = 2
    heads: int = 8
    reader_width: int = 650
    """Width of the LSTM in each direction."""
    dropout: float = 0.01
    beta: float = 1.0
    """Weight of the spelling loss."""
    keep: bool = False
    capacity: float = 0.4

    def __post_init__(self) -> None:
        if self.heads < 1 or self.width % self.heads:
            raise Error("model.width must be a multiple of model.heads")


class MUDE(Model):
    """Word vectors from characters without positions, read in both directions."""

    def __init__(self, config: MUDEConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.beta = config.beta
        self.spelling = Speller(
            sizes.characters,
            config.width,
            config.layers,
            config.heads,
            config.dropout,
            places=False,
        )
        self.forwards = nn.LSTM(config.width, config.reader_width, batch_first=True)
        self.backwards = nn.LSTM(config.width, config.reader_width, batch_first=True)
        self.speller = nn.GRU(config.width, config.width, batch_first=True)
        self.letters = nn.Linear(config.width, sizes.characters)
        width = 2 * config.reader_width
        self.head = (
            OpenHead(width, sizes.lexicon, None, config.dropout, config.capacity)
            if config.keep
            else ClosedHead(width, sizes.lexicon, None, config.dropout)
        )

    def encode(self, batch: Batch) -> Tensor:
        """[rows, length, 2 * reader_width]."""
        return self._read(self.spelling(batch.spellings, batch.buckets), batch)

    def _read(self, spelled: Tensor, batch: Batch) -> Tensor:
        x = F.embedding(batch.slots, spelled)
        # The backward pass starts at the last word, not in the padding, so that a row has the same
        # result in any batch. The padding keeps its order and is not used.
        lengths = (batch.segments > 0).sum(1, keepdim=True)
        column = torch.arange(x.shape[1], device=x.device)
        mirror = torch.where(column < lengths, lengths - 1 - column, column).unsqueeze(-1)
        turned = self.backwards(x.gather(1, mirror.expand(-1, -1, x.shape[-1])))[0]
        back = turned.gather(1, mirror.expand(-1, -1, turned.shape[-1]))
        return torch.cat((self.forwards(x)[0], back), -1)

    def forward(self, batch: Batch, targets: Targets) -> dict[str, Tensor]:
        """The losses of the head, and the loss of spelling the input."""
        spelled = self.spelling(batch.spellings, batch.buckets)
        losses = self.head.loss(self._read(spelled, batch), None, batch, targets)
        given, wanted = batch.spellings[:, :-1], batch.spellings[:, 1:]
        states = self.speller(self.spelling.characters(given), spelled.unsqueeze(0))[0]
        letters = F.cross_entropy(
            self.letters(states).flatten(0, 1).float(), wanted.flatten(), ignore_index=CHAR_PAD
        )
        return {**losses, "loss": losses["loss"] + self.beta * letters, "letters": letters}
