"""Around every request: how large it may be, how long it may take, and counting it."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from respell.server.metrics import Metrics

_log = logging.getLogger(__name__)
_DRAIN = 16 << 20  # bytes read beyond the limit: who is cut off while sending never sees why


class _RefusedError(Exception):
    """A request that gets no further; carries the status and the reason."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(slots=True)
class _Answer:
    """Passes an answer on and remembers its status; 0 is no answer yet."""

    send: Send
    status: int = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self.send(message)


class Limits:
    """Reads a body whole before the application sees it, and gives up on what takes too long.

    No message here ever holds text of a client.
    """

    def __init__(self, app: ASGIApp, *, max_body: int, timeout: float, metrics: Metrics) -> None:
        self._app = app
        self._max_body = max_body
        self._timeout = timeout
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        answer = _Answer(send)
        try:
            body = await self._body(receive)
            if body is not None:
                await self._respond(scope, body, receive, answer)
        except _RefusedError as refused:
            if not answer.status:
                await send_error(answer, refused.status, refused.reason)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.answered(route, answer.status, time.perf_counter() - started)

    async def _body(self, receive: Receive) -> bytes | None:
        """The body; None if the client leaves before it has sent it."""
        body = bytearray()
        size = 0
        try:
            async with asyncio.timeout(self._timeout):
                async for chunk in _chunks(receive):
                    size += len(chunk)
                    if size <= self._max_body:
                        body += chunk
                    elif size > self._max_body + _DRAIN:
                        break
        except TimeoutError:
            reason = f"the body did not come within {self._timeout:g} s"
            raise _RefusedError(HTTPStatus.REQUEST_TIMEOUT, reason) from None
        except ConnectionError:
            return None
        if size > self._max_body:
            reason = f"the body is larger than {self._max_body} bytes"
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, reason)
        return bytes(body)

    async def _respond(self, scope: Scope, body: bytes, receive: Receive, answer: _Answer) -> None:
        """Run the application until it is done, the client leaves, or time is up."""
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                await asyncio.Event().wait()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        work = asyncio.ensure_future(self._guarded(scope, replay, answer))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait(
                (work, gone), timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if not work.done() and not gone.done():
                raise _RefusedError(
                    HTTPStatus.SERVICE_UNAVAILABLE, f"no answer within {self._timeout:g} s"
                )
        finally:
            finished = work.done()
            work.cancel()
            gone.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
        if finished:
            work.result()

    async def _guarded(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            # The message of an exception may quote the text, so only its class is told.
            _log.error("%s while serving a request", type(error).__name__)
            raise _RefusedError(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error") from None


async def send_error(send: Send, status: HTTPStatus, reason: str) -> None:
    """Answer with a JSON error, and close the connection."""
    body = json.dumps({"error": reason}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _chunks(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
