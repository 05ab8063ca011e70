"""MDX: hide imports, exports and expressions in Markdown."""

import re

from respell.formats.scanner import FILLER, LINE, hide

_QUOTED = r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\\n]|\\.)*+`"


class MdxLines:
    """Hides imports, exports and expressions in braces.

    They end where their braces are closed. If a brace has no partner, they end at a blank line that
    is not followed by an indented line, a tag or a closing bracket.
    """

    _STATEMENT = re.compile(
        r"import\s*(?:[\"'{*]|type\s|[\w$]+(?:\s*,|\s+from\b))|"
        r"export\s*(?:[{*]|(?:default|const|let|var|function|class|async|type|interface|enum)\b)"
    )
    _OPEN = re.compile(
        r"\\.|(?P<ticks>`++)(?:[^`\n]|(?!(?P=ticks)(?!`))`++)*+(?P=ticks)(?!`)|`+|(?P<brace>\{)"
    )
    _INSIDE = re.compile(rf"{_QUOTED}|/\*.*?\*/|(?<![:\w])//.*|/\*|[{{}}]")
    _CONTINUED = re.compile(r"[ \t})\]/<]")

    def __init__(self) -> None:
        self._depth = 0  # open braces
        self._comment = False  # in a comment between braces
        self._statement = False  # in an import or an export
        self._gap = True  # the line before was blank

    def mask(self, text: str) -> str:
        """Hide such parts of the next block."""
        return "".join(map(self._line, LINE.findall(text)))

    def _line(self, line: str) -> str:
        if not line.strip(FILLER + " \t\r\n"):  # blank, or hidden by Markdown
            self._gap = True
            return line
        if self._gap and not (self._comment or (self._depth and self._CONTINUED.match(line))):
            self._depth, self._statement = 0, False
        if self._gap and not self._depth:
            self._statement = self._STATEMENT.match(line) is not None
        self._gap = False
        masked = self._hide_expressions(line)
        return hide(line) if self._statement else masked

    def _hide_expressions(self, line: str) -> str:
        pieces: list[str] = []
        at = 0
        while at < len(line):
            start = at if self._depth else self._open(line, at)
            end = self._close(line, start)
            pieces += (line[at:start], hide(line[start:end]))
            at = end
        return "".join(pieces)

    def _open(self, line: str, at: int) -> int:
        """Where the next expression starts, including the letters before it."""
        braces = (match.start() for match in self._OPEN.finditer(line, at) if match["brace"])
        start = next(braces, len(line))
        while start < len(line) and start > at and line[start - 1].isalpha():
            start -= 1
        return start

    def _close(self, line: str, at: int) -> int:
        """Where the expression ends, including the letters behind it."""
        if self._comment:
            at = line.find("*/", at) + 2
            if at < 2:
                return len(line)
            self._comment = False
        for token in self._INSIDE.finditer(line, at):
            self._depth += (token[0] == "{") - (token[0] == "}")
            self._comment = token[0] == "/*"
            if self._comment:
                break
            if self._depth == 0:
                end = token.end()
                while end < len(line) and line[end].isalpha():
                    end += 1
                return end
        return len(line)
