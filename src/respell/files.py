"""Finds the files to check, reads them as blocks of whole lines, and replaces them atomically."""

import codecs
import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO, Self

from respell.globs import Patterns as Patterns
from respell.types import Error

BLOCK = 1 << 16
"""How many characters a block has at most, unless a single line is longer."""
LINE = 1 << 20
"""How many characters of a line are read at once: what is mark-up can be told from whole lines."""

EXTENSIONS = ("md", "markdown", "txt", "rst", "tex", "html", "htm")
NAMES = frozenset({"README", "CHANGELOG", "CHANGES", "CONTRIBUTING", "HISTORY", "NEWS", "TODO"})


class BinaryError(Error):
    """The file holds NUL bytes: worth a note, but no trouble unless somebody named the file."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Something to check; `path` is None for standard input, `named` means named by the user."""

    name: str
    path: Path | None
    named: bool = True
    stat: os.stat_result | None = None  # as it was found: tells whether it changes meanwhile


def _ignored(path: str, rules: Sequence[Patterns], *, folder: bool) -> bool:
    """Ask the innermost rules first; the first that speaks of the path decides."""
    verdicts = (patterns.verdict(path, folder=folder) for patterns in reversed(rules))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _rules_in(folder: Path, name: str = ".gitignore") -> tuple[Patterns, ...]:
    try:
        text = (folder / name).read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError:  # mostly: there is none
        return ()
    return (Patterns.parse(folder, text.split("\n")),)


def _rules_above(folder: Path) -> tuple[Patterns, ...]:
    """Collect the rules of the repository that `folder` lies in, outermost first."""
    above = [folder, *folder.parents]
    root = next((i for i, parent in enumerate(above) if _stat(parent / ".git")), None)
    if root is None:
        return ()
    rules = _rules_in(above[root], ".git/info/exclude")
    return rules + sum((_rules_in(parent) for parent in above[root:0:-1]), ())


def _stat(path: Path) -> os.stat_result | None:
    with contextlib.suppress(OSError):  # opening the file will tell what is wrong
        return path.stat()
    return None


def is_folder(name: str) -> bool:
    """Whether a folder has this name; what one may not look at is none."""
    found = _stat(Path(name))
    return found is not None and S_ISDIR(found.st_mode)


def find(
    names: Iterable[str],
    *,
    extensions: Sequence[str] = (),
    exclude: Sequence[Patterns] = (),
    on_error: Callable[[str], None],
    on_note: Callable[[str], None] = lambda message: None,
) -> Iterator[Source]:
    """Yield what the names stand for: `-`, files as they are, folders with the prose below them.

    A file that has several names here, or links to it, comes once.
    """
    wanted = frozenset(ext.lower().removeprefix(".") for ext in extensions or EXTENSIONS)
    extensionless = frozenset() if extensions else NAMES

    def is_prose(path: Path) -> bool:
        return path.suffix[1:].lower() in wanted or path.name in extensionless

    seen: set[Path] = set()
    for name in names:
        path, found = Path(name), _stat(Path(name))
        if name == "-":
            sources = iter([Source("-", None)])
        elif found is None or not S_ISDIR(found.st_mode):
            sources = iter([Source(name, path, stat=found)])
        else:
            sources = _in_folder(path, is_prose, exclude, on_error, on_note)
        yield from (source for source in sources if _is_new(source, seen))


def _in_folder(
    top: Path,
    is_prose: Callable[[Path], bool],
    exclude: Sequence[Patterns],
    on_error: Callable[[str], None],
    on_note: Callable[[str], None],
) -> Iterator[Source]:
    """Yield the prose of a folder; say so if there is none: a filter may be mistyped."""
    silent = True

    def complain(message: str) -> None:
        nonlocal silent
        silent = False
        on_error(message)

    for path in filter(is_prose, _walk(top, exclude, complain)):
        silent = False
        yield Source(str(path), path, named=False, stat=_stat(path))
    if silent:
        on_note(f"{top}: no file to check in this folder")


def _is_new(source: Source, seen: set[Path]) -> bool:
    """Note a regular file by its real path: hard links are files of their own once one is fixed."""
    if source.path is None or source.stat is None or not S_ISREG(source.stat.st_mode):
        return True
    real = source.path.resolve()
    if real in seen:
        return False
    seen.add(real)
    return True


def size(names: Iterable[str]) -> int | None:
    """Add up the bytes of the files named; None when something else is named too."""
    found = [_stat(Path(name)) for name in names]
    sizes = [one.st_size for one in found if one and S_ISREG(one.st_mode)]
    return sum(sizes) if len(sizes) == len(found) else None


def _walk(
    top: Path, exclude: Sequence[Patterns], on_error: Callable[[str], None]
) -> Iterator[Path]:
    """Yield the files below `top` in order of name; links found on the way are not followed."""
    root = top.resolve()
    stack = [(top, root, True, _rules_above(root))]
    while stack:
        shown, path, folder, rules = stack.pop()
        if not folder:
            yield shown
            continue
        rules += _rules_in(path)
        try:
            with os.scandir(path) as scan:
                entries = sorted(scan, key=lambda entry: entry.name, reverse=True)
        except OSError as error:
            on_error(f"{shown}: {error.strerror}")
            continue
        for entry in entries:
            below, folder = path / entry.name, entry.is_dir(follow_symlinks=False)
            if entry.name.startswith(".") or not (folder or entry.is_file(follow_symlinks=False)):
                continue
            if any(_ignored(below.as_posix(), r, folder=folder) for r in (exclude, rules)):
                continue
            stack.append((shown / entry.name, below, folder, rules))


def read(source: Source) -> Iterator[str]:
    """Yield the text of a source as blocks of whole lines, exactly as it is on disk."""
    try:
        if source.path is None:
            yield from _blocks(_decode(sys.stdin.buffer, source.name))
        else:
            with source.path.open("rb") as stream:
                yield from _blocks(_decode(stream, source.name))
    except OSError as error:
        raise Error(f"{source.name}: {error.strerror or error}") from error


def _decode(stream: BinaryIO, name: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    fed = 0
    while True:
        chunk = stream.read(BLOCK)
        if fed == 0 and b"\0" in chunk[:8192]:
            raise BinaryError(f"{name}: skipped, looks binary")
        held = len(decoder.getstate()[0])  # bytes of a character cut by the last chunk
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            raise Error(f"{name}: not UTF-8 (byte {fed - held + error.start})") from error
        fed += len(chunk)
        yield text
        if not chunk:
            return


def _blocks(chunks: Iterable[str]) -> Iterator[str]:
    held = ""
    for chunk in chunks:
        held += chunk
        while len(held) >= BLOCK and (cut := _cut(held)):
            yield held[:cut]
            held = held[cut:]
    if held:
        yield held


def _cut(text: str) -> int:
    """Say where the first block ends: after a blank line, a line, or a space of an endless line.

    It is 0 if that cannot be told yet.
    """
    for separator, first in (("\n\n", BLOCK // 2), ("\r\n\r\n", BLOCK // 2), ("\n", 0)):
        at = text.rfind(separator, first, BLOCK)
        if at >= 0:
            return at + len(separator)
    end = text.find("\n", BLOCK, LINE) + 1
    return end or (_last_blank(text, 0, LINE) if len(text) >= LINE else 0)


def _last_blank(text: str, start: int, limit: int) -> int:
    """Say where to cut before the limit: behind a blank, or else hard."""
    return next((end for end in range(limit, start, -1) if text[end - 1].isspace()), limit)


def pieces(block: str) -> Iterator[slice]:
    """Cut a block into what is checked at once: a long line into several pieces."""
    start = 0
    while start < len(block):
        end = start + BLOCK
        end = len(block) if end >= len(block) else _last_blank(block, start, end)
        yield slice(start, end)
        start = end


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class Rewrite:
    """Replaces a file whole or not at all; a file that stays the same is not touched."""

    def __init__(self, source: Source, path: Path) -> None:
        self._source, self._path = source, path
        self._same = 0  # so many bytes at the front stay as they are
        self._draft: Path | None = None  # named before it is made: a signal may come in between
        self._out: BinaryIO | None = None  # there is a draft once something differs

    def write(self, old: str, new: str) -> None:
        """Say what the next piece of the file was and what it shall be."""
        if self._out is None and old == new:
            self._same += len(old.encode())
        else:
            out = self._out or self._start()
            out.write(new.encode())

    def _start(self) -> BinaryIO:
        self._path = self._path.resolve()
        self._draft = self._path.parent / f".respell-{secrets.token_hex(8)}.tmp"
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
            raise Error(f"{self._source.name}: changed while it was being read; left as it is")
        if not os.access(self._path, os.W_OK):
            raise Error(f"{self._source.name}: not writable")
        with contextlib.suppress(OSError):  # only root may give a file to somebody else
            shutil.chown(draft, now.st_uid, now.st_gid)
        draft.chmod(now.st_mode & 0o7777)
        draft.replace(self._path)
