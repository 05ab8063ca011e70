"""The language server over real standard input and output, with the real model."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, Union

import pytest

pytest.importorskip("pygls", reason="needs the extra lsp")

from lsprotocol import types

import respell
from golden_answers import golden
from respell.corrector import Corrector
from respell.formats.languages import language_named
from respell.lsp import actions
from respell.lsp.checking import Checker
from respell.lsp.documents import Document
from respell.lsp.positions import Lines
from respell.model.version import default_path, read_version
from respell.text.windows import Window
from respell.types import PRESETS, Correction

pytest_lsp = pytest.importorskip("pytest_lsp")
pytest_asyncio = pytest.importorskip("pytest_asyncio")

pytestmark = [pytest.mark.clients, pytest.mark.asyncio(loop_scope="module")]

PAUSE = 4
"""Seconds until a word that is being typed is reported: so many that a slow machine needs less for
a check. The tests of VS Code have the usual ones."""
SERVER = f"""
from functools import partial
from respell.lsp import serve, server
server.build = partial(server.build, pause={PAUSE})
serve()
"""
COMMAND = [sys.executable, "-c", SERVER]
EMOJI = "One 😀 line.\r\n😀 I recieve teh mail.\r\n"
VERSIONS = count(1)
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Editor:
    """An editor: opens, changes and closes documents, and waits for answers."""

    def __init__(self, client: Any, folder: Path, encoding: str = "utf-16") -> None:
        self.client = client
        self.folder = folder
        self.encoding = encoding
        self.text = self.uri = ""
        self.version = 0

    async def open(
        self, text: str, *, name: str = "note.txt", language: str = "plaintext"
    ) -> list[types.Diagnostic]:
        self.text, self.uri = text, (self.folder / name).as_uri()
        self.version = next(VERSIONS)
        item = types.TextDocumentItem(self.uri, language, self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics()

    def change(self, start: int, end: int, new: str) -> None:
        self.version = next(VERSIONS)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [
                    types.TextDocumentContentChangePartial(
                        types.Range(self.position(start), self.position(end)), new
                    )
                ],
            )
        )
        self.text = self.text[:start] + new + self.text[end:]

    def close(self) -> None:
        name = types.TextDocumentIdentifier(self.uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(name))

    async def diagnostics(self) -> list[types.Diagnostic]:
        """The next diagnostics that are published for the current text."""
        while True:
            sent = await self.client.wait_for_notification("textDocument/publishDiagnostics")
            if (sent.uri, sent.version) == (self.uri, self.version):
                return list(sent.diagnostics)

    async def offered(
        self, start: int, end: int, only: list[str] | None = None
    ) -> list[types.CodeAction]:
        answer = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri),
                types.Range(self.position(start), self.position(end)),
                types.CodeActionContext(diagnostics=[], only=only),
            )
        )
        return list(answer)

    async def configure(self, section: dict[str, Any]) -> list[types.Diagnostic]:
        self.client.set_configuration(section, section="respell")
        self.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        return await self.diagnostics()

    async def command(self, action: types.CodeAction) -> list[types.Diagnostic]:
        assert action.command is not None
        # Does not wait for the response: the diagnostics may arrive before it.
        self.client.workspace_execute_command(
            types.ExecuteCommandParams(action.command.command, action.command.arguments)
        )
        return await self.diagnostics()

    def position(self, offset: int) -> types.Position:
        lines = self.text[:offset].split("\n")
        codec, width = CODECS[self.encoding]
        return types.Position(len(lines) - 1, len(lines[-1].encode(codec)) // width)

    def offset(self, position: types.Position) -> int:
        codec, width = CODECS[self.encoding]
        lines = self.text.split("\n")
        units = lines[position.line].encode(codec)[: position.character * width]
        return len("\n".join([*lines[: position.line], units.decode(codec)]))

    def originals(self, diagnostics: Iterable[types.Diagnostic]) -> list[str]:
        spans = [(self.offset(d.range.start), self.offset(d.range.end)) for d in diagnostics]
        return [self.text[start:end] for start, end in spans]

    def apply(self, action: types.CodeAction) -> str:
        """The text with the edits of an action."""
        assert action.edit is not None
        assert action.edit.document_changes is not None
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert (change.text_document.uri, change.text_document.version) == (self.uri, self.version)
        text = self.text
        for edit in sorted(change.edits, key=lambda e: self.offset(e.range.start), reverse=True):
            assert isinstance(edit, types.TextEdit)
            start, end = self.offset(edit.range.start), self.offset(edit.range.end)
            text = text[:start] + edit.new_text + text[end:]
        return text


def capabilities(*encodings: str) -> types.ClientCapabilities:
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=list(encodings) or None),
        workspace=types.WorkspaceClientCapabilities(
            configuration=True,
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
        ),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True)
        ),
    )


def make_client() -> Any:
    """A client that can tell an action with a command from a command; lsprotocol cannot."""
    client = pytest_lsp.make_test_lsp_client()
    converter = client.protocol._converter
    converter.register_structure_hook(
        Union[types.Command, types.CodeAction],  # noqa: UP007 - the key that lsprotocol uses
        lambda value, _: converter.structure(value, types.CodeAction),
    )
    return client


CONFIG = pytest_lsp.ClientServerConfig(server_command=COMMAND, client_factory=make_client)


async def _started(**options: Any) -> tuple[Any, types.InitializeResult]:
    client = await CONFIG.start()
    return client, await client.initialize_session(types.InitializeParams(**options))


async def _stopped(client: Any) -> None:
    await client.shutdown_session()
    assert client._server.returncode == 0
    await client.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")  # type: ignore[untyped-decorator]
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Any, None]:
    folder = tmp_path_factory.mktemp("workspace")
    root = types.WorkspaceFolder(folder.as_uri(), "workspace")
    client, _ = await _started(capabilities=capabilities(), workspace_folders=[root])
    client.folder = folder
    yield client
    await _stopped(client)


@pytest.fixture
def editor(client: Any) -> Iterable[Editor]:
    client.set_configuration({}, section="respell")
    client.messages.clear()
    editor = Editor(client, client.folder)
    yield editor
    editor.close()


def titled(found: Iterable[types.CodeAction], *words: str) -> types.CodeAction:
    (action,) = (a for a in found if all(word in a.title for word in words))
    return action


async def test_diagnostic_after_an_emoji(editor: Editor) -> None:
    recieve, teh = await editor.open(EMOJI)
    assert editor.originals([recieve, teh]) == ["recieve", "teh"]
    start, end = types.Position(1, 5), types.Position(1, 12)
    assert recieve.range == types.Range(start, end)
    assert (teh.code, teh.source) == ("respell", "respell")
    assert teh.severity == types.DiagnosticSeverity.Warning
    assert teh.message == "“teh” is an unknown word; suggestions: the"
    assert recieve.message == "“recieve” is an unknown word; suggestions: receive, received"
    wanted = respell.load().check(EMOJI)[1].to_dict()
    data: Any = teh.data
    assert data.keys() == wanted.keys()
    for key in ("start", "end", "original", "replacement", "kind"):
        assert data[key] == wanted[key]
    for key in ("score", "error_probability"):
        assert data[key] == pytest.approx(wanted[key], abs=0.02)
    assert [s["text"] for s in data["suggestions"]] == [s["text"] for s in wanted["suggestions"]]


async def test_known_word_in_the_wrong_place(editor: Editor) -> None:
    (found,) = await editor.open("He has an affect on me.\n")
    assert found.message.startswith("“affect” may be the wrong word; suggestions: effect")


async def test_only_likely_misspellings_are_warnings(editor: Editor) -> None:
    text = "He has an affect on me. I recieve teh mail.\n"
    wanted = respell.load().check(text)
    likely = [c.error_probability >= actions.WARNING_PROBABILITY for c in wanted]
    assert likely == [False, True, True]
    found = await editor.open(text)
    assert [d.severity == types.DiagnosticSeverity.Warning for d in found] == likely


async def test_quick_fixes(editor: Editor) -> None:
    text = "One 😀 line.\r\n😀 Please take the fourm road.\r\n"
    await editor.open(text)
    at = text.index("fourm")
    found = await editor.offered(at, at)
    fixes = [action for action in found if action.title.startswith("Replace")]
    (correction,) = respell.load().check_document(text)
    suggestions = [s.text for s in correction.suggestions]
    assert suggestions[0] == "forum"
    assert len(suggestions) >= 4
    assert [fix.title for fix in fixes] == [f"Replace “fourm” with “{s}”" for s in suggestions]
    assert [fix.is_preferred for fix in fixes] == [True] + [False] * (len(fixes) - 1)
    assert editor.apply(fixes[0]) == text.replace("fourm", "forum")
    assert editor.apply(fixes[1]) == text.replace("fourm", suggestions[1])
    assert fixes[0].diagnostics is not None
    assert editor.originals(fixes[0].diagnostics) == ["fourm"]


async def test_actions_match_the_requested_range_and_kind(editor: Editor) -> None:
    await editor.open(EMOJI)
    assert [a.kind for a in await editor.offered(0, 3)] == [actions.FIX_ALL]
    everything = await editor.offered(0, len(EMOJI), only=["quickfix"])
    assert {action.kind for action in everything} == {types.CodeActionKind.QuickFix}
    assert len({action.title.split("“")[1] for action in everything}) > 2
    assert await editor.offered(0, len(EMOJI), only=["refactor"]) == []
    assert await editor.offered(0, len(EMOJI), only=["source.fixAll"]) == []


async def test_fix_all(editor: Editor) -> None:
    await editor.open(EMOJI)
    (action,) = await editor.offered(0, 0, only=["source"])
    assert action.title == "Fix all misspellings in this file (2)"
    assert editor.apply(action) == respell.load().correct(EMOJI)


async def test_actions_wait_for_the_newest_text(editor: Editor) -> None:
    await editor.open("All is well.\n")
    editor.change(0, 0, "Teh mail. ")
    found = await editor.offered(1, 1)
    assert editor.apply(titled(found, "with “The”")) == "The mail. All is well.\n"


async def test_word_is_added_to_the_dictionary_file(editor: Editor) -> None:
    (editor.folder / "docs").mkdir()
    editor.client.set_configuration({"dictionaryFile": "docs/words.txt"}, section="respell")
    await editor.open(EMOJI)
    at = EMOJI.index("teh")
    left = await editor.command(titled(await editor.offered(at, at), "Add “teh”"))
    assert editor.originals(left) == ["recieve"]
    assert (editor.folder / "docs" / "words.txt").read_text() == "teh\n"
    assert editor.client.messages == []


async def test_word_is_added_without_a_dictionary_file(editor: Editor) -> None:
    text = "Please send the maill today."
    assert editor.originals(await editor.open(text)) == ["maill"]
    assert await editor.command(titled(await editor.offered(20, 20), "Add “maill”")) == []
    (message,) = editor.client.messages
    assert message.type == types.MessageType.Info
    assert "respell.dictionaryFile" in message.message


async def test_word_is_ignored_in_one_file(editor: Editor) -> None:
    await editor.open(EMOJI + "Teh end.\n")
    at = EMOJI.index("teh")
    left = await editor.command(titled(await editor.offered(at, at), "Ignore “teh”"))
    assert editor.originals(left) == ["recieve"]
    other = Editor(editor.client, editor.folder)
    assert other.originals(await other.open(EMOJI, name="other.txt")) == ["recieve", "teh"]
    other.close()


@pytest.mark.parametrize(
    ("language", "text", "comment"),
    [
        ("markdown", "I like teh mail.  \nI like teh dog.\n", "<!-- respell: ignore -->"),
        ("python", "x = 1  # I like teh mail.\ny = 2  # I like teh dog.\n", "# respell: ignore"),
        ("rust", "// I like teh mail.\n// I like teh dog.\n", "// respell: ignore"),
    ],
)
async def test_line_is_ignored(editor: Editor, language: str, text: str, comment: str) -> None:
    await editor.open(text, language=language)
    at = text.index("teh")
    edited = editor.apply(titled(await editor.offered(at, at), "Ignore this line"))
    assert edited == text.replace("mail.", f"mail. {comment}")
    editor.change(0, len(text), edited)
    assert [found.range.start.line for found in await editor.diagnostics()] == [1]


@pytest.mark.parametrize(
    ("language", "name", "text"),
    [
        ("markdown", "a", "`teh` is teh\n\n```\nteh\n```\n"),
        (
            "plaintext",
            "a.md",
            "<!-- respell: off -->\nteh\n<!-- respell: on -->\nI like teh dog.\n",
        ),
        ("html", "a", "<code>adn</code> I like <b class='wrng'>teh</b> dog.\n"),
        ("latex", "a", "\\label{teh} I like teh dog. % teh\n"),
        ("restructuredtext", "a", "I like ``teh`` and teh dog::\n\n    teh\n"),
    ],
)
async def test_markup_is_skipped(editor: Editor, language: str, name: str, text: str) -> None:
    found = await editor.open(text, name=name, language=language)
    assert editor.originals(found) == ["teh"]


async def test_settings_take_effect_at_once(editor: Editor) -> None:
    await editor.open(EMOJI)
    assert await editor.configure({"threshold": 1}) == []
    assert len(await editor.configure({})) == 2
    assert editor.originals(await editor.configure({"dictionary": ["TEH"]})) == ["recieve"]
    assert editor.client.messages == []


@pytest.mark.parametrize("most", [1, 3])
async def test_number_of_suggestions(editor: Editor, most: int) -> None:
    await editor.open("Please take the forh road.\n")
    (found,) = await editor.configure(
        {"maxSuggestions": most, "preset": "careful", "threshold": 0.5}
    )
    data: Any = found.data
    assert len(data["suggestions"]) == most
    assert editor.client.messages == []


async def test_invalid_setting_is_reported_once(editor: Editor) -> None:
    await editor.open(EMOJI)
    assert await editor.configure({"threshold": 7}) == []
    editor.change(0, 0, "So. ")
    assert await editor.diagnostics() == []
    (message,) = editor.client.messages
    assert message.type == types.MessageType.Error
    assert message.message == (
        "respell: settings of the editor: respell.threshold must be a number between 0 and 1, not 7"
    )
    assert len(await editor.configure({})) == 2


async def test_unknown_preset_is_reported(editor: Editor) -> None:
    await editor.open(EMOJI)
    assert await editor.configure({"preset": "bold"}) == []
    (message,) = editor.client.messages
    assert message.message.startswith("respell: no preset 'bold' in this model; it has default,")


async def test_configuration_files(editor: Editor) -> None:
    folder = editor.folder / "configured"
    folder.mkdir()
    (folder / "respell.toml").write_text('dictionary = ["teh"]')
    assert editor.originals(await editor.open(EMOJI, name="configured/a.txt")) == ["recieve"]
    (folder / "respell.toml").write_text('model = "nowhere"')
    event = types.FileEvent((folder / "respell.toml").as_uri(), types.FileChangeType.Changed)
    changed = types.DidChangeWatchedFilesParams([event])
    editor.client.workspace_did_change_watched_files(changed)
    assert await editor.diagnostics() == []
    (message,) = editor.client.messages
    assert message.message.endswith("nowhere: no such model folder")
    (folder / "respell.toml").write_text("")
    saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(editor.uri))
    editor.client.text_document_did_save(saved)
    assert editor.originals(await editor.diagnostics()) == ["recieve", "teh"]


async def test_edits(editor: Editor) -> None:
    text = "A 😀.\x0cB\u2028C.\r\n\r\nI like teh 😀 dog.\r\n\r\nI like teh cat.\r\n"
    assert editor.originals(await editor.open(text)) == ["teh", "teh"]
    editor.change(text.index("teh"), text.index("teh") + 3, "the")
    assert editor.originals(await editor.diagnostics()) == ["teh"]
    editor.change(0, 3, "I recieve mail 😀😀")
    editor.change(editor.text.rindex("teh"), len(editor.text), "our 😀\r\ntommorow")
    assert editor.originals(await editor.diagnostics()) == ["recieve"]  # the other is being typed
    assert editor.originals(await editor.diagnostics()) == ["recieve", "tommorow"]
    editor.change(0, len(editor.text), "")
    assert await editor.diagnostics() == []


async def test_a_word_is_reported_when_the_user_pauses(editor: Editor) -> None:
    await editor.open("I recieve mail. I like te")
    started = time.monotonic()
    editor.change(len(editor.text), len(editor.text), "h")
    assert editor.originals(await editor.diagnostics()) == ["recieve"]
    assert editor.originals(await editor.diagnostics()) == ["recieve", "teh"]
    assert time.monotonic() - started >= PAUSE


async def test_a_word_is_reported_when_the_user_goes_on(editor: Editor) -> None:
    await editor.open("I like te")
    editor.change(len(editor.text), len(editor.text), "h")
    assert editor.originals(await editor.diagnostics()) == []
    started = time.monotonic()
    editor.change(len(editor.text), len(editor.text), " ")
    assert editor.originals(await editor.diagnostics()) == ["teh"]
    assert time.monotonic() - started < PAUSE


async def test_a_word_is_reported_when_the_cursor_leaves_it(editor: Editor) -> None:
    """Editors ask for actions where the cursor is."""
    await editor.open("I like te")
    editor.change(len(editor.text), len(editor.text), "h")
    assert editor.originals(await editor.diagnostics()) == []
    started = time.monotonic()
    titles = [action.title for action in await editor.offered(10, 10)]
    assert titles[0] == "Replace “teh” with “the”"
    elsewhere = asyncio.ensure_future(editor.offered(2, 2))  # the diagnostics may come first
    assert editor.originals(await editor.diagnostics()) == ["teh"]
    assert len(await elsewhere) == 1
    assert time.monotonic() - started < PAUSE


async def test_only_the_newest_text_is_checked(editor: Editor) -> None:
    await editor.open("I like ")
    published: list[int] = []
    original: Callable[..., Any] = editor.client.protocol.fm.features[
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS
    ]
    editor.client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = lambda params: (
        published.append(params.version)
    )
    for letter in "teh dog.":
        editor.change(len(editor.text), len(editor.text), letter)
    assert editor.originals(await editor.diagnostics()) == ["teh"]
    assert published == [editor.version]
    editor.client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = original


async def test_closed_document_has_no_diagnostics(editor: Editor) -> None:
    await editor.open(EMOJI)
    editor.close()
    assert await editor.diagnostics() == []


@pytest.mark.parametrize("preset", PRESETS)
async def test_golden_answers(editor: Editor, preset: str) -> None:
    editor.client.set_configuration({"preset": preset}, section="respell")
    corrector = respell.load(preset=preset)
    for row in golden(preset):
        found = await editor.open(row["text"])
        wanted = [c.to_dict() for c in corrector.check_document(row["text"])]
        assert [editor.offset(d.range.start) for d in found] == [c["start"] for c in wanted]
        assert editor.originals(found) == [c["original"] for c in wanted]
        for diagnostic, correction in zip(found, wanted, strict=True):
            data: Any = diagnostic.data
            assert data["replacement"] == correction["replacement"]
            assert data["kind"] == correction["kind"]
            assert data["score"] == pytest.approx(correction["score"], abs=0.02)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-32"])
async def test_other_position_encodings(encoding: str, tmp_path: Path) -> None:
    client, result = await _started(capabilities=capabilities(encoding, "utf-16"))
    assert result.capabilities.position_encoding == encoding
    editor = Editor(client, tmp_path, encoding)
    assert editor.originals(await editor.open(EMOJI)) == ["recieve", "teh"]
    editor.change(EMOJI.index("teh"), EMOJI.index("teh"), "😀 ")
    assert editor.originals(await editor.diagnostics()) == ["recieve", "teh"]
    await _stopped(client)


async def test_editor_that_only_pushes_its_settings(tmp_path: Path) -> None:
    client, result = await _started(
        capabilities=types.ClientCapabilities(),
        initialization_options={"dictionary": ["teh"]},
    )
    assert result.server_info == types.ServerInfo(
        "respell", f"{respell.__version__} (model {read_version(default_path())})"
    )
    assert result.capabilities.position_encoding == "utf-16"
    sync: Any = result.capabilities.text_document_sync
    assert sync.change == types.TextDocumentSyncKind.Incremental
    editor = Editor(client, tmp_path)
    assert editor.originals(await editor.open(EMOJI)) == ["recieve"]
    pushed = types.DidChangeConfigurationParams({"respell": {"dictionary": ["recieve"]}})
    client.workspace_did_change_configuration(pushed)
    assert editor.originals(await editor.diagnostics()) == ["teh"]
    (fix, *_) = await editor.offered(EMOJI.index("teh"), EMOJI.index("teh"))
    assert fix.edit is not None
    assert fix.edit.changes is not None
    assert [edit.new_text for edit in fix.edit.changes[editor.uri]] == ["the"]
    await _stopped(client)


async def test_model_is_not_loaded_at_the_start() -> None:
    code = "import sys; from respell.lsp.server import build; build(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pygls.server" in done.stdout.split()
    assert "onnxruntime" not in done.stdout.split()


class Counting(Corrector):
    """The real corrector; counts the words that go through its model."""

    def __init__(self) -> None:
        real = respell.load()
        super().__init__(real.bundle, real.forward)
        self.words = self.calls = 0

    def check_windows(self, windows: Iterable[Window], owners: int) -> list[list[Correction]]:
        windows = list(windows)
        self.calls += 1
        self.words += sum(len(window.tokens) for window in windows)
        return super().check_windows(windows, owners)


@pytest.mark.parametrize("separator", ["\n\n", " "])
async def test_one_keystroke_in_five_thousand_words(separator: str) -> None:
    sentence = "Paragraph {} says that I think it is {} for words that we write every day."
    # Every word is misspelled in its own way: one that recurs would be a term.
    known = [w for w in respell.load().bundle.lexicon.words[1000:] if w.isalpha() and len(w) > 8]
    count = 5000 // 14 + 1
    wrong = [f"{word[:5]}{word[4]}{word[5:]}" for word in known[:count]]
    text = separator.join(sentence.format(i, word) for i, word in enumerate(wrong))
    assert len(text.split()) >= 5000
    corrector = Counting()
    checker = Checker(corrector)
    markdown = language_named("markdown")
    document = Document(uri="a", language=markdown, version=1, lines=Lines(text))
    document.found = checker.check(text, format="markdown")
    assert corrector.words >= 5000
    spent = []
    for version in range(2, 7):
        before, calls, words = time.process_time(), corrector.calls, corrector.words
        at = document.lines.text.index(f"Paragraph {version} ") + 3
        letter = document.lines.range(at, at + 1)
        document.change([types.TextDocumentContentChangePartial(letter, "x")], version)
        document.found = checker.check(document.lines.text, format="markdown")
        sent = [actions.diagnostic(document.lines, c) for c in document.corrections()]
        spent.append(time.process_time() - before)
        assert len(sent) > 200
        assert corrector.calls - calls <= 2  # the sentence, and perhaps a word that became a term
        assert corrector.words - words <= 60
    assert median(spent) < 0.1, spent


async def test_missing_pygls_is_reported_with_the_extra() -> None:
    code = (
        "import sys; sys.modules['pygls'] = None; from respell.cli.main import main; exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code, "lsp"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "respell: the language server needs pygls: pip install '.[lsp]' in a checkout"
    )
