"""Middleware that limits the size and the time of every request, and counts it."""

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
# Bytes read beyond the limit: a client that is cut off while sending never reads the response.
_DRAIN = 16 << 20


class _RefusedError(Exception):
    """A request that is refused; carries the status and the reason."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(slots=True)
class _Response:
    """Passes a response on and remembers its status; 0 if there is none yet."""

    send: Send
    status: int = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self.send(message)


class Limits:
    """Reads the whole body before the application is called, and stops slow requests.

    No message here contains text of a client.
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
        response = _Response(send)
        try:
            body = await self._body(receive)
            if body is not None:
                await self._respond(scope, body, receive, response)
        except _RefusedError as refused:
            if not response.status:
                await _send_error(response, refused.status, refused.reason)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.count_request(route, response.status, time.perf_counter() - started)

    async def _body(self, receive: Receive) -> bytes | None:
        """The body; None if the client disconnects before it is complete."""
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
            reason = f"the body did not arrive within {self._timeout:g} s"
            raise _RefusedError(HTTPStatus.REQUEST_TIMEOUT, reason) from None
        except ConnectionError:
            return None
        if size > self._max_body:
            reason = f"the body is larger than {self._max_body} bytes"
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, reason)
        return bytes(body)

    async def _respond(
        self, scope: Scope, body: bytes, receive: Receive, response: _Response
    ) -> None:
        """Run the application until it is done, the client disconnects, or time is up."""
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                await asyncio.Event().wait()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        work = asyncio.ensure_future(self._guarded(scope, replay, response))
        disconnected = asyncio.ensure_future(_disconnected(receive))
        try:
            await asyncio.wait(
                (work, disconnected), timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if not work.done() and not disconnected.done():
                raise _RefusedError(
                    HTTPStatus.SERVICE_UNAVAILABLE, f"no answer within {self._timeout:g} s"
                )
        finally:
            finished = work.done()
            work.cancel()
            disconnected.cancel()
            await asyncio.gather(work, disconnected, return_exceptions=True)
        if finished:
            work.result()

    async def _guarded(self, scope: Scope, receive: Receive, response: _Response) -> None:
        try:
            await self._app(scope, receive, response)
        except Exception as error:
            # The message of an exception may quote the text, so only its class is logged.
            _log.error("%s while serving a request", type(error).__name__)
            raise _RefusedError(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error") from None


async def _send_error(send: Send, status: HTTPStatus, reason: str) -> None:
    """Send a JSON error, and close the connection."""
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


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
