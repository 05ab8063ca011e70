"""Messages that no editor sends: the language server rejects or ignores them, and keeps working."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest
from live import SOURCE

pytestmark = pytest.mark.clients
pytest.importorskip("pygls", reason="needs the extra lsp")

URI = "file:///nowhere/note.txt"
METHODS = (
    "textDocument/didOpen textDocument/didChange textDocument/didClose textDocument/codeAction "
    "workspace/executeCommand workspace/didChangeConfiguration workspace/didChangeWatchedFiles "
    "textDocument/nothing $/cancelRequest initialized respell/none"
).split()


Answer = Callable[[], dict[str, Any] | None]


class Peer:
    """A language server and raw access to its standard input and output.

    If `settings` is given, the client answers requests for settings with its result; None means
    no answer.
    """

    def __init__(self, settings: Answer | None = None) -> None:
        self.settings = settings
        self.process = subprocess.Popen(
            [sys.executable, "-m", "respell", "lsp", "--stdio"],
            env={**os.environ, "PYTHONPATH": SOURCE},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.received: Queue[dict[str, Any]] = Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        can = {"workspace": {"configuration": True}} if settings else {}
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": can})
        self.notify("initialized", {})

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        while line := out.readline():
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
                while out.readline().strip():
                    pass
                message = json.loads(out.read(length))
                if message.get("method") == "workspace/configuration" and self.settings:
                    answer = self.settings()
                    if answer is not None:
                        value = {"jsonrpc": "2.0", "id": message["id"], **answer}
                        with suppress(OSError):  # the test has ended the server
                            self.send(json.dumps(value).encode())
                self.received.put(message)

    def send(self, content: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.process.stdin.flush()

    def notify(self, method: str, params: object) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def request(self, method: str, params: object, number: int = 1) -> dict[str, Any]:
        value = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send(json.dumps(value).encode())
        return self.wait(lambda message: message.get("id") == number and "method" not in message)

    def wait(self, wanted: Any) -> dict[str, Any]:
        while True:
            try:
                message = self.received.get(timeout=30)
            except Empty:
                raise AssertionError(f"no message; exit status {self.process.poll()}") from None
            if wanted(message):
                return message

    def check(self, version: int) -> list[str]:
        """Open a document and return the messages of its diagnostics: the server still works."""
        uri = f"file:///nowhere/{version}.txt"
        item = {"uri": uri, "languageId": "plaintext", "version": version, "text": "teh mail"}
        self.notify("textDocument/didOpen", {"textDocument": item})
        published = "textDocument/publishDiagnostics"
        sent = self.wait(lambda m: m.get("method") == published and m["params"]["uri"] == uri)
        return [found["message"] for found in sent["params"]["diagnostics"]]

    def shown(self) -> list[str]:
        """The messages that were shown to the user since the last wait."""
        messages = [self.received.get() for _ in range(self.received.qsize())]
        return [m["params"]["message"] for m in messages if m.get("method") == "window/showMessage"]


@contextmanager
def running(settings: Answer | None = None) -> Iterator[Peer]:
    peer = Peer(settings)
    yield peer
    peer.process.kill()
    peer.process.wait()
    peer.reader.join()
    for stream in (peer.process.stdin, peer.process.stdout):
        assert stream is not None
        with suppress(OSError):  # closing writes what the server has not read
            stream.close()


@pytest.fixture
def peer() -> Iterator[Peer]:
    with running() as peer:
        yield peer


def odd_value(dice: random.Random, depth: int = 0) -> Any:
    """A random JSON value that no message expects."""
    kind = dice.randrange(9 if depth < 3 else 6)
    if kind < 6:
        values = [None, True, -1, 2**70, 1e308, "x" * dice.randrange(50), URI, ""]
        return dice.choice(values)
    if kind == 6:
        return [odd_value(dice, depth + 1) for _ in range(dice.randrange(4))]
    keys = "textDocument uri version text contentChanges range start end line command".split()
    return {dice.choice(keys): odd_value(dice, depth + 1) for _ in range(dice.randrange(5))}


def test_random_messages(peer: Peer) -> None:
    dice = random.Random(7)
    for number in range(300):
        method = dice.choice(METHODS)
        if dice.random() < 0.5:
            peer.notify(method, odd_value(dice))
        else:
            value = {
                "jsonrpc": "2.0",
                "id": 100 + number,
                "method": method,
                "params": odd_value(dice),
            }
            peer.send(json.dumps(value).encode())
    assert len(peer.check(1)) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{}",
        b"[" * 5000,
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "1.0", "method": 3}',
        b'{"jsonrpc": "2.0", "id": 5, "result": 1}',
    ],
)
def test_invalid_message(content: bytes, peer: Peer) -> None:
    peer.send(content)
    assert len(peer.check(1)) == 1


@pytest.mark.parametrize(
    ("start", "end"), [((9, 9), (0, 0)), ((0, 10**9), (10**9, 0)), ((0, 5), (0, 2))]
)
def test_edits_outside_the_text(start: tuple[int, int], end: tuple[int, int], peer: Peer) -> None:
    assert len(peer.check(1)) == 1
    places = [dict(zip(("line", "character"), place, strict=True)) for place in (start, end)]
    change = {"range": dict(zip(("start", "end"), places, strict=True)), "text": " teh "}
    document = {"uri": "file:///nowhere/1.txt", "version": 2}
    peer.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    assert len(peer.check(3)) == 1


@pytest.mark.parametrize(
    "answer",
    [{"error": {"code": -32601, "message": "no"}}, {"result": []}, {"result": [None]}],
    ids=["an error", "nothing", "no settings"],
)
def test_editor_without_settings(answer: dict[str, Any]) -> None:
    with running(lambda: answer) as peer:
        assert len(peer.check(1)) == 1
        assert peer.shown() == []


def test_editor_that_never_answers() -> None:
    with running(lambda: None) as peer:
        assert len(peer.check(1)) == 1  # after the timeout


def test_late_answer_is_not_an_error() -> None:
    def answer_slowly() -> dict[str, Any]:
        time.sleep(0.03)
        return {"result": [None]}

    with running(answer_slowly) as peer:
        assert len(peer.check(1)) == 1
        document = {"uri": "file:///nowhere/1.txt", "version": 1}
        for version in range(2, 5):
            peer.notify("textDocument/didSave", {"textDocument": document})
            change = {"text": f"teh mail {version}"}
            params = {"textDocument": {**document, "version": version}, "contentChanges": [change]}
            peer.notify("textDocument/didChange", params)
            time.sleep(0.3)
        peer.notify("textDocument/didSave", {"textDocument": document})
        peer.notify("textDocument/didClose", {"textDocument": document})
        assert len(peer.check(9)) == 1
        assert peer.shown() == []


def test_words_are_added_to_the_file_even_if_settings_arrive_late(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"

    def answer_slowly() -> dict[str, Any]:
        time.sleep(0.2)
        return {"result": [{"dictionaryFile": str(file)}]}

    with running(answer_slowly) as peer:
        item = {"uri": URI, "languageId": "plaintext", "version": 1, "text": "teh recieve"}
        peer.notify("textDocument/didOpen", {"textDocument": item})
        for number, word in enumerate(("teh", "recieve"), 2):
            params = {"command": "respell.addWord", "arguments": [URI, word]}
            peer.request("workspace/executeCommand", params, number)
        assert file.read_text(encoding="utf-8").split() == ["teh", "recieve"]


def test_pushed_settings_can_be_removed(peer: Peer) -> None:
    peer.notify(
        "workspace/didChangeConfiguration", {"settings": {"respell": {"dictionary": ["teh"]}}}
    )
    assert peer.check(1) == []
    peer.notify("workspace/didChangeConfiguration", {"settings": {}})
    assert len(peer.check(2)) == 1


@pytest.mark.parametrize(("shutdown", "status"), [(True, 0), (False, 1)])
def test_exit_status_with_and_without_shutdown(peer: Peer, *, shutdown: bool, status: int) -> None:
    if shutdown:
        peer.request("shutdown", None, 2)
    peer.notify("exit", None)
    assert peer.process.wait(timeout=30) == status
