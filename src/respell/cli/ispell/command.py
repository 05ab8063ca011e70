"""Run `respell -a` and the other commands of ispell and aspell."""

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, cast, runtime_checkable

from respell.cli.ispell import options
from respell.cli.ispell.personal import Personal
from respell.cli.ispell.session import Session, find
from respell.cli.job import CLEAN
from respell.cli.loading import Load, open_corrector
from respell.decision.evidence import Evidence
from respell.formats.masker import Masker
from respell.options import CorrectorOptions
from respell.types import Correction, Error, TextChecker


@runtime_checkable
class _Extendable(Protocol):
    """A corrector that can get more words without loading its model again."""

    def with_dictionary(self, words: frozenset[str]) -> TextChecker[list[Correction]]: ...


def run(arguments: Sequence[str], load: Load) -> int:
    """Do what the command line asks for. Returns an exit status."""
    asked = options.read(arguments)
    if asked.task == "version":
        _print(f"{options.BANNER}\n", asked.encoding)
    elif asked.task == "dicts":
        _print("".join(f"{name}\n" for name in options.DICTIONARIES), asked.encoding)
    elif asked.task == "config":
        _print(f"{options.CONFIG.get(asked.key, '')}\n", asked.encoding)
    elif asked.task == "list":
        _list(asked, load)
    else:
        _answer(asked, load)
    return CLEAN


def _answer(asked: options.Options, load: Load) -> None:
    """Answer line after line, until the program closes the pipe."""
    personal = Personal(asked.personal)
    loaded: list[TextChecker[list[Correction]]] = []

    def checking(words: frozenset[str]) -> TextChecker[list[Correction]]:
        if not loaded:
            given = _with_words(asked.corrector, words)
            loaded.append(load(given.model, threads=1, **given.arguments()))
        elif isinstance(loaded[0], _Extendable):
            return loaded[0].with_dictionary(words)
        return loaded[0]

    session = Session(
        checking, personal, format=asked.format, encoding=asked.encoding, ignore=asked.ignore
    )
    _print(f"{options.BANNER}\n", asked.encoding)  # at once: Emacs waits for a few seconds only
    session.prepare()
    for raw in iter(sys.stdin.buffer.readline, b""):
        line = raw.decode(asked.encoding, "surrogateescape").rstrip("\r\n")
        try:
            answer = session.answer(line)
        except Error as error:  # the words cannot be saved; the session goes on
            sys.stderr.write(f"respell: {error}\n")
            sys.stderr.flush()
        else:
            _print(answer, asked.encoding)


def _list(asked: options.Options, load: Load) -> None:
    """Print the misspelled words of the whole text."""
    given = _with_words(asked.corrector, Personal(asked.personal).words())
    text = sys.stdin.buffer.read().decode(asked.encoding, "surrogateescape")
    masked = Masker(asked.format).mask(text)
    with contextlib.ExitStack() as stack:
        gather = partial(Evidence.add, text=text, masked=masked)
        corrector, _ = open_corrector(given, load, None, stack, gather)
        for problem in find(cast("TextChecker[list[Correction]]", corrector), text, masked):
            if len(problem.word) > asked.ignore:
                _print(f"{problem.word}\n", asked.encoding)


def _with_words(given: CorrectorOptions, words: frozenset[str]) -> CorrectorOptions:
    return replace(given, dictionary=given.dictionary | words)


def _print(text: str, encoding: str) -> None:
    sys.stdout.buffer.write(text.encode(encoding, "surrogateescape"))
    sys.stdout.buffer.flush()
