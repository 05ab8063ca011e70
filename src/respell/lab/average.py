"""The `average` command: one checkpoint between two of the same run."""

import argparse
import shutil
from dataclasses import asdict, replace
from pathlib import Path

from respell.lab.checkpoint import (
    FACTS,
    LEXICON,
    RECIPE,
    WEIGHTS,
    Checkpoint,
    load_tensors,
    save_tensors,
)
from respell.lab.storage import save_text, to_json
from respell.types import Error


def average(first: Checkpoint, second: Checkpoint, share: float, out: Path) -> None:
    """Write weights with a share of the second; recipe and facts are the second's."""
    if not 0 <= share <= 1:
        raise Error(f"--share {share}: write a share from 0 to 1")
    if first.recipe.model != second.recipe.model or tuple(first.lexicon) != tuple(second.lexicon):
        raise Error(f"{first.path} and {second.path} hold models of different sizes or lexicons")
    a, b = (load_tensors(checkpoint.path / WEIGHTS) for checkpoint in (first, second))
    out.mkdir(parents=True, exist_ok=True)
    for name in (RECIPE, LEXICON):
        shutil.copyfile(second.path / name, out / name)
    # Tables of whole numbers, as of a vocabulary, have nothing between them.
    between = {n: a[n].lerp(b[n], share) if b[n].is_floating_point() else b[n] for n in b}
    save_tensors(between, out / WEIGHTS)
    facts = replace(second.facts, words=max(first.facts.words, second.facts.words))
    save_text(to_json(asdict(facts)), out / FACTS)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `average`."""
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="share of the second")
    parser.add_argument("--out", type=Path, required=True)


def run(args: argparse.Namespace) -> int:
    """Average two checkpoints."""
    average(Checkpoint.read(args.first), Checkpoint.read(args.second), args.share, args.out)
    return 0
