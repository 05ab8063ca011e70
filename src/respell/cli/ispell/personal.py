"""The user's own words: read from and written to a file."""

from pathlib import Path

from respell.config import add_word
from respell.types import Error


class Personal:
    """Words that are accepted: those of a file, those to be added to it, and those of a session."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.saved = _read(path)
        self.added: list[str] = []
        self.session: list[str] = []

    def accept(self, word: str) -> None:
        """Accept a word until the session ends."""
        _append(self.session, word)

    def add(self, word: str) -> None:
        """Accept a word, and keep it when the words are saved."""
        if word not in self.saved:
            _append(self.added, word)

    def save(self) -> None:
        """Write the added words to the file."""
        while self.added:
            add_word(self.path, self.added[0])
            self.saved.append(self.added.pop(0))

    def words(self) -> frozenset[str]:
        """All accepted words."""
        return frozenset((*self.saved, *self.added, *self.session))


def _append(words: list[str], word: str) -> None:
    fits = word.split() == [word] and word.isprintable() and not word.startswith("#")
    if fits and word not in words:
        words.append(word)


def _read(path: Path) -> list[str]:
    """The words of a file of respell, aspell or ispell, whose words may end in /FLAGS."""
    try:
        lines = path.read_bytes().decode("utf-8-sig", "replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from error
    words: list[str] = []
    for line in lines:  # the first line of aspell's files has several words
        _append(words, line.partition("#")[0].partition("/")[0].strip())
    return [word for word in words if "\ufffd" not in word]
