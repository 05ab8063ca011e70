"""Build the JavaScript package, and serve folders to a browser."""

import functools
import http.server
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).parents[2] / "js"


def npm(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run npm in a folder. Without a network, it gives up soon."""
    command = ["npm", "--fetch-retries=1", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


@functools.cache
def install(folder: Path) -> None:
    """Install the packages that a folder needs; skips the test if that is not possible."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("npm is not installed")
    done, wanted = folder / "node_modules" / ".package-lock.json", folder / "package-lock.json"
    if done.exists() and done.stat().st_mtime >= wanted.stat().st_mtime:
        return
    ran = npm("ci", folder=folder)
    if ran.returncode:
        pytest.skip(f"npm cannot install packages here: {ran.stderr.strip()[-200:]}")


@functools.cache
def build() -> Path:
    """Build the package, and return the folder that pages load; skips the test without npm."""
    install(PACKAGE)
    done = npm("run", "build", folder=PACKAGE)
    assert done.returncode == 0, done.stdout + done.stderr
    return PACKAGE / "dist" / "browser"


class _Files(http.server.SimpleHTTPRequestHandler):
    """Serves files, and counts the bytes."""

    def log_message(self, format: str, *args: object) -> None:
        """Keep the output of the tests readable."""

    def copyfile(self, source: Any, outputfile: Any) -> None:
        content = source.read()
        outputfile.write(content)
        self.server.sent[self.path] += len(content)  # type: ignore[attr-defined]


class _Server(http.server.ThreadingHTTPServer):
    def __init__(self, folder: Path) -> None:
        self.sent: Counter[str] = Counter()
        super().__init__(("127.0.0.1", 0), functools.partial(_Files, directory=str(folder)))

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that leaves early is no error."""


@dataclass(frozen=True)
class Host:
    """A running host of static files."""

    address: str
    sent: Counter[str]
    """The bytes that it has sent, by path."""


@contextmanager
def hosting(folder: Path) -> Iterator[Host]:
    """Serve a folder as any static host would; it compresses nothing."""
    with _Server(folder) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Host(f"http://127.0.0.1:{server.server_port}", server.sent)
        server.shutdown()
        thread.join()
