"""A trained model whose answers another learns from."""

from dataclasses import replace
from pathlib import Path

import torch

from respell.lab.train.checkpoint import Checkpoint
from respell.lab.train.models.base import Model, Sizes
from respell.lab.train.recipe import Recipe
from respell.model.lexicon import Lexicon
from respell.types import Error


def read_teacher(
    folder: Path, student: Recipe, lexicon: Lexicon, sizes: Sizes, device: torch.device
) -> Model:
    """The model of a checkpoint, to be asked about the batches that a student trains on."""
    saved = Checkpoint.read(folder)
    if not (saved.recipe.keep and student.keep):
        raise Error(f"{folder}: teacher and student both need model.keep = true")
    if saved.recipe.noise_flag != student.noise_flag:
        raise Error(f"{folder}: teacher and student must both be told of wild text, or neither")
    if saved.lexicon.words != lexicon.words or saved.facts.characters != sizes.alphabet:
        raise Error(f"{folder}: was trained on other data, it cannot teach on this")
    if saved.facts.length < sizes.length:
        raise Error(f"{folder}: reads {saved.facts.length} words at most, not {sizes.length}")
    # Not asked as a finished model is: in training, shapes do not depend on what is in a batch.
    still = replace(saved.recipe, model=replace(saved.recipe.model, dropout=0.0))
    return replace(saved, recipe=still).model(device).train().requires_grad_(False)
