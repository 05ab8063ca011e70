"""Load a corrector, or several in worker processes."""

import contextlib
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from respell.options import CorrectorOptions
from respell.types import Correction, Error, TextChecker

if TYPE_CHECKING:  # needs numpy
    from respell.decision.evidence import Evidence


class Load(Protocol):
    """Loads a corrector; `respell.load` is one."""

    def __call__(
        self, path: str | Path | None = None, *, threads: int = 0, **options: Any
    ) -> TextChecker[list[Correction]]:
        """Load a bundle, or the one inside the package, with `CorrectorOptions.arguments`."""


def load(
    path: str | Path | None = None, *, threads: int = 0, **options: Any
) -> TextChecker[list[Correction]]:
    """Load a corrector."""
    from respell.corrector import load  # imported here because it needs numpy and onnxruntime

    return load(path, threads=threads, **options)


Gather = Callable[["Evidence"], None]
"""Adds the sources of a run to some evidence."""


def open_corrector(
    options: CorrectorOptions,
    load: Load,
    jobs: int | None,
    stack: contextlib.ExitStack,
    gather: Gather | None = None,
) -> tuple[TextChecker[list[Correction] | Error], Callable[[], float]]:
    """A corrector, or several in worker processes, and a clock of their CPU time.

    With `gather`, the correctors are adapted to the evidence of all sources.
    """
    threads = 0 if jobs is None else 1
    corrector = load(options.model, threads=threads, **options.arguments())
    evidence = _read(corrector, gather)
    if jobs is None or jobs == 1:
        return _adapt(corrector, evidence), time.process_time
    from respell.cli.workers import Workers  # imported here because one process does not need it

    workers = Workers(jobs, partial(_load_adapted, load, options, evidence))
    stack.callback(workers.close)
    return workers, workers.cpu


def _read(corrector: object, gather: Gather | None) -> "Evidence | None":
    bundle = getattr(corrector, "bundle", None)
    if bundle is None or gather is None:
        return None
    from respell.decision.evidence import Evidence

    evidence = Evidence(bundle.lexicon)
    gather(evidence)
    return evidence


def _load_adapted(
    load: Load, options: CorrectorOptions, evidence: "Evidence | None"
) -> TextChecker[list[Correction]]:
    return _adapt(load(options.model, threads=1, **options.arguments()), evidence)


def _adapt(
    corrector: TextChecker[list[Correction]], evidence: "Evidence | None"
) -> TextChecker[list[Correction]]:
    if evidence is None:
        return corrector
    adapted: TextChecker[list[Correction]] = corrector.with_evidence(evidence)  # type: ignore[attr-defined]
    return adapted
