"""Find the files to check, and read them as blocks of whole lines."""

import codecs
import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

from respell.cli.gitignore import Patterns
from respell.formats.languages import SEARCHED
from respell.types import Error

BLOCK = 1 << 16
"""Characters of a block at most, unless a single line is longer."""
LINE = 1 << 20
"""Characters of a line that are read at once. In longer lines, markup may not be recognised."""
WORDS_FILE = "respell-words.txt"
"""The dictionary that `fix --interactive` makes; it is not prose."""
NAMES = frozenset({"README", "CHANGELOG", "CHANGES", "CONTRIBUTING", "HISTORY", "NEWS", "TODO"})


class BinaryError(Error):
    """The file has NUL bytes. That is an error only if the file was named by the user."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Something to check; `path` is None for standard input, `named` means named by the user."""

    name: str
    path: Path | None
    named: bool = True
    stat: os.stat_result | None = None  # as it was found, to detect changes
    blocks: Iterator[str] | None = None  # the text, if it can be read only once


def _ignored(path: str, rules: Sequence[Patterns], *, folder: bool) -> bool:
    """The innermost rule that matches the path decides."""
    verdicts = (patterns.verdict(path, folder=folder) for patterns in reversed(rules))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _rules_in(folder: Path, name: str = ".gitignore") -> tuple[Patterns, ...]:
    try:
        text = (folder / name).read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError:  # usually there is no such file
        return ()
    return (Patterns.parse(folder, text.split("\n")),)


def _rules_above(folder: Path) -> tuple[Patterns, ...]:
    """The rules of the repository that contains `folder`, outermost first."""
    above = [folder, *folder.parents]
    root = next((i for i, parent in enumerate(above) if _stat(parent / ".git")), None)
    if root is None:
        return ()
    rules = _rules_in(above[root], ".git/info/exclude")
    return rules + sum((_rules_in(parent) for parent in above[root:0:-1]), ())


def _stat(path: Path) -> os.stat_result | None:
    with contextlib.suppress(OSError):  # opening the file will report the error
        return path.stat()
    return None


def exists(name: str) -> bool:
    """Whether a file or a folder has this name; unreadable paths count as missing."""
    return bool(name) and _stat(Path(name)) is not None


def is_folder(name: str) -> bool:
    """Whether this is a folder; unreadable paths count as missing."""
    found = _stat(Path(name)) if name else None
    return found is not None and S_ISDIR(found.st_mode)


def find(
    names: Iterable[str],
    *,
    extensions: Sequence[str] = (),
    exclude: Sequence[Patterns] = (),
    on_error: Callable[[str], None],
    on_note: Callable[[str], None] = lambda message: None,
) -> Iterator[Source]:
    """Yield the sources: `-`, named files, and the prose files below named folders.

    What is named twice, or by a link, comes once.
    """
    wanted = frozenset(ext.lower().removeprefix(".") for ext in extensions or SEARCHED)
    extensionless = frozenset() if extensions else NAMES

    def is_prose(path: Path) -> bool:
        return path.suffix[1:].lower() in wanted or path.name in extensionless

    seen: set[Path] = set()
    for name in dict.fromkeys(names):
        path, found = Path(name), _stat(Path(name))
        if not name:
            on_error("a path is empty")
            continue
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
    """Yield the prose files of a folder; note if there are none, since a filter may be mistyped."""
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
    """Whether a file is new. Hard links count as separate files: fixing one separates them."""
    if source.path is None or source.stat is None or not S_ISREG(source.stat.st_mode):
        return True
    real = source.path.resolve()
    if real in seen:
        return False
    seen.add(real)
    return True


def total_size(sources: Iterable[Source]) -> int | None:
    """The bytes of all sources; None if one of them is not a regular file."""
    total = 0
    for source in sources:
        if source.stat is None or not S_ISREG(source.stat.st_mode):
            return None
        total += source.stat.st_size
    return total


def _walk(
    top: Path, exclude: Sequence[Patterns], on_error: Callable[[str], None]
) -> Iterator[Path]:
    """Yield the files below `top`, sorted by name; links are not followed."""
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
        if source.blocks is not None:
            yield from source.blocks
        elif source.path is None:
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
    """The end of the first block: after a blank line, a line, or a space of a very long line.

    It is 0 if more text is needed to decide.
    """
    for separator, first in (("\n\n", BLOCK // 2), ("\r\n\r\n", BLOCK // 2), ("\n", 0)):
        at = text.rfind(separator, first, BLOCK)
        if at >= 0:
            return at + len(separator)
    end = text.find("\n", BLOCK, LINE) + 1
    return end or (_last_blank(text, 0, LINE) if len(text) >= LINE else 0)


def _last_blank(text: str, start: int, limit: int) -> int:
    """Where to cut before the limit: after a space if there is one."""
    return next((end for end in range(limit, start, -1) if text[end - 1].isspace()), limit)


def pieces(block: str) -> Iterator[slice]:
    """Cut a block into the pieces that are checked at once: a long line into several."""
    start = 0
    while start < len(block):
        end = start + BLOCK
        end = len(block) if end >= len(block) else _last_blank(block, start, end)
        yield slice(start, end)
        start = end
