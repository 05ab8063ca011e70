"""The `invent` command: from lists of misspellings, more of their kind for every word."""

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

TIMID, BOLD = 0.05, 100
"""Beyond, the likeliest misspelling is all that is made, or the numbers underflow."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `invent`."""
    parser.add_argument("--lists", type=Path, nargs="+", required=True, help="pairs to learn from")
    parser.add_argument(
        "--held-out", type=Path, nargs="+", default=[], help="pairs to stay clear of"
    )
    parser.add_argument("--lexicon", type=Path, required=True, help="words to misspell")
    parser.add_argument("--count", type=int, default=12, help="misspellings of each word (12)")
    parser.add_argument("--seed", type=seed, default=1)
    parser.add_argument(
        "--untidy", action="store_true", help="learn and keep absurd misspellings too"
    )
    parser.add_argument(
        "--imitate",
        action="store_true",
        help="let a small network learn the lists (minutes); it writes no pair they hold",
    )
    parser.add_argument(
        "--boldness", type=float, default=1.0, help="below 1, fewer unlikely misspellings (1)"
    )
    parser.add_argument(
        "--check",
        type=float,
        metavar="SHARE",
        help="hold out this share of the first list and tell in --out (JSON) what is covered",
    )
    parser.add_argument("--out", type=Path, required=True, help="TSV to write")


def run(args: argparse.Namespace) -> int:
    """Learn from the lists, then misspell the lexicon or check what would be made."""
    if args.count < 1:
        raise Error(f"--count {args.count}: write at least 1")
    if not TIMID <= args.boldness <= BOLD:
        raise Error(f"--boldness {args.boldness}: write a number from {TIMID} to {BOLD}")
    if args.check is not None and not 0 < args.check < 1:
        raise Error(f"--check {args.check}: write a share between 0 and 1")
    held_out = word_lists.merge(*map(word_lists.read_tsv, args.held_out))
    lists = [word_lists.without(word_lists.read_tsv(path), held_out) for path in args.lists]
    words = read_lexicon(args.lexicon).words
    if not words:
        raise Error(f"{args.lexicon}: no words to misspell; write one a line")
    if args.check is not None:
        return _check(args, lists, frozenset(words))
    known = word_lists.merge(*lists)
    maker = _maker(args, _learn(args, known), known)
    generated = dict(maker([word for word in words if _misspellable(word, args)], args.count))
    if not args.untidy:
        generated = word_lists.tidy(generated)
    generated = word_lists.without(generated, held_out)
    word_lists.write_tsv(generated, args.out)
    total = sum(map(len, generated.values()))
    sys.stderr.write(f"{args.out}: {total:,} misspellings of {len(generated):,} words\n")
    return 0


def _check(args: argparse.Namespace, lists: Sequence[word_lists.Pairs], words: Set[str]) -> int:
    """Hold pairs out, learn the others, and count how many of those held out are made."""
    lowered = [word_lists.merge(_lowered(pairs)) for pairs in lists]
    first = {word: spellings for word, spellings in lowered[0].items() if word in words}
    _, held = word_lists.split_known(first, share=1 - args.check, seed=args.seed)
    known = word_lists.without(word_lists.merge(*lowered), held)
    learnt = _learn(args, known)
    covered = coverage.measure(_maker(args, learnt, known), held, known=known, real=words)
    record: dict[str, Any] = {
        "lists": [path.name for path in args.lists],
        "tidy": not args.untidy,
        "imitate": args.imitate,
        "boldness": args.boldness,
        "share": args.check,
        "seed": args.seed,
        "covered": covered,
    }
    if isinstance(learnt, EditNetwork):
        readable = {w: list(filter(learnt.knows, held[w])) for w in filter(learnt.knows, held)}
        pairs = [(word, spelling) for word in readable for spelling in readable[word]]
        record["likelihood"] = {"pairs": len(pairs), "mean": round(learnt.likelihood(pairs), 3)}
    coverage.keep(args.out, record | provenance())
    sys.stderr.write(f"{args.out}: {covered['all']}\n")
    return 0


def _learn(args: argparse.Namespace, known: word_lists.Pairs) -> EditNetwork | EditModel:
    learnt = _lowered(known if args.untidy else word_lists.tidy(known))
    if not args.imitate:
        return EditModel(learnt)
    return EditNetwork.learn(learnt, tell=lambda line: sys.stderr.write(f"{line}\n"))


def _maker(
    args: argparse.Namespace, learnt: EditNetwork | EditModel, known: word_lists.Pairs
) -> coverage.Maker:
    """What misspells words as was learnt."""
    if isinstance(learnt, EditNetwork):
        avoid = _lowered(known)
        return lambda words, count: learnt.misspell(
            words, count, seed=args.seed, boldness=args.boldness, known=avoid
        )
    dice = random.Random(args.seed)
    return lambda words, count: (
        (word, learnt.misspell(word, count, dice, boldness=args.boldness)) for word in words
    )


def _misspellable(word: str, args: argparse.Namespace) -> bool:
    letters = word.replace("'", "") if args.untidy else word
    return letters.isalpha() and (args.untidy or len(word) > 1)


def _lowered(pairs: word_lists.Pairs) -> dict[str, list[str]]:
    lowered: dict[str, list[str]] = {}
    for word, spellings in pairs.items():
        small = word.lower()
        lowered.setdefault(small, []).extend(s.lower() for s in spellings if s.lower() != small)
    return lowered
