"""The interface of a model: features in, ranked words out.

The fields of `Features` and `TopK` are the inputs and outputs of the exported ONNX graph.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
NO_WORDS: Floats = np.zeros((0, 0), np.float32)
NO_CLASSES: Ints = np.zeros((0, 0), np.int64)
REPLACE, SPLIT, JOIN = range(3)
"""The kinds of an error: another word is meant, two words are run together, or a word is pulled
apart and this is its first part."""
KINDS = 3


@dataclass(frozen=True, slots=True)
class Features:
    """A batch of sentences as the model reads it."""

    words: Ints  # [batch, length] word input ids, WORD_PAD at the end of short sentences
    shapes: Ints  # [batch, length] case shapes, plus NOISE_FLAG in heavily corrupted text
    slots: Ints  # [batch, length] row of `spellings` that spells the word
    spellings: Ints  # [spellings, WIDTH] character ids
    # [new, width + 1] output vectors and biases of words that are ranked beside the lexicon's
    new_words: Floats = field(default_factory=lambda: NO_WORDS)
    # [batch, length] class of each word, for models that read it, see `Vocabulary`
    classes: Ints = field(default_factory=lambda: NO_CLASSES)


@dataclass(frozen=True, slots=True)
class TopK:
    """What the model says about a batch: which words may be wrong, and the likeliest others."""

    keep: Floats  # [batch, length] probability that the word is right
    positions: Ints  # [suspects] index into the flattened [batch, length]
    ids: Ints  # [suspects, k] lexicon indexes, best first; new words are numbered after the lexicon
    probabilities: Floats  # [suspects, k] of the whole distribution, KEEP included
    cases: Ints  # [suspects] case shape the word should have
    # [suspects, KINDS] probability of each kind of error, if the model knows about spaces
    kinds: Floats = field(default_factory=lambda: NO_WORDS)


class Forward(Protocol):
    """Runs a model: an ONNX session, a torch model under evaluation, or a fake in a test."""

    def __call__(self, features: Features, gate: float) -> TopK:
        """Rank words wherever the probability of an error reaches `gate`.

        If there are new words, every word outside the lexicon is ranked.
        """
