"""Pragmas: hide the lines that the author has excluded from checking."""

import re

from respell.formats.scanner import LINE, hide

IGNORE_LINE = "respell: ignore"
IGNORE_NEXT_LINE, OFF, ON = "respell: ignore-next-line", "respell: off", "respell: on"


class Pragmas:
    """Hides excluded lines, across the blocks of a file."""

    _PRAGMA = re.compile(r"\brespell:[ \t]*(ignore-next-line|ignore|off|on)(?![\w-])")

    def __init__(self) -> None:
        self._off = self._next = False

    def mask(self, text: str, masked: str) -> str:
        """Hide the lines of `masked` that pragmas in `text` exclude; both have the same length."""
        if not (self._off or self._next or "respell:" in text):
            return masked
        lines = zip(LINE.findall(text), LINE.findall(masked), strict=True)
        return "".join(hide(shown) if self._hides(line) else shown for line, shown in lines)

    def _hides(self, line: str) -> bool:
        found = {match[1] for match in self._PRAGMA.finditer(line)}
        hidden = bool(self._off or self._next or found & {"ignore", "off"})
        self._off = (self._off or "off" in found) and "on" not in found
        self._next = "ignore-next-line" in found
        return hidden
