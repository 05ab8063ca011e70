"""The server itself: what the editor says, and what is said to it; all checking is elsewhere."""

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
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
PATIENCE = 5.0
"""Seconds that an editor has to tell its settings when it is asked."""
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
        self.warned = False
        """Whether the editor has said that it will leave."""
        self.deserted = False
        """Whether it left without saying so."""
        self._checkers = Checkers()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="respell")
        self._complaint = ""

    def stop(self) -> None:
        """Stop working; what is under way ends at the next occasion."""
        self.documents.clear()
        self._worker.shutdown(wait=False, cancel_futures=True)

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
        if document.settled is None:
            section = settings.read_section(await self._section(document))
            folder, root = self._folders(document)
            settle = partial(settings.settle, section, folder=folder, root=root, known=self.words)
            document.settled = await loop.run_in_executor(self._worker, settle)
        options = document.settled.options

        def stale() -> bool:
            return document.task is not task or self.documents.get(document.uri) is not document

        def find() -> list[Correction]:
            checker = self._checkers.get(options)
            return checker.check(text, extension=document.extension, stale=stale)

        return await loop.run_in_executor(self._worker, find)

    async def _section(self, document: Document) -> object:
        """What the editor says of a document: its answer if it can be asked, or what it sent."""
        if not self.can_ask:
            return self.given
        item = types.ConfigurationItem(scope_uri=document.uri, section=settings.SECTION)
        asked = self.workspace_configuration_async(types.ConfigurationParams([item]))
        question = asyncio.ensure_future(asked)
        question.add_done_callback(_heard)
        try:
            # Shielded: a check may be given up, but the answer to a question comes all the same.
            answers = await asyncio.wait_for(asyncio.shield(question), PATIENCE)
        except (TimeoutError, JsonRpcException):
            return self.given
        return self.given if not answers or answers[0] is None else answers[0]

    @property
    def can_ask(self) -> bool:
        """Whether the editor tells its settings when it is asked."""
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.configuration)

    def _folders(self, document: Document) -> tuple[Path, Path]:
        """The folder of a document, and the outermost one of the workspace that holds it."""
        path = to_fs_path(document.uri)
        roots = [to_fs_path(folder.uri) for folder in self.workspace.folders.values()]
        root = self.workspace.root_path or next(iter(roots), None)
        if path is None:
            return Path(root or "."), Path(root or ".")
        folder = Path(path).parent
        holding = (Path(r) for r in roots if r is not None and folder.is_relative_to(r))
        return folder, next(holding, Path(root) if root else folder)


def _heard(question: asyncio.Future[Any]) -> None:
    """Take note of an answer that nobody waits for any more, be it a failure."""
    if not question.cancelled():
        question.exception()


def _initialize(ls: Server, params: types.InitializeParams) -> None:
    ls.given = params.initialization_options


async def _initialized(ls: Server, params: types.InitializedParams) -> None:
    """Ask to be told when settings change."""
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
    encoding = types.PositionEncodingKind(ls.workspace.position_encoding).value
    ls.documents[item.uri] = Document(
        uri=item.uri,
        extension=settings.extension(item.language_id, to_fs_path(item.uri) or item.uri),
        version=item.version,
        lines=Lines(item.text, cast(Encoding, encoding)),
    )
    ls.refresh(ls.documents[item.uri])


def _changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    document = ls.documents.get(params.text_document.uri)
    if document is not None:
        document.change(map(_change, params.content_changes), params.text_document.version)
        ls.refresh(document, delay=ls.delay)


def _change(event: types.TextDocumentContentChangeEvent) -> Change:
    if isinstance(event, types.TextDocumentContentChangePartial):
        return (actions.place(event.range.start), actions.place(event.range.end)), event.text
    return None, event.text


def _closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    document = ls.documents.pop(params.text_document.uri, None)
    if document is not None:
        if document.task is not None:
            document.task.cancel()
        document.found = []
        ls.publish(document)


def _saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    ls.reload()  # it may have been a dictionary or a configuration file


def _configured(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    # An editor that can be asked sends nothing to say "ask me"; another one means nothing by it.
    if params.settings or (params.settings is not None and not ls.can_ask):
        ls.given = params.settings
    ls.reload()


def _files_changed(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.reload()


async def _code_actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return []
    await ls.ready(document)
    can = ls.client_capabilities.workspace
    versioned = bool(can and can.workspace_edit and can.workspace_edit.document_changes)
    only = params.context.only
    return actions.code_actions(document, params.range, only=only, versioned=versioned)


async def _add_word(ls: Server, uri: str, word: str) -> None:
    """Put a word into the dictionary: a file if there is one, or else our memory."""
    document = ls.documents.get(uri)
    if document is not None:
        await ls.ready(document)  # until then we do not know which file
    file = document.settled.dictionary_file if document and document.settled else None
    try:
        if file is not None:
            settings.add_word(file, word)
        else:
            ls.words.add(word)
            ls.say(
                f"“{word}” is known until the editor closes; to keep words, name a file for them: "
                "respell.dictionaryFile in the settings, or dictionary_files in respell.toml",
                types.MessageType.Info,
            )
    except Error as error:
        ls.say(str(error))
    ls.reload()


def _ignore_word(ls: Server, uri: str, word: str) -> None:
    document = ls.documents.get(uri)
    if document is not None:
        document.ignore(word)
        ls.refresh(document)


def _shut_down(ls: Server, params: None) -> None:
    ls.warned = True


def _exit(ls: Server, params: None) -> None:
    ls.deserted = not ls.warned


def build(*, delay: float = DELAY) -> Server:
    """A server that knows what to do, not yet started."""
    server = Server(delay=delay)
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
