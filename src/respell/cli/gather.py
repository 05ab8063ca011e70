"""Read the sources of a run once, to collect evidence about their words."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import PurePath

from respell.cli.files import Source, read
from respell.decision.evidence import LOOK_AHEAD, Evidence
from respell.formats.languages import language_of
from respell.formats.masker import Masker
from respell.types import Error


def read_evidence(sources: Iterable[Source], known: Container[str]) -> Evidence:
    """Count the words of all files; what cannot be read is reported later, when it is checked."""
    evidence = Evidence()
    for source in sources:
        if source.path is not None:
            evidence.add_code(PurePath(source.name).name)
            try:
                _add(evidence, source, read(source), known)
            except Error:
                continue
    return evidence


def look_ahead(source: Source, evidence: Evidence, known: Container[str]) -> Source:
    """Collect evidence from the first part of a pipe; the source still yields all of it."""
    blocks = read(source)
    first: list[str] = []
    try:
        _add(evidence, source, _up_to(LOOK_AHEAD, blocks, first), known)
    except Error:
        return replace(source, blocks=chain(first, read(source)))
    return replace(source, blocks=chain(first, blocks))


def _add(evidence: Evidence, source: Source, blocks: Iterable[str], known: Container[str]) -> None:
    masker = Masker(language_of(source.name).name)
    for block in blocks:
        evidence.add(block, masker.mask(block), known)


def _up_to(limit: int, blocks: Iterator[str], seen: list[str]) -> Iterator[str]:
    """Yield blocks until `limit` characters have come, and remember them."""
    size = 0
    for block in blocks:
        seen.append(block)
        yield block
        size += len(block)
        if size >= limit:
            return
