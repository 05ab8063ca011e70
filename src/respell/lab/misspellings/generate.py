"""The `generate` command: learn from lists of misspellings and generate more for every word."""

import argparse
import random
import sys
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any

from respell.lab.common.arguments import seed
from respell.lab.common.provenance import provenance
from respell.lab.data.corpus import read_lexicon
from respell.lab.misspellings import coverage, word_lists
from respell.lab.misspellings.edit_model import EditModel
from respell.lab.misspellings.edit_network import EditNetwork
from respell.types import Error

COLDEST, HOTTEST = 0.05, 100
"""Temperatures beyond these give only the likeliest misspelling, or underflow."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `generate`."""
    parser.add_argument("--lists", type=Path, nargs="+", required=True, help="pairs to learn from")
    parser.add_argument(
        "--held-out", type=Path, nargs="+", default=[], help="pairs that must not be generated"
    )
    parser.add_argument("--lexicon", type=Path, required=True, help="words to misspell")
    parser.add_argument("--count", type=int, default=12, help="misspellings of each word (12)")
    parser.add_argument("--seed", type=seed, default=1, help="of random choices (1)")
    parser.add_argument(
        "--no-tidy", action="store_true", help="learn and keep implausible misspellings too"
    )
    parser.add_argument(
        "--network",
        action="store_true",
        help="train a small network on the lists (minutes); it generates only new pairs",
    )
    parser.add_argument(
        "--temperature",
        type=float,
        default=1.0,
        help="below 1, unlikely misspellings are rarer (1)",
    )
    parser.add_argument(
        "--check",
        type=float,
        metavar="SHARE",
        help="hold out this share of the first list and write to --out (JSON) how much is covered",
    )
    parser.add_argument("--out", type=Path, required=True, help="TSV file to write")


def run(args: argparse.Namespace) -> int:
    """Learn from the lists, then misspell the lexicon or measure the coverage."""
    if args.count < 1:
        raise Error(f"--count {args.count}: write at least 1")
    if not COLDEST <= args.temperature <= HOTTEST:
        raise Error(f"--temperature {args.temperature}: write a number from {COLDEST} to {HOTTEST}")
    if args.check is not None and not 0 < args.check < 1:
        raise Error(f"--check {args.check}: write a share between 0 and 1")
    held_out = word_lists.merge(*map(word_lists.read_tsv, args.held_out))
    lists = [word_lists.without(word_lists.read_tsv(path), held_out) for path in args.lists]
    words = read_lexicon(args.lexicon).words
    if not words:
        raise Error(f"{args.lexicon}: no words to misspell; write one per line")
    if args.check is not None:
        return _check(args, lists, frozenset(words))
    known = word_lists.merge(*lists)
    generate = _generator(args, _learn(args, known), known)
    generated = dict(generate([word for word in words if _can_misspell(word, args)], args.count))
    if not args.no_tidy:
        generated = word_lists.tidy(generated)
    generated = word_lists.without(generated, held_out)
    word_lists.write_tsv(generated, args.out)
    total = sum(map(len, generated.values()))
    sys.stderr.write(f"{args.out}: {total:,} misspellings of {len(generated):,} words\n")
    return 0


def _check(args: argparse.Namespace, lists: Sequence[word_lists.Pairs], words: Set[str]) -> int:
    """Hold out pairs, learn from the others, and count how many held-out pairs are generated."""
    lowered = [word_lists.merge(_lowered(pairs)) for pairs in lists]
    first = {word: spellings for word, spellings in lowered[0].items() if word in words}
    _, held = word_lists.split_known(first, share=1 - args.check, seed=args.seed)
    known = word_lists.without(word_lists.merge(*lowered), held)
    model = _learn(args, known)
    covered = coverage.measure(_generator(args, model, known), held, known=known, real=words)
    record: dict[str, Any] = {
        "lists": [path.name for path in args.lists],
        "tidy": not args.no_tidy,
        "network": args.network,
        "temperature": args.temperature,
        "share": args.check,
        "seed": args.seed,
        "covered": covered,
    }
    if isinstance(model, EditNetwork):
        supported = {w: list(filter(model.supports, held[w])) for w in filter(model.supports, held)}
        pairs = [(word, spelling) for word in supported for spelling in supported[word]]
        mean = round(model.log_likelihood(pairs), 3)
        record["log_likelihood"] = {"pairs": len(pairs), "mean": mean}
    coverage.save_record(args.out, record | provenance())
    sys.stderr.write(f"{args.out}: {covered['all']}\n")
    return 0


def _learn(args: argparse.Namespace, known: word_lists.Pairs) -> EditNetwork | EditModel:
    pairs = _lowered(known if args.no_tidy else word_lists.tidy(known))
    if not args.network:
        return EditModel(pairs)
    return EditNetwork.learn(pairs, report=lambda line: sys.stderr.write(f"{line}\n"))


def _generator(
    args: argparse.Namespace, model: EditNetwork | EditModel, known: word_lists.Pairs
) -> coverage.Generate:
    """A function that misspells words with the model."""
    if isinstance(model, EditNetwork):
        avoid = _lowered(known)
        return lambda words, count: model.misspell(
            words, count, seed=args.seed, temperature=args.temperature, known=avoid
        )
    rng = random.Random(args.seed)
    return lambda words, count: (
        (word, model.misspell(word, count, rng, temperature=args.temperature)) for word in words
    )


def _can_misspell(word: str, args: argparse.Namespace) -> bool:
    letters = word.replace("'", "") if args.no_tidy else word
    return letters.isalpha() and (args.no_tidy or len(word) > 1)


def _lowered(pairs: word_lists.Pairs) -> dict[str, list[str]]:
    lowered: dict[str, list[str]] = {}
    for word, spellings in pairs.items():
        lower = word.lower()
        lowered.setdefault(lower, []).extend(s.lower() for s in spellings if s.lower() != lower)
    return lowered
