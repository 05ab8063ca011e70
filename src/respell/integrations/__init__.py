"""Faces for data pipelines, and what they share: options, and one open model per process."""

import functools
import multiprocessing
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypedDict, Unpack

from respell.corrector import Corrector
from respell.model.bundle import Bundle, default_path
from respell.model.forward import Features, Forward, TopK
from respell.model.session import open_session
from respell.types import Error


class Options(TypedDict, total=False):
    """What every pipeline face takes; the meanings are those of `respell.load`."""

    model: str | Path | None
    preset: str
    threshold: float | None
    dictionary: Iterable[str]
    max_suggestions: int


def open_corrector(*, threads: int | None = None, **options: Unpack[Options]) -> Corrector:
    """A corrector whose model stays open in this process, so that a second call costs little.

    `threads` None takes every core, except in a worker process: there, one.
    """
    if threads is None:
        threads = 1 if multiprocessing.parent_process() else 0
    path, rest = _split(options)
    bundle, forward = _opened(path, os.getpid(), threads)
    return Corrector(bundle, forward, **rest)


def settle(**options: Unpack[Options]) -> Options:
    """Options fit to be sent to other machines; a wrong one raises here and not there."""
    path, rest = _split(options)
    rest["dictionary"] = tuple(rest.get("dictionary", ()))
    Corrector(Bundle.read(path), _never, **rest)
    return {"model": options.get("model") and path, **rest}  # type: ignore[typeddict-item]


def _split(options: Options) -> tuple[Path, dict[str, Any]]:
    unknown = sorted(set(options) - set(Options.__annotations__))
    if unknown:
        known = ", ".join(Options.__annotations__)
        raise Error(f"no option {unknown[0]!r}; there are {known}")
    rest: dict[str, Any] = dict(options)
    model = rest.pop("model", None)
    return (default_path() if model is None else Path(model).absolute()), rest


@functools.cache
def _opened(path: Path, process: int, threads: int) -> tuple[Bundle, Forward]:
    """Open a model once per process.

    The threads of a session do not come through a fork, so a child opens its own; it keeps the
    parent's, because closing that would wait for threads that are not there.
    """
    bundle = Bundle.read(path)
    return bundle, open_session(bundle.model, threads=threads)


def _never(features: Features, gate: float) -> TopK:
    raise AssertionError("a corrector made to check its options was asked to correct")
