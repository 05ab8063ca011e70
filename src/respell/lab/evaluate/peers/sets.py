"""Read the sets for peers: misspelled sentences with their corrections, and clean text."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from respell.lab.common.storage import sha256
from respell.lab.common.tokens import check_aligned, read_tokens
from respell.lab.data.corpus import HeldOut, heldout_lines
from respell.text.tokenize import tokenize

BENCH = ("neuspell_bea60k_sub1000", "neuspell_jfleg_test", "neuspell_bea322", "holbrook_test")
CLEAN: tuple[tuple[str, HeldOut], ...] = (
    ("abc_news_au.txt.xz", "all"),
    ("bbc_news.txt.xz", "last-tenth"),
    ("scotus_oral.txt.bz2", "last-tenth"),
    ("mdn_docs.txt.xz", "last-tenth"),
    ("wikipedia_new2018.txt.bz2", "last-tenth"),
)


@dataclass(frozen=True, slots=True)
class Set:
    """Sentences to correct; clean text is its own gold."""

    name: str
    clean: bool
    noisy: list[list[str]]
    gold: list[list[str]]
    sha256: dict[str, str]


def read_sets(data: Path, *, clean_words: int) -> Iterator[Set]:
    """Read every set, and the first `clean_words` tokens of each clean text."""
    yield pair("paper", data / "paper/test.noisy.txt", data / "paper/test.gold.txt")
    for name in BENCH:
        yield read_bench(data, name)
    for file, part in CLEAN:
        yield _clean(data / "corpora" / file, part, clean_words)


def read_bench(data: Path, name: str) -> Set:
    """Read a set of the bench folder."""
    return pair(name, data / f"bench/{name}.noisy.txt", data / f"bench/{name}.clean.txt")


def speed_sentences(data: Path) -> list[list[str]]:
    """The sentences for speed tests: the bench sets, shuffled, one word in fifteen misspelled."""
    sentences = [tokens for name in BENCH for tokens in read_bench(data, name).noisy]
    random.Random(0).shuffle(sentences)
    return sentences


def pair(name: str, noisy: Path, gold: Path) -> Set:
    """Read a set from two aligned files."""
    sides = read_tokens(noisy), read_tokens(gold)
    check_aligned(*sides, str(gold))
    return Set(name, False, *sides, {path.name: sha256(path) for path in (noisy, gold)})


def _clean(path: Path, part: HeldOut, limit: int) -> Set:
    sentences: list[list[str]] = []
    words = 0
    for line in heldout_lines(path, part):
        if words >= limit:
            break
        tokens = [token.text for token in tokenize(line)]
        if tokens:
            sentences.append(tokens)
            words += len(tokens)
    hashed = {path.name: sha256(path)}
    return Set(path.name.split(".")[0], True, sentences, sentences, hashed)
