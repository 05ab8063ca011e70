"""The `evaluate` command: score a system on token-aligned files."""

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path

from respell.lab.common.metrics import score
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.tokens import read_pair, write_tokens
from respell.lab.evaluate import systems, table
from respell.lab.misspellings.word_lists import merge, read_tsv
from respell.model.bundle import digest


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evaluate`."""
    parser.add_argument("--noisy", type=Path, required=True, help="sentences with misspellings")
    parser.add_argument("--gold", type=Path, required=True, help="the same, corrected")
    group = systems.add_model_arguments(parser)
    group.add_argument("--predictions", type=Path, help="the answers of another system")
    group.add_argument("--system", choices=sorted(systems.SYSTEMS), help="a system without a model")
    parser.add_argument(
        "--lower", action="store_true", help="convert both files to lower case first"
    )
    parser.add_argument(
        "--known",
        nargs="+",
        type=Path,
        metavar="TSV",
        help="misspellings that were used in training",
    )
    parser.add_argument(
        "--lexicon", type=Path, help="real words, one per line (default: the lexicon of the model)"
    )
    parser.add_argument("--name", help="name in tables")
    parser.add_argument("--output", type=Path, metavar="JSON", help="where to write the result")
    parser.add_argument(
        "--write-predictions", type=Path, metavar="FILE", help="where to write the answers"
    )


def run(args: argparse.Namespace) -> int:
    """Score a system on a pair of files, print the scores, and write them."""
    noisy, gold = read_pair(args.noisy, args.gold)
    if args.lower:
        noisy, gold = ([[t.lower() for t in tokens] for tokens in side] for side in (noisy, gold))
    known = merge(*map(read_tsv, args.known)) if args.known else None
    scored = systems.open_system(args)
    start = time.perf_counter()
    predicted = scored.system(noisy)
    seconds = time.perf_counter() - start
    scores = score(
        noisy,
        gold,
        predicted,
        is_word=systems.words_of(args.lexicon) if args.lexicon else scored.is_word,
        known=None if known is None else [(w, s) for w, wrong in known.items() for s in wrong],
    )
    if args.write_predictions:
        write_tokens(args.write_predictions, predicted)
    record = {
        "name": args.name or (args.output.stem if args.output else scored.description["kind"]),
        "scores": asdict(scores),
        "noisy": {"file": args.noisy.name, "sha256": digest(args.noisy)},
        "gold": {"file": args.gold.name, "sha256": digest(args.gold)},
        "known": [{"file": path.name, "sha256": digest(path)} for path in args.known or ()],
        "lower": args.lower,
        "system": scored.description,
        "words_per_second": scores.all.tokens / seconds if scored.timed else None,
        **provenance(),
    }
    if args.output:
        write_json(args.output, record)
    sys.stdout.write(table.summary(record))
    return 0
