"""Where the comments of source code are: spans for a scanner that shows nothing else."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """What `opens` matches, and from there on to `closes`, unless that matches an escape.

    The `{}` in `closes` is what the group `NAME_end` has matched, for the span of that name.
    """

    opens: str
    closes: str = ""
    shown: bool = False
    margin: str = ""  # what stands before the lines of a comment and is no part of it
    alone: bool = False  # shown only outside of brackets


_ESCAPE = r"\\[\s\S]"
_TOLD = (  # words that start a comment for a tool
    "noqa|nosec|nolint|NOLINT|type|mypy|pylint|pyright|ruff|flake8|isort|fmt|yapf|pragma|coding|"
    "vim?|eslint|tslint|jshint|prettier|biome|istanbul|rubocop|shellcheck|clang-format|cspell"
)
_FOR_TOOLS = rf"[ \t]*(?:-\*-|@\w|\+build|[\w-]{{1,32}}:\S|(?:{_TOLD})\b)[^\n]*"


def _line(mark: str, closes: str = "$") -> dict[str, Span]:
    """Comments up to the end of the line; those for tools are hidden like code."""
    return {"told": Span(f"(?:{mark}){_FOR_TOOLS}"), "line": Span(mark, closes, shown=True)}


def _quoted(quote: str) -> str:
    """A string that ends on its line; another quote, such as that of a lifetime, opens none."""
    return rf"{quote}(?:[^{quote}\\\n]|{_ESCAPE})*+{quote}"


def _closing(quote: str) -> Span:
    """A string that may go on over many lines."""
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

LANGUAGES = {
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
}
"""The spans of each language; of those that match at one place the first counts."""

NAMES = ("makefile", "gnumakefile", "dockerfile", "containerfile")
"""Files that are known by their whole names."""

EXTENSIONS = {
    "python": "py pyi pyw",
    "shell": "sh bash zsh ksh",
    "ruby": "rb pl pm",
    "hash": f"r yaml yml toml mk {' '.join(NAMES)}",
    "ini": "ini cfg",
    "c": "c h cc cpp cxx hh hpp hxx",
    "java": "java cs kt kts swift scala",
    "go": "go",
    "rust": "rs",
    "script": "js jsx mjs cjs ts tsx mts cts",
    "php": "php",
    "css": "css",
    "scss": "scss",
    "sql": "sql",
    "lua": "lua",
    "haskell": "hs",
}
"""How the names of their files end."""
