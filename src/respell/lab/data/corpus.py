"""Read corpora (text files with one sentence per line, may be compressed) and lists of corpora."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from respell.lab.common.text_files import read_lines
from respell.lab.data.fetch.origin import Cleaning, Origin, read_cleaning, read_origins
from respell.model.lexicon import Lexicon
from respell.types import Error


def first_words(lines: Iterable[str], limit: int | None) -> Iterator[str]:
    """Yield lines until they hold `limit` words; the last line is complete."""
    words = 0
    for line in lines:
        if limit is not None and words >= limit:
            return
        words += len(line.split())
        yield line


Style = Literal["raw", "treebank", "1b"]
"""How a corpus is tokenized: natural text, treebank tokens, or 1-Billion-Word tokens."""
HeldOut = Literal["none", "all", "last-tenth"]
"""Which lines of a corpus are not used for training."""


@dataclass(frozen=True, slots=True)
class Source:
    """A corpus: its file, its licence, its format and which part of it may be used for training."""

    file: str
    licence: str = "not stated"
    permissive: bool = False
    style: Style = "raw"
    heldout: HeldOut = "none"
    share: float = 1.0
    """Share of the training lines that are used, evenly spaced."""
    fetch: tuple[Origin, ...] = ()
    """Where the text comes from."""
    clean: Cleaning = field(default_factory=Cleaning)
    """How the `fetch` command cleans the text."""


def read_sources(path: Path) -> tuple[Source, ...]:
    """Read a list of corpora: a TOML file with [[source]] tables."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("source")
    except OSError as error:
        raise Error(f"{path}: cannot read the list of corpora ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Error(f"{path}: not a TOML file ({error})") from error
    if not isinstance(tables, list) or not tables:
        raise Error(f"{path}: lists no corpora; add a [[source]] table for each one")
    sources = tuple(_source(table, f"{path}: source {i}") for i, table in enumerate(tables, 1))
    files = [source.file for source in sources]
    repeated = sorted({file for file in files if files.count(file) > 1})
    if repeated:
        raise Error(f"{path}: {repeated[0]} is listed twice; remove one")
    return sources


def _source(table: Any, where: str) -> Source:
    if not isinstance(table, dict) or not isinstance(table.get("file"), str):
        raise Error(f'{where}: needs file = "NAME"')
    unknown = sorted(set(table) - {known.name for known in fields(Source)})
    if unknown:
        raise Error(f"{where}: unknown key {unknown[0]!r}")
    for key, allowed in (("style", get_args(Style)), ("heldout", get_args(HeldOut))):
        if key in table and table[key] not in allowed:
            raise Error(f"{where}: {key} must be one of {', '.join(allowed)}, not {table[key]!r}")
    if not isinstance(table.get("permissive", False), bool):
        raise Error(f"{where}: permissive must be true or false")
    share = table.get("share", 1.0)
    if not isinstance(share, int | float) or not 0 < share <= 1:
        raise Error(f"{where}: share must be a number above 0, at most 1, not {share!r}")
    if not isinstance(table.get("licence", ""), str):
        raise Error(f"{where}: licence must be a string")
    origins = read_origins(table.get("fetch", []), where)
    cleaning = read_cleaning(table.get("clean", {}), f"{where}: clean")
    return Source(**{**table, "fetch": origins, "clean": cleaning})


def read_lexicon(path: Path) -> Lexicon:
    """Read a word list, one word per line; a byte order mark is allowed."""
    words = list(read_lines(path))
    try:
        return Lexicon(words)
    except Error as error:
        raise Error(f"{path}: {error}") from error


def training_lines(path: Path, heldout: HeldOut, share: float = 1.0) -> Iterator[str]:
    """Lines that may be used for training, or an evenly spaced share of them."""
    match heldout:
        case "none":
            lines = read_lines(path)
        case "all":
            lines = iter(())
        case "last-tenth":
            lines = islice(read_lines(path), _first_heldout(path))
    return (line for n, line in enumerate(lines) if int((n + 1) * share) > int(n * share))


def heldout_lines(path: Path, heldout: HeldOut) -> Iterator[str]:
    """Lines that must not be used for training."""
    match heldout:
        case "none":
            return iter(())
        case "all":
            return read_lines(path)
        case "last-tenth":
            return islice(read_lines(path), _first_heldout(path), None)


def _first_heldout(path: Path) -> int:
    count = sum(1 for _ in read_lines(path))
    return count - count // 10
