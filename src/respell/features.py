"""The one place where words become numbers, for training, parity checks and serving alike."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from respell.lexicon import Lexicon
from respell.text import TITLE, shape
from respell.types import Kind, Token

CHAR_PAD, CHAR_UNKNOWN, CHAR_START, CHAR_MASK = range(4)
FIRST_CHARACTER = 4
WORD_PAD, WORD_UNKNOWN, WORD_MASK = range(3)
WORD_OFFSET = 3
LONGEST = 20
"""Characters of a word that the model reads."""
WIDTH = LONGEST + 1
CODE = "<code>"
WILD = 4
"""What a word's case shape is raised by to say that its text is heavily corrupted."""

PRONOUN = frozenset(("i", "i'm", "i'd", "i'll", "i've"))

FormStyle = Literal["lower", "exact"]
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
NO_WORDS: Floats = np.zeros((0, 0), np.float32)

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Features:
    """A batch of sentences as the model reads it."""

    words: Ints  # [batch, length] word input ids, WORD_PAD at the end of short sentences
    shapes: Ints  # [batch, length] case shapes, plus WILD in heavily corrupted text
    slots: Ints  # [batch, length] row of `spellings` that spells the word
    spellings: Ints  # [spellings, WIDTH] character ids
    # [new, width + 1] output vectors and biases of words that are ranked beside the lexicon's
    new_words: Floats = field(default_factory=lambda: NO_WORDS)


@dataclass(frozen=True, slots=True)
class TopK:
    """What the model says of a batch: who may be wrong, and what may be right there."""

    keep: Floats  # [batch, length] probability that the word stands as it is
    positions: Ints  # [suspects] index into the flattened [batch, length]
    ids: Ints  # [suspects, k] lexicon indexes, best first; new words are numbered behind it
    probabilities: Floats  # [suspects, k] of the whole distribution, KEEP included
    cases: Ints  # [suspects] case shape the word should have


class Forward(Protocol):
    """The seam: an ONNX session, a torch model under evaluation or a fake in a test."""

    def __call__(self, features: Features, gate: float) -> TopK:
        """Rank words wherever the probability of a mistake reaches `gate`.

        Where there are new words, a word outside the lexicon is ranked in any case.
        """


def form(text: str, kind: Kind = "word", style: FormStyle = "lower") -> str:
    """The spelling a model sees: "lower" folds case, digits and apostrophes, "exact" nothing."""
    if style == "exact":
        return text
    if kind == "word":
        return text.lower().replace("\u2019", "'")
    if kind == "code":
        return CODE
    lowered = text.lower().replace("\u2019", "'")
    return _DIGIT.sub("0", lowered) if kind == "number" else lowered


def _capitalize(sentence: Sequence[Token], shapes: Ints) -> None:
    """Give a sentence without capitals those that every sentence has.

    Who writes none at all means nothing by a small letter; a model would take it for a slip.
    """
    begun = False
    for j, token in enumerate(sentence):
        first = not begun and token.kind != "mark"
        begun |= first
        if token.kind == "word" and (first or form(token.text) in PRONOUN):
            shapes[j] = TITLE


@dataclass(frozen=True, slots=True)
class Encoder:
    """Turns tokens into features.

    `folded` says that the model knows the spelling of lexicon words by heart, so that only
    words outside the lexicon are spelled out. `wild` tells a model that knows of it that the text
    is heavily corrupted.
    """

    lexicon: Lexicon
    characters: str
    style: FormStyle = "lower"
    folded: bool = False
    wild: bool = False

    def spell(self, words: Sequence[str]) -> Ints:
        """Character rows of words: start, characters, padding: [words, WIDTH]."""
        codes = np.array([ord(c) for c in self.characters], np.uint32)
        order = np.argsort(codes)
        # Fixed-width strings are code points side by side, padded with zeros.
        letters = np.array(list(words), f"<U{LONGEST}").view(np.uint32).reshape(-1, LONGEST)
        place = np.searchsorted(codes[order], letters).clip(max=len(codes) - 1)
        ids = np.where(codes[order][place] == letters, order[place] + FIRST_CHARACTER, CHAR_UNKNOWN)
        rows = np.full((len(words), WIDTH), CHAR_START, np.int64)
        rows[:, 1:] = np.where(letters == 0, CHAR_PAD, ids)
        return rows

    def encode(self, sentences: Sequence[Sequence[Token]]) -> Features:
        """Encode a batch of sentences, padded to the longest."""
        length = max(map(len, sentences), default=0)
        words = np.zeros((len(sentences), length), np.int64)
        shapes = np.zeros_like(words)
        slots = np.zeros_like(words)
        rows: dict[str, int] = {"": 0}  # row 0 spells nothing: padding, and folded words
        for i, sentence in enumerate(sentences):
            for j, token in enumerate(sentence):
                spelling = form(token.text, token.kind, self.style)
                index = self.lexicon.index(spelling)
                words[i, j] = WORD_UNKNOWN if index is None else index + WORD_OFFSET
                shapes[i, j] = shape(token.text)
                if index is None or not self.folded:
                    slots[i, j] = rows.setdefault(spelling, len(rows))
            if not shapes[i].any():
                _capitalize(sentence, shapes[i])
        if self.wild:
            shapes += WILD
        return Features(words, shapes, slots, self.spell(list(rows)))
