"""Scan one corpus: write provisional word codes to disk, the first half of a build."""

import hashlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from respell.lab.data.corpus import Source, Style, training_lines
from respell.lab.data.pretokenize import detokenize, split, treebank
from respell.model.encode import Casing, normalize
from respell.text.case import case_shape
from respell.text.tokenize import tokenize
from respell.types import Error, TokenKind

SHAPE_BITS = 2
"""A code is the number of a form within its scan, shifted by these bits, plus the case shape."""
_TOO_LONG = -1
_CACHED = 1_000_000
_FLUSHED = 1 << 20


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """How lines become sentences of tokens.

    "lower" tokenizes as the runtime does; "exact" uses the tokens of the 1-Billion-Word benchmark.
    `presplit` is the share of raw lines that are first split into benchmark or treebank tokens.
    Sentences with fewer than `min_words` or more than `max_words` tokens, or with a token longer
    than `longest`, are dropped. The scan stops after `limit` words.
    """

    casing: Casing = "lower"
    presplit: float = 0.0
    min_words: int = 3
    max_words: int = 120
    longest: int | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.presplit <= 1:
            raise Error(f"the presplit share must be from 0 to 1, not {self.presplit}")
        if not 1 <= self.min_words <= self.max_words <= 65_535:
            raise Error(
                f"words per sentence must be 1 <= min <= max <= 65535, "
                f"not {self.min_words} and {self.max_words}"
            )


@dataclass(frozen=True, slots=True)
class Scan:
    """The files of one scanned corpus."""

    folder: Path
    lines: int

    def codes(self) -> NDArray[np.int32]:
        """Codes of all tokens, memory-mapped."""  # [tokens]
        path = self.folder / "codes"
        if not path.stat().st_size:
            return np.zeros(0, np.int32)
        return np.memmap(path, np.int32, mode="r")

    def lengths(self) -> NDArray[np.uint16]:
        """Number of tokens of each sentence."""  # [sentences]
        return np.fromfile(self.folder / "lengths", np.uint16)

    def hashes(self) -> NDArray[np.uint64]:
        """Hash of the line of each sentence."""  # [sentences]
        return np.fromfile(self.folder / "hashes", np.uint64)

    def forms(self) -> list[str]:
        """The forms, in the order of the numbers used in the codes."""
        return (self.folder / "forms").read_text(encoding="utf-8").split("\n")[:-1]


def scan(path: Path, source: Source, options: ScanOptions, folder: Path) -> Scan:
    """Read the training lines of a corpus and write their codes into a new folder."""
    folder.mkdir(parents=True)
    coder = _Coder(source.style, options)
    codes, lengths, hashes = array("i"), array("H"), array("Q")
    lines = words = 0
    with (folder / "codes").open("wb") as stream:
        for line in training_lines(path, source.heldout, source.share):
            lines += 1
            digest = line_hash(line)
            sentence = coder.encode(line, digest)
            if not options.min_words <= len(sentence) <= options.max_words:
                continue
            if options.longest is not None and _TOO_LONG in sentence:
                continue
            codes.extend(sentence)
            lengths.append(len(sentence))
            hashes.append(digest)
            words += len(sentence)
            if len(codes) > _FLUSHED:
                codes.tofile(stream)
                del codes[:]
            if options.limit is not None and words >= options.limit:
                break
        codes.tofile(stream)
    (folder / "lengths").write_bytes(lengths.tobytes())
    (folder / "hashes").write_bytes(hashes.tobytes())
    forms = "".join(f"{form}\n" for form in coder.forms)
    (folder / "forms").write_text(forms, encoding="utf-8", newline="\n")
    return Scan(folder, lines)


def line_hash(line: str) -> int:
    """A 64-bit hash of a line, to recognise repeated lines."""
    return int.from_bytes(hashlib.blake2b(line.encode(), digest_size=8).digest(), "little")


class _Coder:
    """Encodes the lines of one corpus and numbers forms in the order of their first use."""

    def __init__(self, style: Style, options: ScanOptions) -> None:
        self.forms: dict[str, int] = {}
        self._style = style
        self._options = options
        self._cache: dict[str, tuple[int, ...]] = {}

    def encode(self, line: str, digest: int) -> list[int]:
        """Codes of the tokens of a line."""
        words = self._words(line, digest)
        if words is None:
            return [self._code(token.text, token.kind) for token in tokenize(line)]
        codes: list[int] = []
        cache = self._cache
        for word in words:
            known = cache.get(word)
            codes += self._learn(word) if known is None else known
        return codes

    def _words(self, line: str, digest: int) -> list[str] | None:
        """Pieces that can be tokenized separately; None if the whole line must be tokenized."""
        if self._options.casing == "exact":
            if self._style == "1b":
                return line.split()
            return split(detokenize(line.split()) if self._style == "treebank" else line)
        if self._style == "raw":
            if (digest & 0xFFFF_FFFF) / 2**32 < self._options.presplit:
                return split(line) if digest >> 63 else treebank(line)
            if "`" in line:
                return None  # inline code is the only kind of token that may contain spaces
        return line.split()

    def _learn(self, word: str) -> tuple[int, ...]:
        if len(self._cache) >= _CACHED:
            self._cache.clear()
        codes = self._cache[word] = tuple(self._pieces(word))
        return codes

    def _pieces(self, word: str) -> Iterator[int]:
        if self._options.casing == "exact":
            longest = self._options.longest
            yield _TOO_LONG if longest and len(word) > longest else self._code(word, "word")
        else:
            for token in tokenize(word):
                yield self._code(token.text, token.kind)

    def _code(self, text: str, kind: TokenKind) -> int:
        number = self.forms.setdefault(normalize(text, kind, self._options.casing), len(self.forms))
        return number << SHAPE_BITS | case_shape(text)
