"""Offsets in code points, as Python counts, and in UTF-16 units, as JavaScript and Java do."""

from bisect import bisect_left

_LAST_NARROW = "\uffff"


class Utf16:
    """Converts offsets of one text."""

    def __init__(self, text: str) -> None:
        plain = text.isascii() or max(text, default="") <= _LAST_NARROW
        self._wide = [] if plain else [i for i, c in enumerate(text) if c > _LAST_NARROW]
        self._units = [offset + i for i, offset in enumerate(self._wide)]

    def units(self, offset: int) -> int:
        """UTF-16 units before a code point."""
        return offset + bisect_left(self._wide, offset)

    def offset(self, units: int) -> int:
        """Code points before a UTF-16 unit; the second half of a pair counts as the first."""
        return units - bisect_left(self._units, units)
