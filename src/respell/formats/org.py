"""Org: hide code, keywords, drawers, link targets, time stamps and comments."""

import re
from collections.abc import Mapping

from respell.formats.html import splitting_word
from respell.formats.scanner import LINE, SOFT_BREAK, Rule, hide

# Markup is recognised only between these characters.
_BEFORE, _AFTER = r"(?<![^\s('\"{|\u2013\u2014-])", r"(?![^\s.,:;!?'\")}|\\\[\u2013\u2014-])"
_DATE = r"\d{4}-\d{2}-\d{2}[^<>\[\]\n]{0,60}"


def _verbatim(mark: str) -> Rule:
    body = rf"(?:[^\s](?:(?:[^\n]|{SOFT_BREAK}){{0,300}}?[^\s])??)"
    return Rule(f"{_BEFORE}{mark}{body}{mark}{_AFTER}")


RULES = {
    "verbatim": _verbatim("="),
    "code": _verbatim("~"),
    "link": Rule(r"\[\[[^\[\]\n]{1,999}\](?:\[|\])"),
    "target": Rule(r"<{2,3}[^<>\n]{1,200}>{2,3}"),
    "time": Rule(rf"<{_DATE}>|\[{_DATE}\]"),
    "footnote": Rule(r"\[fn:[\w-]{0,60}(?:\]|:)"),
    "citation": Rule(r"\[cite[^\]\n]{1,300}\]"),
    "cookie": Rule(r"\[(?:\d*/\d*|\d*%|#[A-Z0-9])\]"),
    "macro": Rule(r"\{{3}[^\n]{0,300}?\}{3}", word=True),
    "snippet": Rule(r"@@[\w-]+:[^\n]{0,500}?@@", word=True),
    "display": Rule(rf"\\\[(?:[^\\\n]|{SOFT_BREAK}|\\[^\]\n]){{0,999}}+\\\]"),
    "parentheses": Rule(rf"\\\((?:[^\\\n]|{SOFT_BREAK}|\\[^)\n]){{0,999}}+\\\)"),
    "dollars": Rule(rf"\$\$(?:[^$\n]|{SOFT_BREAK})+\$\$"),
    "formula": Rule(r"(?<![\w$])\$(?=[^\s$])[^$\n]*(?<=[^\s\\])\$(?!\d)", word=True),
    "environment": Rule(r"\\begin\{\w+\*?\}", r"\\end\{\w+\*?\}"),
    "entity": Rule(r"\\[a-z]+(?:\{\})?", word=True),
    "inline_source": Rule(r"\b(?:src|call)_\w+(?:\[[^\]\n]{0,200}\])?[({][^})\n]{0,300}[)}]"),
    "cutting": splitting_word(r"[*/_+]\u200b|\u200b[*/_+]"),
    "emphasis": Rule(rf"{_BEFORE}[*+](?=\w)|(?<=[\w.,:;!?)])[*+]{_AFTER}"),
    # One word between slashes or underscores may be a path or a name.
    "slanted": Rule(rf"{_BEFORE}[/_](?=[^\s/_]{{1,60}}\s[^/_\n]{{1,300}}[/_]{_AFTER})"),
}
FIRST = r"=~\[<{@\\$*+/_sc\u200b"


_PROSE = "|".join(
    form
    for word in ("title", "subtitle", "caption")
    for form in (word, word.upper(), word.capitalize())
)


class OrgLines:
    """Hides blocks of code, keywords, drawers, planning lines, comments and rulers.

    Titles and captions stay.
    """

    _BLOCK = re.compile(r"[ \t]*#\+begin_(src|example|export|comment)\b", re.IGNORECASE)
    _BLOCK_ENDS: Mapping[str, re.Pattern[str]] = {
        name: re.compile(rf"[ \t]*#\+end_{name}\b", re.IGNORECASE)
        for name in "SRC EXAMPLE EXPORT COMMENT".split()
    }
    _MARKUP = re.compile(
        rf"[ \t]*(?:#\+(?!(?:{_PROSE}):)\w|[#:](?:\s|\Z)|:[\w-]+:\s*\Z|\|[-+|:]+\s*\Z|-{{5,}}\s*\Z|"
        r"(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):)"
    )
    _DRAWER = re.compile(r"[ \t]*:(?:PROPERTIES|LOGBOOK|CLOCK):\s*\Z", re.IGNORECASE)
    _DRAWER_END = re.compile(r"[ \t]*:END:\s*\Z|\*+ ", re.IGNORECASE)
    # A keyword before prose, or a definition of code as in Emacs manuals:
    # "- Function: name arguments ::"
    _LABEL = re.compile(
        rf"[ \t]*(?:#\+(?:{_PROSE}):|[-+*][ \t]+[A-Z][\w ]{{0,30}}: [^\n]*?[ \t]::(?=\s|\Z))"
    )
    _HEADLINE = re.compile(r"\*+[ \t]")
    _TAGS = re.compile(r"[ \t]:(?:[\w@#%]+:)+\s*\Z")

    def __init__(self) -> None:
        self._end: re.Pattern[str] | None = None  # what ends the open block or drawer

    def mask(self, text: str) -> str:
        """Hide such lines in the next block."""
        return "".join(map(self._line, LINE.findall(text)))

    def _line(self, line: str) -> str:
        if self._end:
            if not self._end.match(line):
                return hide(line)
            self._end = None
        if block := self._BLOCK.match(line):
            self._end = self._BLOCK_ENDS[block[1].upper()]
        elif self._DRAWER.match(line):
            self._end = self._DRAWER_END
        if self._end or self._MARKUP.match(line):
            return hide(line)
        if label := self._LABEL.match(line):
            return hide(label[0]) + line[label.end() :]
        tags = self._TAGS.search(line) if self._HEADLINE.match(line) else None
        end = tags.start() if tags else len(line)
        return line[:end] + hide(line[end:])
