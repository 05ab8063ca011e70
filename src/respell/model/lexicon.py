"""The words that a model can suggest, with their indexes."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from respell.types import Error


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file, without their ends."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise Error(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise Error(f"{path}: not UTF-8 (byte {error.start})") from error
    if lines and not lines[-1]:
        lines.pop()
    return lines


class Lexicon:
    """An ordered list of distinct words; a word's index is its place in the list."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self._index = {word: i for i, word in enumerate(self.words)}
        if len(self._index) != len(self.words):
            raise Error("a word is listed twice")
        if "" in self._index:
            raise Error("a word is empty")

    @classmethod
    def read(cls, path: Path) -> "Lexicon":
        """Read a text file with one word per line."""
        words = read_lines(path)
        try:
            return cls(words)
        except Error as error:
            raise Error(f"{path}: {error}") from error

    def index(self, word: str) -> int | None:
        """The word's index, or None for a word outside the lexicon."""
        return self._index.get(word)

    def __contains__(self, word: object) -> bool:
        return word in self._index

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)
