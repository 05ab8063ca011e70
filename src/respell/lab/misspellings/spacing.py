"""Lists of missing and extra blanks: *alot* for *a lot*, *to gether* for *together*."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from respell.lab.misspellings.word_lists import read_tsv


@dataclass(frozen=True, slots=True)
class SpacingLists:
    """Words that people run together or pull apart."""

    together: set[tuple[str, str]] = field(default_factory=set)
    """Two words that are written as one."""
    apart: set[tuple[str, str]] = field(default_factory=set)
    """The two parts in which one word is written."""


def read_spacing(paths: Iterable[Path], held_out: Collection[tuple[str, str]] = ()) -> SpacingLists:
    """Pairs that differ only in one blank, which some lists write as `_`.

    A word that is pulled apart is left out if the pair is held out, however a list writes it. Two
    words that are run together are not: no single token of a test can be meant as two.
    """
    held = {(_plain(word), _plain(spelling)) for word, spelling in held_out}
    found = SpacingLists()
    for path in paths:
        for word, spellings in read_tsv(path).items():
            for spelling in spellings:
                pair = _plain(word), _plain(spelling)
                if " " in pair[0] or pair not in held:
                    _add(found, *pair)
    return found


def _plain(text: str) -> str:
    return text.lower().replace("_", " ")


def _add(found: SpacingLists, right: str, wrong: str) -> None:
    if right == wrong or right.replace(" ", "") != wrong.replace(" ", ""):
        return
    match right.split(), wrong.split():
        case [first, second], [_]:
            found.together.add((first, second))
        case [_], [first, second]:
            found.apart.add((first, second))
