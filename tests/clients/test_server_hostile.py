"""Hostile and broken clients get an error, and other clients are not affected."""

import json
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from live import FORM, Live, serving

pytest.importorskip("fastapi", reason="needs the server extra")
pytest.importorskip("uvicorn", reason="needs the server extra")
pytestmark = pytest.mark.clients

SECRET = "xyzzysecret"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serving("--max-body", "300000") as server:
        yield server
        assert server.correct("I recieve teh mail")["text"] == "I receive the mail"
        assert server.process.poll() is None
    assert server.stderr == [""]  # no request was logged


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b'{"text": null}',
        b'{"text": 1}',
        b'{"text": ["a", 1]}',
        b'{"text": {"a": 1}}',
        b'{"text": [["a"]]}',
        b'{"tokens": "teh"}',
        b'{"tokens": ["a", ["b"]]}',
        b'{"tokens": [[["b"]]]}',
        b'{"text": "a", "tokens": ["a"]}',
        b'{"text": "a", "threshold": 2}',
        b'{"text": "a", "threshold": NaN}',
        b'{"text": "a", "threshold": "0.5"}',
        b'{"text": "a", "threshold": true}',
        b'{"text": "a", "threshold": 1e999}',
        b'{"text": "a", "max_suggestions": 0}',
        b'{"text": "a", "max_suggestions": 1.5}',
        b'{"text": "a", "max_suggestions": ' + b"9" * 5000 + b"}",
        b'{"text": "a", "preset": "\\ud800"}',
        b'{"text": "a", "offsets": "bytes"}',
        b'{"text": "a", "format": "teh"}',
        b'{"text": "a", "format": "\\ud800"}',
        b'{"text": "a", "format": ["plain"]}',
        b'{"tokens": ["a"], "format": "plain"}',
        b'{"text": "a", "dictionary": "a"}',
        b'{"text": "a", "unknown": 1}',
        b'{"text": "a", "\\ud800": 1}',
        b'{"text": "a"} x',
        b'{"text": "\xff\xfe"}',
        b'\xff\xfe{"text"',
        b"[" * 100_000,
        b'{"text": ' * 20_000,
    ],
)
@pytest.mark.parametrize("path", ["/v1/correct", "/v1/explain"])
def test_invalid_requests_are_refused(live: Live, path: str, body: bytes) -> None:
    reply = live.ask("POST", path, body, JSON)
    assert reply.status in (400, 422), reply.body[:200]
    assert list(reply.json) == ["error"]


@pytest.mark.parametrize(
    "value",
    [{"text": [5] * 90_000}, {"tokens": [5] * 90_000}, {"tokens": [["a"]] * 30_000 + [[5]]}],
)
def test_a_long_invalid_list_gets_one_error_at_once(live: Live, value: object) -> None:
    began = time.perf_counter()
    reply = live.post("/v1/correct", value)
    assert reply.status == 422
    assert reply.json["error"].count("must be") == 1
    assert time.perf_counter() - began < 10  # an error for each item would take minutes


def test_a_wrong_content_type_is_an_error(live: Live) -> None:
    reply = live.ask("POST", "/v1/correct", b'{"text": "teh"}', {"Content-Type": FORM})
    assert reply.status == 422
    assert reply.json["error"] == "send a JSON object, with Content-Type: application/json"
    reply = live.ask("POST", "/v1/correct", b'{"text": "teh" }x', JSON)
    assert (reply.status, reply.json["error"]) == (400, "not JSON, at character 16")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"text": "a", "fomat": "x"}, "no key 'fomat' in this request"),
        ({"text": "a", "threshold": 2}, "threshold: must be less than or equal to 1"),
        ({"text": "a", "variant": "en-UK"}, "variant: must be 'auto', 'en-GB' or 'en-US'"),
        ({}, "give either text or tokens"),
    ],
)
def test_errors_are_plain_english(live: Live, body: dict[str, object], reason: str) -> None:
    reply = live.post("/v1/correct", body)
    assert (reply.status, reply.json) == (422, {"error": reason})
    reply = live.post("/v1/explain", {"text": "a"})
    assert (reply.status, reply.json) == (422, {"error": "start is missing"})


def test_other_methods(live: Live) -> None:
    assert live.ask("HEAD", "/healthz").status == 200
    reply = live.get("/v1/correct")
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "escaped", ["\\ud800", "\\udc00 teh", "teh\\ud83d", "\\ud83d\\ud83d\\ude00"]
)
@pytest.mark.parametrize("units", ["codepoint", "utf16"])
def test_half_a_surrogate_pair_is_accepted(live: Live, escaped: str, units: str) -> None:
    body = f'{{"text": "a {escaped} teh", "offsets": "{units}", "dictionary": ["{escaped}"]}}'
    reply = live.ask("POST", "/v1/correct", body.encode(), JSON)
    assert reply.status == 200
    (result,) = reply.json["results"]
    assert result["text"].replace("the", "teh") == json.loads(f'"a {escaped} teh"')
    tokens = live.ask("POST", "/v1/correct", f'{{"tokens": ["{escaped}"]}}'.encode(), JSON)
    assert tokens.status == 200
    data = f'{{"annotation": [{{"text": "{escaped} teh"}}]}}'
    assert live.form(language="en", data=data).status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"%",
        b"language=en&text=%ff%fe%00",
        b"\xff\xfe=\x00",
        b"&" * 1000,
        b"a=b&" * 500,
        b"language=en&data=%7B%22annotation%22%3A%5B%7B%22markup%22%3A1%7D%5D%7D",
    ],
)
def test_invalid_forms(live: Live, body: bytes) -> None:
    reply = live.ask("POST", "/v2/check", body, {"Content-Type": FORM})
    assert reply.status in (200, 400)


def test_random_bytes_to_every_route(live: Live) -> None:
    generator = random.Random(0)
    for path in ("/v1/correct", "/v1/explain", "/v2/check", "/static/x", "/%ff%00", "/v1/info"):
        for kind in ("application/json", FORM, "multipart/form-data", "\x7f; charset=\x01"):
            body = generator.randbytes(generator.randrange(2000))
            status = live.ask("POST", path, body, {"Content-Type": kind}).status
            assert 400 <= status < 500 or (path, status) == ("/v2/check", 200)


def test_random_bytes_instead_of_http(live: Live) -> None:
    generator = random.Random(1)
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
            connection.sendall(generator.randbytes(500) + b"\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(1000)
        assert not answer.startswith(b"HTTP/1.1 5")


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd"]
)
def test_only_static_files_are_served(live: Live, path: str) -> None:
    assert live.get(path).status == 404


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(live: Live, chunked: bool) -> None:
    size = 400_000
    head = b"POST /v1/correct HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", live.port), timeout=20) as connection:
        if chunked:
            connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(size // 1000):
                connection.sendall(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
            connection.sendall(b"0\r\n\r\n")
        else:
            connection.sendall(head + f"Content-Length: {size}\r\n\r\n".encode() + b"x" * size)
        answer = b""
        while part := connection.recv(4000):  # the body may arrive after the head
            answer += part
    assert answer.startswith(b"HTTP/1.1 413")
    assert b'{"error": "the body is larger than 300000 bytes"}' in answer


def test_a_text_that_is_too_long_is_refused() -> None:
    with serving() as live:
        assert live.post("/v1/correct", {"text": "x" * 600_000}).status == 413
        assert live.post("/v1/correct", {"tokens": [""] * 150_000 + ["x"] * 180_000}).status == 413
        assert live.form(language="en", text="x" * 600_000).status == 413
        assert live.post("/v1/correct", {"text": "x" * 400_000}).status == 200


def test_slow_and_long_requests_time_out() -> None:
    with serving("--timeout", "0.7") as live:
        with socket.create_connection(("127.0.0.1", live.port), timeout=20) as slow:
            slow.sendall(b"POST /v1/correct HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{")
            answer = slow.recv(4000)
        assert answer.startswith(b"HTTP/1.1 408")
        reply = live.post("/v1/correct", {"text": f"Teh {SECRET} word. " * 20_000})
        assert reply.status == 503
        assert reply.headers["retry-after"]
        assert reply.json == {"error": "no answer within 0.7 s"}
    assert live.stderr == [""]


def test_slow_clients_do_not_hold_up_others(live: Live) -> None:
    slow = [socket.create_connection(("127.0.0.1", live.port)) for _ in range(200)]
    try:
        for connection in slow:
            connection.sendall(b"POST /v1/correct HTTP/1.1\r\nHost: x\r\nContent-Le")
        assert live.correct("I recieve teh mail")["text"] == "I receive the mail"
    finally:
        for connection in slow:
            connection.close()


def test_too_many_requests_at_once_are_refused() -> None:
    with serving("--timeout", "4") as live:
        value: dict[str, Any] = {"text": "Teh word. " * 48_000}
        with ThreadPoolExecutor(12) as pool:
            replies = list(pool.map(lambda _: live.post("/v1/correct", value), range(12)))
        assert {reply.status for reply in replies} <= {200, 503}
        refused = [r for r in replies if r.status == 503 and "waiting" in r.json["error"]]
        assert refused
        assert refused[0].headers["retry-after"]
        assert live.get("/healthz").status == 200


def test_requests_generated_from_the_schema(live: Live, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{live.url}/openapi.json"),
            *("--checks", "not_a_server_error,content_type_conformance"),
            *("--phases", "examples,coverage,fuzzing", "--max-examples", "30"),
            *("--seed", "1", "--continue-on-failure", "--suppress-health-check", "all"),
            "--no-color",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
