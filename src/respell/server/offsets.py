"""Convert offsets between code points (Python) and UTF-16 units (JavaScript, Java)."""

from bisect import bisect_left

_LAST_NARROW = "\uffff"


class Utf16Offsets:
    """Converts offsets in one text."""

    def __init__(self, text: str) -> None:
        narrow = text.isascii() or max(text, default="") <= _LAST_NARROW
        self._wide = [] if narrow else [i for i, c in enumerate(text) if c > _LAST_NARROW]
        self._wide_units = [offset + i for i, offset in enumerate(self._wide)]

    def to_utf16(self, offset: int) -> int:
        """The number of UTF-16 units before a code point."""
        return offset + bisect_left(self._wide, offset)

    def to_code_points(self, units: int) -> int:
        """The number of code points before a UTF-16 unit.

        Both units of a surrogate pair belong to the same code point.
        """
        return units - bisect_left(self._wide_units, units)
