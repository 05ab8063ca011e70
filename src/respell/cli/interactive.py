"""`fix --interactive`: ask about every finding on the terminal."""

import os
import shutil
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from respell.cli.files import WORDS_FILE
from respell.cli.fix import rewrite, summary, writable
from respell.cli.job import CLEAN, Job, Outcome, Tally
from respell.cli.reports.finding import Finding
from respell.cli.reports.text import color_wanted, describe, excerpt
from respell.config import add_word
from respell.decision.vocabulary import plural
from respell.types import Correction, Error

_MOST = 9  # suggestions that have a key
_HELP = """\
  y, Enter  replace
  1-9       replace with another suggestion
  n         skip
  s         skip this word everywhere
  a         add the word to the dictionary
  q         quit; the current file is not changed
"""


class _Quit(Exception):  # noqa: N818
    """The user wants to stop."""


def need_terminal() -> None:
    """Raise an Error if nobody can answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Error("fix --interactive needs a terminal; use --write or --diff in scripts")


def fix_interactively(job: Job) -> Outcome:
    """Ask about every finding. A file is written when all of its questions are answered."""
    tally, questions = Tally(), _Questions(job)
    for source, blocks in job.run.checked(writable(job.run, job.sources)):
        try:
            tally.add(*rewrite(source, blocks, questions.decide))
        except _Quit:
            done = summary(tally, job.run) if tally.problems or tally.left else "No problems fixed."
            return Outcome(CLEAN, done)
        except (Error, OSError) as error:
            job.fail(source, error)
    return Outcome(CLEAN, summary(tally, job.run))


@dataclass(slots=True)
class _Questions:
    """The questions of one run, and the words that are not asked about again."""

    job: Job
    skipped: set[str] = field(default_factory=set)
    path: str = ""
    """The file of the last question."""

    def decide(self, found: Finding) -> Correction | None:
        """Ask about a finding until there is an answer."""
        correction = found.correction
        if correction.original.lower() in self.skipped:
            return None
        if found.path != self.path and not os.access(found.path, os.W_OK):
            raise Error(f"{found.path}: not writable")  # before the user answers in vain
        self.path = found.path
        self._show(found)
        choices = correction.suggestions[:_MOST]
        numbers = [f"1-{len(choices)}"] if len(choices) > 1 else []
        question = f"Replace with {choices[0].text!r}? [{'/'.join(['Y', *numbers, *'nsaq?'])}] "
        while True:
            answer = self._ask(question)
            if answer in ("", "y"):
                return correction
            if answer.isdecimal() and 1 <= int(answer) <= len(choices):
                return replace(correction, suggestions=(choices[int(answer) - 1],))
            if answer in ("n", "s", "a"):
                self._skip(answer, correction.original)
                return None
            sys.stderr.write(_HELP)

    def _show(self, found: Finding) -> None:
        self.job.run.progress.hide()
        sys.stderr.write(f"\n{describe(found, color=color_wanted(sys.stderr))}\n")
        sys.stderr.write(excerpt(found, shutil.get_terminal_size().columns))
        texts = [suggestion.text for suggestion in found.correction.suggestions[:_MOST]]
        if len(texts) > 1:
            rows = (f"{number} {text}" for number, text in enumerate(texts, start=1))
            sys.stderr.write(f"  {'  '.join(rows)}\n")

    def _ask(self, question: str) -> str:
        line = ""
        try:
            sys.stderr.write(question)
            sys.stderr.flush()
            with self.job.run.progress.paused():
                line = sys.stdin.readline()
        finally:
            if not line.endswith("\n"):  # Ctrl-C and Ctrl-D leave the cursor behind the question
                sys.stderr.write("\n")
        answer = line.strip().lower()
        if not line or answer == "q":
            raise _Quit
        return answer

    def _skip(self, answer: str, word: str) -> None:
        if answer in ("s", "a"):
            self.skipped.add(word.lower())
        if answer == "a":
            self.skipped.add(plural(word.lower()))  # the dictionary accepts it, too
            own = (*self.job.config.dictionary_files, *self.job.options.dictionary)
            try:
                self.job.run.note(_add(word, own[0] if own else Path(WORDS_FILE)))
            except Error as error:
                self.job.run.complain(str(error))


def _add(word: str, path: Path) -> str:
    """Add a word to a dictionary file, and return a message about it."""
    is_new = not path.exists()
    add_word(path, word)
    message = f"added {word!r} to {path}"
    if not is_new or path != Path(WORDS_FILE):
        return message
    return f"{message}; to use it: --dictionary {path}, or dictionary_files in respell.toml"
