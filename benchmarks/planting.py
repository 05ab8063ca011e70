"""Read collections of documents, and plant misspellings and wrong words into their prose."""

import random
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from respell.decision.evidence import Evidence
from respell.formats.languages import language_of
from respell.formats.masker import mask
from respell.lab.common.storage import read_text
from respell.model.lexicon import Lexicon
from respell.types import CorrectionKind

MISSPELLINGS = ("codespell", "typos_rs", "wikipedia_machines", "misspell_go")
COMMON = ("wikipedia_machines", "misspell_go")
"""Lists of common misspellings; the others have rare ones, too."""
CONFUSIONS = ("atd_homophonedb", "cmudict_homophones", "homophones_pimentel", "languagetool")
SPACING = 80
"""Words of a document for each misspelling that is planted in it."""

_WORD = re.compile(r"(?<![\w-])[A-Za-z][a-z]+(?![\w-])")
Wanted = Callable[[str, str], bool]
Lists = Mapping[str, Sequence[str]]
"""What may be written instead of a word."""


@dataclass(frozen=True)
class Document:
    """A file of a collection."""

    path: Path
    format: str
    text: str

    @cached_property
    def masked(self) -> str:
        """The prose of the document."""
        return mask(self.text, self.format)


@dataclass(frozen=True)
class Planted:
    """A word that was replaced: `written` stands where `meant` stood."""

    written: str
    meant: str
    kind: CorrectionKind


def read_documents(
    folders: Iterable[Path], suffixes: Collection[str], markup: str | None = None
) -> list[Document]:
    """The documents below some folders; their extensions say the markup, if it is not given."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix[1:] in suffixes:
                text = path.read_text(encoding="utf-8", errors="replace")
                name = markup or language_of(path.name).name
                found.append(Document(path.relative_to(folder), name, text))
    return found


def sample(documents: Sequence[Document], words: int) -> list[Document]:
    """Some of the documents, at random, with about as many words in all."""
    shuffled = random.Random(1).sample(documents, len(documents))
    chosen, total = [], 0
    for document in shuffled:
        size = len(document.masked.split())
        if total + size <= words:
            chosen.append(document)
            total += size
    return chosen


def gather(documents: Iterable[Document], lexicon: Lexicon) -> Evidence:
    """The evidence of all documents together, as in one run of the command line."""
    evidence = Evidence(lexicon)
    for document in documents:
        evidence.add(document.text, document.masked)
        evidence.add_code(document.path.as_posix())
    return evidence


def read_misspellings(
    data: Path, lexicon: Lexicon, names: Sequence[str] = MISSPELLINGS
) -> dict[str, list[str]]:
    """Listed misspellings that are not words: word -> misspellings."""
    return _read(
        (data / "misspellings" / f"{name}.tsv" for name in names),
        lambda word, wrong: len(wrong) > 2 and wrong not in lexicon,
    )


def read_confusions(data: Path, lexicon: Lexicon) -> dict[str, list[str]]:
    """Listed confusions of two known words: word -> what is written for it."""
    return _read(
        (data / "misspellings" / f"confusion_{name}.tsv" for name in CONFUSIONS),
        lambda word, wrong: len(word) > 1 and word in lexicon and wrong in lexicon,
    )


def _read(paths: Iterable[Path], wanted: Wanted) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for path in paths:
        for line in read_text(path).splitlines():
            word, wrong = line.split("\t")[:2]
            plain = all(one.isascii() and one.isalpha() and one.islower() for one in (word, wrong))
            if plain and wanted(word, wrong):
                found.setdefault(word, set()).add(wrong)
    return {word: sorted(forms) for word, forms in found.items()}


def plant(
    documents: Sequence[Document],
    lists: Lists,
    kind: CorrectionKind,
    *,
    times: Sequence[int] = (1,),
    present: Mapping[str, int] | None = None,
) -> tuple[list[Document], list[dict[int, Planted]]]:
    """Plant misspellings; returns the documents, and for each what was planted where.

    `times` says how often a form is planted: one of these numbers, at random. Forms that are
    `present` already are not planted.
    """
    dice = random.Random(20)
    used: dict[str, int] = {}  # form -> how often it may still be planted
    changed, places = [], []
    for document in documents:
        words = [m for m in _WORD.finditer(document.masked) if m[0].lower() in lists]
        dice.shuffle(words)
        count = 1 + len(document.masked.split()) // SPACING
        text, planted, shift = document.text, {}, 0
        for match in sorted(words[:count], key=re.Match.start):
            word = match[0].lower()
            free = [w for w in lists[word] if used.get(w, 1) > 0 and not (present or {}).get(w)]
            if not free:
                continue
            wrong = dice.choice(free)
            used[wrong] = used.get(wrong, dice.choice(times)) - 1
            written = wrong.capitalize() if match[0][0].isupper() else wrong
            start, end = match.start() + shift, match.end() + shift
            text = text[:start] + written + text[end:]
            planted[start] = Planted(written, word, kind)
            shift += len(written) - len(word)
        changed.append(replace(document, text=text))
        places.append(planted)
    return changed, places
