"""Build the vocabulary of the package: technical terms, dictionary words and names.

python benchmarks/vocabulary.py FOLDER    writes src/respell/decision/data/

FOLDER has unpacked packages in three folders:

npm/NAME/        `npm pack @cspell/dict-NAME`, unpacked with tar, for each NAME of TECHNICAL,
                 ENTITIES, UNTRUSTED and NAMES
debian/scowl/    `apt-get download scowl`, unpacked with `dpkg-deb -x`
pypi/names/      `pip download --no-deps names`, unpacked with tar

A package with a licence that is not permissive is an error. Words on the lists of misspellings in
$RESPELL_DATA/misspellings are left out, except for well-known terms. So are words of the bundle's
lexicon, except for technical terms.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from respell.decision.vocabulary import CLASSES, DATA
from respell.model.bundle import default_path
from respell.model.vocabulary import forms

LICENCES = frozenset(["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC"])

CURATED = "software-terms git docker k8s".split()
"""Packages with well-known terms: one of them is enough for a term that looks like a slip."""
TECHNICAL = [
    *CURATED,
    *"""
    ada al aws cpp csharp css dart data-science dotnet elixir filetypes flutter fsharp fullstack
    gaming-terms golang google haskell html julia kotlin latex lua makefile monkeyc node npm php
    powershell public-licenses python r ruby rust scala shell sql svelte swift terraform typescript
    zig
    """.split(),
]
ENTITIES = "html-symbol-entities"
"""Names of HTML entities, such as *succ* and *nge*: too close to typing errors."""
UNTRUSTED = "win32"
"""A package of identifiers and words of comments, with typing errors: it counts only together with
another package."""
UNTRUSTED_FILES = ("cpp.txt.gz", "cpp-compound-words.txt.gz", "cpp-legacy.txt.gz")
"""As `UNTRUSTED`; the other files of the package `cpp` are better."""
NAMES = "people-names companies fonts cryptocurrencies".split()

MISSPELLINGS = "typos_rs codespell wikipedia_csv wikipedia_machines misspell_go".split()

MAX_LEVEL = 80
"""SCOWL's lists have levels from 10, very frequent words, to 95, very rare ones."""
ORDINARY_LEVEL = 60
"""A dictionary word up to this level is no technical term, even if a package lists it. A rarer
word is left out if it is one edit away from a frequent word."""
FREQUENT = 1000
"""The number of frequent words, from the start of the lexicon."""
MAX_LENGTH = 20
BLOCK = 16
"""The number of words in a block; large blocks take less space, but a lookup takes longer."""
HEAD = """\
The word lists in this folder and in ../variants.txt are modified versions of these packages: words
were selected, filtered and compressed. The copyright notices and licences of the packages follow.
"""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Source:
    """A package, with its words by file."""

    name: str
    version: str
    licence: str
    notice: str
    words: dict[str, frozenset[str]]

    def all_words(self, without: Collection[str] = ()) -> frozenset[str]:
        """The words of all files but some."""
        return frozenset().union(*(w for name, w in self.words.items() if name not in without))


def read_npm(folder: Path) -> Source:
    """Read an unpacked package of cspell."""
    root = next(folder.glob("*/package.json")).parent
    about = json.loads((root / "package.json").read_text(encoding="utf-8"))
    if about["license"] not in LICENCES:
        raise SystemExit(f"{about['name']}: the licence {about['license']} is not allowed")
    files = [*root.glob("dict/*.txt*"), *root.glob("*.txt*")]
    return Source(
        about["name"],
        about["version"],
        about["license"],
        (root / "LICENSE").read_text(encoding="utf-8"),
        {path.name: frozenset(_entries(path)) for path in sorted(files)},
    )


def _entries(path: Path) -> Iterator[str]:
    """The words of a list of cspell. Entries that are not one word are left out."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    for line in text.split("\n"):
        word = line.partition("#")[0].strip().strip("*+~!")
        if _is_word(word):
            yield word.lower()


def _is_word(text: str) -> bool:
    return text.isalpha() and 3 <= len(text) <= MAX_LENGTH


def read_scowl(folder: Path) -> Source:
    """Read Debian's package scowl; the keys of its words are such as "british-words.35"."""
    lists = sorted((folder / "usr" / "share" / "dict" / "scowl").iterdir())
    about = folder / "usr" / "share" / "doc" / "scowl"
    change = gzip.decompress((about / "changelog.Debian.gz").read_bytes()).decode()
    found = re.match(r"scowl \((.+?)\)", change)
    return Source(
        "scowl (Debian)",
        found[1] if found else "unknown",
        "SCOWL (permissive)",
        (about / "copyright").read_text(encoding="utf-8"),
        {path.name: frozenset(path.read_text(encoding="utf-8").split()) for path in lists},
    )


def scowl_words(
    source: Source, level: int, wanted: Callable[[str], bool] = lambda _: True
) -> dict[str, int]:
    """Words of SCOWL's lists up to a level, with their levels; `wanted` gets a list's name."""
    levels: dict[str, int] = {}
    for name, words in source.words.items():
        kind, _, suffix = name.rpartition(".")
        if int(suffix) <= level and wanted(kind):
            for word in words:
                levels[word] = min(int(suffix), levels.get(word, level))
    return levels


def read_names(folder: Path) -> Source:
    """Read the names of the package names, which are from the census of the United States."""
    about = next(folder.rglob("PKG-INFO")).read_text(encoding="utf-8")
    fields = dict(line.split(": ", 1) for line in about.split("\n") if ": " in line)
    if fields["License"] not in LICENCES:
        raise SystemExit(f"names: the licence {fields['License']} is not allowed")
    lists = sorted(folder.rglob("dist.*"))
    words = {path.name: path.read_text(encoding="utf-8").split("\n") for path in lists}
    return Source(
        "names (PyPI)",
        fields["Version"],
        fields["License"],
        f"names, by {fields['Author']}. Names from the 1990 census of the United States.\n",
        {
            name: frozenset(line.split()[0].lower() for line in lines if line.strip())
            for name, lines in words.items()
        },
    )


class Builder:
    """Chooses the words of every class."""

    def __init__(
        self, sources: dict[str, Source], lexicon: list[str], misspellings: Collection[str]
    ) -> None:
        self.lexicon = frozenset(lexicon)
        self.frequent = frozenset([word for word in lexicon if _is_word(word)][:FREQUENT])
        scowl = sources["scowl"]
        words = scowl_words(scowl, MAX_LEVEL, _is_list_of_words)
        self.levels = {word: level for word, level in words.items() if word.islower()}
        people = scowl_words(scowl, MAX_LEVEL, _is_list_of_names)
        self.people = sources["people-names"].all_words() | {word.lower() for word in people}
        self.other_names = frozenset().union(*(sources[name].all_words() for name in NAMES))
        self.census = sources["names"].all_words()
        self.software = sources["software-terms"].all_words()
        self.curated = frozenset().union(*(sources[name].all_words() for name in CURATED))
        self.entities = sources[ENTITIES].all_words()
        trusted = [sources[name].all_words(UNTRUSTED_FILES) for name in TECHNICAL]
        trusted.append(frozenset(word.lower() for word in scowl.words["special-hacker.50"]))
        self.votes = Counter(word for words in trusted for word in words)
        untrusted = (sources["cpp"].words[name] for name in UNTRUSTED_FILES)
        more = sources[UNTRUSTED].all_words().union(*untrusted)
        self.votes.update(more & self.votes.keys())
        self.misspellings = frozenset(w for w in misspellings if not self._is_well_known(w))

    def build(self) -> dict[str, set[str]]:
        """The words of every class; no word is in two classes."""
        technical = self._valid(self._technical())
        common = self._valid(self._common()) - self.lexicon - technical
        name = self._valid(self._names()) - self.lexicon - technical - common
        return {"technical": technical, "common": common, "name": name}

    def _valid(self, words: Iterable[str]) -> set[str]:
        return {word for word in words if _is_word(word) and word not in self.misspellings}

    def _technical(self) -> Iterator[str]:
        yield from (word for word in self.votes if self._is_term(word))

    def _is_well_known(self, word: str) -> bool:
        """Whether a term is valid even if a list has it as a misspelling, such as *falsy*."""
        return self.votes[word] > (1 if word in self.curated else 2)

    def _is_term(self, word: str) -> bool:
        """Whether a word of a technical list is more than an ordinary word or a typing error."""
        enough = self.votes[word] > (1 if len(word) > 4 else 2)
        if word in self.lexicon:
            ordinary = word in self.levels or word in self.people
            return not ordinary and len(word) > 3 and (enough or word in self.curated)
        if word in self.entities and self.votes[word] < 3:
            return False
        if self.levels.get(word, MAX_LEVEL) <= ORDINARY_LEVEL:
            return word in self.software
        likely = self.lexicon if len(word) > 5 else self.frequent
        return enough or word in self.curated or not near(word, likely)

    def _common(self) -> Iterator[str]:
        for word, level in self.levels.items():
            if level <= ORDINARY_LEVEL or not near(word, self.frequent):
                yield word

    def _names(self) -> Iterator[str]:
        yield from self.people | self.other_names
        yield from (word for word in self.census if not near(word, self.frequent))


def _is_list_of_words(kind: str) -> bool:
    return kind.endswith("-words")


def _is_list_of_names(kind: str) -> bool:
    return kind.endswith(("-upper", "-proper-names"))


def near(word: str, words: Collection[str]) -> bool:
    """Whether one edit makes the word one of `words`: a letter more, less, other or swapped."""
    for i in range(len(word) + 1):
        start, end = word[:i], word[i:]
        if start + end[1:] in words or (end[1:] and start + end[1] + end[0] + end[2:] in words):
            return True
        if any(start + x + end in words or start + x + end[1:] in words for x in LETTERS):
            return True
    return False


def without_plurals(words: set[str]) -> set[str]:
    """Drop plurals whose singular is one of the words; a lookup finds them by it."""
    return {word for word in words if not any(form in words for form in list(forms(word))[1:])}


def pack(words: Iterable[str]) -> bytes:
    """Words in the format that `respell.decision.vocabulary.unpack` reads, compressed."""
    lines, ordered = [], sorted(words)
    for block in (ordered[i : i + BLOCK] for i in range(0, len(ordered), BLOCK)):
        parts = [block[0]]
        for before, word in pairwise(block):
            shared = next(i for i in range(len(word) + 1) if before[: i + 1] != word[: i + 1])
            parts.append("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[shared] + word[shared:])
        lines.append("".join(parts))
    return gzip.compress("\n".join(lines).encode(), 9, mtime=0)


def read_misspellings(folder: Path) -> set[str]:
    """The misspellings of the lists, in lower case."""
    found = set()
    for name in MISSPELLINGS:
        for line in (folder / f"{name}.tsv").read_text(encoding="utf-8").split("\n"):
            found.add(line.rpartition("\t")[2].lower())
    return found


def notice(sources: Iterable[Source]) -> str:
    """The copyright notices of the sources and their licences, each licence once."""
    groups: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for source in sources:
        lines = source.notice.strip().split("\n")
        # The packages of cspell have one licence, with the name of an author at its head.
        owners = [line for line in lines[:5] if line.startswith("Copyright")]
        text = "\n".join(line for line in lines if line not in owners)
        key = "".join(text.partition("Permission is hereby")[1:]).split() or text.split()
        texts.setdefault(" ".join(key), text.strip())
        group = groups.setdefault(" ".join(key), [])
        group.append(f"{source.name} {source.version}: {' '.join(owners) or 'see below'}")
    rule = "=" * 80
    parts = [rule + "\n" + "\n".join(groups[key]) + f"\n\n{texts[key]}\n" for key in groups]
    return HEAD + "\n" + "\n".join(parts)


def describe(
    sources: Iterable[Source], tables: dict[str, set[str]], lexicon: Path
) -> dict[str, Any]:
    """Sources, counts and hashes, for data/vocabulary.json."""
    return {
        "sources": [
            {"name": s.name, "version": s.version, "licence": s.licence}
            for s in sorted(sources, key=lambda s: s.name)
        ],
        "left_out": {"misspellings": MISSPELLINGS, "lexicon": _sha256(lexicon)},
        "files": {
            f"{name}.txt.gz": {"words": len(words), "sha256": _sha256(DATA / f"{name}.txt.gz")}
            for name, words in tables.items()
        },
        "command": "python benchmarks/vocabulary.py FOLDER",
    }


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> int:
    """Build the tables and write them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the folder with the unpacked packages")
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the data, see docs/internals/data.md")
    npm = [*TECHNICAL, ENTITIES, UNTRUSTED, *NAMES]
    sources = {name: read_npm(args.folder / "npm" / name) for name in npm}
    sources["scowl"] = read_scowl(args.folder / "debian" / "scowl")
    sources["names"] = read_names(args.folder / "pypi" / "names")
    lexicon = default_path() / "lexicon.txt"
    words = lexicon.read_text(encoding="utf-8").split("\n")
    misspellings = read_misspellings(Path(os.environ["RESPELL_DATA"]) / "misspellings")
    tables = Builder(sources, words, misspellings).build()
    tables = {name: without_plurals(tables[name]) for name in CLASSES}
    DATA.mkdir(exist_ok=True)
    for name, table in tables.items():
        (DATA / f"{name}.txt.gz").write_bytes(pack(table))
    record = json.dumps(describe(sources.values(), tables, lexicon), indent=2)
    (DATA / "vocabulary.json").write_text(record + "\n", encoding="utf-8")
    (DATA / "NOTICE.txt").write_text(notice(sources.values()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
