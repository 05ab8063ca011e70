"""The server uses no network but the loopback interface."""

import json
import os
import re
import subprocess
import sys
import urllib.request

import pytest
from live import SOURCE

pytestmark = pytest.mark.clients
pytest.importorskip("uvicorn")

GUARDED = """
import sys
def hook(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.sendto"):
        address = arguments[-1]
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1"):
            raise AssertionError(f"{event} {address}")
    if event in ("socket.gethostbyname", "socket.getaddrinfo"):
        if arguments[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"{event} {arguments[0]}")
sys.addaudithook(hook)
from respell.cli.main import main
sys.exit(main(["serve", "--port", "0", "--no-config", *sys.argv[1:]]))
"""


def start(*options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", GUARDED, *options],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_only_the_loopback_is_used() -> None:
    process = start()
    assert process.stderr is not None
    with process.stderr:
        try:
            match = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())
            assert match
            for path, body in (
                ("/v1/correct", {"text": "I recieve teh mail."}),
                ("/v1/explain", {"text": "I recieve teh mail.", "start": 2}),
                ("/healthz", None),
                ("/metrics", None),
                ("/v1/info", None),
                ("/", None),
            ):
                data = None if body is None else json.dumps(body).encode()
                request = urllib.request.Request(
                    match[0] + path, data, {"Content-Type": "application/json"}
                )
                with urllib.request.urlopen(request, timeout=30) as answer:
                    assert answer.status == 200
        finally:
            process.terminate()
            process.wait(30)
        assert process.stderr.read() == ""
    assert process.returncode in (0, -15)


def test_the_guard_works() -> None:
    process = start("--host", "0.0.0.0")
    _, error = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "0.0.0.0" in error
