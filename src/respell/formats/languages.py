"""The one table of formats and languages: file names, editor ids, comments."""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePath

from respell.formats.pragmas import IGNORE_LINE, IGNORE_NEXT_LINE, OFF, ON
from respell.types import Error

_HASH, _SLASHES, _DASHES, _ANGLES = "# {}", "// {}", "-- {}", "<!-- {} -->"
_SEMICOLON = "; {}"


@dataclass(frozen=True, slots=True)
class Language:
    """A format of text.

    `syntax` names the comment syntax in `source.SYNTAXES`; a language without one is a document.
    `searched` are the extensions that a search of a folder looks for. `comment` is how a comment
    is written at the end of a line; None if that is not possible. Then `above` is a comment on a
    line of its own, which stands before a line or, if `apart`, only between paragraphs.
    """

    name: str
    extensions: str = ""
    comment: str | None = None
    syntax: str | None = None
    above: str | None = None
    apart: bool = False
    editor_ids: str = ""  # besides the name
    filenames: str = ""
    searched: str = ""

    @property
    def ignore_comment(self) -> str | None:
        """The comment that excludes its line from checking."""
        return self.comment and self.comment.format(IGNORE_LINE)

    @property
    def comments_above(self) -> tuple[str, ...]:
        """What excludes a line or a paragraph: a comment above it, or one above and one below."""
        pragmas = (OFF, ON) if self.apart else (IGNORE_NEXT_LINE,)
        return tuple(self.above.format(pragma) for pragma in pragmas) if self.above else ()

    @property
    def ignored(self) -> str:
        """What a comment excludes."""
        return "paragraph" if self.apart else "line"


PLAIN = Language("plain", "txt text log", searched="txt")
LANGUAGES = (
    PLAIN,
    Language(
        "markdown",
        "md markdown mdown mkd qmd rmd",
        _ANGLES,
        editor_ids="pandoc quarto rmd",
        searched="md markdown",
    ),
    Language("html", "html htm xhtml", _ANGLES, editor_ids="xhtml", searched="html htm"),
    Language("mdx", "mdx", "{{/* {} */}}", searched="mdx"),
    Language("latex", "tex latex ltx", "% {}", editor_ids="tex plaintex", searched="tex"),
    Language(
        "rst", "rst rest", above=".. {}", apart=True, editor_ids="restructuredtext", searched="rst"
    ),
    Language("asciidoc", "adoc asciidoc asc", above="// {}", searched="adoc asciidoc"),
    Language("org", "org", above="# {}", searched="org"),
    Language("notebook", "ipynb", editor_ids="jupyter ipynb", searched="ipynb"),
    # A file name.1 may also be an old log, which has few lines that start with a dot.
    Language(
        "man",
        "1 2 3 4 5 6 7 8 9 man roff troff",
        '\\" {}',
        editor_ids="groff nroff troff",
    ),
    Language("python", "py pyi pyw", _HASH, "python"),
    Language("shell", "sh bash zsh ksh", _HASH, "shell", editor_ids="shellscript sh bash zsh"),
    Language("ruby", "rb", _HASH, "ruby"),
    Language("perl", "pl pm", _HASH, "ruby"),
    Language("r", "r", _HASH, "hash"),
    Language("yaml", "yaml yml", _HASH, "hash"),
    Language("toml", "toml", _HASH, "hash"),
    Language("makefile", "mk", _HASH, "hash", filenames="makefile gnumakefile"),
    Language("dockerfile", "", _HASH, "hash", filenames="dockerfile containerfile"),
    Language("ini", "ini cfg", syntax="ini", above="; {}", editor_ids="properties"),
    Language("c", "c h", _SLASHES, "c"),
    Language("cpp", "cc cpp cxx hh hpp hxx", _SLASHES, "c"),
    Language("java", "java", _SLASHES, "java"),
    Language("csharp", "cs", _SLASHES, "java"),
    Language("kotlin", "kt kts", _SLASHES, "java"),
    Language("swift", "swift", _SLASHES, "java"),
    Language("scala", "scala", _SLASHES, "java"),
    Language("go", "go", _SLASHES, "go"),
    Language("rust", "rs", _SLASHES, "rust"),
    Language("javascript", "js jsx mjs cjs", _SLASHES, "script", editor_ids="javascriptreact"),
    Language("typescript", "ts tsx mts cts", _SLASHES, "script", editor_ids="typescriptreact"),
    Language("php", "php", _SLASHES, "php"),
    Language("css", "css", "/* {} */", "css"),
    Language("scss", "scss", _SLASHES, "scss"),
    Language("sql", "sql", _DASHES, "sql"),
    Language("lua", "lua", _DASHES, "lua"),
    Language("haskell", "hs", _DASHES, "haskell"),
    Language(
        "lisp",
        "lisp lsp el scm ss rkt clj cljs cljc fnl",
        _SEMICOLON,
        "lisp",
        editor_ids="commonlisp emacs-lisp elisp scheme racket clojure fennel",
    ),
    Language("elixir", "ex exs", _HASH, "hash"),
    Language("cmake", "cmake", _HASH, "hash"),
    Language("dart", "dart", _SLASHES, "dart"),
    Language("groovy", "groovy gradle", _SLASHES, "dart"),
    Language("objective-c", "m mm", _SLASHES, "c", editor_ids="objective-cpp objc"),
    Language("protobuf", "proto", _SLASHES, "c", editor_ids="proto proto3"),
    Language("less", "less", _SLASHES, "scss"),
    Language("matlab", "", "% {}", "matlab", editor_ids="octave"),
    Language("erlang", "erl hrl", "% {}", "erlang"),
)
FORMATS = tuple(language.name for language in LANGUAGES)
"""The values of `format`."""
SEARCHED = tuple(extension for one in LANGUAGES for extension in one.searched.split())
"""The extensions that a search of a folder looks for."""
_SUBSECTION = re.compile(r"(?<=^[1-9])[a-z]+$")
"""The letters of a section of the manual: *open.3pm* has the format of *open.3*."""
_BY_NAME = {one.name: one for one in LANGUAGES}
_BY_EXTENSION = {extension: one for one in LANGUAGES for extension in one.extensions.split()}
_BY_FILENAME = {name: one for one in LANGUAGES for name in one.filenames.split()}
_BY_EDITOR_ID = {id_: one for one in LANGUAGES for id_ in (one.name, *one.editor_ids.split())}


def language_named(name: str) -> Language:
    """The language of a format name."""
    language = _BY_NAME.get(name) if isinstance(name, str) else None
    if language is None:
        near = get_close_matches(str(name), FORMATS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(FORMATS)}"
        raise Error(f"no format {name!r}; {hint}")
    return language


def language_of(path: str) -> Language:
    """The language of a file, by its name; PLAIN if it is not known."""
    name = PurePath(path.lower())
    extension = _SUBSECTION.sub("", name.suffix[1:])
    found = _BY_EXTENSION.get(extension) if extension else _BY_FILENAME.get(name.name)
    return found or PLAIN


def language_in_editor(editor_id: str, path: str) -> Language:
    """The language of a document by the editor's id or, if that is not known, by its name.

    Editors use "plaintext" for all files that they do not know: the name says more.
    """
    return _BY_EDITOR_ID.get(editor_id.lower()) or language_of(path)
