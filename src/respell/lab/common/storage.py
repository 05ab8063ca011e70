"""Write files and folders atomically, hash them, and read JSON with clear errors."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from respell.types import Error

_COMPLETE = ".complete"
"""The folder with files that are ready to replace others."""


@contextmanager
def made(folder: Path) -> Iterator[None]:
    """Make a folder and its parents; on an error, remove those that are new and still empty."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # not empty
            for path in new:
                path.rmdir()
        raise


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` unless there is an error."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with made(path.parent):
        try:
            yield temporary
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that replaces `path` unless there is an error.

    An existing folder is deleted: the caller must have checked that this is safe.
    """
    with made(path.parent):
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            yield folder
            folder.chmod(0o755)
            if path.exists():
                old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
                path.rename(old / path.name)
                folder.rename(path)
                shutil.rmtree(old)
            else:
                folder.rename(path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replacing_files(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder whose files are moved into `folder` unless there is an error.

    All files are written before the first one is moved. If the process is killed while they are
    moved, `finish_replacing` moves the others.
    """
    with made(folder):
        finish_replacing(folder)
        drafts = Path(tempfile.mkdtemp(prefix=".draft.", dir=folder))
        try:
            yield drafts
            drafts.rename(folder / _COMPLETE)
            finish_replacing(folder)
        finally:
            shutil.rmtree(drafts, ignore_errors=True)


def finish_replacing(folder: Path) -> None:
    """Move files that `replacing_files` had written completely when its process was killed."""
    complete = folder / _COMPLETE
    if complete.is_dir():
        for path in sorted(complete.iterdir()):
            path.replace(folder / path.name)
        complete.rmdir()


def save_text(text: str, path: Path) -> None:
    """Write a text file atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def to_json(value: object) -> str:
    """Format a value as in all our JSON files."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def read_text(path: Path) -> str:
    """Read a UTF-8 file."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Error(f"{path}: cannot be read ({error.strerror}); check the path") from error
    except UnicodeDecodeError as error:
        raise Error(f"{path}: not UTF-8 (byte {error.start})") from error


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file."""
    return parse_json(read_text(path), str(path))


def parse_json(text: str, where: str) -> dict[str, Any]:
    """Parse a JSON object; `where` is used in errors."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Error(f"{where}: not JSON ({error}); was the file cut short?") from error
    if not isinstance(value, dict):
        raise Error(f"{where}: not a JSON object; was the file written by respell?")
    return value


def sha256(path: Path) -> str:
    """SHA-256 of a file of any size, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
