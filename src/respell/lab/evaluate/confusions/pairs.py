"""Read pairs of confusable words with the scores of LanguageTool's n-gram rule."""

from dataclasses import dataclass
from pathlib import Path

from respell.lab.common.text_files import read_lines
from respell.types import Error

FILE = "confusions/languagetool_ngram_pairs.tsv"
HEADER = ("word", "other", "directed", "precision", "recall")


@dataclass(frozen=True, slots=True)
class Direction:
    """One word written where another is meant, with LanguageTool's precision and recall."""

    written: str
    meant: str
    precision: float
    recall: float


def read_directions(path: Path) -> list[Direction]:
    """Read a TSV file of pairs; a pair counts both ways unless it is directed."""
    lines = list(read_lines(path))
    if not lines or tuple(lines[0].split("\t")) != HEADER:
        raise Error(f"{path}: the first line must be {' '.join(HEADER)}, separated by tabs")
    found: dict[tuple[str, str], Direction] = {}
    for number, line in enumerate(lines[1:], 2):
        for direction in _directions(line, f"{path}:{number}"):
            key = direction.written, direction.meant
            if key in found:
                raise Error(f"{path}:{number}: {' -> '.join(key)} is listed twice")
            found[key] = direction
    return list(found.values())


def _directions(line: str, where: str) -> list[Direction]:
    try:
        word, other, directed, precision, recall = line.split("\t")
        scores = float(precision), float(recall)
        both = {"0": True, "1": False}[directed]
    except (ValueError, KeyError) as error:
        raise Error(f"{where}: needs two words, 0 or 1, precision and recall") from error
    given = [Direction(word, other, *scores)]
    return [*given, Direction(other, word, *scores)] if both else given
