"""Write one corpus: extract and clean the files of its origins."""

import bz2
import lzma
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from respell.lab.common.storage import replacing, save_text, sha256, to_json
from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import Source
from respell.lab.data.fetch.checkout import Checkout, read_files
from respell.lab.data.fetch.clean import (
    HeldOut,
    Seen,
    WordCheck,
    has_slip,
    is_prose,
    is_punctuated,
    letters_of,
    tidy,
    units,
)
from respell.lab.data.fetch.extract import decode, extract
from respell.lab.data.fetch.origin import Origin
from respell.types import Error


@dataclass(frozen=True, slots=True)
class References:
    """What lines are compared with, and the hashes of the files that it was read from."""

    words: frozenset[str] = frozenset()
    misspellings: frozenset[str] = frozenset()
    held_out: HeldOut = field(default_factory=HeldOut)
    word_files: Mapping[str, str] = field(default_factory=dict)
    held_out_files: Mapping[str, str] = field(default_factory=dict)


def name_of(source: Source) -> str:
    """The name of a corpus: its file without the endings."""
    return source.file.partition(".")[0]


def settings(source: Source, references: References) -> dict[str, Any]:
    """What a corpus depends on, besides the contents of its origins."""
    return {
        "file": source.file,
        "licence": source.licence,
        "fetch": [asdict(origin) for origin in source.fetch],
        "clean": asdict(source.clean),
        "word_lists": dict(references.word_files) if source.clean.needs_words else {},
        "held_out": {} if source.heldout == "all" else dict(references.held_out_files),
    }


def write_corpus(
    source: Source, out: Path, checkouts: Sequence[Checkout], references: References
) -> dict[str, Any]:
    """Write the file of a corpus and NAME.json, and return what is in the latter.

    Lines first go to a temporary file, because the rare words of a corpus are known only at its
    end. In memory are one file of an origin and sets of a fixed size.
    """
    writer = _Writer(source, references)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name_of(source)}.", dir=out) as folder:
        draft = Path(folder, "draft.txt")
        with draft.open("w", encoding="utf-8", newline="\n") as stream:
            for pair in zip(source.fetch, checkouts, strict=True):
                stream.writelines(f"{line}\n" for line in writer.lines(*pair))
        with replacing(out / source.file) as temporary:
            lines, words = _compress(writer.accepted(read_lines(draft)), temporary, source.file)
            if not lines:
                raise Error(f"{name_of(source)}: no line is left ({_listed(writer.dropped)})")
    record = {
        **settings(source, references),
        "origins": writer.origins,
        "dropped": dict(sorted(writer.dropped.items())),
        "lines": lines,
        "words": words,
        "sha256": sha256(out / source.file),
    }
    save_text(to_json(record), out / f"{name_of(source)}.json")
    return record


class _Writer:
    """The lines of one corpus, with counts of those that are dropped."""

    def __init__(self, source: Source, references: References) -> None:
        self.dropped: Counter[str] = Counter()
        self.origins: list[dict[str, Any]] = []
        self._name = name_of(source)
        self._cleaning = source.clean
        # A held-out corpus is cleaned of the sentences of no other test set.
        self._held_out = HeldOut() if source.heldout == "all" else references.held_out
        self._check = WordCheck(references.words, references.misspellings)
        self._seen = Seen()

    def lines(self, origin: Origin, checkout: Checkout) -> Iterator[str]:
        """The clean lines of an origin, before words are checked."""
        files = 0
        unreadable: list[str] = []
        for name, data in read_files(origin, checkout):
            try:
                blocks = list(_blocks(data, origin))
            except Error as error:
                unreadable.append(f"{name}: {error}")
                continue
            files += 1
            if self._is_wanted(blocks):
                for block in blocks:
                    yield from self._clean(block)
            else:
                self.dropped["files"] += 1
        if unreadable and not files:
            raise Error(f"{origin.name}: no file can be read, for example {unreadable[0]}")
        for message in unreadable:
            sys.stderr.write(f"{self._name}: {origin.name}: left out {message}\n")
        self.origins.append(
            {
                "repo": origin.repo,
                "revision": checkout.revision,
                "files": files,
                "unreadable": len(unreadable),
            }
        )

    def accepted(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines without misspellings and rare unknown words."""
        limit = self._cleaning.unknown_words
        for line in lines:
            if limit < 0 or self._check.accepts(line, limit):
                yield line
            else:
                self.dropped["unknown words"] += 1

    def _is_wanted(self, blocks: Sequence[str]) -> bool:
        text = "\n".join(blocks)
        if self._cleaning.punctuated and not is_punctuated(text):
            return False
        most = self._cleaning.unknown_share
        return most >= 1 or self._check.share(text) <= most

    def _clean(self, block: str) -> Iterator[str]:
        if self._cleaning.unit == "as-is":
            yield " ".join(block.split())
            return
        for line in units(tidy(block), self._cleaning):
            if reason := self._fault(line):
                self.dropped[reason] += 1
            else:
                if self._cleaning.unknown_words >= 0:
                    self._check.count(line)
                yield line

    def _fault(self, line: str) -> str:
        """Why a line is dropped; empty if it is kept."""
        if not is_prose(line, self._cleaning):
            return "not prose"
        if self._cleaning.quickly_written and has_slip(line):
            return "slips"
        if self._held_out.inside(line):
            return "held out"
        letters = letters_of(line)
        opening = self._cleaning.opening
        if not self._seen.add(letters[:opening] if opening else letters):
            return "duplicates"
        return ""


def _blocks(data: bytes, origin: Origin) -> Iterator[str]:
    drop = [re.compile(pattern) for pattern in origin.drop]
    strip = [re.compile(pattern) for pattern in origin.strip]
    for block in extract(decode(data, origin.extract), origin.extract):
        if not any(pattern.search(block) for pattern in drop):
            for pattern in strip:
                block = pattern.sub("", block)
            yield block


def _compress(lines: Iterable[str], path: Path, name: str) -> tuple[int, int]:
    """Write lines to a file, packed as its name says; return the numbers of lines and words."""
    count = words = 0
    with _open(path, name) as stream:
        for line in lines:
            stream.write(f"{line}\n".encode())
            count += 1
            words += len(line.split())
    return count, words


def _open(path: Path, name: str) -> BinaryIO | lzma.LZMAFile | bz2.BZ2File:
    match Path(name).suffix:
        case ".xz":
            return lzma.open(path, "wb")
        case ".bz2":
            return bz2.open(path, "wb")
        case _:
            return path.open("wb")


def _listed(dropped: Counter[str]) -> str:
    return ", ".join(f"{reason}: {n:,}" for reason, n in dropped.most_common()) or "none was found"
