"""Changes as a unified diff."""

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

_CONTEXT = 3
_LONGEST_HUNK = 4096  # lines of a hunk in memory, if some line is unchanged
_ODD = re.compile(r'[\x00-\x1f\x7f"\\]')  # what git escapes in file names
_ESCAPES = {"\t": r"\t", "\n": r"\n", "\r": r"\r", '"': r"\"", "\\": r"\\"}
_NO_NEWLINE = "\n\\ No newline at end of file\n"


def diff(path: str, blocks: Iterable[tuple[str, str]], *, color: bool = False) -> Iterator[str]:
    """Write the changes of consecutive (old, new) blocks of a file as a unified diff.

    Corrections neither add nor remove lines, so old and new lines correspond, and only the
    current hunk is kept in memory.
    """
    red, green, plain = ("\x1b[31m", "\x1b[32m", "\x1b[0m") if color else ("", "", "")
    name = _name_in_diff(path)
    header = f"--- {_quoted(f'a/{name}')}\n+++ {_quoted(f'b/{name}')}\n"
    for number, pairs in _hunks(_line_pairs(blocks)):
        yield f"{header}@@ -{number},{len(pairs)} +{number},{len(pairs)} @@\n"
        header = ""
        for same, group in groupby(pairs, key=lambda pair: pair[0] == pair[1]):
            lines = list(group)
            if same:
                yield from (" " + _ended(old) for old, _ in lines)
            else:
                yield from (f"{red}-{_ended(old, plain)}" for old, _ in lines)
                yield from (f"{green}+{_ended(new, plain)}" for _, new in lines)


def _name_in_diff(path: str) -> str:
    """The path relative to the current folder, or from the root if the file is elsewhere."""
    below = Path(os.path.relpath(path))
    return (Path(path) if ".." in below.parts else below).as_posix().lstrip("/")


def _quoted(name: str) -> str:
    """A file name as git writes it: quoted and escaped if necessary; a tab ends one with spaces."""
    escaped = _ODD.sub(lambda sign: _ESCAPES.get(sign[0], f"\\{ord(sign[0]):03o}"), name)
    if escaped != name:
        return f'"{escaped}"'
    return f"{name}\t" if " " in name else name


def _line_pairs(blocks: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Pairs of old and new lines; a line may continue in the next block."""
    held_old = held_new = ""
    for old, new in blocks:
        *olds, held_old = (held_old + old).split("\n")
        *news, held_new = (held_new + new).split("\n")
        yield from ((a + "\n", b + "\n") for a, b in zip(olds, news, strict=True))
    if held_old:
        yield held_old, held_new


def _hunks(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Yield the first line number and the lines of each hunk."""
    before: deque[tuple[str, str]] = deque(maxlen=_CONTEXT)
    hunk: list[tuple[str, str]] = []
    first = same = 0
    for number, (old, new) in enumerate(pairs, start=1):
        if old == new and not hunk:
            before.append((old, new))
            continue
        if not hunk:
            first, hunk = number - len(before), list(before)
            before.clear()
        hunk.append((old, new))
        same = same + 1 if old == new else 0
        if same == _CONTEXT or (same and len(hunk) >= _LONGEST_HUNK):
            yield first, hunk
            hunk = []
    if hunk:
        yield first, hunk


def _ended(line: str, plain: str = "") -> str:
    """End a line of a diff, and switch the colour off."""
    return line[:-1] + plain + "\n" if line.endswith("\n") else line + plain + _NO_NEWLINE
