"""Replace a file atomically."""

import contextlib
import os
import secrets
import shutil
from pathlib import Path
from typing import BinaryIO, Self

from respell.cli.files import BLOCK, Source
from respell.types import Error


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _draft_of(path: Path) -> Path:
    """The name of a temporary file next to a file."""
    return path.parent / f".respell-{secrets.token_hex(8)}.tmp"


def write_atomically(path: Path, text: str) -> None:
    """Create a file or replace all of it. Raises an Error if that fails."""
    try:
        target = path.resolve()
        draft = _draft_of(target)
        try:
            with draft.open("xb") as out:
                out.write(text.encode())
                out.flush()
                os.fsync(out.fileno())
            if target.exists():
                draft.chmod(target.stat().st_mode & 0o7777)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from error


class Rewrite:
    """Replaces a whole file or nothing. A file that does not change is not touched."""

    def __init__(self, source: Source, path: Path) -> None:
        self._source, self._path = source, path
        self._same = 0  # bytes at the front that do not change
        self._draft: Path | None = None  # set before the file exists: a signal may come in between
        self._out: BinaryIO | None = None  # opened at the first change

    def write(self, old: str, new: str) -> None:
        """Give the next piece of the file, before and after."""
        if self._out is None and old == new:
            self._same += len(old.encode())
        else:
            out = self._out or self._start()
            out.write(new.encode())

    def _start(self) -> BinaryIO:
        self._path = self._path.resolve()
        self._draft = _draft_of(self._path)
        self._out = open(self._draft, "xb", opener=_open_privately)  # noqa: SIM115
        with self._path.open("rb") as old:
            for start in range(0, self._same, BLOCK):
                self._out.write(old.read(min(BLOCK, self._same - start)))
        return self._out

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._draft is None:
            return
        try:
            if self._out is not None:
                with self._out as out:
                    out.flush()
                    if kind is None:
                        os.fsync(out.fileno())
            if kind is None:
                self._commit(self._draft)
        finally:
            self._draft.unlink(missing_ok=True)

    def _commit(self, draft: Path) -> None:
        then, now = self._source.stat, self._path.stat()
        if then is None or (then.st_mtime_ns, then.st_size) != (now.st_mtime_ns, now.st_size):
            raise Error(f"{self._source.name}: changed while it was being read; not changed")
        if not os.access(self._path, os.W_OK):
            raise Error(f"{self._source.name}: not writable")
        with contextlib.suppress(OSError):  # only root may change the owner
            shutil.chown(draft, now.st_uid, now.st_gid)
        draft.chmod(now.st_mode & 0o7777)
        draft.replace(self._path)
