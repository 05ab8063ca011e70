"""The base class of all models, their inputs and their outputs."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from respell.lab.train.models.heads import ClosedHead, OpenHead, Ranking, SoftTargets
from respell.model.encode import WORD_PAD
from respell.types import Error


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of words, the input of a model; a row may hold several sentences."""

    words: Tensor  # [rows, length] word input ids
    shapes: Tensor  # [rows, length] case shapes
    slots: Tensor  # [rows, length] the row of `spellings` with the characters of the word
    spellings: Tensor  # [spellings, WIDTH] character ids
    segments: Tensor  # [rows, length] number of the sentence within the row from 1, 0 = padding
    places: Tensor  # [rows, length] position of the word in its sentence
    buckets: tuple[tuple[int, int], ...] = ()
    """(number, width) of blocks of `spellings` whose rows are at most so wide; () = no limit."""
    composed_ids: Tensor | None = None  # [composed] words of the lexicon to score by spelling only
    composed_spellings: Tensor | None = None  # [composed, WIDTH] their character ids
    spelled: Tensor | None = None  # [spellings, char_width] vectors of the spellings, if known
    new_words: Tensor | None = None  # [new, width + 1] output vectors and biases of words to rank
    classes: Tensor | None = None  # [rows, length] class of each word, see `Vocabulary`


@dataclass(frozen=True, slots=True)
class Targets:
    """The expected output of a model."""

    labels: Tensor  # [rows, length] lexicon index of the correct word, -1 if it has none
    wrong: Tensor  # [rows, length] bool: the word was changed
    masked: Tensor  # [rows, length] bool: the word was masked
    checked: Tensor  # [rows, length] bool: words that may be wrong; not punctuation or numbers
    shapes: Tensor  # [rows, length] case shapes of the correct words
    soft: SoftTargets | None = None  # the output of a teacher, for models with KEEP
    kinds: Tensor | None = None  # [rows, length] kind of each error: REPLACE, SPLIT or JOIN


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the data, which determine the tables of a model."""

    lexicon: int
    characters: int
    """Rows of the character table, including special ids."""
    length: int
    """Most words of a sentence."""
    alphabet: str = ""
    """The characters after the special ids; only needed to initialise a new model."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The torch counterpart of `respell.model.forward.TopK`."""

    keep: Tensor  # [batch, length]
    positions: Tensor  # [suspects]
    ids: Tensor  # [suspects, k]
    probabilities: Tensor  # [suspects, k]
    cases: Tensor  # [suspects]
    kinds: Tensor | None = None  # [suspects, KINDS]
    composed: Tensor | None = None  # [spellings, width + 1] rows for `new_words`


class Model(nn.Module, ABC):
    """An encoder of words in context, and a head that ranks corrections."""

    head: OpenHead | ClosedHead
    composes: bool = False
    """Whether words outside the lexicon can be ranked, with vectors composed from spellings."""
    reads_classes: bool = False
    """Whether the classes of words outside the lexicon are an input."""
    any_width = False
    """Whether columns that are empty in all spellings may be omitted."""

    def __init__(self, config: Any, sizes: Sizes) -> None:
        super().__init__()

    @property
    def knows_kinds(self) -> bool:
        """Whether missing and extra blanks are found."""
        return isinstance(self.head, OpenHead) and self.head.kinds is not None

    def prepare(self, alphabet: str) -> None:
        """Initialise a new model from files; not needed for the weights of a checkpoint."""

    def init_output(self, spellings: Tensor) -> None:
        """Initialise the output vectors of a new model: [lexicon, WIDTH] character ids."""

    @abstractmethod
    def encode(self, batch: Batch) -> Tensor:
        """Vectors of the words in their context: [rows, length, width]."""

    def output_table(self, batch: Batch) -> Tensor | None:
        """The word vectors that the head shares with the input, if any: [lexicon, width]."""
        return None

    def spell(self, spellings: Tensor) -> Tensor:
        """Vectors of spellings, for `compose_words`: [words, WIDTH] -> [words, char_width]."""
        raise Error("this model cannot encode spellings alone; check `composes` first")

    def compose_words(self, spelled: Tensor) -> Tensor:
        """Output vectors and biases of spelled words: [words, char_width] -> [words, width + 1]."""
        raise Error("this model was not trained to compose words; check `composes` first")

    def forward(self, batch: Batch, targets: Targets) -> dict[str, Tensor]:
        """The losses by name; `loss` is their weighted sum."""
        return self.head.loss(self.encode(batch), self.output_table(batch), batch, targets)

    def soft_targets(
        self, batch: Batch, targets: Targets, weight: float, distill_top_n: int
    ) -> SoftTargets:
        """The output of this model as a teacher, for a student to learn from."""
        if not isinstance(self.head, OpenHead):
            raise Error("only a model with KEEP can be a teacher")
        hidden, shared = self.encode(batch), self.output_table(batch)
        return self.head.soft_targets(hidden, shared, targets, weight, distill_top_n)

    def predict(
        self,
        words: Tensor,
        shapes: Tensor,
        slots: Tensor,
        spellings: Tensor,
        gate: Tensor,
        k: int = 8,
        new_words: Tensor | None = None,
        classes: Tensor | None = None,
    ) -> Prediction:
        """Rank words at suspicious positions; this is the exported graph."""
        segments = (words != WORD_PAD).long()
        places = torch.arange(words.shape[1], device=words.device).expand_as(words)
        batch = Batch(
            words,
            shapes,
            slots,
            spellings,
            segments,
            places,
            new_words=new_words,
            classes=classes,
        )
        composed = None
        if self.composes:
            spelled = self.spell(spellings)  # used twice
            batch, composed = replace(batch, spelled=spelled), self.compose_words(spelled)
        return Prediction(*self.rank(batch, gate, k), composed)

    def rank(self, batch: Batch, gate: Tensor, k: int) -> Ranking:
        """Rank words at suspicious positions."""
        return self.head.rank(self.encode(batch), self.output_table(batch), batch, gate, k)
