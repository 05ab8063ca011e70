"""Scores of a system on token-aligned sentences, by both counting rules, kept as JSON."""

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
    """Declare the arguments of the `evaluate` command."""
    parser.add_argument("--noisy", type=Path, required=True, help="sentences with mistakes")
    parser.add_argument("--gold", type=Path, required=True, help="the same, every token right")
    scored = systems.add_model_arguments(parser)
    scored.add_argument("--predictions", type=Path, help="what another system answered")
    scored.add_argument("--system", choices=sorted(systems.SYSTEMS), help="one without a model")
    parser.add_argument("--lower", action="store_true", help="lower-case both sides first")
    parser.add_argument(
        "--known", nargs="+", type=Path, metavar="TSV", help="pairs that were learnt from"
    )
    parser.add_argument("--lexicon", type=Path, help="words, one a line: others are non-words")
    parser.add_argument("--name", help="the row's name in tables")
    parser.add_argument("--output", type=Path, metavar="JSON", help="where the result is kept")
    parser.add_argument("--write-predictions", type=Path, metavar="FILE")


def run(args: argparse.Namespace) -> int:
    """Score a system on a pair of files, print the scores, keep them."""
    noisy, gold = read_pair(args.noisy, args.gold)
    if args.lower:
        noisy, gold = ([[t.lower() for t in tokens] for tokens in side] for side in (noisy, gold))
    known = merge(*map(read_tsv, args.known)) if args.known else None
    subject = systems.open_subject(args)
    start = time.perf_counter()
    predicted = subject.system(noisy)
    seconds = time.perf_counter() - start
    scores = score(
        noisy,
        gold,
        predicted,
        is_word=systems.words_of(args.lexicon) if args.lexicon else subject.is_word,
        known=None if known is None else [(w, s) for w, wrong in known.items() for s in wrong],
    )
    if args.write_predictions:
        write_tokens(args.write_predictions, predicted)
    record = {
        "name": args.name or (args.output.stem if args.output else subject.description["kind"]),
        "scores": asdict(scores),
        "noisy": {"file": args.noisy.name, "sha256": digest(args.noisy)},
        "gold": {"file": args.gold.name, "sha256": digest(args.gold)},
        "known": [{"file": path.name, "sha256": digest(path)} for path in args.known or ()],
        "lower": args.lower,
        "system": subject.description,
        "words_per_second": scores.all.tokens / seconds if subject.timed else None,
        **provenance(),
    }
    if args.output:
        write_json(args.output, record)
    sys.stdout.write(table.summary(record))
    return 0
