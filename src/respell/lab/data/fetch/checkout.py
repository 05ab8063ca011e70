"""Get repositories and packages, and read files in them."""

import fnmatch
import gzip
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from respell.lab.common.storage import replacing_folder
from respell.lab.data.fetch.origin import Origin
from respell.types import Error

REVISION = ".revision"
"""The file of an unpacked package that names the archive it comes from."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """The folder of a repository or package, and its commit or version."""

    folder: Path
    revision: str


def folder_of(origin: Origin) -> Path:
    """The path of a checkout in a cache: OWNER/NAME, pypi/NAME or debian/NAME."""
    kind, _, name = origin.repo.partition(":")
    suffix = f"@{origin.commit}" if origin.commit else ""
    if kind == "github":
        return Path(name + suffix)
    if kind == "git":
        return Path("git") / (re.sub(r"[^\w.-]+", "_", name) + suffix)
    return Path(kind) / re.split("=", name)[0]


def given(origin: Origin, folder: Path) -> Checkout:
    """A checkout that the user has: in `folder`, with or without the commit in its name."""
    path = folder_of(origin)
    plain = Path(str(path).partition("@")[0])
    for candidate in (folder / path, folder / plain):
        if candidate.is_dir():
            return Checkout(candidate, _revision(candidate))
    raise Error(f"{folder / plain}: no checkout of {origin.name}; get it, or omit --from")


def fetched(origin: Origin, cache: Path) -> Checkout:
    """Get the files of an origin over the network; what is in the cache is not fetched again."""
    folder = cache / folder_of(origin)
    kind, _, name = origin.repo.partition(":")
    if kind in ("pypi", "debian"):
        if not folder.is_dir():
            with replacing_folder(folder) as draft:
                (_get_wheel if kind == "pypi" else _get_deb)(name, draft)
    else:
        url = f"https://github.com/{name}.git" if kind == "github" else name
        clone(url, folder, commit=origin.commit, paths=origin.paths)
    return Checkout(folder, _revision(folder))


def clone(url: str, folder: Path, *, commit: str, paths: Sequence[str]) -> None:
    """Clone a repository, but get only the files that match the paths."""
    exact = len(commit) == 40
    if not folder.is_dir():
        # All commits are needed to find one by its first digits; without files they are small.
        depth = ("--depth", "1") if exact or not commit else ()
        with replacing_folder(folder) as draft:
            options = ("--quiet", "--no-checkout", "--filter=blob:none", *depth)
            _run("git", "clone", *options, "--", url, str(draft))
            if exact:
                _git(draft, "fetch", "--quiet", "--filter=blob:none", *depth, "origin", commit)
            _git(draft, "sparse-checkout", "set", "--no-cone", *_outer(paths))
    _git(folder, "sparse-checkout", "add", *_outer(paths))
    _git(folder, "checkout", "--quiet", commit or "HEAD")


def _outer(paths: Sequence[str]) -> list[str]:
    return [f"/{path.partition('!')[0]}" for pattern in paths for path in _braces(pattern)]


def _get_wheel(name: str, folder: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    _run(*pip, "download", "--no-deps", "--dest", str(folder), name)
    archive = next(folder.iterdir())
    if archive.suffix == ".gz":
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    else:
        with zipfile.ZipFile(archive) as package:
            package.extractall(folder)
    _note(archive, folder)


def _get_deb(name: str, folder: Path) -> None:
    _run("apt-get", "--quiet", "download", name, folder=folder)
    archive = next(folder.glob("*.deb"))
    _run("dpkg-deb", "--extract", str(archive), str(folder))
    _note(archive, folder)


def _note(archive: Path, folder: Path) -> None:
    (folder / REVISION).write_text(archive.name, encoding="utf-8")
    archive.unlink()


def _revision(folder: Path) -> str:
    note = folder / REVISION
    if note.is_file():
        return note.read_text(encoding="utf-8")
    return _git(folder, "rev-parse", "HEAD") if (folder / ".git").exists() else "unknown"


def _git(folder: Path, *arguments: str) -> str:
    return _run("git", *arguments, folder=folder)


def _run(program: str, *arguments: str, folder: Path | None = None) -> str:
    """The output of a program; if it fails, an error with the last line it wrote."""
    try:
        done = subprocess.run(
            [program, *arguments],
            cwd=folder,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},  # a missing repository asks who we are
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
    except FileNotFoundError as error:
        raise Error(f"{program} is not installed; install it, or use --from") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
        what = " ".join((Path(program).name, *arguments))
        raise Error(f"{what[:100]}: failed ({lines[-1].strip()}); is there a network?")
    return done.stdout.strip()


def _braces(pattern: str) -> list[str]:
    """The patterns that a pattern with alternatives in braces stands for."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    before, after = pattern[: match.start()], pattern[match.end() :]
    return [path for part in match[1].split(",") for path in _braces(before + part + after)]


def read_files(origin: Origin, checkout: Checkout) -> Iterator[tuple[str, bytes]]:
    """The names and contents of the files of an origin, in order; gzip is decompressed."""
    for pattern in origin.paths:
        found = False
        for name, read in _matches(checkout.folder, pattern):
            found = True
            if _is_chosen(name, origin):
                yield name, read()
        if not found:
            where = f"{origin.name}: no file matches {pattern!r}"
            raise Error(f"{where} in {checkout.folder}; has the repository changed?")


def _is_chosen(name: str, origin: Origin) -> bool:
    excluded = (path for pattern in origin.exclude for path in _braces(pattern))
    if any(fnmatch.fnmatchcase(name, path) for path in excluded):
        return False
    digest = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(digest[:4]) < origin.share * 2**32


def _matches(folder: Path, pattern: str) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Matching files by name, each with a function that reads it."""
    outer, _, inner = pattern.partition("!")
    found = {path for glob in _braces(outer) for path in folder.glob(glob)}
    for path in sorted(found):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not path.is_file() or name.startswith(".git/"):
            continue
        if inner:
            yield from _members(path, name, inner)
        else:
            yield name, partial(_read, path)


def _members(path: Path, name: str, pattern: str) -> Iterator[tuple[str, Callable[[], bytes]]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for member in sorted(archive.namelist()):
                matches = (fnmatch.fnmatchcase(member, glob) for glob in _braces(pattern))
                if any(matches) and not member.endswith("/"):
                    yield f"{name}!{member}", partial(archive.read, member)
    except zipfile.BadZipFile as error:
        raise Error(f"{path}: not a zip file ({error})") from error


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise Error(f"{path}: cannot be read ({error})") from error
