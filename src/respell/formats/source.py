"""Source code: hide everything except comments and docstrings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from respell.formats.scanner import blank_out, hide


@dataclass(frozen=True, slots=True)
class Span:
    """A string, a comment or the like: from `opens` to `closes`, or only what `opens` matches.

    The `{}` in `closes` is replaced by what the group `NAME_end` of the span NAME has matched.
    """

    opens: str
    closes: str = ""
    shown: bool = False
    margin: str = ""  # what precedes each line of a comment, such as a star
    alone: bool = False  # shown only outside brackets


_ESCAPE = r"\\[\s\S]"
_TOOLS = (  # words that start a comment for a tool
    "noqa|nosec|nolint|NOLINT|type|mypy|pylint|pyright|ruff|flake8|isort|fmt|yapf|pragma|coding|"
    "vim?|eslint|tslint|jshint|prettier|biome|istanbul|rubocop|shellcheck|clang-format|cspell"
)
_FOR_TOOLS = rf"[ \t]*(?:-\*-|@\w|\+build|[\w-]{{1,32}}:\S|(?:{_TOOLS})\b)[^\n]*"


def _line(mark: str, closes: str = "$") -> dict[str, Span]:
    """Comments up to the end of the line; comments for tools are hidden like code."""
    return {"for_tools": Span(f"(?:{mark}){_FOR_TOOLS}"), "line": Span(mark, closes, shown=True)}


def _quoted(quote: str) -> str:
    """A string that ends on its line; a quote without its partner, as in a lifetime, is ignored."""
    return rf"{quote}(?:[^{quote}\\\n]|{_ESCAPE})*+{quote}"


def _closing(quote: str) -> Span:
    """A string that may span several lines."""
    return Span(quote, f"{_ESCAPE}|{quote}")


_DOUBLE, _SINGLE = {"double": Span(_quoted('"'))}, {"single": Span(_quoted("'"))}
_CHARACTER = {"character": Span(r"'(?:\\[^\n']{1,9}|\\'|[^'\\\n])'")}
_ESCAPED = {"escape": Span(_ESCAPE)}
_SHEBANG = {"shebang": Span(r"\A#![^\n]*")}
_HASH = {**_SHEBANG, **_line(r"(?<!\S)#+")}
_SLASHES = _line(r"(?<![:\\])//+!?")
_BLOCK = {"block": Span(r"/\*+!?", r"\*+/", shown=True, margin=r"^[ \t]*\*+")}
_TRIPLE = {"triple": _closing('"""'), "triple_single": _closing("'''")}
_C = {**_SLASHES, **_BLOCK, **_DOUBLE}
_STATEMENT = r"(?<!\\\n)(?<!\\\r\n)^[ \t]*[rRuU]?"
_PYTHON = {
    "docstring": Span(_STATEMENT + '"""', f'{_ESCAPE}|"""', shown=True, alone=True),
    "docstring_single": Span(_STATEMENT + "'''", f"{_ESCAPE}|'''", shown=True, alone=True),
    **_TRIPLE,
    **_DOUBLE,
    **_SINGLE,
    **_ESCAPED,
    "bracket": Span(r"[(\[{]"),
    "bracket_end": Span(r"[)\]}]"),
    **_SHEBANG,
    **_line("#+:?"),
}
_HEREDOC = r"(?<!<)<<[-~]?{}[\"'\\]?(?P<heredoc_end>{})[\"']?[^\n]*"
_HEREDOC_END = r"^[ \t]*{}[ \t\r]*$"
_SHELL = {
    **_ESCAPED,
    "single": Span("'", "'"),
    "double": _closing('"'),
    "heredoc": Span(_HEREDOC.format(r"[ \t]?", r"[A-Za-z_]\w*"), _HEREDOC_END),
    **_HASH,
}
_RUBY = {
    **_DOUBLE,
    **_SINGLE,
    "heredoc": Span(_HEREDOC.format("", "[A-Z_][A-Z0-9_]*"), _HEREDOC_END),
    **_HASH,
}
_SCRIPT = {
    **_ESCAPED,
    "regexp": Span(
        r"(?:[=(,:;!&|?{}\[+~^]|\breturn|\btypeof)\s*+/(?![*/])"
        rf"(?:[^\\/\[\n]|{_ESCAPE}|\[(?:[^\]\\\n]|{_ESCAPE}){{0,99}}+\]){{1,500}}+/"
    ),
    **_C,
    **_SINGLE,
    "template": _closing("`"),
}
_SIGN = r"[!#$%&*+./<=>?@\\^|~:-]"
SYNTAXES = {
    "python": _PYTHON,
    "shell": _SHELL,
    "ruby": _RUBY,
    "hash": {**_TRIPLE, **_DOUBLE, **_SINGLE, **_HASH},
    "ini": _line(r"^[ \t]*[#;]+"),
    "c": {
        "raw": Span(r"R\"(?P<raw_end>[^()\\\s\"]{0,16})\(", r'\){}"'),
        **_C,
        **_CHARACTER,
    },
    "java": {"triple": _closing('"""'), "verbatim": Span('@"', '"'), **_C, **_CHARACTER},
    "go": {**_C, **_CHARACTER, "raw": Span("`", "`")},
    "rust": {
        "raw": Span(r"\bb?r(?P<raw_end>#{0,9})\"", '"{}'),
        **_SLASHES,
        **_BLOCK,
        "double": _closing('"'),
        **_CHARACTER,
    },
    "script": _SCRIPT,
    "php": {
        "page": Span(r"\?>", r"<\?"),
        "heredoc": Span(r"<<<[ \t]*[\"']?(?P<heredoc_end>\w+)[^\n]*", r"^[ \t]*{}\b"),
        **_line(r"(?<!\S)#+(?!\[)|(?<![:\\])//+", r"$|(?=\?>)"),
        **_BLOCK,
        "double": _closing('"'),
        "single": _closing("'"),
    },
    "css": {**_BLOCK, **_DOUBLE, **_SINGLE},
    "scss": {"url": Span(r"\burl\([^()\n]*+\)"), **_C, **_SINGLE},
    "sql": {**_line("--+"), **_BLOCK, "single": Span("'", "'"), "double": Span('"', '"')},
    "lua": {
        "long": Span(r"--\[(?P<long_end>=*)\[", r"\]{}\]", shown=True),
        **_line("--+"),
        "text": Span(r"\[(?P<text_end>=*)\[", r"\]{}\]"),
        **_DOUBLE,
        **_SINGLE,
    },
    "haskell": {
        "pragma": Span(r"\{-#", r"#-\}"),
        "block": Span(r"\{-+\|?", r"-+\}", shown=True),
        **_line(rf"(?<!{_SIGN})--+(?!{_SIGN})[ \t]?[|^]?"),
        **_DOUBLE,
        **_CHARACTER,
    },
    "dart": {**_TRIPLE, **_C, **_SINGLE},
    "lisp": {
        "character": Span(r"#\\(?:\w+|[^\s])|\\[\s\S]|\?\\?[;\"]"),
        "block": Span(r"#\|", r"\|#", shown=True),
        **_line(";+"),
        "double": _closing('"'),
    },
    "erlang": {"character": Span(r"\$\\?."), **_line("%+"), "double": _closing('"'), **_SINGLE},
    "matlab": {
        "block": Span(r"^[ \t]*%\{[ \t]*$", r"^[ \t]*%\}[ \t]*$", shown=True),
        **_line("%+"),
        **_DOUBLE,
        "single": Span(r"(?<![\w)\]}.'])'[^'\n]*+'"),
    },
}
"""The spans of each comment syntax; of those that match at the same place the first counts."""


class Comments:
    """Hides source code except its comments, across the blocks of a file."""

    def __init__(self, spans: Mapping[str, Span]) -> None:
        self._spans = spans
        groups = "|".join(f"(?P<{name}>{span.opens})" for name, span in spans.items())
        self._grammar = re.compile(groups, re.MULTILINE)
        self._inside: tuple[re.Pattern[str], Span | None] | None = (
            None  # the end of the open span; the span if it is shown
        )
        self._depth = 0  # open brackets, where they matter

    @property
    def goes_on(self) -> bool:
        """Whether the text so far ends inside a comment or docstring."""
        return self._inside is not None and self._inside[1] is not None

    def mask(self, text: str) -> str:
        """Hide the code of the next block."""
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
        """Skip the code up to the next span, and what opens it."""
        match = self._grammar.search(text, at)
        if match is None:
            return hide(text[at:]), len(text)
        name = str(match.lastgroup)
        span = self._spans[name]
        self._depth = max(self._depth + (name == "bracket") - (name == "bracket_end"), 0)
        shown = span if span.shown and not (span.alone and self._depth) else None
        if span.closes:
            end = re.escape(match.groupdict().get(f"{name}_end") or "")
            closes = span.closes.replace("{}", end)
            self._inside = re.compile(closes, re.MULTILINE), shown
        write = blank_out if shown else hide
        return hide(text[at : match.start()]) + write(match[0]), match.end()

    def _close(
        self, text: str, at: int, closes: re.Pattern[str], span: Span | None
    ) -> tuple[str, int]:
        ends = (match for match in closes.finditer(text, at) if not match[0].startswith("\\"))
        match = next(ends, None)
        start, end = match.span() if match else (len(text), len(text))
        if match:
            self._inside = None
        if span is None:
            return hide(text[at:end]), end
        body = text[at:start]
        if span.margin:
            body = re.sub(span.margin, lambda mark: blank_out(mark[0]), body, flags=re.MULTILINE)
        return body + blank_out(text[start:end]), end
