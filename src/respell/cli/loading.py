"""Load a corrector, or several in worker processes."""

import contextlib
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Protocol

from respell.options import CorrectorOptions
from respell.types import Correction, Error, TextChecker


class Load(Protocol):
    """Loads a corrector; `respell.load` is one."""

    def __call__(
        self,
        path: str | Path | None = None,
        *,
        preset: str = "default",
        threshold: float | None = None,
        fix_threshold: float | None = None,
        dictionary: Iterable[str] = (),
        max_suggestions: int = 5,
        threads: int = 0,
    ) -> TextChecker[list[Correction]]:
        """Load the bundle in the folder `path`, or the one inside the package."""


def load(
    path: str | Path | None = None,
    *,
    preset: str = "default",
    threshold: float | None = None,
    fix_threshold: float | None = None,
    dictionary: Iterable[str] = (),
    max_suggestions: int = 5,
    threads: int = 0,
) -> TextChecker[list[Correction]]:
    """Load a corrector."""
    from respell.corrector import load  # imported here because it needs numpy and onnxruntime

    return load(
        path,
        preset=preset,
        threshold=threshold,
        fix_threshold=fix_threshold,
        dictionary=dictionary,
        max_suggestions=max_suggestions,
        threads=threads,
    )


def open_corrector(
    options: CorrectorOptions, load: Load, jobs: int | None, stack: contextlib.ExitStack
) -> tuple[TextChecker[list[Correction] | Error], Callable[[], float]]:
    """A corrector, or several in worker processes, and a clock of their CPU time."""
    if jobs is None:
        return load(options.model, **options.arguments()), time.process_time
    one_thread = partial(load, options.model, threads=1, **options.arguments())
    if jobs == 1:
        return one_thread(), time.process_time
    from respell.cli.workers import Workers  # imported here because one process does not need it

    workers = Workers(jobs, one_thread)
    stack.callback(workers.close)
    return workers, workers.cpu
