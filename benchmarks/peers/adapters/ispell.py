"""Hunspell or Aspell in their Ispell-compatible pipe mode; $COMMAND starts it."""

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
    """Replace each misspelled word by its first suggestion of one word."""
    indexes = [index for index in range(len(tokens)) if is_word(tokens, index)]
    requests, answers = _pipes()
    requests.write("".join(f"^{tokens[index]}\n" for index in indexes))
    requests.flush()
    corrected = list(tokens)
    for index in indexes:
        corrected[index] = _answer(answers, tokens[index])
    return corrected


def _answer(answers: IO[str], token: str) -> str:
    """Parse the lines up to an empty one; suggestions are `& word count offset: first, second`."""
    found = token
    while line := answers.readline().rstrip("\n"):
        if line.startswith(f"& {token} "):
            found = first_single(line.partition(": ")[2].split(", ")) or token
    return found
