"""A progress bar for terminals."""

import sys
import time
from typing import Self, TextIO

_WIDTH = 30
_SCALES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


class Progress:
    """A bar on stderr, drawn only on a terminal and only after `delay` seconds."""

    def __init__(
        self,
        total: float | None = None,
        label: str = "",
        *,
        delay: float = 1.0,
        every: float = 0.1,
        stream: TextIO | None = None,
    ) -> None:
        self._stream = stream or sys.stderr
        self._active = self._stream.isatty()
        self._total, self._label, self._every = total, label, every
        self._started = time.monotonic()
        self._due = self._started + delay
        self._done = 0.0
        self._shown = False

    def advance(self, amount: float = 1, *, label: str | None = None) -> None:
        """Count work done; `label` names the current item."""
        self._done += amount
        self._label = self._label if label is None else label
        now = time.monotonic()
        if self._active and now >= self._due:
            self._due = now + self._every
            self._stream.write(f"\r\x1b[K{self._line(now - self._started)}")
            self._stream.flush()
            self._shown = True

    def hide(self) -> None:
        """Remove the bar before other output; the next advance draws it again."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown, self._due = False, time.monotonic() + self._every

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def _line(self, seconds: float) -> str:
        rate = self._done / max(seconds, 1e-9)
        tail = f"{_short(self._done)} {_short(rate)}/s {self._label[-40:]}"
        if not self._total:
            return tail
        part = min(self._done / self._total, 1.0)
        filled = int(part * _WIDTH)
        left = (self._total - self._done) / rate if rate else 0.0
        bar = "#" * filled + "-" * (_WIDTH - filled)
        return f"[{bar}] {part:4.0%} {max(left, 0):.0f} s left, {tail}"


def _short(number: float) -> str:
    for scale, letter in _SCALES:
        if number >= scale:
            return f"{number / scale:.1f}{letter}"
    return f"{number:.0f}"
