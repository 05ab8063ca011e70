"""The command `check`: list misspellings."""

import sys
from collections.abc import Iterator

from respell import __version__
from respell.cli.baseline import Baseline
from respell.cli.changed_lines import ChangedLines
from respell.cli.job import CLEAN, FOUND, Job, Outcome, Tally, plural
from respell.cli.reports.finding import Finding, locate
from respell.cli.reports.render import render
from respell.cli.reports.text import color_wanted
from respell.cli.runner import Run
from respell.types import Error


def check(job: Job) -> Outcome:
    """Print the findings of all sources."""
    options, tally = job.options, Tally()
    changes = ChangedLines.since(options.diff_base) if options.diff_base else None
    baseline = options.baseline and Baseline.open(options.baseline, update=options.update_baseline)
    if baseline and baseline.recording and changes:
        raise Error("a baseline is written from whole files: leave out --diff-base")

    def is_new(found: Finding) -> bool:
        return not (changes and not changes.has(found)) and not (baseline and baseline.has(found))

    def findings() -> Iterator[Finding]:
        sources = filter(changes.touches, job.sources) if changes else job.sources
        for source, blocks in job.run.checked(sources):
            before = tally.problems
            try:
                for found in filter(is_new, locate(source.name, blocks)):
                    tally.problems += 1
                    yield found
            except Error as error:
                job.fail(source, error)
            tally.files += tally.problems > before

    terminal = sys.stdout.isatty()
    pieces = render(
        options.format,
        findings(),
        color=color_wanted(sys.stdout),
        source=terminal,
        version=__version__,
    )
    job.run.emit(pieces)
    if baseline and baseline.recording:
        return _write(baseline, job.run)
    summary = _summary(tally, job.run) if options.format == "text" else ""
    return Outcome(FOUND if tally.problems else CLEAN, summary)


def _summary(tally: Tally, run: Run) -> str:
    if tally.problems:
        return f"Found {tally}."
    checked_nothing = run.trouble and not run.done
    return "" if checked_nothing else f"No problems found in {plural(run.done, 'file')}."


def _write(baseline: Baseline, run: Run) -> Outcome:
    if run.trouble:
        raise Error(f"{baseline.path}: not written, because some files could not be checked")
    baseline.write()
    return Outcome(CLEAN, f"Wrote {plural(baseline.size, 'problem')} to {baseline.path}.")
