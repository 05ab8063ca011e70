"""An open document: its text as the editor changes it, and what was found in it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from respell.lsp.positions import Lines, Place
from respell.lsp.settings import Settled
from respell.model.encode import normalize
from respell.types import Correction

Change = tuple[tuple[Place, Place] | None, str]
"""What the editor says has changed: a range and its new text; without a range, the whole text."""


@dataclass(slots=True, eq=False, kw_only=True)
class Document:
    """A text the editor has open."""

    uri: str
    extension: str
    version: int
    lines: Lines
    settled: Settled | None = None
    """None until its settings are read, and when they must be read anew."""
    found: list[Correction] = field(default_factory=list)
    """The corrections of the text as it was when it was last checked."""
    ignored: set[str] = field(default_factory=set)
    """Words that the writer does not want to hear of again."""
    task: asyncio.Task[None] | None = None
    """The check under way; a newer one takes its place, and then it is stale."""

    def change(self, changes: Iterable[Change], version: int) -> None:
        """Do what the editor has done, in its order."""
        for span, text in changes:
            old = self.lines.text
            if span is not None:
                start, end = (self.lines.offset(place) for place in span)
                text = old[:start] + text + old[max(start, end) :]
            self.lines = Lines(text, self.lines.encoding)
        self.version = version

    def corrections(self) -> list[Correction]:
        """What was found and is not ignored."""
        return [found for found in self.found if normalize(found.original) not in self.ignored]

    def ignore(self, word: str) -> None:
        """Say no more about a word, in whatever case it is written."""
        self.ignored.add(normalize(word))
