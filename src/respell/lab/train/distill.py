"""Distillation: read a trained model as the teacher of another one."""

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
    """The model of a checkpoint, as a teacher for the batches of a student."""
    saved = Checkpoint.read(folder)
    if not (saved.recipe.keep and student.keep):
        raise Error(f"{folder}: teacher and student both need model.keep = true")
    # Else the teacher would be wrong about every word that only the student can judge.
    for name in ("noise_flag", "classes", "spacing"):
        if getattr(saved.recipe.model, name, False) != getattr(student.model, name, False):
            raise Error(f"{folder}: teacher and student need the same model.{name}")
    if saved.lexicon.words != lexicon.words or saved.facts.characters != sizes.alphabet:
        raise Error(f"{folder}: was trained on other data, it cannot be a teacher for these")
    if saved.facts.length < sizes.length:
        raise Error(f"{folder}: reads {saved.facts.length} words at most, not {sizes.length}")
    # In training mode the shapes do not depend on the batch; dropout is off.
    recipe = replace(saved.recipe, model=replace(saved.recipe.model, dropout=0.0))
    return replace(saved, recipe=recipe).model(device).train().requires_grad_(False)
