"""Record what the weights of a bundle came from, one entry per stage."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from respell.lab.common.storage import read_text
from respell.lab.train.checkpoint import Checkpoint
from respell.types import Error

SHORT_HASH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A training run, or an average of two checkpoints, on the way to the weights."""

    recipe: str
    """The name of the recipe."""
    start: str | None = None
    """What it started from: "random weights", a checkpoint, a bundle, or the two checkpoints that
    were averaged. None if unknown."""
    checkpoint: str | None = None
    """SHA-256 of the weights at the end. None if unknown."""
    steps: int | None = None
    words: int | None = None


def read_lineage(path: Path, checkpoint: Checkpoint) -> list[Stage]:
    """Read a JSON list of stages, the oldest first; the last one made the checkpoint."""
    try:
        raw = json.loads(read_text(path))
    except ValueError as error:
        raise Error(f"{path}: not JSON ({error})") from error
    if not isinstance(raw, list) or not raw:
        raise Error(f"{path}: must be a JSON list of stages")
    stages = [_stage(entry, f"{path}: stage {number}") for number, entry in enumerate(raw, 1)]
    if stages[-1].checkpoint not in (None, checkpoint.digest()):
        raise Error(f"{path}: the last stage is not about this checkpoint, the hashes differ")
    return [*stages[:-1], known_stage(checkpoint, stages[-1].start)]


def _stage(entry: Any, where: str) -> Stage:
    types = {"recipe": str, "start": str, "checkpoint": str, "steps": int, "words": int}
    if not isinstance(entry, dict) or "recipe" not in entry:
        raise Error(f"{where}: must be a JSON object with at least a recipe")
    if unknown := sorted(entry.keys() - {field.name for field in fields(Stage)}):
        raise Error(f"{where}: unknown key {unknown[0]!r}")
    for key, value in entry.items():
        if value is not None and type(value) is not types[key]:
            raise Error(f"{where}: {key} must be {types[key].__name__}")
    return Stage(**entry)


def known_stage(checkpoint: Checkpoint, start: str | None = None) -> Stage:
    """The last stage, as far as the checkpoint knows."""
    facts = checkpoint.facts
    return Stage(
        recipe=checkpoint.recipe.name,
        start=start,
        checkpoint=checkpoint.digest(),
        steps=facts.step,
        words=facts.words,
    )


def to_facts(stages: Sequence[Stage]) -> list[dict[str, Any]]:
    """The stages as facts.json has them."""
    return [asdict(stage) for stage in stages]


def describe(stage: Mapping[str, Any]) -> str:
    """One stage of facts.json in words, for the model card."""
    parts = [f"`{stage['recipe']}`"]
    if stage["steps"]:
        parts.append(f"{stage['steps']:,} steps")
    if stage["words"]:
        parts.append(f"{stage['words'] / 1e6:,.0f}M words")
    if stage["start"]:
        parts.append(f"started from {stage['start']}")
    if stage["checkpoint"]:
        parts.append(f"checkpoint {stage['checkpoint'][:SHORT_HASH]}")
    return ", ".join(parts)
