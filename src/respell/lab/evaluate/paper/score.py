"""One row's figures: a checkpoint, or the authors' own answers, scored on every set."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from respell.corrector import Corrector
from respell.lab.common.provenance import provenance
from respell.lab.common.tokens import read_tokens, write_tokens
from respell.lab.evaluate.paper.cost import cost
from respell.lab.evaluate.paper.sets import AUTHORS, PAPER, Sentences, World
from respell.lab.train import checkpoint as ck
from respell.model.bundle import digest
from respell.types import Error


def score_checkpoint(
    folder: Path,
    world: World,
    *,
    row: str,
    device: torch.device,
    trained_on: str | None = None,
    answers: Path | None = None,
) -> dict[str, Any]:
    """Let a checkpoint answer all sets; what it says is kept in the folder `answers`."""
    saved = ck.Checkpoint.read(folder)
    if saved.recipe.keep:
        raise Error(f"{folder}: has KEEP; the paper's rows name a word for every token")
    if saved.lexicon.words != world.lexicon.words:
        raise Error(f"{folder}: was trained with another lexicon than the sets are frozen with")
    model = saved.model(device)
    corrector = Corrector(saved.bundle(), ck.torch_forward(model, device))
    began = time.perf_counter()
    said = {s.name: list(corrector.correct_tokens_many(s.noisy)) for s in world.sets}
    seconds = time.perf_counter() - began
    name = ck.device_name(device)
    return {
        "row": row,
        "name": saved.recipe.name,
        "sets": _judge(world, said),
        **cost(saved, model, trained_on or (name if device.type == "cuda" else None)),
        "labels": getattr(saved.recipe.model, "labels", None),
        "recipe": saved.recipe.to_toml(),
        "checkpoint_sha256": saved.digest(),
        "data_hash": saved.facts.data_hash,
        "sha256": dict(world.sha256),
        "files": {s.name: dict(s.facts) for s in world.sets},
        "answers_sha256": _keep(said, answers) if answers else None,
        "torch": torch.__version__,
        "device": name,
        "scoring_seconds": round(seconds, 1),
        **provenance(),
    }


def score_authors(world: World, path: Path) -> dict[str, Any]:
    """The answers of the authors' own row 11 to the paper's sentences."""
    (given,) = world.sets
    return {
        "row": "authors",
        "name": "the authors' row 11",
        "sets": _judge(world, {given.name: read_tokens(path)}),
        "sha256": dict(world.sha256),
        "files": {given.name: {**given.facts, AUTHORS: digest(path)}},
        **provenance(),
    }


def _judge(world: World, said: Mapping[str, Sentences]) -> dict[str, dict[str, Any]]:
    judged: dict[str, dict[str, Any]] = {}
    for given in world.sets:
        judged |= world.judge(given, said[given.name])
    return judged


def _keep(said: Mapping[str, Sentences], folder: Path) -> dict[str, str]:
    """Weights are too large to keep, answers are not: with them all can be counted again."""
    hashes = {}
    for name, sentences in said.items():
        path = folder / f"{name}.txt"
        write_tokens(path, sentences)
        hashes[name] = digest(path)
    return hashes


def summary(record: Mapping[str, Any]) -> str:
    """One line for a row that was just scored: F0.5 by both rules."""
    told = []
    for name, part in record["sets"].items():
        everything = part["scores"]["all"]
        rules = f"{everything['authors']['f05']:.4f} / {everything['table']['f05']:.4f}"
        told.append(f"{name} {rules}")
    unknown = record["sets"][PAPER]["scores"]["unknown"]["share"]
    told.append(f"unknown pairs {unknown:.4f}")
    return f"row {record['row']}, F0.5 by the authors' and the table rule: {', '.join(told)}"
