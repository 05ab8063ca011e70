"""Jupyter notebooks: show only the text of Markdown cells, at its place in the JSON file."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from respell.formats.scanner import FILLER, Rule, Scanner, hide
from respell.text.words import APOSTROPHE, LETTER

_Mask = Callable[[str], str]
_CELL: list[str | None] = ["cells", None]
_CELL_TYPE = [*_CELL, "cell_type"]
_SOURCE = ([*_CELL, "source"], [*_CELL, "source", None])
_LONGEST_KEY = 16
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_WORD = re.compile(rf"[\w.+-]{{0,64}}(?:\\[\w.+-]+)+|(?:{LETTER})+(?:{APOSTROPHE}(?:{LETTER})+)*+")
_FORMULAS = {"environment": Rule(r"\\begin\{[a-z]+\*?\}", r"\\end\{[a-z]+\*?\}")}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a string: an escape, which stands for one character, or text without escapes."""

    start: int
    raw: str

    @property
    def is_escape(self) -> bool:
        return self.raw.startswith("\\")

    @property
    def text(self) -> str:
        if not self.is_escape:
            return self.raw
        if len(self.raw) == 6 and not "d800" <= self.raw[2:].lower() <= "dfff":
            return chr(int(self.raw[2:], 16))
        return _CHARACTERS.get(self.raw[1:], FILLER)


class NotebookCells:
    """Hides a notebook except the text of its Markdown cells, across the blocks of a file.

    The type of a cell must precede its source, as in files that Jupyter writes. `open_cell` makes
    the function that masks the text of a cell.
    """

    _SYNTAX = re.compile(r'["\[\]{}:,]')
    _CONTENT = re.compile(r'(?:[^"\\]++|\\[\s\S])*+')
    _PIECE = re.compile(r"[^\\]+|\\(?:u[\da-fA-F]{4}|[\s\S])")
    _LINE_END = re.compile(r'",?[ \t\r]*\n')

    def __init__(self, open_cell: Callable[[], _Mask]) -> None:
        self._open_cell = open_cell
        self._path: list[str | None] = []  # the key in each open object, None for arrays
        self._value = False  # a value comes next, not a key
        self._string: str | None = None  # the start of the open string
        self._escaped = False  # the last block ended with a backslash
        self._markdown = False  # in a Markdown cell
        self._masks: tuple[_Mask, ...] = ()  # for the text of the open cell
        self._pieces: list[_Piece] = []  # the text of the open cell in this block

    def mask(self, text: str) -> str:
        """Hide everything else in the next block."""
        shown = list(hide(text))
        at = 0
        while at < len(text):
            read = self._outside if self._string is None else self._inside
            at = read(text, at, shown)
        self._show(text, shown)
        return "".join(shown)

    def _outside(self, text: str, at: int, shown: list[str]) -> int:
        """Read on to the next mark that is not in a string."""
        found = self._SYNTAX.search(text, at)
        if found is None:
            return len(text)
        mark = found[0]
        if mark in '",' and self._in_source():
            shown[found.start()] = " "
        if mark == '"':
            self._string = ""
        elif mark in ":,":
            self._value = mark == ":"
        elif mark in "[{":
            self._path.append(None if mark == "[" else "")
            self._value = False
        else:
            self._close(text, shown)
        return found.end()

    def _close(self, text: str, shown: list[str]) -> None:
        """Close an array or an object."""
        if self._path:
            self._path.pop()
        if self._path == _CELL:
            self._show(text, shown)
            self._markdown, self._masks = False, ()

    def _inside(self, text: str, at: int, shown: list[str]) -> int:
        """Read on to the end of a string."""
        at += self._escaped
        found = self._CONTENT.match(text, at)
        end = found.end() if found else at
        content = text[at:end]
        source = self._in_source()
        if source:
            self._pieces += (
                _Piece(at + piece.start(), piece[0]) for piece in self._PIECE.finditer(content)
            )
        self._string = ((self._string or "") + content)[:_LONGEST_KEY]
        self._escaped = text[end : end + 1] == "\\"
        if text[end : end + 1] == '"':
            shown[end] = " " if source else FILLER
            self._end_string(self._string)
        return end + 1

    def _end_string(self, content: str) -> None:
        self._string = None
        if self._path == _CELL_TYPE and self._value:
            self._markdown = content == "markdown"
        elif self._path and self._path[-1] is not None and not self._value:
            self._path[-1] = content

    def _in_source(self) -> bool:
        """Whether a string at this place is the text of a Markdown cell."""
        in_array = bool(self._path) and self._path[-1] is None
        return self._markdown and self._path in _SOURCE and (in_array or self._value)

    def _show(self, text: str, shown: list[str]) -> None:
        """Show the prose of the open cell that is in this block."""
        pieces, self._pieces = self._pieces, []
        if pieces and not self._masks:
            self._masks = Scanner(_FORMULAS, r"\\").mask, self._open_cell()
        masked = "".join(piece.text for piece in pieces)
        for mask in self._masks:
            masked = mask(masked)
        masked = _hide_escaped_words(masked, pieces)
        at = 0
        for piece in pieces:
            start, end = piece.start, piece.start + len(piece.raw)
            characters = masked[at : at + len(piece.text)]
            if piece.is_escape:
                line_end = "" if self._LINE_END.match(text, end) else "\n"
                characters = _fill(piece, characters, line_end)
            shown[start:end] = characters
            at += len(piece.text)


def _hide_escaped_words(masked: str, pieces: Iterable[_Piece]) -> str:
    """Hide words that contain escapes: their spelling in the file differs from the word."""
    at, escapes = 0, set()
    for piece in pieces:
        if piece.is_escape:
            escapes.add(at)
        at += len(piece.text)

    def hide_escaped(word: re.Match[str]) -> str:
        return word[0] if escapes.isdisjoint(range(*word.span())) else hide(word[0])

    return _WORD.sub(hide_escaped, masked)


def _fill(piece: _Piece, character: str, line_end: str) -> str:
    """The masked character that an escape stands for, padded to the length of the escape."""
    length = len(piece.raw)
    if character == "\n":
        return line_end.rjust(length)
    if character.isspace():
        return " " * length
    return character.rjust(length) if length == 2 and character != FILLER else FILLER * length
