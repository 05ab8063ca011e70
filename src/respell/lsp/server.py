"""The language server: answers the editor's messages and schedules the checks."""

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from respell import __version__
from respell.config import add_word
from respell.formats.languages import language_in_editor
from respell.lsp import actions, settings
from respell.lsp.checking import Checkers, StaleError
from respell.lsp.documents import Document
from respell.lsp.positions import Lines
from respell.model.version import default_path, read_version
from respell.types import Correction, Error

DELAY = 0.2
"""Seconds between the last keystroke and the check."""
PAUSE = 1.5
"""Seconds after the last keystroke until the word at the cursor is reported."""
SETTINGS_TIMEOUT = 5.0
"""Seconds to wait for the editor's answer to a request for its settings."""
_WATCHED = "**/{respell,pyproject}.toml"


class _Protocol(LanguageServerProtocol):
    """Keeps pygls from editing the texts: it splits lines at form feeds and the like."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None


class Server(LanguageServer):
    """Keeps the open documents and checks their latest text in a worker thread."""

    def __init__(self, *, delay: float = DELAY, pause: float = PAUSE) -> None:
        version = f"{__version__} (model {read_version(default_path())})"
        super().__init__("respell", version, protocol_cls=_Protocol)
        self.documents: dict[str, Document] = {}
        self.words: set[str] = set()
        """Words that the user has added while there was no dictionary file."""
        self.pushed_settings: object = None
        """Settings that the editor has sent without a request."""
        self.delay = delay
        self.pause = pause
        self.shutdown_received = False
        self.exited_without_shutdown = False
        self._checkers = Checkers()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="respell")
        self._last_message = ""

    def stop(self) -> None:
        """Cancel all checks. A check that is running ends soon."""
        self.documents.clear()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def schedule(self, document: Document, *, delay: float = 0.0) -> None:
        """Check a document after a delay. An earlier check is cancelled."""
        if document.task is not None:
            document.task.cancel()
        document.task = asyncio.get_running_loop().create_task(self._check(document, delay))

    def reload(self) -> None:
        """Read the settings of all documents again and check them; cached answers are reused."""
        for document in self.documents.values():
            document.settings = None
            self.schedule(document)

    async def wait(self, document: Document) -> None:
        """Wait until the latest text of a document has been checked."""
        while document.task is not None and not document.task.done():
            await asyncio.wait({document.task})

    def publish(self, document: Document) -> None:
        """Send the diagnostics of a document."""
        lines = document.lines
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=document.uri,
                version=document.version,
                diagnostics=[actions.diagnostic(lines, c) for c in document.shown()],
            )
        )

    def hold_back(self, document: Document) -> None:
        """Do not report the word that is being typed, until there is a pause."""
        if document.pause is not None:
            document.pause.cancel()
        loop = asyncio.get_running_loop()
        document.pause = loop.call_later(self.pause, self.show_typed, document)

    def show_typed(self, document: Document) -> None:
        """Report the word that was being typed, unless a check is about to do it."""
        more = document.stop_typing()
        if more and (document.task is None or document.task.done()):
            self.publish(document)

    def show(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Show a message to the user, but not the same message twice in a row."""
        if message != self._last_message:
            self._last_message = message
            self.window_show_message(types.ShowMessageParams(kind, f"respell: {message}"))

    async def _check(self, document: Document, delay: float) -> None:
        await asyncio.sleep(delay)
        document.found = []
        try:
            document.found = await self._find(document)
            self._last_message = ""
        except StaleError:
            return
        except Error as error:
            self.show(str(error))
        except Exception as error:  # a failed check must not end the server
            self.show(f"{type(error).__name__}: {error}")
        self.publish(document)

    async def _find(self, document: Document) -> list[Correction]:
        loop, task, text = asyncio.get_running_loop(), document.task, document.lines.text
        if document.settings is None:
            editor = settings.read_settings(await self._editor_settings(document))
            folder, root = self._folders(document)
            merge = partial(settings.merge, editor, folder=folder, root=root, words=self.words)
            document.settings = await loop.run_in_executor(self._worker, merge)
        options = document.settings.options

        def stale() -> bool:
            return document.task is not task or self.documents.get(document.uri) is not document

        def find() -> list[Correction]:
            checker = self._checkers.get(options)
            return checker.check(text, format=document.language.name, stale=stale)

        return await loop.run_in_executor(self._worker, find)

    async def _editor_settings(self, document: Document) -> object:
        """The editor's settings for a document: its answer to a request, or what it has pushed."""
        if not self.can_request_settings:
            return self.pushed_settings
        item = types.ConfigurationItem(scope_uri=document.uri, section=settings.SECTION)
        params = types.ConfigurationParams([item])
        request = asyncio.ensure_future(self.workspace_configuration_async(params))
        request.add_done_callback(_retrieve_exception)
        try:
            # Shielded because the answer arrives even if this check is cancelled.
            answers = await asyncio.wait_for(asyncio.shield(request), SETTINGS_TIMEOUT)
        except (TimeoutError, JsonRpcException):
            return self.pushed_settings
        return self.pushed_settings if not answers or answers[0] is None else answers[0]

    @property
    def can_request_settings(self) -> bool:
        """Whether the editor answers requests for its settings."""
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.configuration)

    def _folders(self, document: Document) -> tuple[Path, Path]:
        """The folder of a document, and the workspace folder that contains it."""
        path = to_fs_path(document.uri)
        roots = [to_fs_path(folder.uri) for folder in self.workspace.folders.values()]
        root = self.workspace.root_path or next(iter(roots), None)
        if path is None:
            return Path(root or "."), Path(root or ".")
        folder = Path(path).parent
        holding = (Path(r) for r in roots if r is not None and folder.is_relative_to(r))
        return folder, next(holding, Path(root) if root else folder)


def _retrieve_exception(request: asyncio.Future[Any]) -> None:
    """Keep asyncio from logging the failure of a request whose check was cancelled."""
    if not request.cancelled():
        request.exception()


def _initialize(ls: Server, params: types.InitializeParams) -> None:
    ls.pushed_settings = params.initialization_options


async def _initialized(ls: Server, params: types.InitializedParams) -> None:
    """Ask the editor to report changes of settings and configuration files."""
    can = ls.client_capabilities.workspace
    wanted: list[tuple[str, object]] = []
    if can and can.did_change_configuration and can.did_change_configuration.dynamic_registration:
        section = types.DidChangeConfigurationRegistrationOptions(section=settings.SECTION)
        wanted.append((types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    if can and can.did_change_watched_files and can.did_change_watched_files.dynamic_registration:
        files = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(_WATCHED)])
        wanted.append((types.WORKSPACE_DID_CHANGE_WATCHED_FILES, files))
    if wanted:
        registrations = [types.Registration(f"respell {m}", m, options) for m, options in wanted]
        await ls.client_register_capability_async(types.RegistrationParams(registrations))


def _opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    ls.documents[item.uri] = Document(
        uri=item.uri,
        language=language_in_editor(item.language_id, to_fs_path(item.uri) or item.uri),
        version=item.version,
        lines=Lines(item.text, ls.workspace.position_codec),
    )
    ls.schedule(ls.documents[item.uri])


def _changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    document = ls.documents.get(params.text_document.uri)
    if document is not None:
        document.change(params.content_changes, params.text_document.version)
        ls.hold_back(document)
        ls.schedule(document, delay=ls.delay)


def _closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    document = ls.documents.pop(params.text_document.uri, None)
    if document is not None:
        if document.task is not None:
            document.task.cancel()
        document.stop_typing()
        document.found = []
        ls.publish(document)


def _saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    document = ls.documents.get(params.text_document.uri)
    if document is not None:
        document.stop_typing()
    ls.reload()  # the file may be a dictionary or a configuration file


def _configured(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    # An editor that answers requests sends empty settings to say that they have changed. From
    # other editors, empty settings mean that nothing is set.
    if params.settings or (params.settings is not None and not ls.can_request_settings):
        ls.pushed_settings = params.settings
    ls.reload()


def _files_changed(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.reload()


async def _code_actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return []
    await ls.wait(document)
    if not actions.touches_typing(document, params.range):
        ls.show_typed(document)  # the cursor has left the word
    can = ls.client_capabilities.workspace
    versioned = bool(can and can.workspace_edit and can.workspace_edit.document_changes)
    automatic = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
    return actions.code_actions(
        document,
        params.range,
        only=params.context.only,
        versioned=versioned,
        typed=not automatic,
    )


async def _add_word(ls: Server, uri: str, word: str) -> None:
    """Add a word to the dictionary file or, if there is none, to the words of this session."""
    document = ls.documents.get(uri)
    if document is not None:
        await ls.wait(document)  # the settings name the file
    file = document.settings.dictionary_file if document and document.settings else None
    try:
        if file is not None:
            add_word(file, word)
        else:
            ls.words.add(word)
            ls.show(
                f"“{word}” is accepted until the editor closes; to keep such words, set "
                "respell.dictionaryFile in the editor or dictionary_files in respell.toml",
                types.MessageType.Info,
            )
    except Error as error:
        ls.show(str(error))
    ls.reload()


def _ignore_word(ls: Server, uri: str, word: str) -> None:
    document = ls.documents.get(uri)
    if document is not None:
        document.ignore(word)
        ls.schedule(document)


def _shut_down(ls: Server, params: None) -> None:
    ls.shutdown_received = True


def _exit(ls: Server, params: None) -> None:
    ls.exited_without_shutdown = not ls.shutdown_received


def build(*, delay: float = DELAY, pause: float = PAUSE) -> Server:
    """A server with all its handlers, not yet started."""
    server = Server(delay=delay, pause=pause)
    handlers: dict[str, Callable[[Server, Any], Any]] = {
        types.INITIALIZE: _initialize,
        types.INITIALIZED: _initialized,
        types.SHUTDOWN: _shut_down,
        types.EXIT: _exit,
        types.TEXT_DOCUMENT_DID_OPEN: _opened,
        types.TEXT_DOCUMENT_DID_CHANGE: _changed,
        types.TEXT_DOCUMENT_DID_CLOSE: _closed,
        types.TEXT_DOCUMENT_DID_SAVE: _saved,
        types.WORKSPACE_DID_CHANGE_CONFIGURATION: _configured,
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: _files_changed,
    }
    for method, handler in handlers.items():
        server.feature(method)(handler)
    kinds = types.CodeActionOptions(code_action_kinds=list(actions.KINDS))
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)(_code_actions)
    server.command(actions.ADD_WORD)(_add_word)
    server.command(actions.IGNORE_WORD)(_ignore_word)
    return server
