"""Hides what is not prose (code, markup, ignored lines) and keeps every offset as it is."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

FILLER = "\ufffc"
"""Stands for every hidden character that is not white space."""

_KINDS = {
    "markdown": ("md", "markdown", "mdown", "mkd", "mdx", "qmd", "rmd"),
    "html": ("html", "htm", "xhtml"),
    "latex": ("tex", "latex", "ltx"),
    "rst": ("rst", "rest"),
}
_VISIBLE = re.compile(r"\S")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SOFT = r"\n(?![ \t\r]*\n)"  # a line end that does not end the paragraph


def _hide(text: str) -> str:
    return _VISIBLE.sub(FILLER, text)


@dataclass(frozen=True, slots=True)
class _Rule:
    """Hides what `opens` matches, and from there on to `closes`."""

    opens: str
    closes: str = ""
    keep: int = 0  # so many characters at the front stay visible
    word: bool = False  # the letters around it go with it: the rest of na&iuml;ve is no word


_ALL = 1 << 20
_CODE = "script style pre code kbd samp var tt svg math".split()
_ELEMENTS = {name: _Rule(rf"<{name}(?=[\s>])", rf"</{name}\s*>") for name in _CODE}
_ELEMENTS["comment"] = _Rule("<!--", "-->")
_ENTITIES = {
    "template": _Rule(r"\{\{.{0,200}?\}\}|\{%.{0,200}?%\}"),
    "sign": _Rule(r"&(?:nbsp|\w{1,4}sp|[mn]dash|hellip|lt|gt|amp|quot|[lr][da]quo|bull|middot);"),
    "letter": _Rule(r"&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[\da-f]{1,6});", word=True),
}
_HTML = {
    **_ELEMENTS,
    "instruction": _Rule(r"<\?", r"\?>"),
    "tag": _Rule(r"""<[/!]?[a-z](?:[^<>"']|"[^"]*"|'[^']*')*+>|<[/!]?[a-z][^<>]*+>"""),
    "cut": _Rule(r"<[/!]?[a-z][^<>]*+\Z", ">"),
    **_ENTITIES,
}
_MARKDOWN = {
    "escape": _Rule(r"\\[!-/:-@\[-`{-~]", keep=_ALL),
    "inline": _Rule(rf"(?P<ticks>`++)(?:[^`\n]|{_SOFT}|(?!(?P=ticks)(?!`))`++)*+(?P=ticks)(?!`)"),
    "ticks_alone": _Rule("`+", keep=_ALL),
    **_ELEMENTS,
    "tag": _Rule(rf"</?[a-z](?:[^<>\n]|{_SOFT})*+>"),
    "target": _Rule(r"\]\([ \t]*(?:<[^<>\n]*>|(?:[^\s()]|\([^\s()]*\))+)", keep=2),
    "reference": _Rule(r"\]\[[^\]\n]*\]", keep=2),
    "footnote": _Rule(r"\[\^[^\]\s]{1,99}\]:?"),
    "display": _Rule(rf"\$\$(?:[^$\n]|{_SOFT})+\$\$"),
    "formula": _Rule(r"\$(?=[^\s$])[^$\n]*(?<=[^\s\\])\$(?!\d)"),
    "attributes": _Rule(r"\{[#.:][^{}\n]{0,200}\}"),
    **_ENTITIES,
}
_ARGUMENTS = r"(?:\s?\[[^\[\]\n]*\]|\{[^{}]*\})*"
_NO_PROSE = (
    r"label|(?:eq|page|auto|name|sub|[cCv])?ref|\w*[cC]ite\w*|bibliography(?:style)?|bibitem|url|"
    r"usepackage|RequirePackage|documentclass|includegraphics|input|include|(?:re)?newcommand|"
    r"newenvironment|DeclareMathOperator|[vh]space|(?:set|addto)(?:length|counter)|graphicspath|"
    r"lstset|hypersetup|geometry|pagestyle|thispagestyle|addbibresource|tikzset|gls(?:pl)?"
)
_ENVIRONMENTS = (
    "equation align gather multline eqnarray displaymath math alignat flalign "
    "verbatim Verbatim lstlisting minted comment tikzpicture filecontents thebibliography"
).split()
_LATEX = {
    **{name: _Rule(rf"\\begin\{{{name}\*?\}}", rf"\\end\{{{name}\*?\}}") for name in _ENVIRONMENTS},
    "display": _Rule(r"\$\$", r"\$\$"),
    "brackets": _Rule(r"\\\[", r"\\\]"),
    "parentheses": _Rule(r"\\\(", r"\\\)"),
    "formula": _Rule(rf"\$(?:[^$\\\n]|\\[\s\S]|{_SOFT})+\$"),
    "verb": _Rule(r"\\(?:verb|lstinline)\*?(?P<bar>[^\w\s*{])[^\n]*?(?P=bar)"),
    "accent": _Rule(
        r"\\(?:[\"'`^~=.](?:\{\\?[a-zA-Z]*\}|\\?[a-zA-Z])|[cvuHkrbdt]\{\\?[a-zA-Z]*\}|[-/]"
        r"|(?:ss|ae|AE|oe|OE|aa|AA|[oOlLij])(?![a-zA-Z])(?:\{\}| )?)",
        word=True,
    ),
    "frame": _Rule(rf"\\(?:begin|end)\{{[^{{}}]*\}}{_ARGUMENTS}"),
    "arguments": _Rule(rf"\\(?:{_NO_PROSE})(?![a-zA-Z])\*?{_ARGUMENTS}"),
    "argument": _Rule(r"\\(?:href|(?:text|page)?color|[fc]?colorbox)\{[^{}]*\}"),
    "remark": _Rule(r"%[^\n]*"),
    "command": _Rule(r"\\[a-zA-Z@]+\*?"),
    "escape": _Rule(r"\\[\s\S]"),
}
_RST = {
    "escape": _Rule(r"\\.", keep=_ALL),
    "literal": _Rule(rf"``(?:[^`\n]|`(?!`)|{_SOFT})+``"),
    "role": _Rule(rf":[\w:+.-]{{1,60}}:`(?:[^`\n]|{_SOFT})+`"),
    "named": _Rule(r"`(?=\S)[^`<\n]+`_", keep=_ALL),
    "interpreted": _Rule(r"`(?=\S)[^`<\n]+`(?!_)"),
    "target": _Rule(r"<[^<>`\n]+>`__?"),
    "substitution": _Rule(r"\|(?=\S)[^|\n]+(?<=\S)\|"),
    "footnote": _Rule(r"\[[#*\d][\w-]{0,60}\]_"),
}
_RULES = {"html": _HTML, "markdown": _MARKDOWN, "latex": _LATEX, "rst": _RST}
_FIRST = {"html": "<&{", "markdown": r"\\`<\]\[$&{", "latex": r"\\$%", "rst": r"\\`:<|\["}


class _Scanner:
    """Hides what the rules find, left to right; remembers what is still open."""

    def __init__(self, rules: Mapping[str, _Rule], first: str) -> None:
        self._rules = rules
        self._flags = re.NOFLAG if rules is _LATEX else re.IGNORECASE
        groups = "|".join(f"(?P<{name}>{rule.opens})" for name, rule in rules.items())
        # Most characters can start nothing: asking that first makes the search quick.
        self._grammar = re.compile(f"(?=[{first}])(?:{groups})", self._flags)
        self._closes = ""  # what ends the construct we are in

    def mask(self, text: str) -> str:
        pieces: list[str] = []
        at = 0
        while at < len(text):
            start, end = self._close(text, at) if self._closes else self._open(text, at)
            pieces += (text[at:start], _hide(text[start:end]))
            at = end
        return "".join(pieces)

    def _open(self, text: str, at: int) -> tuple[int, int]:
        match = self._grammar.search(text, at)
        if match is None:
            return len(text), len(text)
        rule = self._rules[str(match.lastgroup)]
        start, end = min(match.start() + rule.keep, match.end()), match.end()
        self._closes = rule.closes
        while rule.word and start > at and text[start - 1].isalpha():
            start -= 1
        while rule.word and end < len(text) and text[end].isalpha():
            end += 1
        return start, end

    def _close(self, text: str, at: int) -> tuple[int, int]:
        match = re.compile(self._closes, self._flags).search(text, at)
        self._closes = "" if match else self._closes
        return at, match.end() if match else len(text)


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip(" "))


class _MarkdownLines:
    """Hides fenced and indented code, front matter and link definitions."""

    _FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?!.*`)|~{3,})")
    _ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
    _DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S+")
    _FRONT = re.compile(r" ?(---|\+{3})[ \t\r]*\n(?=\S)(?:.*\n)*?(?:\1|\.{3})[ \t\r]*(?:\n|\Z)")

    def __init__(self) -> None:
        self._fence: re.Pattern[str] | None = None
        self._quoted = False  # the fence stands in a quotation, and ends with it
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
            self._gap = True
            return line
        indent = _indent(line)
        if self._gap and indent < self._list:
            self._list = 0
        self._code = (self._gap or self._code) and indent >= self._list + 4
        self._gap = False
        return _hide(line) if self._code else self._prose(line)

    def _prose(self, line: str) -> str:
        if fence := self._FENCE.match(line):
            self._fence = re.compile(rf"[ \t>]*{fence[1][0]}{{{len(fence[1])},}}\s*\Z")
            self._quoted = ">" in fence[0]
            return _hide(line)
        if item := self._ITEM.match(line):
            self._list = len(item[0].expandtabs(4))
        definition = self._DEFINITION.match(line)
        end = definition.end() if definition else 0
        return _hide(line[:end]) + line[end:]

    def _fenced(self, line: str, fence: re.Pattern[str]) -> str:
        if self._quoted and not line.lstrip().startswith(">"):
            self._fence = None
            return self._line(line)
        if fence.match(line):
            self._fence = None
        return _hide(line)


class _RstLines:
    """Hides literal blocks, comments, and directives that hold no prose."""

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

    def mask(self, text: str) -> str:
        return "".join(map(self._line, _LINE.findall(text)))

    def _line(self, line: str) -> str:
        bare, indent = line.strip(), _indent(line)
        if not bare:
            return line
        if self._hidden_below is not None and indent > self._hidden_below:
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


class Masker:
    """Hides what is not prose in the blocks of one file, given one after the other."""

    def __init__(self, extension: str = "") -> None:
        kind = next((kind for kind in _KINDS if extension.lower() in _KINDS[kind]), "plain")
        self._steps: list[Callable[[str], str]] = []
        if kind in ("markdown", "rst"):
            self._steps.append((_MarkdownLines() if kind == "markdown" else _RstLines()).mask)
        if kind in _RULES:
            self._steps.append(_Scanner(_RULES[kind], _FIRST[kind]).mask)
        self._pragmas = _Pragmas()

    def mask(self, block: str) -> str:
        """Give back a text of the same length with `FILLER` for what must not be checked."""
        masked = " " + block[1:] if block.startswith("\ufeff") else block
        for step in self._steps:
            masked = step(masked)
        return self._pragmas.mask(block, masked)
