"""A progress bar for terminals."""

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Self, TextIO

_WIDTH = 30
_SCALES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


class Progress:
    """A bar on stderr, drawn only on a terminal and only after `delay` seconds.

    Work is counted in bytes; without a `total`, there are only numbers. `verb` says what is done
    with the current item.
    """

    def __init__(
        self,
        total: int | None = None,
        verb: str = "",
        *,
        delay: float = 1.0,
        every: float = 0.1,
        stream: TextIO | None = None,
    ) -> None:
        self._stream = stream or sys.stderr
        self._active = self._stream.isatty()
        self._total, self._verb, self._label, self._every = total, verb, "", every
        self._started = time.monotonic()
        self._due = self._started + delay
        self._done = 0
        self._shown = False

    def advance(self, text: str, *, label: str | None = None) -> None:
        """Count a text that is done; `label` names the current item."""
        if not self._active:
            return
        self._done += len(text.encode())
        self._label = self._label if label is None else label
        now = time.monotonic()
        if now >= self._due:
            self._due = now + self._every
            self._stream.write(f"\r\x1b[K{self._line(now - self._started)}")
            self._stream.flush()
            self._shown = True

    def skip(self, size: int) -> None:
        """Leave bytes out of the total."""
        if self._total is not None:
            self._total -= size

    def hide(self) -> None:
        """Remove the bar before other output; the next advance draws it again."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown, self._due = False, time.monotonic() + self._every

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Hide the bar while the user is asked something; that time does not count."""
        self.hide()
        asked = time.monotonic()
        try:
            yield
        finally:
            waited = time.monotonic() - asked
            self._started += waited
            self._due += waited

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def _line(self, seconds: float) -> str:
        rate = self._done / max(seconds, 1e-9)
        item = f"{self._verb} {self._label[-40:]}".strip()
        tail = f"{_short(self._done)}, {_short(rate)}/s, {item}"
        if not self._total:
            return tail
        part = min(self._done / self._total, 1.0)
        filled = int(part * _WIDTH)
        left = (self._total - self._done) / rate if rate else 0.0
        bar = "#" * filled + "-" * (_WIDTH - filled)
        return f"[{bar}] {part:4.0%} {max(left, 0):.0f} s left, {tail}"


def _short(number: float) -> str:
    for scale, unit in _SCALES:
        if number >= scale:
            return f"{number / scale:.1f} {unit}"
    return f"{number:.0f} B"
