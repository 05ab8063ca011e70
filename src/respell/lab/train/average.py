"""The `average` command: average the weights of two checkpoints of one run."""

import argparse
import shutil
from pathlib import Path

import torch

from respell.lab.train.checkpoint import (
    FACTS,
    LEXICON,
    RECIPE,
    VOCABULARY,
    WEIGHTS,
    Checkpoint,
    save_tensors,
)
from respell.lab.train.init_from import init_from
from respell.types import Error


def average(first: Checkpoint, second: Checkpoint, share: float, out: Path) -> None:
    """Write averaged weights with a share of the second checkpoint, and its other files."""
    if not 0 <= share <= 1:
        raise Error(f"--share {share}: write a share from 0 to 1")
    if first.recipe.model != second.recipe.model:
        raise Error(f"{first.path} and {second.path} have models of different sizes")
    if (out / WEIGHTS).exists():
        raise Error(f"{out}: holds a checkpoint; name another --out or remove it")
    model = second.model(torch.device("cpu"))
    b = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    # The lexicons may have a different order. Words only in the second keep their weights.
    init_from(first, model, second.lexicon.words, second.facts.characters)
    a = model.state_dict()
    out.mkdir(parents=True, exist_ok=True)
    for name in (RECIPE, LEXICON, FACTS) + (VOCABULARY,) * (second.vocabulary is not None):
        shutil.copyfile(second.path / name, out / name)
    # Integer tables, such as those of a vocabulary, cannot be averaged.
    averaged = {n: a[n].lerp(b[n], share) if b[n].is_floating_point() else b[n] for n in b}
    save_tensors(averaged, out / WEIGHTS)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `average`."""
    parser.add_argument("first", type=Path, help="checkpoint folder")
    parser.add_argument("second", type=Path, help="checkpoint folder, trained from the first")
    parser.add_argument("--share", type=float, default=0.5, help="share of the second (0.5)")
    parser.add_argument("--out", type=Path, required=True, help="checkpoint folder to write")


def run(args: argparse.Namespace) -> int:
    """Average two checkpoints."""
    average(Checkpoint.read(args.first), Checkpoint.read(args.second), args.share, args.out)
    return 0
