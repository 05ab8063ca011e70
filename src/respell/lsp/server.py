"""The server itself: what the editor says, and what is said to it; all checking is elsewhere."""

import asyncio
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from respell import __version__
from respell.lsp import actions, settings
from respell.lsp.checking import Checkers, StaleError
from respell.lsp.documents import Change, Document
from respell.lsp.positions import Encoding, Lines
from respell.types import Correction, Error

DELAY = 0.2
"""Seconds without a key stroke before a changed text is checked."""

_WATCHED = "**/{respell,pyproject}.toml"


class _Protocol(LanguageServerProtocol):
    """Leaves texts to us: pygls ends lines at form feeds and other signs that are no line ends."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None


class Server(LanguageServer):
    """Keeps the open documents and checks them in a thread of its own, the newest text only."""

    def __init__(self, *, delay: float = DELAY) -> None:
        super().__init__("respell", __version__, protocol_cls=_Protocol)
        self.documents: dict[str, Document] = {}
        self.words: set[str] = set()
        """Words of the dictionary that have no file to go to."""
        self.given: object = None
        """Settings that the editor sent without being asked."""
        self.delay = delay
        self._checkers = Checkers()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="respell")
        self._complaint = ""

    def shutdown(self) -> None:
        """Stop working; what is under way ends at the next occasion."""
        self.documents.clear()
        self._worker.shutdown(wait=False, cancel_futures=True)
        super().shutdown()

    def refresh(self, document: Document, *, delay: float = 0.0) -> None:
        """Check a document soon; a check under way is given up."""
        if document.task is not None:
            document.task.cancel()
        document.task = asyncio.get_running_loop().create_task(self._check(document, delay))

    def reload(self) -> None:
        """Read all settings again; what they do not change is not checked again."""
        for document in self.documents.values():
            document.settled = None
            self.refresh(document)

    async def ready(self, document: Document) -> None:
        """Wait until what was found in a document is true of its text."""
        while document.task is not None and not document.task.done():
            await asyncio.wait({document.task})

    def publish(self, document: Document) -> None:
        """Send what was found."""
        lines = document.lines
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=document.uri,
                version=document.version,
                diagnostics=[actions.diagnostic(lines, c) for c in document.corrections()],
            )
        )

    def say(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Show the user a message, but not one and the same at every key stroke."""
        if message != self._complaint:
            self._complaint = message
            self.window_show_message(types.ShowMessageParams(kind, f"respell: {message}"))

    async def _check(self, document: Document, delay: float) -> None:
        await asyncio.sleep(delay)
        document.found = []
        try:
            document.found = await self._find(document)
            self._complaint = ""
        except StaleError:
            return
        except Error as error:
            self.say(str(error))
        except Exception as error:  # an editor without its spelling is better than one without us
            self.say(f"{type(error).__name__}: {error}")
        self.publish(document)

    async def _find(self, document: Document) -> list[Correction]:
        loop, task, text = asyncio.get_running_loop(), document.task, document.lines.text
        section = settings.read_section(await self._section(document))

        def stale() -> bool:
            return document.task is not task or self.documents.get(document.uri) is not document

        def find() -> list[Correction]:
            if document.settled is None:
                document.settled = settings.settle(section, **self._places(document))
            checker = self._checkers.get(document.settled.options)
            return checker.check(text, extension=document.extension, stale=stale)

        return await loop.run_in_executor(self._worker, find)
