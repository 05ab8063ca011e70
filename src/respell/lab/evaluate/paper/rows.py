"""Read the rows of the paper's tables: recipes, learning rates and published results."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from respell.lab.common.storage import read_text
from respell.types import Error

DEFAULT = Path("recipes/paper/rows.toml")
RESULTS = {"dev": 4, "test": 4, "real_dev": 3, "real_test": 3, "non_dev": 1, "non_test": 1}
"""The published results of a row, and how many numbers each has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: its recipe and its published results."""

    row: str
    name: str
    family: str
    recipe: Path
    settings: tuple[str, ...]
    published: Mapping[str, tuple[float, ...]]

    @property
    def file(self) -> str:
        """The name of the file with our results."""
        return f"{self.row}.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """All rows in order, and for each family the row that learning rates are tried with."""

    rows: tuple[Row, ...]
    tried: Mapping[str, str]

    def __getitem__(self, row: str) -> Row:
        for known in self.rows:
            if known.row == row:
                return known
        raise Error(f"no row {row!r}; there are {', '.join(known.row for known in self.rows)}")

    def trial(self, family: str) -> Row:
        """The row of a family that learning rates are tried with."""
        if family not in self.tried:
            raise Error(f"no family {family!r}; there are {', '.join(self.tried)}")
        return self[self.tried[family]]


def read_rows(path: Path = DEFAULT) -> Table:
    """Read the table; unknown keys are errors."""
    try:
        raw = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Error(f"{path}: not a TOML file ({error})") from error
    families, listed = raw.get("families"), raw.get("rows")
    if not isinstance(families, dict) or not isinstance(listed, list):
        raise Error(f"{path}: needs [families.NAME] and [[rows]]")
    for name, family in families.items():
        if not isinstance(family, dict) or set(family) != {"tried", "learning_rate"}:
            raise Error(f"{path}: [families.{name}] needs tried and learning_rate, nothing else")
    rows = tuple(_row(entry, families, path) for entry in listed)
    if len({row.row for row in rows}) < len(rows):
        raise Error(f"{path}: two rows have the same number")
    table = Table(rows=rows, tried={name: family["tried"] for name, family in families.items()})
    for name in table.tried:
        table.trial(name)
    return table


_TEXTS = ("row", "name", "family", "recipe")
_KEYS = frozenset(field.name for field in fields(Row)) - {"published"} | RESULTS.keys()


def _row(entry: Any, families: Mapping[str, Any], path: Path) -> Row:
    where = f"{path}: row {entry.get('row') if isinstance(entry, dict) else entry!r}"
    if not isinstance(entry, dict) or any(not isinstance(entry.get(key), str) for key in _TEXTS):
        raise Error(f"{where}: needs {', '.join(_TEXTS)} as strings")
    if unknown := sorted(entry.keys() - _KEYS):
        raise Error(f"{where}: unknown key {unknown[0]!r}")
    if entry["family"] not in families:
        raise Error(f"{where}: there is no [families.{entry['family']}]")
    published = {key: _numbers(entry[key]) for key in RESULTS if key in entry}
    for key, numbers in published.items():
        if len(numbers) != RESULTS[key]:
            raise Error(f"{where}: {key} must have {RESULTS[key]} numbers, not {len(numbers)}")
    rate = families[entry["family"]]["learning_rate"]
    return Row(
        **{key: entry[key] for key in ("row", "name", "family")},
        recipe=path.parent / entry["recipe"],
        settings=(f"train.learning_rate={rate}", *entry.get("settings", ())),
        published=published,
    )


def _numbers(value: float | Sequence[float]) -> tuple[float, ...]:
    return tuple(value) if isinstance(value, list) else (float(value),)  # type: ignore[arg-type]
