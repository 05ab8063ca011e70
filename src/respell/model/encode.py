"""Turn tokens into the numbers that a model reads. Training and serving share this code."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from respell.model.forward import NO_CLASSES, Features, Ints
from respell.model.lexicon import Lexicon
from respell.model.vocabulary import ABSENT, ODD, Vocabulary
from respell.text.case import TITLE, case_shape
from respell.text.windows import Window
from respell.text.words import fold_apostrophes, plain_letters
from respell.types import Token, TokenKind

CHAR_PAD, CHAR_UNKNOWN, CHAR_START, CHAR_MASK = range(4)
FIRST_CHARACTER = 4
WORD_PAD, WORD_UNKNOWN, WORD_MASK = range(3)
WORD_OFFSET = 3
LONGEST = 20
"""Characters of a word that the model reads."""
WIDTH = LONGEST + 1
CODE = "<code>"
NOISE_FLAG = 4
"""Added to every case shape to tell the model that the text is heavily corrupted."""
PRONOUN = frozenset(("i", "i'm", "i'd", "i'll", "i've"))
Casing = Literal["lower", "exact"]
"""Whether a model sees words in lower case, with case shapes beside them, or as they are."""
_DIGIT = re.compile(r"\d")


def normalize(text: str, kind: TokenKind = "word", casing: Casing = "lower") -> str:
    """The spelling that a model sees: "lower" folds case, digits and apostrophes."""
    if casing == "exact":
        return text
    if kind == "code":
        return CODE
    lowered = fold_apostrophes(text.lower())
    return _DIGIT.sub("0", lowered) if kind == "number" else lowered


def classify(spelling: str, vocabulary: Vocabulary) -> tuple[str, int]:
    """How a model reads a normalized word outside its lexicon, and the class of the word.

    Foreign letters and digits in a word that is not in the vocabulary, as in *sựpported* and
    *he11o*, are replaced.
    """
    found = vocabulary.class_of(spelling)
    plain = spelling if found != ABSENT else plain_letters(spelling)
    return (spelling, found) if plain == spelling else (plain, ODD + vocabulary.class_of(plain))


def _capitalize(sentence: Sequence[Token], shapes: Ints) -> None:
    """Give a sentence without capitals the usual ones: its first word and *I*.

    People who write without capitals do so on purpose, but a model would see errors.
    """
    begun = False
    for j, token in enumerate(sentence):
        first = not begun and token.kind != "mark"
        begun |= first
        if token.kind == "word" and (first or normalize(token.text) in PRONOUN):
            shapes[j] = TITLE


@dataclass(frozen=True, slots=True)
class Encoder:
    """Turns tokens into features.

    With `spell_oov_only`, the model knows the words of the lexicon by number, and only words
    outside it are spelled out. `noisy` sets the noise flag, for models that were trained with it.
    With a vocabulary, the model also reads the class of each word.
    """

    lexicon: Lexicon
    characters: str
    casing: Casing = "lower"
    spell_oov_only: bool = False
    noisy: bool = False
    vocabulary: Vocabulary | None = None

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
        classes = np.zeros_like(words if self.vocabulary is not None else NO_CLASSES)
        rows: dict[str, int] = {
            "": 0
        }  # row 0 spells nothing: padding, and words that are not spelled out
        for i, sentence in enumerate(sentences):
            for j, token in enumerate(sentence):
                spelling = normalize(token.text, token.kind, self.casing)
                index = self.lexicon.index(spelling)
                if index is None and self.vocabulary is not None and token.kind != "code":
                    spelling, classes[i, j] = classify(spelling, self.vocabulary)
                    index = self.lexicon.index(spelling)
                words[i, j] = WORD_UNKNOWN if index is None else index + WORD_OFFSET
                shapes[i, j] = case_shape(token.text)
                if index is None or not self.spell_oov_only:
                    slots[i, j] = rows.setdefault(spelling, len(rows))
            if not shapes[i].any():
                _capitalize(sentence, shapes[i])
        if self.noisy:
            shapes += NOISE_FLAG
        return Features(words, shapes, slots, self.spell(list(rows)), classes=classes)

    def encode_windows(self, windows: Sequence[Window]) -> Features:
        """Encode a batch of windows."""
        features = self.encode([window.tokens for window in windows])
        for i, window in enumerate(windows):
            # A capital says nothing about a word that stands alone, as in a heading or a cell.
            if window.lone and features.shapes[i, window.first] % NOISE_FLAG == TITLE:
                features.shapes[i, window.first] -= TITLE
        return features
