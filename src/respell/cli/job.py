"""What a command works on, and what it answers."""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

from respell.cli.files import BinaryError, Source
from respell.cli.runner import Run, plural
from respell.config import Config
from respell.types import Error

CLEAN, FOUND, TROUBLE = 0, 1, 2
"""The exit status of a command."""


@dataclass(frozen=True, slots=True)
class Job:
    """A run over sources, with the options of the command line and the configuration."""

    run: Run
    sources: Iterable[Source]
    options: argparse.Namespace
    config: Config

    def fail(self, source: Source, error: Error | OSError) -> None:
        """Report why a source was skipped, unless that is only a note and notes are off."""
        note = isinstance(error, BinaryError) and not source.named
        if not (note and self.options.quiet):
            self.run.fail(source, error)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The exit status of a command, and a summary for people."""

    status: int = CLEAN
    summary: str = ""


@dataclass(slots=True)
class Tally:
    """Counts files, problems, and the files that have problems; `left` are not fixed."""

    done: int = 0
    problems: int = 0
    files: int = 0
    left: int = 0

    def add(self, problems: int, left: int = 0) -> None:
        """Count one file."""
        self.done += 1
        self.problems += problems
        self.files += bool(problems)
        self.left += left

    def __str__(self) -> str:
        return f"{plural(self.problems, 'problem')} in {plural(self.files, 'file')}"

    def nothing_found(self, *, trouble: bool) -> str:
        """A sentence, unless there was trouble with every file."""
        if trouble and not self.done:
            return ""
        return f"No problems found in {plural(self.done, 'file')}."
