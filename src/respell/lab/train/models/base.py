"""What every model shares: batches in, a loss or a ranking of words out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from respell.lab.train.models.heads import ClosedHead, OpenHead, SoftTargets
from respell.model.encode import WORD_PAD
from respell.types import Error


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of words as a model reads them; a row may hold several sentences."""

    words: Tensor  # [rows, length] word input ids
    shapes: Tensor  # [rows, length] case shapes
    slots: Tensor  # [rows, length] row of `spellings` that spells the word
    spellings: Tensor  # [spellings, WIDTH] character ids
    segments: Tensor  # [rows, length] sentence number within the row from 1, 0 = padding
    places: Tensor  # [rows, length] place of the word in its sentence
    buckets: tuple[tuple[int, int], ...] = ()
    """(number, width) of blocks of `spellings` that fit in so many columns; none: all may be long.
    """
    drawn: Tensor | None = None  # [drawn] words of the lexicon to be scored by their spelling alone
    drawn_spellings: Tensor | None = None  # [drawn, WIDTH] character ids
    spelled: Tensor | None = None  # [spellings, char_width] vectors of the spellings, where known
    new_words: Tensor | None = None  # [new, width + 1] output vectors and biases, to be ranked too


@dataclass(frozen=True, slots=True)
class Targets:
    """What the model should have said."""

    labels: Tensor  # [rows, length] lexicon index of the right word, -1 where it has none
    wrong: Tensor  # [rows, length] bool: the word was changed
    masked: Tensor  # [rows, length] bool: the word was masked
    judged: Tensor  # [rows, length] bool: words that may be wrong, i.e. no marks or numbers
    shapes: Tensor  # [rows, length] case shapes of the right words
    soft: SoftTargets | None = None  # what a teacher says, for models with KEEP


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a model must know of its data."""

    lexicon: int
    characters: int
    """Rows of the character table, special ids included."""
    length: int
    """Most words of a sentence."""
    alphabet: str = ""
    """The characters behind the special ids, where they are known: a fresh model may want them."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The torch side of `respell.model.forward.TopK`."""

    keep: Tensor  # [batch, length]
    positions: Tensor  # [suspects]
    ids: Tensor  # [suspects, k]
    probabilities: Tensor  # [suspects, k]
    cases: Tensor  # [suspects]
    composed: Tensor | None = None  # [spellings, width + 1] what can be given as new words


class Model(nn.Module, ABC):
    """An encoder of words in context, and a head that names the right ones."""

    head: OpenHead | ClosedHead
    composes: bool = False
    """Whether words outside the lexicon can be ranked, by what is composed of their spelling."""
    any_width = False
    """Whether spellings may come without the columns that all leave empty."""

    def __init__(self, config: Any, sizes: Sizes) -> None:
        super().__init__()

    def prepare(self, alphabet: str) -> None:
        """Take what a fresh model takes from files; a checkpoint's weights bring it along."""

    def meet(self, spellings: Tensor) -> None:
        """Begin with what a fresh model can know of the lexicon's words: [lexicon, WIDTH]."""

    @abstractmethod
    def encode(self, batch: Batch) -> Tensor:
        """Vectors of the words in their context: [rows, length, width]."""

    def output_table(self, batch: Batch) -> Tensor | None:
        """The word vectors that the head shares with the input, if any: [lexicon, width]."""
        return None

    def spell(self, spellings: Tensor) -> Tensor:
        """Vectors of spellings, for `compose_words`: [words, WIDTH] -> [words, char_width]."""
        raise Error("this model does not read spellings by themselves; ask `composes` first")

    def compose_words(self, spelled: Tensor) -> Tensor:
        """Output vectors and biases of spelled words: [words, char_width] -> [words, width + 1]."""
        raise Error("this model has not learnt to compose words; ask `composes` first")

    def forward(self, batch: Batch, targets: Targets) -> dict[str, Tensor]:
        """The losses by name; `loss` is their weighted sum."""
        return self.head.loss(self.encode(batch), self.output_table(batch), batch, targets)

    def teach(
        self, batch: Batch, targets: Targets, weight: float, distill_top_n: int
    ) -> SoftTargets:
        """What a student is to learn of a batch besides the right answers."""
        if not isinstance(self.head, OpenHead):
            raise Error("only a model with KEEP can teach")
        hidden, shared = self.encode(batch), self.output_table(batch)
        return self.head.teach(hidden, shared, targets, weight, distill_top_n)

    def predict(
        self,
        words: Tensor,
        shapes: Tensor,
        slots: Tensor,
        spellings: Tensor,
        gate: Tensor,
        k: int = 8,
        new_words: Tensor | None = None,
    ) -> Prediction:
        """Rank words at the suspicious positions: the graph that is exported."""
        segments = (words != WORD_PAD).long()
        places = torch.arange(words.shape[1], device=words.device).expand_as(words)
        batch = Batch(words, shapes, slots, spellings, segments, places, new_words=new_words)
        composed = None
        if self.composes:
            spelled = self.spell(spellings)  # once for both
            batch, composed = replace(batch, spelled=spelled), self.compose_words(spelled)
        ranking = self.head.rank(self.encode(batch), self.output_table(batch), batch, gate, k)
        return Prediction(*ranking, composed)
