"""Markdown: hide code, HTML, link targets, formulas and front matter."""

import re

from respell.formats.html import ELEMENTS, ENTITIES, INLINE, splitting_word
from respell.formats.scanner import LINE, SOFT_BREAK, WHOLE, Rule, hide, indent_of

# One word or several words between underscores; _private and __init__ are neither.
_UNDERSCORE_INSIDE = r"(?<=[^\W_])_++(?=[^\W_])"
_ONE_WORD = r"[^\W\d_]++(?:['\u2019-][^\W\d_]++)*+[.,:;!?]?"
_SEVERAL_WORDS = (
    rf"(?:[^\s_]|{_UNDERSCORE_INSIDE})++\s(?:[^_\n]|{SOFT_BREAK}|{_UNDERSCORE_INSIDE})*+(?<=\S)"
)
_IN_TAG = rf"(?:[^<>\n]|{SOFT_BREAK})*+>"
RULES = {
    "escape": Rule(r"\\[!-/:-@\[-`{-~]", keep=WHOLE),
    "inline": Rule(
        rf"(?P<ticks>`++)(?:[^`\n]|{SOFT_BREAK}|(?!(?P=ticks)(?!`))`++)*+(?P=ticks)(?!`)", word=True
    ),
    "ticks_alone": Rule("`+", keep=WHOLE),
    **ELEMENTS,
    "cutting": splitting_word(
        rf"{INLINE}{_IN_TAG}|\*{{1,3}}|~{{1,2}}|==|\^|\](?:\([^\s()]*\)|\[[^\]\n]*\])"
    ),
    # Hidden, because the model does not flag a word between two stars.
    "emphasis": Rule(r"(?<![\w/])\*{1,3}(?=\w)|(?<=[\w.,:;!?)])\*{1,3}(?![\w/])"),
    "underscores": Rule(
        rf"(?<![\w/])(?:_(?={_ONE_WORD}_(?!\w))|_{{1,3}}(?={_SEVERAL_WORDS}_{{1,3}}(?!\w)))"
        r"|(?<=[^\W_]|[.,:;!?)\"'\u2019\u201d])_{1,3}(?![\w/]|\.\w)"
    ),
    "tag": Rule(f"</?[a-z]{_IN_TAG}"),
    "target": Rule(r"\]\([ \t]*(?:<[^<>\n]*>|(?:[^\s()]|\([^\s()]*\))+)", keep=2),
    "reference": Rule(r"\]\[[^\]\n]*\]", keep=2),
    "footnote": Rule(r"\[\^[^\]\s]{1,99}\]:?"),
    # The text is the name of a link that may be defined at the end of a long file.
    "collapsed": Rule(r"(?<![\w\]])\[[^\[\]\n]{1,999}\]\[\]"),
    # Other text in brackets that may be a link is short, and not a sentence.
    "shortcut": Rule(
        r"(?<![\w\]])\[(?=[^\[\]\n]{0,60}[^\W\d_])[^\[\]\n]{1,60}(?<![.!?])\](?![(\[:])"
    ),
    "display": Rule(rf"\$\$(?:[^$\n]|{SOFT_BREAK})+\$\$"),
    "formula": Rule(r"\$(?=[^\s$])[^$\n]*(?<=[^\s\\])\$(?!\d)", word=True),
    "attributes": Rule(r"\{[#.:][^{}\n]{0,200}\}"),
    **ENTITIES,
}
FIRST = r"\\`<\]\[$&{*_~=\^"


class MarkdownLines:
    """Hides fenced and indented code, front matter and link definitions."""

    _QUOTE = re.compile(r"[ \t]*>(?:[ \t]*>)* ?")
    _FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?!.*`)|~{3,})")
    _ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
    _DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S+")
    _FRONT = re.compile(r" ?(---|\+{3})[ \t\r]*\n(?=\S)(?:.*\n)*?(?:\1|\.{3})[ \t\r]*(?:\n|\Z)")

    def __init__(self) -> None:
        self._fence: re.Pattern[str] | None = None
        self._quote: MarkdownLines | None = None  # the open block quote, a document of its own
        self._started = self._code = False  # _code: the line before was indented code
        self._gap = True  # the line before was blank
        self._list = 0  # the indentation of the open list item

    def mask(self, text: str) -> str:
        """Hide such lines in the next block."""
        front = None if self._started else self._FRONT.match(text)
        self._started, at = True, front.end() if front else 0
        return hide(text[:at]) + "".join(map(self._line, LINE.findall(text, at)))

    def _line(self, line: str) -> str:
        if self._fence:
            return self._fenced(line, self._fence)
        if not line.strip():
            self._gap, self._quote = True, None
            return line
        indent = indent_of(line)
        if self._gap and indent < self._list:
            self._list = 0
        self._code = (self._gap or self._code) and indent >= self._list + 4
        self._gap = False
        return hide(line) if self._code else self._prose(line)

    def _prose(self, line: str) -> str:
        if quote := self._QUOTE.match(line):
            self._quote = self._quote or MarkdownLines()
            return quote[0] + self._quote._line(line[quote.end() :])
        self._quote = None
        if fence := self._FENCE.match(line):
            self._fence = re.compile(rf"[ \t]*{fence[1][0]}{{{len(fence[1])},}}\s*\Z")
            return hide(line)
        if item := self._ITEM.match(line):
            self._list = len(item[0].expandtabs(4))
        definition = self._DEFINITION.match(line)
        end = definition.end() if definition else 0
        return hide(line[:end]) + line[end:]

    def _fenced(self, line: str, fence: re.Pattern[str]) -> str:
        if fence.match(line):
            self._fence = None
        return hide(line)
