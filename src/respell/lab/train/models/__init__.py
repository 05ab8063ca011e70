"""The models by name; a new model needs a module, a line here and a recipe."""

from typing import Any

from respell.lab.train.models.base import Model
from respell.lab.train.models.mude import MUDE, MUDEConfig
from respell.lab.train.models.scrnn import ScRNN, ScRNNConfig
from respell.lab.train.models.subword import Subword, SubwordConfig
from respell.lab.train.models.word_char import WordChar, WordCharConfig

MODELS: dict[str, tuple[type[Model], type[Any]]] = {
    "mude": (MUDE, MUDEConfig),
    "scrnn": (ScRNN, ScRNNConfig),
    "subword": (Subword, SubwordConfig),
    "word_char": (WordChar, WordCharConfig),
}
