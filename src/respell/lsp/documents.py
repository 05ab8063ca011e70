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
    typing: list[int] = field(default_factory=list)
    """Where the last edits end, as long as the user is probably still typing there."""
    pause: asyncio.TimerHandle | None = None
    """Ends `typing`."""

    def change(self, events: Iterable[types.TextDocumentContentChangeEvent], version: int) -> None:
        """Apply the changes of the editor, in order."""
        self.typing = []
        for event in events:
            text = event.text
            if isinstance(event, types.TextDocumentContentChangePartial):
                old = self.lines.text
                start = self.lines.offset(event.range.start)
                end = max(start, self.lines.offset(event.range.end))
                moved = start + len(text)
                self.typing = [
                    at + moved - end if at >= end else at
                    for at in self.typing
                    if at <= start or at >= end
                ]
                self.typing.append(moved)
                text = old[:start] + text + old[end:]
            else:
                self.typing = []
            self.lines = Lines(text, self.lines.codec)
        self.version = version

    def stop_typing(self) -> bool:
        """Forget where the user was typing. Returns whether that shows more misspellings."""
        if self.pause is not None:
            self.pause.cancel()
        self.pause = None
        shown = len(self.shown())
        self.typing = []
        return len(self.shown()) > shown

    def corrections(self) -> list[Correction]:
        """The corrections of words that are not ignored."""
        return [found for found in self.found if normalize(found.original) not in self.ignored]

    def shown(self) -> list[Correction]:
        """The corrections that are reported: not those of a word that is still being typed."""
        return [found for found in self.corrections() if not self.is_typed(found)]

    def is_typed(self, found: Correction) -> bool:
        """Whether a word is still being typed: the last edit has ended in it or right after it."""
        return any(found.start < at <= found.end for at in self.typing)

    def ignore(self, word: str) -> None:
        """Stop reporting a word, in upper or lower case."""
        self.ignored.add(normalize(word))
