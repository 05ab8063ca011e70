"""Draw sentences that contain given words from the texts that are held out from training."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import Literal, NamedTuple

from respell.lab.data.corpus import Source, heldout_lines
from respell.text.case import MIXED, apply_shape, case_shape
from respell.text.sentences import sentences
from respell.text.tokenize import tokenize
from respell.text.words import fold_apostrophes
from respell.types import Error, Token

Part = Literal["dev", "test"]
TEXTS: dict[Part, tuple[str, ...]] = {
    "dev": (
        "counsel_chat",
        "stackexchange_small",
        "howto_docs",
        "commonlit_passages",
        "skeptics_qa",
    ),
    "test": (
        "abc_news_au",
        "bbc_news",
        "scotus_oral",
        "mdn_docs",
        "wikipedia_new2018",
        "recipes",
        "children_stories",
        "dialogues",
        "app_manuals",
        "enron_mail",
    ),
}
"""The texts of each part; recipes/corpora.toml says which lines of them are held out."""
PER_WORD = 24
"""Sentences for each word, at most."""
MIN_SENTENCES = 4
"""Words with fewer sentences are left out of averages, because their recall says little."""
MIN_WORDS, MAX_WORDS = 5, 60
"""Words of a sentence."""


class Place(NamedTuple):
    """Where a sentence contains a word."""

    text: str
    start: int
    end: int

    @property
    def surface(self) -> str:
        """The word as it is written there."""
        return self.text[self.start : self.end]

    def replaced(self, word: str) -> "Place":
        """The sentence with another word in the same case."""
        written = apply_shape(word.lower(), case_shape(self.surface))
        text = self.text[: self.start] + written + self.text[self.end :]
        return Place(text, self.start, self.start + len(written))


class Sentence(NamedTuple):
    """A sentence and its tokens."""

    text: str
    tokens: Sequence[Token]


def texts_of(part: Part, sources: Iterable[Source]) -> list[Source]:
    """The sources of a part. Raises an Error if one is missing or used for training."""
    by_name = {source.file.split(".")[0]: source for source in sources}
    for name in TEXTS[part]:
        if name not in by_name or by_name[name].heldout == "none":
            raise Error(f"the list of corpora must hold out lines of {name}")
    return [by_name[name] for name in TEXTS[part]]


def read_heldout(folder: Path, sources: Iterable[Source]) -> Iterator[str]:
    """The held-out lines of sources."""
    for source in sources:
        yield from heldout_lines(folder / source.file, source.heldout)


def find_places(
    lines: Iterable[str], words: Collection[str], *, limit: int = PER_WORD
) -> dict[str, list[Place]]:
    """Up to `limit` sentences for each word, chosen by a hash of the word and the sentence.

    A word must be a whole token, or several; case is ignored, but mixed case is skipped. Words are
    keys as given; those that do not occur are left out.
    """
    wanted: dict[str, list[str]] = {}
    for word in words:
        wanted.setdefault(tokenize(_fold(word))[0].text, []).append(word)
    found: dict[str, dict[int, Place]] = {}
    for sentence in split_sentences(lines):
        for word, place in _places(sentence, wanted):
            found.setdefault(word, {}).setdefault(_hash(word, place.text), place)
    return {
        word: [places[key] for key in nsmallest(limit, places)] for word, places in found.items()
    }


def split_sentences(lines: Iterable[str]) -> Iterator[Sentence]:
    """The sentences of lines, without those that are very short or very long."""
    for line in lines:
        tokens = tokenize(line)
        for first, last in sentences(line, tokens):
            part = tokens[first:last]
            if MIN_WORDS <= sum(token.kind == "word" for token in part) <= MAX_WORDS:
                start = part[0].start
                shifted = [Token(token.start - start, token.text, token.kind) for token in part]
                yield Sentence(line[start : part[-1].end], shifted)


def _places(sentence: Sentence, wanted: dict[str, list[str]]) -> Iterator[tuple[str, Place]]:
    ends = {token.end for token in sentence.tokens}
    for token in sentence.tokens:
        if token.kind != "word":
            continue
        for word in wanted.get(_fold(token.text), ()):
            place = Place(sentence.text, token.start, token.start + len(word))
            same = place.end in ends and _fold(place.surface) == _fold(word)
            if same and case_shape(place.surface) != MIXED:
                yield word, place


def _fold(text: str) -> str:
    return fold_apostrophes(text.lower())


def _hash(word: str, text: str) -> int:
    digest = hashlib.blake2b(f"{word}\t{text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest)
