"""Offsets in a text, and the lines and code units that editors count in."""

import re
from bisect import bisect_right
from typing import Literal, NamedTuple

Encoding = Literal["utf-8", "utf-16", "utf-32"]
_LINE_END = re.compile(r"\r\n|\n|\r")  # these and no others, says the protocol


class Place(NamedTuple):
    """A line and the code units before a character in it; both count from 0."""

    line: int
    character: int


class Lines:
    """The lines of a text; turns offsets into places and back."""

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        ends = list(_LINE_END.finditer(text))
        self.text = text
        self.encoding = encoding
        self._starts = [0, *(match.end() for match in ends)]
        self._ends = [*(match.start() for match in ends), len(text)]

    def place(self, offset: int) -> Place:
        """Where an offset is; one between CR and LF is where the line ends."""
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : min(offset, self._ends[line])]
        return Place(line, _units(before, self.encoding))

    def offset(self, place: Place) -> int:
        """The offset of a place; one outside the text or inside a character is moved back."""
        if place.line >= len(self._starts):
            return len(self.text)
        start = self._starts[place.line]
        return start + _index(
            self.text[start : self._ends[place.line]], place.character, self.encoding
        )

    def line_end(self, line: int) -> int:
        """The offset after the last visible character of a line."""
        start = self._starts[line]
        return start + len(self.text[start : self._ends[line]].rstrip())


def _size(character: str, encoding: Encoding) -> int:
    if encoding == "utf-16":
        return 1 + (character > "\uffff")
    return 1 + (character > "\x7f") + (character > "\u07ff") + (character > "\uffff")


def _units(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    return sum(_size(character, encoding) for character in text)


def _index(text: str, units: int, encoding: Encoding) -> int:
    """How many characters of `text` fit into so many code units."""
    if encoding == "utf-32" or text.isascii():
        return min(units, len(text))
    for index, character in enumerate(text):
        units -= _size(character, encoding)
        if units < 0:
            return index
    return len(text)
