"""Score a checkpoint, or the authors' own output, on every set."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from respell.corrector import Corrector
from respell.lab.common.provenance import provenance
from respell.lab.common.tokens import read_tokens, write_tokens
from respell.lab.evaluate.paper.cost import cost
from respell.lab.evaluate.paper.sets import AUTHORS, PAPER, ScoringData, Sentences
from respell.lab.train import checkpoint as ck
from respell.model.bundle import digest
from respell.types import Error


def score_checkpoint(
    folder: Path,
    data: ScoringData,
    *,
    row: str,
    device: torch.device,
    trained_on: str | None = None,
    answers: Path | None = None,
) -> dict[str, Any]:
    """Score a checkpoint on all sets; its answers are written to the folder `answers`."""
    saved = ck.Checkpoint.read(folder)
    if saved.recipe.keep:
        raise Error(f"{folder}: has KEEP; the paper's models choose a word for every token")
    if saved.lexicon.words != data.lexicon.words:
        raise Error(f"{folder}: was trained with another lexicon than that of the sets")
    model = saved.model(device)
    corrector = Corrector(saved.bundle(), ck.torch_forward(model, device))
    began = time.perf_counter()
    answered = {s.name: list(corrector.correct_tokens_many(s.noisy)) for s in data.sets}
    seconds = time.perf_counter() - began
    name = ck.device_name(device)
    return {
        "row": row,
        "name": saved.recipe.name,
        "sets": _score(data, answered),
        **cost(saved, model, trained_on or (name if device.type == "cuda" else None)),
        "labels": getattr(saved.recipe.model, "labels", None),
        "recipe": saved.recipe.to_toml(),
        "checkpoint_sha256": saved.digest(),
        "data_hash": saved.facts.data_hash,
        "sha256": dict(data.sha256),
        "files": {s.name: dict(s.facts) for s in data.sets},
        "answers_sha256": _write_answers(answered, answers) if answers else None,
        "torch": torch.__version__,
        "device": name,
        "scoring_seconds": round(seconds, 1),
        **provenance(),
    }


def score_authors(data: ScoringData, path: Path) -> dict[str, Any]:
    """Score the authors' own output of row 11 on the paper's sentences."""
    (given,) = data.sets
    return {
        "row": "authors",
        "name": "the authors' row 11",
        "sets": _score(data, {given.name: read_tokens(path)}),
        "sha256": dict(data.sha256),
        "files": {given.name: {**given.facts, AUTHORS: digest(path)}},
        **provenance(),
    }


def _score(data: ScoringData, answered: Mapping[str, Sentences]) -> dict[str, dict[str, Any]]:
    scores: dict[str, dict[str, Any]] = {}
    for given in data.sets:
        scores |= data.score(given, answered[given.name])
    return scores


def _write_answers(answered: Mapping[str, Sentences], folder: Path) -> dict[str, str]:
    """Write the answers, so that they can be scored again without the weights; return hashes."""
    hashes = {}
    for name, sentences in answered.items():
        path = folder / f"{name}.txt"
        write_tokens(path, sentences)
        hashes[name] = digest(path)
    return hashes


def summary(record: Mapping[str, Any]) -> str:
    """One line about a row: F0.5 by both rules."""
    parts = []
    for name, part in record["sets"].items():
        everything = part["scores"]["all"]
        rules = f"{everything['authors']['f05']:.4f} / {everything['table']['f05']:.4f}"
        parts.append(f"{name} {rules}")
    unknown = record["sets"][PAPER]["scores"]["unknown"]["share"]
    parts.append(f"unknown pairs {unknown:.4f}")
    return f"row {record['row']}, F0.5 by the authors' and the table rule: {', '.join(parts)}"
