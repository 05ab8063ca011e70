"""Fuzz targets for interfaces: bodies of HTTP requests, messages of editors."""

import asyncio
import functools
import json
from collections.abc import Callable
from typing import Any, cast

from respell.types import Error

ROUTES = ("/v1/correct", "/v1/explain", "/v2/check", "/v1/correct", "/nowhere")
TYPES = (b"application/json", b"application/x-www-form-urlencoded", b"text/plain", b"")


def one_line_error(read: Callable[[], Any]) -> None:
    """Call a function that may raise nothing but an Error with a message of one line."""
    message = ""
    try:
        read()
    except Error as error:
        message = str(error)
    assert "\n" not in message, message


def server(data: bytes) -> None:
    """Any body to any route is answered, and never with an accident (5xx)."""
    choice = data[0] if data else 0
    _app()
    status = _loop().run_until_complete(_ask(ROUTES[choice % 5], TYPES[choice // 5 % 4], data[1:]))
    assert status is not None
    assert 200 <= status < 500, status


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


@functools.cache
def _app() -> Any:
    """The application, with its batcher running in our loop."""
    from respell.server.app import create_app
    from respell.server.options import ServerOptions

    app = create_app(ServerOptions(timeout=20.0))
    context = app.router.lifespan_context(app)
    _loop().run_until_complete(context.__aenter__())
    return app, context


async def _ask(path: str, kind: bytes, body: bytes) -> int | None:
    status: list[int] = []
    sent = False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if sent:
            await asyncio.sleep(3600)
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            status.append(cast(int, message["status"]))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"content-type", kind), (b"content-length", str(len(body)).encode())],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    app, _ = _app()
    await app(scope, receive, send)
    return status[0] if status else None


def lsp(data: bytes) -> None:
    """Settings of any shape, and edits anywhere: accepted, or one line of error."""
    from lsprotocol import types
    from pygls.workspace import PositionCodec

    from respell.formats.languages import language_in_editor
    from respell.lsp.documents import Document
    from respell.lsp.positions import Lines
    from respell.lsp.settings import read_settings

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = data.decode("utf-8", "replace")
    one_line_error(lambda: read_settings(value))
    text = data[8:].decode("utf-8", "replace")
    language = language_in_editor(text[:20], text[20:40])
    for encoding in types.PositionEncodingKind:
        lines = Lines(text, PositionCodec(encoding))
        document = Document(uri="x", language=language, version=1, lines=lines)
        a, b, c, d = (*data[:4], 0, 0, 0, 0)[:4]
        start, end = types.Position(a % 8, b % 16), types.Position(c % 8, d % 16)
        first, last = lines.offset(start), lines.offset(end)
        change = types.TextDocumentContentChangePartial
        whole = types.TextDocumentContentChangeWholeDocument(text)
        changes: list[types.TextDocumentContentChangeEvent] = [
            change(types.Range(start, end), "new"),
            whole,
            change(types.Range(start, start), ""),
        ]
        document.change(changes, 2)
        assert document.lines.text == text
        assert 0 <= first <= len(text)
        assert 0 <= last <= len(text)
        assert lines.offset(lines.position(first)) <= first
