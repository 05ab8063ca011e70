"""The settings of a document."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from respell.config import find_config, read_dictionary
from respell.options import CorrectorOptions
from respell.types import Error

SECTION = "respell"
"""The section of the editor's settings that belongs to respell."""
_SOURCE = "settings of the editor"
_OPTIONS = {
    "threshold": "threshold",
    "preset": "preset",
    "dictionary": "dictionary",
    "maxSuggestions": "max_suggestions",
    "variant": "variant",
    "spacing": "spacing",
}
"""Keys of the section -> options of the corrector."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of the corrector, and the file that new words are added to."""

    options: CorrectorOptions = field(default_factory=CorrectorOptions)
    dictionary_file: Path | None = None


def read_settings(value: object) -> Settings:
    """Read the editor's settings: the section, or an object that contains it.

    Unknown keys are ignored. Raises an Error for an invalid value.
    """
    if isinstance(value, dict) and isinstance(value.get(SECTION), dict):
        value = value[SECTION]
    if value is None:
        return Settings()
    if not isinstance(value, dict):
        raise Error(f"{_SOURCE}: {SECTION} must be an object")
    options = CorrectorOptions()
    for key in _OPTIONS:
        if value.get(key) is not None:
            options = _set(options, key, value[key])
    file = value.get("dictionaryFile")
    if file is not None and not isinstance(file, str):
        raise Error(f"{_SOURCE}: {SECTION}.dictionaryFile must be a string, the path of a file")
    return Settings(options, Path(file) if file else None)


def _set(options: CorrectorOptions, key: str, value: object) -> CorrectorOptions:
    name = _OPTIONS[key]
    try:
        return replace(options, **{name: value})  # type: ignore[arg-type]
    except Error as error:
        message = str(error).replace(name, key, 1)
        raise Error(f"{_SOURCE}: {SECTION}.{message}") from error


def merge(editor: Settings, *, folder: Path, root: Path, words: Iterable[str] = ()) -> Settings:
    """The editor's settings on top of the configuration file at or above `folder`.

    The editor's dictionary file is relative to `root`. `words` are added to the dictionary.
    """
    config = find_config(folder)
    options = editor.options.over(config.options())
    file = config.dictionary_files[0] if config.dictionary_files else None
    added = set(words)
    if editor.dictionary_file is not None:
        file = root / editor.dictionary_file.expanduser()
        added.update(read_dictionary(file) if file.exists() else ())
    return Settings(replace(options, dictionary=options.dictionary | added), file)
