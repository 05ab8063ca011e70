"""The lines that were added or changed since a git revision."""

import ast
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from respell.cli.files import Source
from respell.cli.reports.finding import Finding
from respell.types import Error

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_DIFF = (
    "-c core.quotePath=true diff -U0 --inter-hunk-context=0 --find-renames --text --no-color "
    "--no-ext-diff --no-textconv --ignore-submodules --src-prefix=a/ --dst-prefix=b/"
).split()
_ENVIRONMENT = {"GIT_DIFF_OPTS": ""}  # it could add lines of context


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """The changed lines of tracked files; all lines of other files are new."""

    changed: dict[str, list[range]]
    """Real path -> line numbers."""
    tracked: frozenset[str]

    @classmethod
    def since(cls, revision: str) -> "ChangedLines":
        """Compare the working tree with a revision. Raises an Error if git cannot do that."""
        root = os.path.realpath(os.fsdecode(_git("rev-parse", "--show-toplevel").rstrip(b"\r\n")))
        commit = _commit(revision)
        names = _git("-C", root, "ls-files", "-z").split(b"\0")
        patch = _git("-C", root, *_DIFF, commit, "--").split(b"\n")
        return cls(
            {_path(root, name): lines for name, lines in parse_patch(patch).items()},
            frozenset(_path(root, name) for name in names),
        )

    def touches(self, source: Source) -> bool:
        """Whether a source may have changed lines."""
        return self._lines(source.name) != []

    def has(self, found: Finding) -> bool:
        """Whether a finding is in a changed line."""
        lines = self._lines(found.path)
        return lines is None or any(found.line in one for one in lines)

    def _lines(self, name: str) -> list[range] | None:
        """The changed lines of a file; None if all of them are new."""
        path = os.path.realpath(name)
        if name == "-" or path not in self.tracked:
            return None
        return self.changed.get(path, [])


def parse_patch(lines: Iterable[bytes]) -> dict[bytes, list[range]]:
    """The line numbers that a patch without context adds or changes, by file name."""
    changed: dict[bytes, list[range]] = {}
    ranges: list[range] = []
    content = 0  # lines that belong to the hunk
    for line in lines:
        if content and not line.startswith(b"\\"):
            content -= 1
        elif line.startswith(b"+++ "):
            ranges = changed.setdefault(_name(line[4:]), [])
        elif match := _HUNK.match(line):
            old, first, new = (int(number or b"1") for number in match.groups())
            content = old + new
            if new:
                ranges.append(range(first, first + new))
    return changed


def _name(text: bytes) -> bytes:
    """The file name in a patch; git quotes odd names, and ends names with spaces with a tab."""
    if text.startswith(b'"'):
        name: bytes = ast.literal_eval(f"b{text.decode('ascii')}")
    else:
        name = text.removesuffix(b"\t")
    return name.removeprefix(b"b/")


def _path(root: str, name: bytes) -> str:
    return os.path.normpath(Path(root, os.fsdecode(name)))


def _commit(revision: str) -> str:
    """The hash of a revision."""
    problem = f"--diff-base: no git revision {revision!r}"
    if revision.startswith("-"):
        raise Error(problem)
    try:
        return _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    except Error as error:
        raise Error(problem) from error


def _git(*arguments: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", *arguments], env=os.environ | _ENVIRONMENT, capture_output=True, check=False
        )
    except OSError as error:
        raise Error("--diff-base needs git, which was not found") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines() or ["git failed"]
        raise Error(f"--diff-base: {lines[0].removeprefix('fatal: ')}")
    return done.stdout
