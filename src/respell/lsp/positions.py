"""Convert offsets in a text to positions of the protocol, and back."""

import re
from bisect import bisect_right

from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

_LINE_END = re.compile(r"\r\n|\n|\r")  # the protocol has only these; pygls splits at more


class Lines:
    """A text and its lines. The codec counts columns in the units that the editor uses."""

    def __init__(self, text: str, codec: PositionCodec | None = None) -> None:
        ends = list(_LINE_END.finditer(text))
        self.text = text
        self.codec = codec or PositionCodec()
        self._starts = [0, *(match.end() for match in ends)]
        self._ends = [*(match.start() for match in ends), len(text)]

    def position(self, offset: int) -> Position:
        """The position of an offset. An offset between CR and LF counts as the end of the line."""
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : min(offset, self._ends[line])]
        return Position(line, self._units(before))

    def range(self, start: int, end: int) -> Range:
        """The range between two offsets."""
        return Range(self.position(start), self.position(end))

    def offset(self, position: Position) -> int:
        """The offset of a position. One outside the text or inside a character is moved back."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[position.line], self._ends[position.line]
        return start + self._column(self.text[start:end], position.character)

    def line_end(self, line: int) -> int:
        """The offset after the last visible character of a line."""
        start = self._starts[line]
        return start + len(self.text[start : self._ends[line]].rstrip())

    def _units(self, text: str) -> int:
        if text.isascii():  # the common case, for speed
            return len(text)
        return int(self.codec.client_num_units(text))

    def _column(self, line: str, units: int) -> int:
        """How many characters of a line fit into so many code units."""
        units = min(units, self._units(line))  # pygls would return one character less
        if line.isascii():
            return units
        column = self.codec.position_from_client_units([line], Position(0, units)).character
        # pygls moves a position inside a character to its end; the start is what editors expect.
        return column - (self._units(line[:column]) > units)
