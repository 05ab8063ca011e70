"""VS Code in a browser: npm's code-server, installed into a cache folder and started."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

VERSION = "4.96.4"
NATIVE = ("node-pty", "@vscode/spdlog", "native-watchdog", "@parcel/watcher")
STUBS = {
    "argon2/argon2.js": "module.exports = { hash: async () => '', verify: async () => false };"
}
"""What is only needed for passwords, and needs a compiler and libraries of its own."""
ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"


def cache() -> Path:
    """The folder for what is installed once."""
    base = os.environ.get("RESPELL_CLIENTS_CACHE") or Path("~/.cache/respell/clients").expanduser()
    return Path(base) / f"code-server-{VERSION}"


def entry() -> Path:
    """The program, which is installed on request. Skips the test if it is not there."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("needs Node.js and npm")
    folder = cache()
    if not (folder / "done").exists():
        if not os.environ.get("RESPELL_INSTALL_VSCODE"):
            pytest.skip("code-server is not installed: RESPELL_INSTALL_VSCODE=1 installs it")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        problem = _install(folder)
        if problem:
            pytest.skip(f"code-server {VERSION} cannot be installed: {problem}")
        (folder / "done").touch()
    return folder / "node_modules" / "code-server" / "out" / "node" / "entry.js"


def _install(folder: Path) -> str:
    """Install code-server. Returns why it failed, or nothing."""
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund")
    problem = _run("npm", "install", *quiet, f"code-server@{VERSION}", folder=folder)
    if problem:
        return problem
    code = folder / "node_modules" / "code-server" / "lib" / "vscode"
    (code / "npm-shrinkwrap.json").unlink(missing_ok=True)  # names a dependency from git
    problem = _run("npm", "install", *quiet, "--omit=dev", "--legacy-peer-deps", folder=code)
    for name in NATIVE:
        module = code / "node_modules" / name
        problem = problem or _run("npx", "--yes", "node-gyp@11", "rebuild", folder=module)
    for name, text in STUBS.items():
        (folder / "node_modules" / name).write_text(text)
    return problem


def _run(*command: str, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=540)
    if not done.returncode:
        return ""
    lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
    return f"{' '.join(command[:2])}: {(lines or [done.stderr])[0].strip()}"


def package(folder: Path) -> Path:
    """Build the extension in a copy, with the local engine if js/ is there."""
    script = ROOT / "js"
    environment = dict(os.environ)
    if "RESPELL_JS" not in environment and (script / "package.json").exists():
        for command in (["npm", "ci"], ["npm", "run", "build"]):
            subprocess.run(command, cwd=script, check=True, capture_output=True, timeout=300)
    copy = folder / "editors" / "vscode"
    ignored = shutil.ignore_patterns("node_modules", "dist")
    shutil.copytree(EXTENSION, copy, ignore=ignored)
    for name in ("LICENSE", "src", "js"):  # the build looks for them two folders up
        if (ROOT / name).exists():
            (folder / name).symlink_to(ROOT / name)
    for command in (["npm", "ci", "--ignore-scripts"], ["npm", "run", "package"]):
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return copy / "dist" / "respell.vsix"


@contextmanager
def serving(
    program: Path,
    folder: Path,
    *,
    extensions: Sequence[Path],
    settings: Mapping[str, object],
    environment: Mapping[str, str],
) -> Iterator[str]:
    """Run code-server with extensions and settings of its own. Yields its address."""
    user = folder / "user" / "User"
    user.mkdir(parents=True)
    (user / "settings.json").write_text(json.dumps(settings))
    (folder / "config.yaml").write_text("auth: none\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["node", str(program), "--config", str(folder / "config.yaml"), "--auth", "none"]
    command += ["--user-data-dir", str(folder / "user"), "--extensions-dir", str(folder / "ext")]
    variables = {**os.environ, "HOME": str(folder), **environment}
    for one in extensions:
        install = [*command, "--install-extension", str(one)]
        subprocess.run(install, env=variables, check=True, capture_output=True, timeout=120)
    command += ["--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    command += ["--disable-workspace-trust", "--disable-getting-started-override"]
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
