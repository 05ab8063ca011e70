"""The protocol of `ispell -a`: a line comes in, and lines about its words go out."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from respell.cli import files
from respell.cli.ispell.options import CONFIG, mode
from respell.cli.ispell.personal import Personal
from respell.formats.masker import Masker
from respell.text.words import APOSTROPHE, LETTER
from respell.types import Correction, TextChecker

_WORD = re.compile(rf"(?:{LETTER})+(?:{APOSTROPHE}(?:{LETTER})+)*")
Checking = Callable[[frozenset[str]], TextChecker[list[Correction]]]
"""Makes a corrector that accepts some words."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A misspelled word of a line, as a whole, and what it could be."""

    start: int
    word: str
    suggestions: Sequence[str]

    @property
    def end(self) -> int:
        """The offset after the word."""
        return self.start + len(self.word)


class Session:
    """Answers line after line, as long as a program talks to it."""

    def __init__(
        self,
        checking: Checking,
        personal: Personal,
        *,
        format: str = "plain",
        encoding: str = "utf-8",
        ignore: int = 0,
    ) -> None:
        self.personal = personal
        self._checking = checking
        self._checker: TextChecker[list[Correction]] | None = None
        self._first_format = self._format = format
        self._encoding = encoding
        self._ignore = ignore
        self._terse = self._verbose = False
        self._commands: dict[str, Callable[[str], str]] = {
            "*": self._add,
            "&": self._add_lower,
            "@": self._accept,
            "#": self._save,
            "!": self._be_terse,
            "%": self._be_normal,
            "`": self._be_verbose,
            "+": self._set_mode,
            "-": self._leave_mode,
            "~": lambda name: "",  # ways to write accents in ASCII
            "$": self._ask_aspell,
            "^": lambda line: self._check(line, 1),
        }

    def answer(self, line: str) -> str:
        """The answer to a line without its end: nothing, or lines. Raises an Error of a file."""
        command = self._commands.get(line[:1])
        return self._check(line, 0) if command is None else command(line[1:])

    def prepare(self) -> None:
        """Load the model."""
        self._checker = self._checker or self._checking(self.personal.words())

    def _check(self, line: str, skipped: int) -> str:
        """A line for each word of the text, and an empty line.

        Offsets count from the start of the whole line, whose first `skipped` characters are cut.
        """
        self.prepare()
        masked = Masker(self._format).mask(line)
        problems = find(self._checker, line, masked) if self._checker else ()
        wrong = [problem for problem in problems if len(problem.word) > self._ignore]
        rows = [(problem.start, self._row(problem, skipped)) for problem in wrong]
        if not self._terse:
            inside = {i for problem in wrong for i in range(problem.start, problem.end)}
            rows += [
                (word.start(), f"* {word[0]}\n" if self._verbose else "*\n")
                for word in _WORD.finditer(masked)
                if inside.isdisjoint(range(*word.span()))
            ]
        return "".join(row for _, row in sorted(rows)) + "\n"

    def _row(self, problem: Problem, skipped: int) -> str:
        word, at = problem.word, problem.start + skipped
        shown = [text for text in problem.suggestions if self._can_write(text)]
        if not shown:
            return f"# {word} {at}\n"
        return f"& {word} {len(shown)} {at}: {', '.join(shown)}\n"

    def _can_write(self, text: str) -> bool:
        try:
            text.encode(self._encoding)
        except UnicodeEncodeError:
            return False
        return True

    def _add(self, word: str) -> str:
        self.personal.add(word)
        self._checker = None
        return ""

    def _add_lower(self, word: str) -> str:
        return self._add(word.lower())

    def _accept(self, word: str) -> str:
        self.personal.accept(word)
        self._checker = None
        return ""

    def _save(self, _: str) -> str:
        self.personal.save()
        return ""

    def _be_terse(self, _: str) -> str:
        self._terse = True
        return ""

    def _be_normal(self, _: str) -> str:
        self._terse = self._verbose = False
        return ""

    def _be_verbose(self, _: str) -> str:
        self._verbose = True
        return ""

    def _set_mode(self, name: str) -> str:
        self._format = mode(name.strip() or "tex") or self._format
        return ""

    def _leave_mode(self, _: str) -> str:
        self._format = self._first_format if self._first_format != "latex" else "plain"
        return ""

    def _ask_aspell(self, rest: str) -> str:
        """Questions of aspell's clients; all others are ignored."""
        if rest.startswith("$cr "):
            return f"{CONFIG.get(rest[4:].strip(), '')}\n"
        if rest.startswith("$cs mode,"):
            return self._set_mode(rest.partition(",")[2])
        lists = {"$l": None, "$pp": self.personal.saved, "$ps": self.personal.session}
        if rest not in lists:
            return ""
        words = lists[rest]
        if words is None:
            return f"{CONFIG['lang']}\n"
        return f"{len(words)}: {', '.join(words)}".rstrip() + "\n"


def find(checker: TextChecker[list[Correction]], text: str, masked: str) -> Iterator[Problem]:
    """The misspelled words of a text, in order. A long text is checked in pieces."""
    if not masked.strip():
        return
    words = _WORD.finditer(text)
    word = next(words, None)
    end = 0
    pieces = list(files.pieces(masked))
    answers = checker.check_many(masked[piece] for piece in pieces)
    for piece, corrections in zip(pieces, answers, strict=True):
        for correction in corrections:
            if correction.kind == "join":  # an answer is about one word of the line
                continue
            start = piece.start + correction.start
            while word is not None and word.end() <= start:
                word = next(words, None)
            problem = _whole(start, correction, text, word.span() if word else (0, 0))
            if problem.start >= end:  # two corrections in one word are one problem
                end = problem.end
                yield problem


def _whole(start: int, correction: Correction, text: str, word: tuple[int, int]) -> Problem:
    """The problem for a correction, widened to the word that contains it, as in teh's."""
    end = start + len(correction.original)
    before, behind = "", ""
    if word[0] <= start and end <= word[1]:
        before, behind = text[word[0] : start], text[end : word[1]]
        start, end = word
    suggestions = [f"{before}{suggestion.text}{behind}" for suggestion in correction.suggestions]
    return Problem(start, text[start:end], suggestions)
