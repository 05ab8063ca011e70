"""Hides what is not prose (code, markup, ignored lines) and keeps every offset as it is."""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath

from respell.comments import EXTENSIONS, LANGUAGES, NAMES, Span
from respell.grammar import FIRST, LATEX, RULES, Rule

FILLER = "\ufffc"
"""Stands for every hidden character that is not white space."""

_KINDS = {
    "markdown": ("md", "markdown", "mdown", "mkd", "mdx", "qmd", "rmd"),
    "html": ("html", "htm", "xhtml"),
    "latex": ("tex", "latex", "ltx"),
    "rst": ("rst", "rest"),
    **{kind: tuple(names.split()) for kind, names in EXTENSIONS.items()},
}
_VISIBLE = re.compile(r"\S")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def _hide(text: str) -> str:
    return _VISIBLE.sub(FILLER, text)


def _blank(text: str) -> str:
    """Hide what stands between the lines of one text, so that its sentences go on."""
    return _VISIBLE.sub(" ", text)


class _Scanner:
    """Hides what the rules find, left to right; remembers what is still open."""

    def __init__(self, rules: Mapping[str, Rule], first: str) -> None:
        self._rules = rules
        self._flags = re.NOFLAG if rules is LATEX else re.IGNORECASE
        groups = "|".join(f"(?P<{name}>{rule.opens})" for name, rule in rules.items())
        # Most characters can start nothing: asking that first makes the search quick.
        self._grammar = re.compile(f"(?=[{first}])(?:{groups})", self._flags)
        self._inside: Rule | None = None  # what we are in, up to what closes it

    def mask(self, text: str) -> str:
        pieces: list[str] = []
        at = 0
        while at < len(text):
            inside = self._inside
            start, end = self._close(text, at, inside) if inside else self._open(text, at)
            pieces += (text[at:start], _hide(text[start:end]))
            at = end
        return "".join(pieces)

    def _open(self, text: str, at: int) -> tuple[int, int]:
        match = self._grammar.search(text, at)
        if match is None:
            return len(text), len(text)
        rule = self._rules[str(match.lastgroup)]
        start, end = min(match.start() + rule.keep, match.end()), match.end()
        self._inside = rule if rule.closes else None
        while rule.word and start > at and _joins(text[start - 1], rule):
            start -= 1
        return start, _word_end(text, end, rule)

    def _close(self, text: str, at: int, rule: Rule) -> tuple[int, int]:
        match = re.compile(rule.closes, self._flags).search(text, at)
        if match is None:
            return at, len(text)
        self._inside = None
        return at, _word_end(text, match.end(), rule)


def _word_end(text: str, end: int, rule: Rule) -> int:
    while rule.word and end < len(text) and _joins(text[end], rule):
        end += 1
    return end


def _joins(character: str, rule: Rule) -> bool:
    return character.isalpha() or character in rule.glue


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip(" "))


class _MarkdownLines:
    """Hides fenced and indented code, front matter and link definitions."""

    _QUOTE = re.compile(r"[ \t]*>(?:[ \t]*>)* ?")
    _FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?!.*`)|~{3,})")
    _ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
    _DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S+")
    _FRONT = re.compile(r" ?(---|\+{3})[ \t\r]*\n(?=\S)(?:.*\n)*?(?:\1|\.{3})[ \t\r]*(?:\n|\Z)")

    def __init__(self) -> None:
        self._fence: re.Pattern[str] | None = None
        self._quote: _MarkdownLines | None = None  # the quotation we are in: a text of its own
        self._started = self._code = False  # code: the line before was indented code
        self._gap = True  # the line before was blank
        self._list = 0  # how far the text of the list item we are in is indented

    def mask(self, text: str) -> str:
        front = None if self._started else self._FRONT.match(text)
        self._started, at = True, front.end() if front else 0
        return _hide(text[:at]) + "".join(map(self._line, _LINE.findall(text, at)))

    def _line(self, line: str) -> str:
        if self._fence:
            return self._fenced(line, self._fence)
        if not line.strip():
            self._gap, self._quote = True, None
            return line
        indent = _indent(line)
        if self._gap and indent < self._list:
            self._list = 0
        self._code = (self._gap or self._code) and indent >= self._list + 4
        self._gap = False
        return _hide(line) if self._code else self._prose(line)

    def _prose(self, line: str) -> str:
        if quote := self._QUOTE.match(line):
            self._quote = self._quote or _MarkdownLines()
            return quote[0] + self._quote._line(line[quote.end() :])
        self._quote = None
        if fence := self._FENCE.match(line):
            self._fence = re.compile(rf"[ \t]*{fence[1][0]}{{{len(fence[1])},}}\s*\Z")
            return _hide(line)
        if item := self._ITEM.match(line):
            self._list = len(item[0].expandtabs(4))
        definition = self._DEFINITION.match(line)
        end = definition.end() if definition else 0
        return _hide(line[:end]) + line[end:]

    def _fenced(self, line: str, fence: re.Pattern[str]) -> str:
        if fence.match(line):
            self._fence = None
        return _hide(line)


class _RstLines:
    """Hides literal and doctest blocks, comments, and directives that hold no prose."""

    _DIRECTIVE = re.compile(r"\s*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w:+.-]+)::(?=\s)")
    _FOOTNOTE = re.compile(r"\s*\.\.[ \t]+\[[^\]\n]+\]")
    _FIELD = re.compile(r"\s*:[^:`\n]+:(?=\s)")
    _PROSE = frozenset(
        "note warning tip hint important caution danger error attention admonition seealso topic "
        "sidebar rubric epigraph highlights versionadded versionchanged deprecated".split()
    )
    _CODE = frozenset(
        "code code-block sourcecode math raw image toctree literalinclude include highlight "
        "parsed-literal doctest testcode testoutput graphviz mermaid prompt plot csv-table".split()
    )

    def __init__(self) -> None:
        self._hidden_below: int | None = None  # lines indented deeper than this are hidden
        self._options = False  # just after a directive: its options are no prose
        self._doctest = False  # in a session of Python, which ends at a blank line

    def mask(self, text: str) -> str:
        return "".join(map(self._line, _LINE.findall(text)))

    def _line(self, line: str) -> str:
        bare, indent = line.strip(), _indent(line)
        self._doctest = bool(bare) and (self._doctest or bare.startswith(">>>"))
        if not bare:
            return line
        if self._doctest or (self._hidden_below is not None and indent > self._hidden_below):
            return _hide(line)
        self._hidden_below = None
        end = 0
        if bare == ".." or bare.startswith(".. "):
            end = self._explicit(line, indent)
        elif field := self._FIELD.match(line):
            end = len(line) if self._options else field.end()
        else:
            self._options = False
            if bare.endswith("::"):
                self._hidden_below = indent
        return _hide(line[:end]) + line[end:]

    def _explicit(self, line: str, indent: int) -> int:
        """Say how much of a line that starts with two dots is to be hidden."""
        if footnote := self._FOOTNOTE.match(line):
            return footnote.end()
        directive = self._DIRECTIVE.match(line)
        self._options = directive is not None
        if directive is None or directive[1] in self._CODE:
            self._hidden_below = indent
        elif directive[1] in self._PROSE:
            return directive.end()
        return len(line)


class _Comments:
    """Hides source code but for its comments; remembers what is still open."""

    def __init__(self, spans: Mapping[str, Span]) -> None:
        self._spans = spans
        groups = "|".join(f"(?P<{name}>{span.opens})" for name, span in spans.items())
        self._grammar = re.compile(groups, re.MULTILINE)
        self._inside: tuple[re.Pattern[str], Span | None] | None = None  # its end; if it is shown
        self._depth = 0  # brackets that are open, where they count

    def mask(self, text: str) -> str:
        pieces: list[str] = []
        at = 0
        while at < len(text):
            if self._inside:
                shown, at = self._close(text, at, *self._inside)
            else:
                shown, at = self._open(text, at)
            pieces.append(shown)
        return "".join(pieces)

    def _open(self, text: str, at: int) -> tuple[str, int]:
        """Pass over the code up to the next span and what opens it."""
        match = self._grammar.search(text, at)
        if match is None:
            return _hide(text[at:]), len(text)
        name = str(match.lastgroup)
        span = self._spans[name]
        self._depth = max(self._depth + (name == "bracket") - (name == "bracket_end"), 0)
        shown = span if span.shown and not (span.alone and self._depth) else None
        if span.closes:
            end = re.escape(match.groupdict().get(f"{name}_end") or "")
            closes = span.closes.replace("{}", end)
            self._inside = re.compile(closes, re.MULTILINE), shown
        write = _blank if shown else _hide
        return _hide(text[at : match.start()]) + write(match[0]), match.end()

    def _close(
        self, text: str, at: int, closes: re.Pattern[str], span: Span | None
    ) -> tuple[str, int]:
        ends = (match for match in closes.finditer(text, at) if not match[0].startswith("\\"))
        match = next(ends, None)
        start, end = match.span() if match else (len(text), len(text))
        if match:
            self._inside = None
        if span is None:
            return _hide(text[at:end]), end
        body = text[at:start]
        if span.margin:
            body = re.sub(span.margin, lambda mark: _blank(mark[0]), body, flags=re.MULTILINE)
        return body + _blank(text[start:end]), end


class _Pragmas:
    """Hides the lines that the writer has told us to leave alone."""

    _PRAGMA = re.compile(r"\brespell:[ \t]*(ignore-next-line|ignore|off|on)(?![\w-])")

    def __init__(self) -> None:
        self._off = self._next = False

    def mask(self, text: str, masked: str) -> str:
        """Read the pragmas in `text`; hide what they name in `masked`, its like in length."""
        if not (self._off or self._next or "respell:" in text):
            return masked
        lines = zip(_LINE.findall(text), _LINE.findall(masked), strict=True)
        return "".join(_hide(shown) if self._hides(line) else shown for line, shown in lines)

    def _hides(self, line: str) -> bool:
        found = {match[1] for match in self._PRAGMA.finditer(line)}
        hidden = bool(self._off or self._next or found & {"ignore", "off"})
        self._off = (self._off or "off" in found) and "on" not in found
        self._next = "ignore-next-line" in found
        return hidden


def extension(name: str) -> str:
    """What tells the kind of a file: how its name ends, or all of it if that is Makefile."""
    path = PurePath(name.lower())
    return path.suffix[1:] or (path.name if path.name in NAMES else "")


class Masker:
    """Hides what is not prose in the blocks of one file, given one after the other."""

    def __init__(self, extension: str = "") -> None:
        kind = next((kind for kind in _KINDS if extension.lower() in _KINDS[kind]), "plain")
        self._steps: list[Callable[[str], str]] = []
        if kind in ("markdown", "rst"):
            self._steps.append((_MarkdownLines() if kind == "markdown" else _RstLines()).mask)
        if kind in LANGUAGES:
            self._steps.append(_Comments(LANGUAGES[kind]).mask)
        if kind == "python":  # what is no prose in docstrings
            self._steps.append(_RstLines().mask)
        if kind in RULES:
            self._steps.append(_Scanner(RULES[kind], FIRST[kind]).mask)
        self._pragmas = _Pragmas()

    def mask(self, block: str) -> str:
        """Give back a text of the same length with `FILLER` for what must not be checked."""
        masked = " " + block[1:] if block.startswith("\ufeff") else block
        for step in self._steps:
            masked = step(masked)
        return self._pragmas.mask(block, masked)
