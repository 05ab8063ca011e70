"""A file of known problems, which are not reported again."""

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from respell.cli.reports.finding import Finding
from respell.cli.rewrite import write_atomically
from respell.types import Error

_VERSION = 1
_Key = tuple[str, str]
"""The path relative to the baseline, and the word."""


@dataclass(slots=True)
class Baseline:
    """Known problems, by path and word: lines may move, and suggestions may change. JSON, sorted.

    If it is `recording`, all problems are noted down, to be written in the end.
    """

    path: Path
    recording: bool
    _known: Counter[_Key] = field(default_factory=Counter)

    @classmethod
    def open(cls, path: Path, *, update: bool = False) -> "Baseline":
        """Read a baseline; if there is none, or it is to be updated, record a new one."""
        if update:
            return cls(path, recording=True)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return cls(path, recording=True)
        except OSError as error:
            raise Error(f"{path}: {error.strerror}") from error
        try:
            return cls(path, recording=False, _known=_parse(content))
        except (ValueError, KeyError, TypeError) as error:
            raise Error(f"{path}: not a baseline; --update-baseline writes a new one") from error

    @property
    def size(self) -> int:
        """The number of problems."""
        return self._known.total()

    def has(self, found: Finding) -> bool:
        """Whether a problem is known. Each known problem is found once."""
        key = (self._relative(found.path), found.correction.original)
        if self.recording:
            self._known[key] += 1
            return True
        if self._known[key] <= 0:
            return False
        self._known[key] -= 1
        return True

    def write(self) -> None:
        """Replace the file by what was recorded."""
        rows = (
            json.dumps({"path": path, "word": word, "count": count})
            for (path, word), count in sorted(self._known.items())
        )
        lines = ",".join(f"\n    {row}" for row in rows)
        end = "\n  " if lines else ""
        write_atomically(
            self.path, f'{{\n  "version": {_VERSION},\n  "problems": [{lines}{end}]\n}}\n'
        )

    def _relative(self, path: str) -> str:
        if path == "-":
            return path
        return Path(os.path.relpath(path, self.path.parent)).as_posix()


def _parse(content: bytes) -> Counter[_Key]:
    value: dict[str, Any] = json.loads(content)
    if value["version"] != _VERSION:
        raise ValueError
    rows = value["problems"]
    return Counter({(row["path"], row["word"]): int(row["count"]) for row in rows})
