"""The command `check`: list misspellings."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from respell import __version__
from respell.cli.baseline import Baseline
from respell.cli.changed_lines import ChangedLines
from respell.cli.files import Source
from respell.cli.job import CLEAN, FOUND, Job, Outcome, Tally
from respell.cli.reports.finding import Finding, locate
from respell.cli.reports.render import render
from respell.cli.reports.text import color_wanted
from respell.cli.runner import Run, plural
from respell.types import Error


@dataclass(frozen=True, slots=True)
class _Scope:
    """Which findings are reported: all, those in changed lines, those that are not known."""

    changes: ChangedLines | None
    baseline: Baseline | None

    def sources(self, job: Job) -> Iterator[Source]:
        for source in job.sources:
            if self.changes is None or self.changes.touches(source):
                yield source
            elif source.stat:
                job.run.progress.skip(source.stat.st_size)

    def has(self, found: Finding) -> bool:
        if self.changes and not self.changes.has(found):
            return False
        return not (self.baseline and self.baseline.has(found))


def check(job: Job) -> Outcome:
    """Print the findings of all sources."""
    options, tally = job.options, Tally()
    scope = _scope(options.diff_base, options.baseline, update=options.update_baseline)
    pieces = render(
        options.format,
        _findings(job, scope, tally),
        color=color_wanted(sys.stdout),
        source=sys.stdout.isatty(),
        version=__version__,
    )
    job.run.emit(pieces)
    if scope.baseline and scope.baseline.recording:
        return _write(scope.baseline, job.run)
    nothing = tally.nothing_found(trouble=job.run.trouble)
    summary = f"Found {tally}." if tally.problems else nothing
    status = FOUND if tally.problems else CLEAN
    return Outcome(status, summary if options.format == "text" else "")


def _scope(revision: str | None, baseline: Path | None, *, update: bool) -> _Scope:
    changes = None if revision is None else ChangedLines.since(revision)
    known = None if baseline is None else Baseline.open(baseline, update=update)
    if changes and known and known.recording:
        raise Error("a baseline is written from whole files: leave out --diff-base")
    return _Scope(changes, known)


def _findings(job: Job, scope: _Scope, tally: Tally) -> Iterator[Finding]:
    for source, blocks in job.run.checked(scope.sources(job)):
        problems = 0
        try:
            for found in filter(scope.has, locate(source.name, blocks)):
                problems += 1
                yield found
        except Error as error:
            job.fail(source, error)
            if not problems:
                continue
        tally.add(problems)


def _write(baseline: Baseline, run: Run) -> Outcome:
    if run.trouble:
        raise Error(f"{baseline.path}: not written, because some files could not be checked")
    baseline.write()
    return Outcome(CLEAN, f"Wrote {plural(baseline.size, 'problem')} to {baseline.path}.")
