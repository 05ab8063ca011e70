"""Read the sources of a run once, to collect evidence about their words."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import PurePath
from stat import S_ISREG
from typing import TYPE_CHECKING

from respell.cli.files import Source, read
from respell.cli.progress import Progress
from respell.formats.languages import language_of
from respell.formats.masker import Masker
from respell.types import Error

if TYPE_CHECKING:  # needs numpy
    from respell.decision.evidence import Evidence

LOOK_AHEAD = 1 << 20
"""Characters of a pipe that are read for evidence before they are checked."""


def read_evidence(
    sources: Iterable[Source], evidence: "Evidence", progress: Progress
) -> Source | None:
    """Count the words of all files. Returns stdin, if it is a source, after a look ahead.

    Errors are not reported here, but when the files are checked.
    """
    stdin = None
    for source in sources:
        if source.path is None:
            stdin = _look_ahead(source, evidence)
        if source.stat is not None and S_ISREG(source.stat.st_mode):
            evidence.add_code(PurePath(source.name).name)
            try:
                _add(evidence, source, _counted(source, progress))
            except Error:
                continue
    return stdin


def _counted(source: Source, progress: Progress) -> Iterator[str]:
    for block in read(source):
        yield block
        progress.advance(block, label=source.name)


def _look_ahead(source: Source, evidence: "Evidence") -> Source:
    """Collect evidence from the first part of a pipe; the source still yields all of it."""
    blocks = read(source)
    first: list[str] = []
    try:
        _add(evidence, source, _up_to(LOOK_AHEAD, blocks, first))
    except Error as error:
        return replace(source, blocks=_then_raise(first, error))
    return replace(source, blocks=chain(first, blocks))


def _then_raise(blocks: Iterable[str], error: Error) -> Iterator[str]:
    """What was read of a pipe before an error. It cannot be read again."""
    yield from blocks
    raise error


def _add(evidence: "Evidence", source: Source, blocks: Iterable[str]) -> None:
    masker = Masker(language_of(source.name).name)
    for block in blocks:
        evidence.add(block, masker.mask(block))


def _up_to(limit: int, blocks: Iterator[str], seen: list[str]) -> Iterator[str]:
    """Yield blocks until `limit` characters have come, and remember them."""
    size = 0
    for block in blocks:
        seen.append(block)
        yield block
        size += len(block)
        if size >= limit:
            return
