"""Hunspell or Aspell in the pipe mode both share with Ispell; $COMMAND starts it."""

import functools
import os
import shlex
import subprocess
from typing import IO

from words import first_single, is_word


@functools.cache
def _pipes() -> tuple[IO[str], IO[str]]:
    command = shlex.split(os.environ["COMMAND"])
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8")
    assert process.stdin
    assert process.stdout
    process.stdout.readline()  # the greeting
    return process.stdin, process.stdout


def correct(tokens: list[str]) -> list[str]:
    """The first suggestion that is one word for each misspelled word."""
    asked = [index for index in range(len(tokens)) if is_word(tokens, index)]
    questions, answers = _pipes()
    questions.write("".join(f"^{tokens[index]}\n" for index in asked))
    questions.flush()
    corrected = list(tokens)
    for index in asked:
        corrected[index] = _answer(answers, tokens[index])
    return corrected


def _answer(answers: IO[str], token: str) -> str:
    """What the lines up to the empty one suggest: `& word count offset: first, second`."""
    found = token
    while line := answers.readline().rstrip("\n"):
        if line.startswith(f"& {token} "):
            found = first_single(line.partition(": ")[2].split(", ")) or token
    return found
