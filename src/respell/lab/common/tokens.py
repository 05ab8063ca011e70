"""Read and write files of tokens: one sentence per line, tokens separated by single spaces."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from respell.lab.common.storage import save_text
from respell.lab.common.text_files import read_lines
from respell.types import Error


def check_aligned(
    sentences: Sequence[Sequence[str]], others: Sequence[Sequence[str]], name: str
) -> None:
    """Raise an Error with `name` and the line unless both have the same shape."""
    if len(sentences) != len(others):
        raise Error(
            f"{name}: {len(others)} lines where {len(sentences)} were expected; "
            "the files must be aligned line by line"
        )
    for number, (tokens, other) in enumerate(zip(sentences, others, strict=True), start=1):
        if len(tokens) != len(other):
            raise Error(
                f"{name}:{number}: {len(other)} tokens where {len(tokens)} were expected; "
                "tokens are separated by single spaces"
            )


def read_tokens(path: Path) -> list[list[str]]:
    """Read the sentences of a file; two spaces in a row enclose an empty token."""
    return [line.split(" ") for line in read_lines(path)]


def read_pair(noisy: Path, gold: Path) -> tuple[list[list[str]], list[list[str]]]:
    """Read sentences with misspellings and their corrections; a file without tokens is an error."""
    noisy_tokens, gold_tokens = read_tokens(noisy), read_tokens(gold)
    check_aligned(noisy_tokens, gold_tokens, str(gold))
    if not any(map(any, noisy_tokens)):
        raise Error(f"{noisy}: no tokens; write one sentence per line")
    return noisy_tokens, gold_tokens


def write_tokens(path: Path, sentences: Iterable[Sequence[str]]) -> None:
    """Write sentences in the format that `read_tokens` reads."""
    save_text("".join(" ".join(tokens) + "\n" for tokens in sentences), path)
