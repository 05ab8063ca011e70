"""A document that is open in the editor: its text and the misspellings found in it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from lsprotocol import types

from respell.formats.languages import Language
from respell.lsp.positions import Lines
from respell.lsp.settings import Settings
from respell.model.encode import normalize
from respell.types import Correction


@dataclass(slots=True, eq=False, kw_only=True)
class Document:
    """A document that is open in the editor."""

    uri: str
    language: Language
    version: int
    lines: Lines
    settings: Settings | None = None
    """None until they are read, and after a change that may affect them."""
    found: list[Correction] = field(default_factory=list)
    """The corrections of the last check."""
    ignored: set[str] = field(default_factory=set)
    """Normalized words that the user ignores in this document."""
    task: asyncio.Task[None] | None = None
    """The latest check. Earlier ones are stale."""

    def change(self, events: Iterable[types.TextDocumentContentChangeEvent], version: int) -> None:
        """Apply the changes of the editor, in order."""
        for event in events:
            text = event.text
            if isinstance(event, types.TextDocumentContentChangePartial):
                old = self.lines.text
                start = self.lines.offset(event.range.start)
                end = self.lines.offset(event.range.end)
                text = old[:start] + text + old[max(start, end) :]
            self.lines = Lines(text, self.lines.codec)
        self.version = version

    def corrections(self) -> list[Correction]:
        """The corrections of words that are not ignored."""
        return [found for found in self.found if normalize(found.original) not in self.ignored]

    def ignore(self, word: str) -> None:
        """Stop reporting a word, in upper or lower case."""
        self.ignored.add(normalize(word))
