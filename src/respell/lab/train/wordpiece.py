"""The `wordpiece` command: learn a WordPiece vocabulary from text."""

import argparse
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from respell.cli.args import count
from respell.lab.common.storage import save_text
from respell.lab.common.text_files import read_lines
from respell.types import Error


def learn(lines: Iterable[str], *, size: int, lower: bool = True) -> tuple[str, ...]:
    """Learn a vocabulary from text with the `tokenizers` library."""
    try:
        from tokenizers import BertWordPieceTokenizer
    except ModuleNotFoundError as error:
        raise Error("tokenizers is not installed; run: pip install '.[lab]'") from error
    tokenizer = BertWordPieceTokenizer(lowercase=lower)
    tokenizer.train_from_iterator(lines, vocab_size=size, show_progress=False)
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    return tuple(sorted(vocabulary, key=vocabulary.__getitem__))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `wordpiece`."""
    parser.add_argument("text", type=Path, nargs="+", help="text files, or a lexicon")
    parser.add_argument("--out", type=Path, required=True, help="vocab.txt to write")
    parser.add_argument("--size", type=count, default=30_522, help="most pieces (%(default)s)")
    parser.add_argument("--cased", action="store_true", help="keep capitals and accents")


def run(args: argparse.Namespace) -> int:
    """Learn a vocabulary and write it, one piece per line."""
    lines = (line for path in args.text for line in read_lines(path) if line.strip())
    first = next(lines, None)
    if first is None:
        raise Error(f"{args.text[0]}: no text to learn pieces from")
    vocabulary = learn(chain([first], lines), size=args.size, lower=not args.cased)
    save_text("".join(f"{piece}\n" for piece in vocabulary), args.out)
    return 0
