"""Recognise mistyped commands, options and values, and say what was probably meant."""

import shlex
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from respell.cli import files
from respell.model.lexicon import Lexicon
from respell.model.version import default_path
from respell.text.edits import count_edits
from respell.types import Error

_SHORT = 3  # letters of a command in which only one edit is allowed


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """The end of an error message: the nearest choice, or one that is abbreviated.

    It is empty if there is none. Dashes at the front and capitals do not count, and an underscore
    counts as a dash.
    """
    names = {_folded(choice): choice for choice in choices}
    word = _folded(word)
    near = get_close_matches(word, names, 1)
    if not near and len(word) > 1:
        near = [name for name in names if name.startswith(word)]
    return f"; did you mean {names[near[0]]!r}?" if near else ""


def _folded(word: str) -> str:
    return word.lower().replace("_", "-").lstrip("-")


def reject_mistyped_command(words: Sequence[str], commands: Sequence[str]) -> None:
    """Raise an Error if the first of several words was probably meant as a command.

    It is nearly the name of one, or all others are paths. An English word like a command is
    accepted as text, unless an option or a path follows it.
    """
    if len(words) < 2:
        return
    first = words[0].lower()
    if first == "help" and words[1] in commands:
        raise Error(f"no command 'help'; for help on {words[1]}: respell {words[1]} --help")
    for command in commands:
        if abs(len(first) - len(command)) > 2:
            continue  # counting edits takes long in a long text
        count = count_edits(first, command)
        if count > (1 if len(command) <= _SHORT else 2):
            continue
        if count == 0 or not _is_text(first, words[1:]):
            raise Error(f"no command {words[0]!r}; did you mean {command!r}? A text goes after --")
    others = [word for word in words[1:] if not word.startswith("-")]
    one_word = not any(map(str.isspace, first)) and not files.exists(words[0])
    if others and one_word and all(map(files.exists, others)):
        known = ", ".join(commands)
        raise Error(f"no command {words[0]!r}; commands are {known}. A text goes after --")


def _is_text(first: str, others: Iterable[str]) -> bool:
    if any(word.startswith("-") or files.exists(word) for word in others):
        return False
    return first in Lexicon.read(default_path() / "lexicon.txt")


def reject_paths(words: Sequence[str]) -> None:
    """Raise an Error if every word of a text is the path of a file or a folder."""
    if words and all(map(files.exists, words)):
        command = shlex.join(["respell", "check", *words])
        one_line = " ".join(command.split())
        raise Error(f"{words[0]!r} is a path; to check it: {one_line}")
