"""Messages no editor sends: the language server answers or ignores them, and goes on."""

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from queue import Empty, Queue
from typing import Any

import pytest
from live import SOURCE

pytestmark = pytest.mark.clients
pytest.importorskip("pygls", reason="needs respell[lsp]")

URI = "file:///nowhere/note.txt"
METHODS = (
    "textDocument/didOpen textDocument/didChange textDocument/didClose textDocument/codeAction "
    "workspace/executeCommand workspace/didChangeConfiguration workspace/didChangeWatchedFiles "
    "textDocument/nothing $/cancelRequest initialized respell/none"
).split()


class Peer:
    """A language server and raw access to its standard input and output."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "respell", "lsp", "--stdio"],
            env={**os.environ, "PYTHONPATH": SOURCE},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.said: Queue[dict[str, Any]] = Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})

    def _listen(self) -> None:
        out = self.process.stdout
        assert out is not None
        while line := out.readline():
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
                while out.readline().strip():
                    pass
                self.said.put(json.loads(out.read(length)))

    def raw(self, content: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.process.stdin.flush()

    def tell(self, method: str, params: object) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def ask(self, method: str, params: object, number: int = 1) -> dict[str, Any]:
        value = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.raw(json.dumps(value).encode())
        return self.wait(lambda message: message.get("id") == number and "method" not in message)

    def wait(self, wanted: Any) -> dict[str, Any]:
        while True:
            try:
                message = self.said.get(timeout=30)
            except Empty:
                raise AssertionError(f"silent; exit status {self.process.poll()}") from None
            if wanted(message):
                return message

    def check(self, version: int) -> list[str]:
        """Open a document and give back what is said of it: the proof that it still works."""
        uri = f"file:///nowhere/{version}.txt"
        item = {"uri": uri, "languageId": "plaintext", "version": version, "text": "teh mail"}
        self.tell("textDocument/didOpen", {"textDocument": item})
        published = "textDocument/publishDiagnostics"
        said = self.wait(lambda m: m.get("method") == published and m["params"]["uri"] == uri)
        return [found["message"] for found in said["params"]["diagnostics"]]


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.process.kill()
    peer.process.wait()
    for stream in (peer.process.stdin, peer.process.stdout):
        assert stream is not None
        stream.close()


def odd(dice: random.Random, depth: int = 0) -> Any:
    """A JSON value that fits nowhere."""
    kind = dice.randrange(9 if depth < 3 else 6)
    if kind < 6:
        values = [None, True, -1, 2**70, 1e308, "x" * dice.randrange(50), URI, ""]
        return dice.choice(values)
    if kind == 6:
        return [odd(dice, depth + 1) for _ in range(dice.randrange(4))]
    keys = "textDocument uri version text contentChanges range start end line command".split()
    return {dice.choice(keys): odd(dice, depth + 1) for _ in range(dice.randrange(5))}


def test_messages_that_make_no_sense(peer: Peer) -> None:
    dice = random.Random(7)
    for number in range(300):
        method = dice.choice(METHODS)
        if dice.random() < 0.5:
            peer.tell(method, odd(dice))
        else:
            value = {"jsonrpc": "2.0", "id": 100 + number, "method": method, "params": odd(dice)}
            peer.raw(json.dumps(value).encode())
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
def test_bytes_that_are_no_message(content: bytes, peer: Peer) -> None:
    peer.raw(content)
    assert len(peer.check(1)) == 1


@pytest.mark.parametrize(
    ("start", "end"), [((9, 9), (0, 0)), ((0, 10**9), (10**9, 0)), ((0, 5), (0, 2))]
)
def test_edits_outside_the_text(start: tuple[int, int], end: tuple[int, int], peer: Peer) -> None:
    assert len(peer.check(1)) == 1
    places = [dict(zip(("line", "character"), place, strict=True)) for place in (start, end)]
    change = {"range": dict(zip(("start", "end"), places, strict=True)), "text": " teh "}
    document = {"uri": "file:///nowhere/1.txt", "version": 2}
    peer.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    assert len(peer.check(3)) == 1
