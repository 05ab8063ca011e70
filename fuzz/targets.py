"""Fuzz targets: functions of bytes that must not raise, whatever the bytes are."""

import functools
import json
import lzma
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz.interfaces import lsp, one_line_error, server
from respell.cli.gitignore import Patterns
from respell.config import find_config, read_dictionary
from respell.corrector import Corrector, load
from respell.formats.languages import FORMATS
from respell.formats.masker import Masker
from respell.model.bundle import CONFIG, LEXICON, MODEL, TRUECASE, Bundle, digest
from respell.text.apply import apply
from respell.text.case import case_shape
from respell.text.sentences import sentences
from respell.text.tokenize import tokenize, tokenize_words
from respell.types import Correction, Error, Suggestion

SEPARATOR = b"\x00\x00"
"""Between the parts of an input."""


def text_of(data: bytes) -> str:
    """Bytes as a text; half surrogate pairs may be in it."""
    return data.decode("utf-8", "surrogateescape")


def parts_of(data: bytes, count: int) -> list[bytes]:
    """An input in so many parts, the missing ones empty."""
    parts = data.split(SEPARATOR, count - 1)
    return parts + [b""] * (count - len(parts))


@functools.cache
def folder() -> Path:
    """A folder for the files of this process."""
    return Path(tempfile.mkdtemp(prefix="respell-fuzz-"))


def tokenizer(data: bytes) -> None:
    """Tokens are slices, in order, with blanks between; sentences cover them."""
    text = text_of(data)
    tokens, end = tokenize(text), 0
    for token in tokens:
        gap = text[end : token.start]
        assert token.start >= end
        assert not gap or gap.isspace()
        assert text[token.start : token.end] == token.text != ""
        case_shape(token.text)
        end = token.end
    spans = sentences(text, tokens)
    assert [i for a, b in spans for i in range(a, b)] == list(range(len(tokens)))
    words = text.split(" ")
    joined = " ".join(words)
    assert all(joined[t.start : t.end] == t.text for t in tokenize_words(words))


def applying(data: bytes) -> None:
    """Corrections that fit change what they name and nothing else; others are refused."""
    numbers, rest = data[:16], text_of(data[16:])
    corrections = []
    for a, b in zip(numbers[::2], numbers[1::2], strict=False):
        start, original = a % 40 - 2, rest[max(0, a % 40 - 2) :][: b % 8]
        suggestions = (Suggestion("new" * (b >> 6), 0.5),) if b % 5 else ()
        corrections.append(Correction(start, original, suggestions, 0.5))
    try:
        changed = apply(rest, corrections)
    except Error:
        return
    grown = sum(len(c.suggestions[0].text) - len(c.original) for c in corrections)
    assert len(changed) == len(rest) + grown


def corrector(data: bytes) -> None:
    """Whatever the text, corrections name what is there, in order, and no token comes or goes."""
    text = text_of(data)
    found, end = _eager().check(text), 0
    for correction in found:
        assert correction.start >= end
        assert text[correction.start : correction.end] == correction.original != ""
        assert all(s.text and not any(map(str.isspace, s.text)) for s in correction.suggestions)
        assert 0 <= correction.score <= 1
        end = correction.end
    assert len(apply(text, found).split()) == len(text.split())
    words = text.split(" ")
    assert len(_eager().correct_tokens(words)) == len(words)


@functools.cache
def _eager() -> Corrector:
    """The shipped model with a low threshold."""
    return load(threshold=0.05, threads=1)


def masker(data: bytes) -> None:
    """Hidden or not, every character keeps its place, and white space stays."""
    format = FORMATS[data[0] % len(FORMATS) if data else 0]
    text = text_of(data[1:])
    hidden = Masker(format).mask(text)
    assert len(hidden) == len(text)
    assert all(new == old for old, new in zip(text, hidden, strict=True) if old.isspace())
    if format not in ("man", "notebook"):  # there, hidden characters may become spaces
        assert [c for c in hidden if c.isspace()] == [c for c in text if c.isspace()]


def configuration(data: bytes) -> None:
    """A configuration, a list of words and ignore patterns: settings or one line of error."""
    toml, words, patterns = parts_of(data, 3)
    (folder() / "respell.toml").write_bytes(toml)
    (folder() / "words.txt").write_bytes(words)
    for read in (lambda: find_config(folder()), lambda: read_dictionary(folder() / "words.txt")):
        one_line_error(read)
    rules = Patterns.parse(folder(), text_of(patterns).split("\n"))
    for name in ("a/b.md", "x", "a//b", ".md"):
        rules.verdict(f"{folder()}/{name}", folder=False)
    (folder() / "respell.toml").unlink()


def bundle(data: bytes) -> None:
    """A bundle of any bytes: it is refused, or corrects without a crash."""
    path = folder() / "bundle"
    path.mkdir(exist_ok=True)
    which, settings, lexicon, model = data[:1], *parts_of(data[1:], 3)
    seed = seed_bundle()
    mode = which[0] % 4 if which else 0
    (path / LEXICON).write_bytes(lexicon if mode in (1, 3) else seed[LEXICON])
    (path / MODEL).write_bytes(model if mode in (2, 3) else seed[MODEL])
    (path / TRUECASE).unlink(missing_ok=True)
    if mode in (1, 3):
        (path / TRUECASE).write_bytes(settings)
    raw = json.loads(seed[CONFIG])
    names = [name for name in (LEXICON, MODEL, TRUECASE) if (path / name).is_file()]
    raw["sha256"] = {name: digest(path / name) for name in names}
    (path / CONFIG).write_bytes(settings if mode == 0 else json.dumps(raw).encode())
    one_line_error(lambda: Bundle.read(path))
    if mode != 0:
        one_line_error(lambda: load(path, threads=1).check("A zat recieve teh mail."))


@functools.cache
def seed_bundle() -> dict[str, bytes]:
    """The files of a tiny bundle that works, to be broken."""
    from test_hostile_bundle import make_model, write_bundle

    path = write_bundle(folder() / "seed", make_model())
    return {name: (path / name).read_bytes() for name in (CONFIG, LEXICON, MODEL)}


def readers(data: bytes) -> None:
    """Every reader of training data: values or one line of error."""
    from respell.lab.common import storage, text_files
    from respell.lab.data import corpus, shards
    from respell.lab.misspellings import word_lists
    from respell.lab.train import recipe

    kind = data[0] if data else 0
    suffix = (".txt", ".xz", ".bz2", ".gz", ".zst", ".toml", ".npz.xz")[kind % 7]
    path = folder() / f"data{suffix}"
    # Sums of a compressed file hide what is in it from the fuzzer, so half of them are made here.
    whole = kind >= 128 and suffix.endswith(".xz")
    path.write_bytes(lzma.compress(data[1:]) if whole else data[1:])
    reads: list[Callable[[], Any]] = [
        lambda: list(text_files.read_lines(path)),
        lambda: word_lists.read_tsv(path),
        lambda: word_lists.read_birkbeck(path),
        lambda: word_lists.read_natural(path),
        lambda: corpus.read_sources(path),
        lambda: recipe.read_recipe(path),
        lambda: storage.read_json(path),
        lambda: shards.read_shard(path),
    ]
    for read in reads:
        one_line_error(read)


def noise(data: bytes) -> None:
    """Synthetic noise gives rows that are words, however odd the words it is given."""
    import torch

    from respell.lab.noise.synthetic import METHODS, QWERTY, Dice, Letters, Synthetic
    from respell.model.encode import CHAR_PAD, CHAR_START, FIRST_CHARACTER, WIDTH

    alphabet = "abcdefghijklmnopqrstuvwxyzABC'-9é"
    rows = torch.zeros(4, WIDTH, dtype=torch.uint8)
    rows[:, 0] = CHAR_START
    for row, word in enumerate(parts_of(data[1:], 4)):
        ids = [FIRST_CHARACTER + byte % len(alphabet) for byte in word[: WIDTH - 1]]
        rows[row, 1 : 1 + len(ids)] = torch.tensor(ids, dtype=torch.uint8)
    generator = torch.Generator().manual_seed(data[0] if data else 0)
    device = torch.device("cpu")
    method = list(METHODS)[(data[0] if data else 0) % len(METHODS)]
    letters = Letters.build(alphabet, QWERTY, device=device)
    noised = Synthetic({method: 1.0}, letters)(rows.clone(), Dice(device, generator))
    assert noised.shape == rows.shape
    for row in noised.tolist():
        assert row[0] == CHAR_START
        length = row.index(CHAR_PAD) if CHAR_PAD in row else len(row)
        assert all(c == CHAR_PAD for c in row[length:])
        assert all(FIRST_CHARACTER <= c < FIRST_CHARACTER + len(alphabet) for c in row[1:length])


TARGETS: dict[str, Callable[[bytes], None]] = {
    "tokenizer": tokenizer,
    "apply": applying,
    "corrector": corrector,
    "masker": masker,
    "config": configuration,
    "bundle": bundle,
    "server": server,
    "lsp": lsp,
    "noise": noise,
    "readers": readers,
}
