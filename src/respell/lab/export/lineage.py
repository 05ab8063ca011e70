"""Record what the weights of a bundle came from, one entry per stage of training."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from respell.lab.common.storage import read_text
from respell.lab.train.checkpoint import Checkpoint
from respell.types import Error


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A training run, or an average of two checkpoints. None means unknown or not applicable."""

    stage: str
    """Its name."""
    started_from: str | None = None
    """Such as random weights, a checkpoint, a bundle, or two checkpoints that were averaged."""
    recipe: str | None = None
    checkpoint: str | None = None
    """SHA-256 of the weights."""
    steps: int | None = None
    words: int | None = None
    teacher: str | None = None
    note: str | None = None


def read_lineage(path: Path, checkpoint: Checkpoint) -> list[Stage]:
    """Read a JSON list of stages, the first one first; the last one must be the checkpoint's."""
    try:
        raw = json.loads(read_text(path))
    except ValueError as error:
        raise Error(f"{path}: not JSON ({error})") from error
    if not isinstance(raw, list) or not raw:
        raise Error(f"{path}: must be a JSON list of stages")
    stages = [_stage(entry, f"{path}: stage {number}") for number, entry in enumerate(raw, 1)]
    if stages[-1].checkpoint not in (None, checkpoint.digest()):
        raise Error(f"{path}: the last stage has the hash of another checkpoint")
    return stages


def _stage(entry: Any, where: str) -> Stage:
    if not isinstance(entry, dict) or "stage" not in entry:
        raise Error(f'{where}: must be a JSON object with a name, "stage"')
    if unknown := sorted(entry.keys() - {field.name for field in fields(Stage)}):
        raise Error(f"{where}: unknown key {unknown[0]!r}")
    for key, value in entry.items():
        wanted = int if key in ("steps", "words") else str
        if type(value) is not wanted:
            raise Error(f"{where}: {key} must be {wanted.__name__}")
    return Stage(**entry)


def last_stage(checkpoint: Checkpoint) -> Stage:
    """The last stage, as far as the checkpoint knows."""
    return Stage(
        stage="last run",
        recipe=checkpoint.recipe.name,
        checkpoint=checkpoint.digest(),
        steps=checkpoint.facts.step,
        words=checkpoint.facts.words,
    )


def as_json(stages: Sequence[Stage]) -> list[dict[str, Any]]:
    """The stages as in facts.json, without unknown values."""
    return [{k: v for k, v in asdict(stage).items() if v is not None} for stage in stages]
