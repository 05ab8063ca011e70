"""Install every peer into its own environment, and list versions and sizes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from respell.lab.common.storage import save_text, sha256
from respell.lab.evaluate.peers.process import command, last_line
from respell.lab.evaluate.peers.registry import Peer
from respell.lab.evaluate.peers.training_text import TEXT
from respell.types import Error

FAILED = "failed.txt"
_TOOLS = ("pip", "setuptools", "wheel", "swig", "_distutils_hack", "pkg_resources")
"""Packages that are only needed for installing."""


def install(peer: Peer) -> None:
    """Install a peer again and train it if needed; a failure is recorded for the page."""
    peer.home.mkdir(parents=True, exist_ok=True)
    (peer.home / FAILED).unlink(missing_ok=True)
    try:
        if peer.apt:
            _install_packages(peer)
        if peer.pip:
            _install_python(peer)
        if peer.npm:
            _install_node(peer)
        if peer.trains:
            _train(peer)
    except Error as error:
        save_text(f"{error}\n", peer.home / FAILED)
        raise


def why_absent(peer: Peer) -> str | None:
    """Why the peer could not be installed, or None."""
    path = peer.home / FAILED
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def check_installed(peer: Peer) -> None:
    """Raise an Error if the peer could not be installed."""
    if reason := why_absent(peer):
        raise Error(reason)


def _install_packages(peer: Peer) -> None:
    if not shutil.which("dpkg-query"):
        raise Error(f"{peer.name}: install {' '.join(peer.apt)} with your package manager")
    if not _system_versions(peer.apt).keys() >= set(peer.apt):
        _run(peer, ["apt-get", "install", "-y", "-qq", *peer.apt])


def _install_python(peer: Peer) -> None:
    venv = peer.home / "venv"
    _run(peer, [sys.executable, "-m", "venv", "--clear", str(venv)])
    pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "-q"]
    # Builds of later steps find the tools of earlier ones, such as swig.
    path = f"{(venv / 'bin').resolve()}{os.pathsep}{os.environ.get('PATH', '')}"
    for step in peer.pip:
        _run(peer, [*pip, "--disable-pip-version-check", *step], PATH=path)


def _install_node(peer: Peer) -> None:
    save_text('{"private": true}\n', peer.home / "package.json")
    # Node looks for packages next to the file that imports them.
    save_text("export const find = (name) => import(name);\n", peer.home / "find.mjs")
    if not shutil.which("npm"):
        raise Error(f"{peer.name}: npm is not installed")
    _run(peer, ["npm", "install", "--silent", "--prefix", str(peer.home), *peer.npm])


def _train(peer: Peer) -> None:
    text = peer.home.parent / TEXT
    if not text.is_file():
        raise Error(f"{peer.name}: {text} is missing; run: python -m respell.lab peers text")
    _run(peer, command(peer, str(text), str(peer.home)), **dict(peer.set))


def _run(peer: Peer, arguments: Sequence[str], **environment: str) -> None:
    try:
        done = subprocess.run(
            arguments, capture_output=True, text=True, env={**os.environ, **environment}
        )
    except OSError as error:
        raise Error(f"{peer.name}: cannot run {arguments[0]} ({error.strerror})") from error
    if done.returncode:
        raise Error(f"{peer.name}: {last_line(done.stderr or done.stdout)}")


def versions(peer: Peer) -> dict[str, str]:
    """The installed versions, by package."""
    found = _system_versions(peer.apt)
    for package in peer.home.glob("node_modules/**/package.json"):
        name = package.parent.relative_to(peer.home / "node_modules").as_posix()
        if name in peer.npm:
            found[name] = json.loads(package.read_text(encoding="utf-8"))["version"]
    wanted = {_normalized(word) for step in peer.pip for word in step}
    for folder in peer.home.glob("venv/lib/*/site-packages/*.dist-info"):
        name, _, version = folder.name.removesuffix(".dist-info").partition("-")
        if _normalized(name) in wanted and name not in _TOOLS:
            found[name] = version
    return found


def _normalized(name: str) -> str:
    return name.lower().replace("_", "-")


def _system_versions(packages: Sequence[str]) -> dict[str, str]:
    return _query(packages, "${Version}")


def _query(packages: Sequence[str], field: str) -> dict[str, str]:
    if not packages or not shutil.which("dpkg-query"):
        return {}
    ask = ["dpkg-query", "-W", f"-f=${{db:Status-Status}} ${{Package}} {field}\\n", *packages]
    lines = subprocess.run(ask, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split(" ", 2) for line in lines]
    return {row[1]: row[2] for row in rows if row[0] == "installed"}


def disk_bytes(peer: Peer) -> int:
    """The size on disk of packages, models and dictionaries, without Python or Node."""
    files = set(_files([peer.home / "node_modules", *peer.files]))
    for site in peer.home.glob("venv/lib/*/site-packages"):
        entries = [entry for entry in site.iterdir() if not entry.name.startswith(_TOOLS)]
        files |= set(_files(entries))
    if peer.trains:
        files |= {path for path in peer.home.iterdir() if path.is_file()}
    system = sum(1024 * int(size) for size in _query(peer.apt, "${Installed-Size}").values())
    programs = set(_files([peer.home / "venv" / "bin" / peer.name]))
    return system + sum(path.stat().st_size for path in files | programs)


def _files(paths: Iterable[Path]) -> Iterable[Path]:
    for path in paths:
        found = path.rglob("*") if path.is_dir() else [path]
        yield from (p.resolve() for p in found if p.is_file() and p.suffix != ".pyc")


def hashes(peer: Peer) -> dict[str, str]:
    """SHA-256 of the files in the list of peers, and of trained models."""
    trained = sorted(p for p in peer.home.iterdir() if p.is_file()) if peer.trains else []
    return {path.name: sha256(path) for path in (*peer.files, *trained) if path.is_file()}
