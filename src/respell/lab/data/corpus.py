"""Read corpora (text files with one sentence per line, may be compressed) and lists of corpora."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from respell.lab.common.text_files import read_lines
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
    fetch: str = ""


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
    unknown = sorted(set(table) - {field.name for field in fields(Source)})
    if unknown:
        raise Error(f"{where}: unknown key {unknown[0]!r}")
    for key, allowed in (("style", get_args(Style)), ("heldout", get_args(HeldOut))):
        if key in table and table[key] not in allowed:
            raise Error(f"{where}: {key} must be one of {', '.join(allowed)}, not {table[key]!r}")
    if not isinstance(table.get("permissive", False), bool):
        raise Error(f"{where}: permissive must be true or false")
    if not all(isinstance(table.get(key, ""), str) for key in ("licence", "fetch")):
        raise Error(f"{where}: licence and fetch must be strings")
    return Source(**table)


def read_lexicon(path: Path) -> Lexicon:
    """Read a word list, one word per line; a byte order mark is allowed."""
    words = list(read_lines(path))
    try:
        return Lexicon(words)
    except Error as error:
        raise Error(f"{path}: {error}") from error


def training_lines(path: Path, heldout: HeldOut) -> Iterator[str]:
    """Lines that may be used for training."""
    match heldout:
        case "none":
            return read_lines(path)
        case "all":
            return iter(())
        case "last-tenth":
            return islice(read_lines(path), _first_heldout(path))


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
