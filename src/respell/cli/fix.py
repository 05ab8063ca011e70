"""The command `fix`: print corrected text, show the changes, or change files."""

import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO

from respell.cli.files import BLOCK, Source
from respell.cli.job import CLEAN, FOUND, Job, Outcome, Tally
from respell.cli.reports.diff import diff
from respell.cli.reports.finding import Finding, Locator
from respell.cli.reports.text import color_wanted
from respell.cli.rewrite import Rewrite
from respell.cli.runner import Run
from respell.text.apply import apply, automatic
from respell.types import Correction, Error

Blocks = Iterator[tuple[str, Sequence[Correction]]]
"""The blocks of a file, each with its corrections."""
Decide = Callable[[Finding], Correction | None]
"""Gives the correction to make at a finding; None leaves the word."""


def fix(job: Job) -> Outcome:
    """Correct all sources in the way that the options name."""
    if job.options.interactive:
        from respell.cli.interactive import fix_interactively

        return fix_interactively(job)
    if job.options.write:
        return _write_all(job)
    return _diff_all(job) if job.options.diff else _print_all(job)


def rewrite(source: Source, blocks: Blocks, decide: Decide) -> tuple[int, int]:
    """Change one file, and count the problems that were fixed and those that were left."""
    if source.path is None:
        raise Error("stdin cannot be changed in place; leave out --write and --interactive")
    fixed = left = 0
    locator = Locator(source.name)
    with Rewrite(source, source.path) as draft:
        for text, corrections in blocks:
            made = [decide(found) for found in locator.locate(text, corrections)]
            chosen = [correction for correction in made if correction]
            fixed += len(chosen)
            left += len(made) - len(chosen)
            draft.write(text, apply(text, chosen))
    return fixed, left


def writable(run: Run, sources: Iterable[Source]) -> Iterator[Source]:
    """Skip pipes and devices: reading one may never end, and it cannot be replaced."""
    for source in sources:
        if source.stat and not stat.S_ISREG(source.stat.st_mode):
            run.complain(f"{source.name}: not a regular file, cannot be changed in place")
        else:
            yield source


def summary(tally: Tally, run: Run, *, verb: str = "Fixed") -> str:
    """One sentence about what was fixed and what was left."""
    left = f"; {tally.left} left" if tally.left else ""
    if tally.problems:
        return f"{verb} {tally}{left}."
    if tally.left:
        return f"No problems fixed{left}."
    return tally.nothing_found(trouble=run.trouble)


def _print_all(job: Job) -> Outcome:
    for source, blocks in job.run.checked(job.sources):
        try:
            job.run.emit(apply(text, automatic(found)) for text, found in blocks)
        except BrokenPipeError:
            raise
        except (Error, OSError) as error:
            job.fail(source, error)
    return Outcome()


def _diff_all(job: Job) -> Outcome:
    tally = Tally()
    for source, blocks in job.run.checked(job.sources):
        counts = [0, 0]  # left, fixed
        try:
            changes = _automatic(blocks, counts)
            job.run.emit(diff(source.name, changes, color=color_wanted(sys.stdout)))
            tally.add(counts[True], counts[False])
        except BrokenPipeError:
            raise
        except (Error, OSError) as error:
            job.fail(source, error)
    status = FOUND if tally.problems else CLEAN
    return Outcome(status, summary(tally, job.run, verb="Would fix"))


def _automatic(blocks: Blocks, counts: list[int]) -> Iterator[tuple[str, str]]:
    """Make the automatic corrections, and count them and the others."""
    for text, corrections in blocks:
        for correction in corrections:
            counts[correction.automatic] += 1
        yield text, apply(text, automatic(corrections))


def _write_all(job: Job) -> Outcome:
    """Make the automatic corrections in the files, and print a line for every finding."""
    tally = Tally()
    for source, blocks in job.run.checked(writable(job.run, job.sources)):
        try:
            # The lines are printed when the file is complete. A long list waits on disk.
            with tempfile.SpooledTemporaryFile(
                BLOCK, "w+", encoding="utf-8", errors="surrogateescape", newline=""
            ) as lines:
                tally.add(*rewrite(source, blocks, _decide(lines, quiet=job.options.quiet)))
                lines.seek(0)
                job.run.progress.hide()
                sys.stderr.writelines(lines)
        except BrokenPipeError:
            raise
        except (Error, OSError) as error:
            job.fail(source, error)
    return Outcome(CLEAN, summary(tally, job.run))


def _decide(lines: IO[str], *, quiet: bool) -> Decide:
    """Make automatic corrections only, and write a line about each finding."""

    def decide(found: Finding) -> Correction | None:
        correction = found.correction
        if not quiet:
            lines.write(f"{found.place}: {correction.original}{_what_happens(correction)}\n")
        return correction if correction.automatic else None

    return decide


def _what_happens(correction: Correction) -> str:
    if correction.automatic:
        return f" → {correction.replacement}"
    return f": left ({correction.replacement} {correction.score:.2f})"
