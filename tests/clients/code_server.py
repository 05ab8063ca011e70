"""VS Code in a browser: npm's code-server, installed into a cache folder and started."""

import atexit
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from javascript import PACKAGE, install, npm

VERSION = "4.96.4"
NATIVE = ("node-pty", "@vscode/spdlog", "native-watchdog", "@parcel/watcher")
STUBS = {
    "argon2/argon2.js": "module.exports = { hash: async () => '', verify: async () => false };"
}
"""What is only needed for passwords, and needs a compiler and libraries of its own."""
INSTALL_SECONDS = 600
"""How long the installation may take in all."""
ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"


def cache() -> Path:
    """The folder for what is installed once."""
    base = os.environ.get("RESPELL_CLIENTS_CACHE") or Path("~/.cache/respell/clients").expanduser()
    return Path(base) / f"code-server-{VERSION}"


def entry() -> Path:
    """The program, which is installed once. Skips the test if that is not possible."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("npm is not installed")
    folder = cache()
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            _install(folder)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"code-server {VERSION} cannot be installed here: {_reason(error)}")
        (folder / "done").touch()
    return folder / "node_modules" / "code-server" / "out" / "node" / "entry.js"


def _install(folder: Path) -> None:
    """Install code-server."""
    headers = f"--nodedir={_headers()}"
    deadline = time.monotonic() + INSTALL_SECONDS
    # Without a network, npm would try for minutes.
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1")

    def run(*command: str, at: Path) -> None:
        left = max(1, deadline - time.monotonic())
        subprocess.run(command, cwd=at, capture_output=True, text=True, timeout=left, check=True)

    run("npm", "install", *quiet, f"code-server@{VERSION}", at=folder)
    code = folder / "node_modules" / "code-server" / "lib" / "vscode"
    (code / "npm-shrinkwrap.json").unlink(missing_ok=True)  # names a dependency from git
    run("npm", "install", *quiet, "--omit=dev", "--legacy-peer-deps", at=code)
    for name in NATIVE:
        run("npx", "--yes", "node-gyp@11", "rebuild", headers, at=code / "node_modules" / name)
    for name, text in STUBS.items():
        (folder / "node_modules" / name).write_text(text)


def _headers() -> Path:
    """The folder with the headers of Node; without it, node-gyp would download them."""
    folder = Path(shutil.which("node") or "").resolve().parents[1]
    if not (folder / "include" / "node" / "node.h").exists():
        raise OSError(f"{folder} has no headers of Node (include/node/node.h)")
    return folder


def _reason(error: Exception) -> str:
    """One line about a command that has failed."""
    if isinstance(error, subprocess.CalledProcessError):
        lines = str(error.stderr).strip().splitlines()
        said = [line for line in lines if "error" in line.lower()] or lines
        return f"{' '.join(error.cmd[:2])}: {(said or ['no message'])[0].strip()}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it takes more than {INSTALL_SECONDS} seconds"
    return str(error)


@functools.cache
def package() -> Path:
    """Build the extension, and return the packed one."""
    for folder in (PACKAGE, EXTENSION):
        install(folder)
    done = npm("run", "package", folder=EXTENSION)
    assert done.returncode == 0, done.stdout + done.stderr
    return EXTENSION / "dist" / "respell.vsix"


@functools.cache
def installed(program: Path, packed: Path) -> Path:
    """A folder of extensions with a packed one; all servers read the same."""
    folder = Path(tempfile.mkdtemp(prefix="respell-extensions-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    command = ["node", str(program), "--user-data-dir", str(folder / "user")]
    command += ["--extensions-dir", str(folder / "ext"), "--install-extension", str(packed)]
    variables = {**os.environ, "HOME": str(folder)}
    subprocess.run(command, env=variables, check=True, capture_output=True, timeout=300)
    return folder / "ext"


@contextmanager
def serving(
    program: Path,
    folder: Path,
    *,
    extensions: Path,
    settings: Mapping[str, object],
    environment: Mapping[str, str],
    trusted: bool = True,
) -> Iterator[str]:
    """Run code-server with settings of its own. Yields its address."""
    user = folder / "user" / "User"
    user.mkdir(parents=True)
    (user / "settings.json").write_text(json.dumps(settings))
    (folder / "config.yaml").write_text("auth: none\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["node", str(program), "--config", str(folder / "config.yaml"), "--auth", "none"]
    command += ["--user-data-dir", str(folder / "user"), "--extensions-dir", str(extensions)]
    variables = {**os.environ, "HOME": str(folder), **environment}
    command += ["--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    command += ["--disable-getting-started-override"]
    command += ["--disable-workspace-trust"] if trusted else []
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            command, env=variables, stdout=log, stderr=log, start_new_session=True
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address, process, folder / "log.txt")
        yield address
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.3)
