"""Comments of Ruby, as RDoc reads them: hide indented code and words in code font."""

import re

from respell.formats.scanner import FILLER, LINE, Rule, blank_out, hide, indent_of

RULES = {
    "word": Rule(r"(?<![\w+])\+[\w:.!?]{1,60}\+(?![\w+])"),
    "tag": Rule(r"<(?:tt|code)>[^<\n]{0,200}</(?:tt|code)>"),
}
FIRST = "+<"


class RdocLines:
    """Hides code: after an empty line or a colon, lines that are deeper than the text before."""

    _ITEM = re.compile(r"\s*(?:[*-]|\d+\.|[A-Za-z]\.|\[[^\]\n]+\]|[^\s:]\S*::)(?:[ \t]+|\s*$)")

    def __init__(self) -> None:
        self._margin: int | None = None  # where the text before is; None if there is none
        self._may_start = False  # after an empty line or a colon
        self._code = False

    def mask(self, text: str) -> str:
        """Hide such lines in the next block."""
        return "".join(map(self._line, LINE.findall(text)))

    def _line(self, line: str) -> str:
        bare, indent = line.strip(), indent_of(line)
        if not bare:
            self._may_start = True
            return line
        if bare.startswith(FILLER):  # between comments
            self._margin, self._code = None, False
            return line
        item = self._ITEM.match(line)
        deeper = self._margin is not None and indent > self._margin
        self._code = deeper and (self._code or (self._may_start and not item))
        self._may_start = bare.endswith(":")
        if self._code:
            return hide(line)
        self._margin = indent
        if item:  # its text may go on where it starts, or one line below
            rest = blank_out(item[0]) + line[item.end() :]
            self._margin = indent_of(rest) if rest.strip() else None
        return line
