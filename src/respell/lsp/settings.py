"""What the editor and the configuration file say, settled into options for one document."""

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from respell.cli import args
from respell.config import find_config, read_dictionary
from respell.formats import masker
from respell.lsp.checking import Options
from respell.types import Error

SECTION = "respell"
"""The part of the editor's settings that is ours."""
_LANGUAGES = {
    "csharp": "cs",
    "haskell": "hs",
    "html": "html",
    "javascript": "js",
    "javascriptreact": "jsx",
    "kotlin": "kt",
    "latex": "tex",
    "markdown": "md",
    "mdx": "mdx",
    "pandoc": "md",
    "perl": "pl",
    "plaintex": "tex",
    "python": "py",
    "quarto": "md",
    "restructuredtext": "rst",
    "rmd": "md",
    "rst": "rst",
    "ruby": "rb",
    "rust": "rs",
    "shellscript": "sh",
    "tex": "tex",
    "typescript": "ts",
    "typescriptreact": "tsx",
    "xhtml": "html",
    **{
        name: name
        for name in "c cpp css dockerfile go ini java lua makefile php r scala scss sh sql swift "
        "toml yaml".split()
    },
}
_COMMENTS = {"md": "<!-- {} -->", "html": "<!-- {} -->", "tex": "% {}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The editor's settings; None is what it does not say."""

    threshold: float | None = None
    preset: str | None = None
    dictionary: tuple[str, ...] = ()
    dictionary_file: str | None = None
    max_suggestions: int = 5


@dataclass(frozen=True, slots=True)
class Settled:
    """Options of a document, and the file that new words of its dictionary go to."""

    options: Options
    dictionary_file: Path | None


def extension(language: str, path: str) -> str:
    """The extension that tells the mark-up: that of the language, or else that of the file."""
    return _LANGUAGES.get(language.lower()) or masker.extension(path)


def ignore_comment(extension: str) -> str | None:
    """The comment that hides its line from us; None where comments cannot end a line."""
    comment = _COMMENTS.get(
        {"markdown": "md", "htm": "html", "latex": "tex"}.get(extension, extension)
    )
    return comment.format("respell: ignore") if comment else None


def read_section(value: object) -> Section:
    """Read the editor's settings, given as they are or below our name; unknown keys are left."""
    if isinstance(value, dict) and isinstance(value.get(SECTION), dict):
        value = value[SECTION]
    if value is None:
        return Section()
    if not isinstance(value, dict):
        raise Error(f"settings of the editor: {SECTION} must be an object")
    given: dict[str, Any] = {key: value[key] for key in _CHECKS if value.get(key) is not None}
    for key, item in given.items():
        holds, wanted = _CHECKS[key]
        if not holds(item):
            raise Error(f"settings of the editor: {SECTION}.{key} must be {wanted}")
    return Section(
        threshold=given.get("threshold"),
        preset=given.get("preset"),
        dictionary=tuple(given.get("dictionary", ())),
        dictionary_file=given.get("dictionaryFile") or None,
        max_suggestions=given.get("maxSuggestions", 5),
    )


def _is_threshold(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_words(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


_CHECKS = {
    "threshold": (_is_threshold, "a number between 0 and 1"),
    "preset": (lambda value: value in args.PRESETS, "one of " + ", ".join(args.PRESETS)),
    "dictionary": (_is_words, "a list of strings"),
    "dictionaryFile": (lambda value: isinstance(value, str), "a string, the path of a file"),
    "maxSuggestions": (_is_count, "a whole number of at least 1"),
}


def settle(section: Section, *, folder: Path, root: Path, known: Iterable[str] = ()) -> Settled:
    """Put the editor's settings over the configuration file found from `folder`.

    As on the command line, words add up and a preset sets aside the file's threshold.
    `root` is where the path of the editor's dictionary file starts.
    """
    settings = find_config(folder)
    words = [*settings.words(), *section.dictionary, *known]
    file = settings.dictionary_files[0] if settings.dictionary_files else None
    if section.dictionary_file is not None:
        file = root / Path(section.dictionary_file).expanduser()
        words += read_dictionary(file) if file.exists() else []
    threshold = section.threshold
    if threshold is None and section.preset is None:
        threshold = settings.threshold
    options = Options(
        model=settings.model,
        preset=section.preset or settings.preset,
        threshold=threshold,
        words=frozenset(words),
        max_suggestions=section.max_suggestions,
    )
    return Settled(options, file)


def add_word(file: Path, word: str) -> None:
    """Write a word into a dictionary file, which need not exist; the file is replaced whole."""
    file = file.resolve()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        old, mode = (file.read_bytes(), file.stat().st_mode) if file.exists() else (b"", 0o644)
        gap = b"" if not old or old.endswith(b"\n") else b"\n"
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".respell-") as folder:
            draft = Path(folder, file.name)
            draft.write_bytes(old + gap + word.encode() + b"\n")
            draft.chmod(mode & 0o7777)
            draft.replace(file)
    except OSError as error:
        raise Error(f"{file}: {error.strerror}") from error
