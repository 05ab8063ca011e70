"""ScRNN (Sakaguchi et al. 2017): semi-character vectors through one LSTM."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respell.lab.train.models.base import Batch, Model, Sizes
from respell.lab.train.models.heads import ClosedHead, OpenHead
from respell.model.encode import CHAR_PAD


@dataclass(frozen=True, slots=True, kw_only=True)
class ScRNNConfig:
    """Sizes; the defaults are the paper's."""

    width: int = 650
    dropout: float = 0.01
    keep: bool = False
    capacity: float = 0.4


class ScRNN(Model):
    """First letter, last letter and a bag of the letters between, from left to right."""

    def __init__(self, config: ScRNNConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.characters = sizes.characters
        self.widen = nn.Linear(3 * sizes.characters, config.width)
        self.reader = nn.LSTM(config.width, config.width, batch_first=True)
        self.head = (
            OpenHead(config.width, sizes.lexicon, None, config.dropout, config.capacity)
            if config.keep
            else ClosedHead(config.width, sizes.lexicon, None, config.dropout)
        )

    def semi_characters(self, spellings: Tensor) -> Tensor:
        """One-hot first letter, counts of the middle, one-hot last: [spellings, 3 * characters]."""
        letters = spellings[:, 1:]
        places = torch.arange(letters.shape[1], device=letters.device)
        lengths = (letters != CHAR_PAD).sum(-1, keepdim=True)
        hot = F.one_hot(letters, self.characters).to(self.widen.weight.dtype)
        first = hot[:, 0]
        last = (hot * (places == lengths - 1).unsqueeze(-1)).sum(1)
        middle = (hot * ((places > 0) & (places < lengths - 1)).unsqueeze(-1)).sum(1)
        return torch.cat((first, middle, last), -1)

    def encode(self, batch: Batch) -> Tensor:
        """[rows, length, width]."""
        spelled = self.widen(self.semi_characters(batch.spellings.long()))
        read: Tensor = self.reader(spelled[batch.slots])[0]
        return read
