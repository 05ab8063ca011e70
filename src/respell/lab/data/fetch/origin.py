"""Where the text of a corpus comes from and how it is cleaned: settings of the list of corpora."""

import re
import typing
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import PurePosixPath
from typing import Any, Literal, TypeVar

from respell.lab.data.fetch.extract import NEED_OPTIONS, STEPS
from respell.types import Error

_T = TypeVar("_T")
_REPO = re.compile(
    r"github:\w[\w.-]*/\w[\w.-]*|git:\S+|pypi:\w[\w.-]*(?:==\w[\w.]*)?|debian:\w[\w.+-]*(?:=\w\S*)?"
)
_COMMIT = re.compile(r"(?:[0-9a-f]{4,40})?")
_TYPES = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Origin:
    """Files of one repository or package."""

    repo: str
    """github:OWNER/NAME, git:URL, pypi:NAME==VERSION or debian:NAME=VERSION."""
    paths: tuple[str, ...]
    """Patterns such as `docs/**/*.{md,txt}`; `a.zip!b/*` names files inside an archive."""
    extract: tuple[str, ...]
    """Steps that turn a file into blocks of text, such as `json:answer` and `markdown`."""
    commit: str = ""
    exclude: tuple[str, ...] = ()
    """Patterns of files that are left out."""
    share: float = 1.0
    """Share of the files, chosen by a hash of their names."""
    drop: tuple[str, ...] = ()
    """Regular expressions; blocks in which one of them is found are dropped."""
    strip: tuple[str, ...] = ()
    """Regular expressions; what they match is removed, one after the other."""
    licence: str = ""
    """The licence, if a corpus has several."""

    @property
    def name(self) -> str:
        """The repository and, if it is given, the commit."""
        return f"{self.repo} @{self.commit}" if self.commit else self.repo


@dataclass(frozen=True, slots=True)
class Cleaning:
    """Which lines of a corpus are kept."""

    unit: Literal["sentence", "paragraph", "as-is"] = "sentence"
    """What a line holds; `as-is` keeps all blocks as they are, duplicates and all."""
    min_words: int = 3
    ends: bool = True
    """Whether a line has to end like a sentence."""
    unknown_words: int = -1
    """At most this many rare words outside the word lists in a line; -1 does not count them."""
    quickly_written: bool = False
    """Drop lines with frequent slips, such as "could of"."""
    opening: int = 0
    """Drop lines whose first letters, this many, are those of an earlier line."""
    punctuated: bool = False
    """Drop files without punctuation, such as automatic captions."""
    unknown_share: float = 1.0
    """Drop files with a larger share of words outside the word lists, such as bad scans."""

    @property
    def needs_words(self) -> bool:
        """Whether word lists are needed."""
        return self.unknown_words >= 0 or self.unknown_share < 1


def read_origins(tables: Any, where: str) -> tuple[Origin, ...]:
    """Read the `fetch` key of a source: a list of tables."""
    if not isinstance(tables, list):
        raise Error(f"{where}: fetch must be a list of tables, such as [{{ repo = ... }}]")
    origins = tuple(
        read_table(Origin, table, f"{where}: fetch {i}") for i, table in enumerate(tables, 1)
    )
    for i, origin in enumerate(origins, 1):
        _check(origin, f"{where}: fetch {i}")
    return origins


def read_cleaning(table: Any, where: str) -> Cleaning:
    """Read the `clean` key of a source."""
    cleaning = read_table(Cleaning, table, where)
    least = {"min_words": 0, "unknown_words": -1, "opening": 0, "unknown_share": 0}
    for key, value in least.items():
        if getattr(cleaning, key) < value:
            raise Error(f"{where}: {key} must be {value} or more")
    return cleaning


def _check(origin: Origin, where: str) -> None:
    _check_repo(origin, where)
    if not origin.paths or not origin.extract:
        raise Error(f"{where}: paths and extract must not be empty")
    for path in origin.paths:
        if path.startswith("/") or ".." in PurePosixPath(path).parts:
            raise Error(f"{where}: {path!r} must be a path inside the repository")
    if not 0 < origin.share <= 1:
        raise Error(f"{where}: share must be a number above 0, at most 1, not {origin.share!r}")
    for step in origin.extract:
        _check_step(step, where)
    for pattern in (*origin.drop, *origin.strip):
        _check_pattern(pattern, where)


def _check_repo(origin: Origin, where: str) -> None:
    if not _REPO.fullmatch(origin.repo):
        raise Error(f"{where}: repo must be github:, git:, pypi: or debian:, not {origin.repo!r}")
    if not _COMMIT.fullmatch(origin.commit):
        raise Error(f"{where}: commit must be 4 to 40 hexadecimal digits, not {origin.commit!r}")


def _check_pattern(pattern: str, where: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise Error(f"{where}: {pattern!r} is not a regular expression ({error})") from error


def _check_step(step: str, where: str) -> None:
    name, colon, options = step.partition(":")
    if name not in STEPS:
        raise Error(f"{where}: extract has no step {name!r}; there are {', '.join(STEPS)}")
    if (colon or name in NEED_OPTIONS) and not all(options.split(",")):
        raise Error(f"{where}: extract step {step!r} needs an option after the colon")


def read_table(cls: type[_T], table: Any, where: str) -> _T:
    """Make a dataclass of a TOML table; unknown keys and wrong types are errors."""
    if not isinstance(table, dict):
        raise Error(f"{where}: must be a table, not {table!r}")
    known = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]
    if unknown := sorted(set(table) - set(known)):
        raise Error(f"{where}: unknown key {unknown[0]!r}")
    for name, field in known.items():
        if field.default is MISSING and name not in table:
            raise Error(f"{where}: needs {name}")
    types = typing.get_type_hints(cls)
    return cls(**{key: _value(types[key], table, key, where) for key in table})


def _value(kind: Any, table: Mapping[str, Any], key: str, where: str) -> Any:
    value = table[key]
    allowed = typing.get_args(kind)
    if typing.get_origin(kind) is Literal:
        if value not in allowed:
            raise Error(f"{where}: {key} must be one of {', '.join(allowed)}, not {value!r}")
        return value
    if typing.get_origin(kind) is tuple:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Error(f"{where}: {key} must be a list of strings, not {value!r}")
        return tuple(value)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise Error(f"{where}: {key} must be {_TYPES[kind]}, not {value!r}")
    return value
