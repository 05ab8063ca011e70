"""The configuration file: respell.toml, or [tool.respell] in pyproject.toml."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from respell.options import CorrectorOptions
from respell.types import PRESETS, Error


@dataclass(frozen=True, slots=True)
class Config:
    """What a configuration file says; `base` is the folder of that file."""

    base: Path
    corrector: CorrectorOptions = field(default_factory=CorrectorOptions)
    dictionary_files: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    extension: tuple[str, ...] = ()

    def options(self) -> CorrectorOptions:
        """The options of the corrector, with the words of all dictionary files."""
        words = {word for path in self.dictionary_files for word in read_dictionary(path)}
        return replace(self.corrector, dictionary=self.corrector.dictionary | words)


def find_config(start: Path) -> Config:
    """Read the nearest configuration file in the folder `start` or above it."""
    start = start.resolve()
    for folder in (start, *start.parents):
        own, shared = folder / "respell.toml", folder / "pyproject.toml"
        if _is_file(own):
            return _config(own, _parse(own))
        if _is_file(shared):
            tool = _parse(shared).get("tool")
            if isinstance(tool, dict) and "respell" in tool:
                return _config(shared, tool["respell"])
    return Config(base=start)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # in a folder that may not be entered
        return False


def user_words_file() -> Path:
    """The file of the words that a user accepts in all texts."""
    folder = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME")
    return Path(folder or Path("~/.config").expanduser()) / "respell" / "words.txt"


def read_dictionary(path: Path) -> list[str]:
    """Read a list of words, one per line; `#` starts a comment."""
    words = []
    for number, line in enumerate(_text(path).splitlines(), start=1):
        parts = line.split()
        comment = next((i for i, part in enumerate(parts) if part.startswith("#")), len(parts))
        if comment > 1:
            raise Error(f"{path}:{number}: more than one word; write one word per line")
        words += parts[:comment]
    return words


def add_word(file: Path, word: str) -> None:
    """Append a word to a dictionary file, which is created if necessary and replaced as a whole."""
    if word.split() != [word] or word.startswith("#"):
        raise Error(f"{word!r} cannot be added: a dictionary has one word per line")
    try:
        target = file.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        is_old = target.exists()
        old, mode = (target.read_bytes(), target.stat().st_mode) if is_old else (b"", 0o644)
        if is_old and not os.access(target, os.W_OK):
            raise Error(f"{file}: not writable")
        gap = b"" if not old or old.endswith(b"\n") else b"\n"
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".respell-") as folder:
            draft = Path(folder, target.name)
            draft.write_bytes(old + gap + word.encode() + b"\n")
            draft.chmod(mode & 0o7777)
            draft.replace(target)
    except OSError as error:
        raise Error(f"{file}: {error.strerror}") from error


def check_extension(text: str) -> str:
    """The ending of a file name. Raises an Error for a list or a pattern."""
    if set(text) & set(",*/"):
        raise Error(f"{text!r} is not one extension, such as md or .md")
    return text


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Error(f"{path}: not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from error


def _parse(path: Path) -> dict[str, Any]:
    import tomllib  # imported here because --help and --version do not need it

    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Error(f"{path}: not valid TOML: {error}") from error


def _config(path: Path, table: object) -> Config:
    if not isinstance(table, dict):
        raise Error(f"{path}: tool.respell must be a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_KEYS)}"
            raise Error(f"{path}: unknown key {key!r}; {hint}")
        try:
            values[key] = _KEYS[key](path.parent, key, value)
        except Error as error:
            raise Error(f"{path}: {error}") from error
    files = {key: values.pop(key) for key in _FILE_KEYS if key in values}
    try:
        return Config(path.parent, CorrectorOptions(**values), **files)
    except Error as error:
        raise Error(f"{path}: {error}") from error


def _strings(folder: Path, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Error(f"{key} must be a list of strings")
    return tuple(value)


def _words(folder: Path, key: str, value: object) -> frozenset[str]:
    return frozenset(_strings(folder, key, value))


def _paths(folder: Path, key: str, value: object) -> tuple[Path, ...]:
    return tuple(folder / name for name in _strings(folder, key, value))


def _extensions(folder: Path, key: str, value: object) -> tuple[str, ...]:
    extensions = _strings(folder, key, value)
    try:
        return tuple(map(check_extension, extensions))
    except Error as error:
        raise Error(f"{key}: {error}") from error


def _model(folder: Path, key: str, value: object) -> Path:
    if not isinstance(value, str):
        raise Error(f"{key} must be a string, the folder of a model")
    return folder / value


def _preset(folder: Path, key: str, value: object) -> object:
    if value not in PRESETS:
        raise Error(f"preset must be one of {', '.join(PRESETS)}, not {value!r}")
    return value


def _as_it_is(folder: Path, key: str, value: object) -> object:
    return value


_FILE_KEYS = ("dictionary_files", "exclude", "extension")
_KEYS: dict[str, Callable[[Path, str, object], object]] = {
    "threshold": _as_it_is,
    "fix_threshold": _as_it_is,
    "preset": _preset,
    "variant": _as_it_is,
    "spacing": _as_it_is,
    "model": _model,
    "dictionary": _words,
    "dictionary_files": _paths,
    "exclude": _strings,
    "extension": _extensions,
}
