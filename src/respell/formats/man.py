"""Manual pages in roff: hide requests, macros, escapes, options and examples."""

import re
from collections.abc import Collection, Mapping

from respell.formats.scanner import LINE, SOFT_BREAK, Rule, blank_out, hide

_BEHIND_LETTER, _BEFORE_LETTER = r"(?<=[^\W\d_])", r"(?=[^\W\d_])"
_NAME = r"(?:\([^\n]{2}|\[[^\]\n]{0,60}\]|[^\n])"  # of a font, a string or a register
_ROMAN = r"\\f(?:[RP1]|\[[RP]?\])"
RULES = {
    "comment": Rule(r"\\[\"#][^\n]*"),
    # Words in another font are commands, options and arguments.
    "font": Rule(
        rf"(?!{_ROMAN})\\f{_NAME}(?:[^\\\n]|\\[^f\n]|{SOFT_BREAK}|(?!{_ROMAN})\\f){{0,200}}+{_ROMAN}",
        word=True,
    ),
    "option": Rule(
        r"(?<![^\s\[(,;|\"'=/])(?:\\?-){1,2}(?:\[no\\?-\])?[A-Za-z0-9](?:[\w.=/:+@]|\\?-){0,99}"
    ),
    "placeholder": Rule(r"<[a-z](?:[\w .:|/-]|\\-){0,60}>", word=True),
    "accent": Rule(r"\\(?:\([:'`^~,/o][A-Za-z]|\[u[\dA-F_]+\]|\*[:'`^~,/])", word=True),
    "apostrophe": Rule(
        rf"{_BEHIND_LETTER}\\(?:\((?:cq|aq)|\[(?:cq|aq)\]|'){_BEFORE_LETTER}", word=True
    ),
    "inside": Rule(rf"{_BEHIND_LETTER}\\[%:/,|^]{_BEFORE_LETTER}", word=True),
    "page": Rule(r"(?<=[\w|&])\(\d[a-z]{0,3}\)(?!\w)", word=True, glue="-._+:\\|&0123456789"),
    "hyphenated_page": Rule(r"(?<=\w)\\-(?:[\w.+:]|\\?-){0,60}\(\d[a-z]{0,3}\)", word=True),
    "hyphen": Rule(r"\\(?=-)"),
    "size": Rule(r"\\s(?:[+-]?\d{1,2}|\([+-]?\d\d|[+-]?\[[^\]\n]{0,20}\]|'[^'\n]{0,20}')"),
    "function": Rule(r"\\[bDhHlLNoRSvwxXZ]'[^'\n]{0,200}'"),
    "named": Rule(rf"\\[*fFgkmMnVY][+-]?{_NAME}"),
    "special": Rule(r"\\(?:\([^\n]{2}|\[[^\]\n]{0,60}\])"),
    "escape": Rule(r"\\[^\n]"),
}
FIRST = r"\\(<\-"


class ManLines:
    """Hides macros, tags, examples and the synopsis; headings stay."""

    _CONTROL = re.compile(r"\.[ \t]*(\\\"|[^\s\\]*)|'(\\\"|[a-z]{2}\b)")
    _HEADINGS = frozenset("SH SS Sh Ss".split())
    _PROSE = _HEADINGS | {"Nd"}
    _TAG_FOLLOWS = frozenset("TP TQ".split())
    _FONTS = frozenset("B I SM SB".split())
    _WORDS = _FONTS | frozenset("BI BR IB IR RB RI".split())
    """Macros whose arguments are words of the sentence."""
    _MARKS = frozenset(".,;:!?")
    _ENDS: Mapping[str, str] = {
        "nf": "fi",
        "EX": "EE",
        "Vb": "Ve",
        "TS": "TE",
        "EQ": "EN",
        "PS": "PE",
        "SY": "YS",
        "DS": "DE",
        "Bd": "Ed",
        "de": ".",
        "de1": ".",
        "am": ".",
        "ig": ".",
    }
    _FILLED = re.compile(r"\.[ \t]*Bd[ \t]+-(?:filled|ragged|centered)")
    # White space for the mark of no width \& keeps sentences whole: "the end\&." is "the end  ."
    _ZERO_WIDTH = re.compile(r"\b[A-Za-z]\\&\.[A-Za-z]\\&\.|\\&")
    _NAME = re.compile(r"(?:[^\n]*?[ \t])?(?:\\?-|\\\(e[mn])(?=\s)")

    def __init__(self) -> None:
        self._end: str | None = None  # the macro that ends the open example
        self._tag = False  # the next line is the tag of a paragraph, or in another font
        self._section = ""
        self._names = False  # in the section NAME, before the dash

    def mask(self, text: str) -> str:
        """Hide such lines in the next block."""
        return "".join(map(self._line, LINE.findall(text)))

    def _line(self, line: str) -> str:
        hidden = self._end or self._tag or self._section == "SYNOPSIS"
        name = self._NAME.match(line) if self._section == "NAME" else None
        hidden = hidden or (self._names and not name)
        self._names = self._names and not name
        if control := self._CONTROL.match(line):
            macro, start = control[1] or control[2] or "", control.end()
            end = self._macro(line, macro, start)
            if macro in self._WORDS and not hidden:
                return _opaque_words(line, start, self._MARKS)
            return hide(line[:end]) + line[end:]
        self._tag = False
        if hidden:
            return hide(line)
        end = name.end() if name else 0
        return hide(line[:end]) + self._ZERO_WIDTH.sub(_fill, line[end:])

    def _macro(self, line: str, name: str, end: int) -> int:
        """How many characters of a line with a macro are hidden."""
        argument = line[end:].strip(' \t\r\n"')
        if name == '\\"':
            return len(line)
        if name == self._end or (name in self._HEADINGS and self._end != "."):
            self._end = None
        if self._end is None:
            self._end = None if self._FILLED.match(line) else self._ENDS.get(name)
            self._tag = name in self._TAG_FOLLOWS or (name in self._FONTS and not argument)
            if name in ("SH", "Sh"):
                self._section = argument.upper()
                self._names = self._section == "NAME"
            if name in self._PROSE:
                return end
        return len(line)


def _opaque_words(line: str, start: int, marks: Collection[str]) -> str:
    """A line with a macro: white space for its name, filler for its arguments.

    A mark at the end stays, because the sentence needs it.
    """
    end = len(line.rstrip(" \t\r\n")) - 1
    if end < start or line[end] not in marks or line[end - 1] == ".":
        end = len(line)
    return blank_out(line[:start]) + hide(line[start:end]) + line[end:]


def _fill(match: re.Match[str]) -> str:
    """White space for a mark of no width, filler for an abbreviation such as e\\&.g\\&."""
    return blank_out(match[0]) if match[0] == "\\&" else hide(match[0])
