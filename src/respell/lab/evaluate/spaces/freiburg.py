"""Freiburg's sets of texts with wrong blanks, and the answers stored with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from respell.types import Error

FOLDER = Path("spaces")
SETS = ("wiki", "wiki_typos")
CORRUPT, CORRECT = "corrupt", "correct"
NAMES = {
    "google": "Google",
    "wordsegment": "wordsegment",
    "bid+": "Freiburg BID+",
    "the-one": "Freiburg The One",
    "eo_medium_v1": "Freiburg EO medium",
    "eo_large_byte_v2": "Freiburg EO large byte",
    "ed_large_v1": "Freiburg ED large",
}
"""The names of the systems whose answers are stored."""


@dataclass(frozen=True, slots=True)
class FreiburgSet:
    """Lines with wrong blanks, how they should be, and stored answers, which may be fewer."""

    name: str
    corrupt: Sequence[str]
    correct: Sequence[str]
    answers: Mapping[str, Sequence[str]]


def read_sets(data: Path) -> list[FreiburgSet]:
    """Read the sets. Raises an Error if a file is missing or has too many lines."""
    return [_read_set(data / FOLDER / name) for name in SETS]


def _read_set(folder: Path) -> FreiburgSet:
    corrupt, correct = _lines(folder / f"{CORRUPT}.txt"), _lines(folder / f"{CORRECT}.txt")
    answers = {
        path.stem: _lines(path)
        for path in sorted(folder.glob("*.txt"))
        if path.stem not in (CORRUPT, CORRECT)
    }
    for name, lines in {CORRECT: correct, **answers}.items():
        if len(lines) > len(corrupt) or (name == CORRECT and len(lines) < len(corrupt)):
            raise Error(
                f"{folder / name}.txt: has {len(lines)} lines, {CORRUPT}.txt {len(corrupt)}"
            )
    return FreiburgSet(folder.name, corrupt, correct, answers)


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from error
    # Only newlines end a line: the texts have other separators inside.
    return text.removesuffix("\n").split("\n")
