"""Integrations with data pipelines. They share their options and one open model per process."""

import functools
import multiprocessing
import os
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast

from respell.corrector import Corrector
from respell.model.bundle import Bundle, default_path
from respell.model.forward import Features, Forward, TopK
from respell.model.session import open_session
from respell.options import CorrectorOptions
from respell.types import Error


class Options(TypedDict, total=False):
    """The options of every integration: those of `respell.load`, and `model`, a folder."""

    model: str | Path | None
    preset: str | None
    threshold: float | None
    fix_threshold: float | None
    variant: str | None
    dictionary: Iterable[str]
    max_suggestions: int | None


def open_corrector(*, threads: int | None = None, **options: Unpack[Options]) -> Corrector:
    """Open a corrector. The model stays open in this process, so the next call is fast.

    By default it uses all cores or, in a process started by `multiprocessing`, one.
    """
    if threads is None:
        threads = 1 if multiprocessing.parent_process() else 0
    parsed = _parse(options)
    bundle, forward = _open(parsed.model or default_path(), os.getpid(), threads)
    return Corrector(bundle, forward, **parsed.arguments())


def check_options(**options: Unpack[Options]) -> Options:
    """Options that can be sent to other processes. Raises an Error if one is invalid."""
    parsed = _parse(options)
    Corrector(Bundle.read(parsed.model or default_path()), _never, **parsed.arguments())
    return cast(Options, asdict(parsed))


def _parse(options: Options) -> CorrectorOptions:
    known = [field.name for field in fields(CorrectorOptions)]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise Error(f"no option {unknown[0]!r}; known are {', '.join(known)}")
    values: dict[str, Any] = dict(options)
    if values.get("spacing"):
        raise Error("spacing cannot be on here: the number of tokens stays as it is")
    if values.get("model") is not None:
        values["model"] = Path(values["model"]).absolute()
    return CorrectorOptions(**values)


@functools.cache
def _open(path: Path, process: int, threads: int) -> tuple[Bundle, Forward]:
    """Open a model once per process.

    The threads of a session do not survive a fork, so a child process opens its own session. It
    keeps the parent's too, because closing it would wait for threads that do not exist.
    """
    bundle = Bundle.read(path)
    return bundle, open_session(bundle.model, threads=threads)


def _never(features: Features, gate: float) -> TopK:
    raise AssertionError("this corrector only checks options")
