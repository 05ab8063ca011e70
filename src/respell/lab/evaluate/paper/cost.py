"""The cost of a row: parameters, FLOPs per word, GPU utilization, training curve."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from respell.lab.common.storage import parse_json, read_text
from respell.lab.train.batches import buckets_for
from respell.lab.train.checkpoint import METRICS, Checkpoint
from respell.lab.train.models.base import Batch, Model, Targets
from respell.model.encode import WIDTH
from respell.types import Error

PEAKS = {"H100": 989e12, "H200": 989e12}
"""Peak dense bfloat16 FLOP/s by the vendor, by a part of the GPU's name."""
TABLES = ("words.weight", "pieces.weight")
OUTPUT = "head.words."
LOSSES = 60
"""Points of the loss curve to keep, at most."""


def parameters(model: Model) -> dict[str, int]:
    """The number of parameters: all, of the embedding table, of the output layer, and the rest."""
    sizes = {name: parameter.numel() for name, parameter in model.named_parameters()}
    tables = sum(sizes[name] for name in TABLES if name in sizes)
    output = sum(size for name, size in sizes.items() if name.startswith(OUTPUT))
    total = sum(sizes.values())
    return {"all": total, "table": tables, "output": output, "rest": total - tables - output}


def flops(saved: Checkpoint) -> dict[str, float]:
    """FLOPs of one training step, in total and by part.

    The model runs on a batch of the recipe's shapes on torch's `meta` device, where nothing is
    computed, and torch counts the multiply-adds of every matrix product: layers, attention, LSTMs,
    output. A multiply-add is two operations, and the backward pass takes twice as many as the
    forward pass, so a step has 6 times the multiply-adds. Padding and attention across packed
    sentences count; embeddings, norms, softmax, noise and the optimizer do not.
    """
    model = saved.model("meta").train()
    with FlopCounterMode(display=False) as counter:
        model(*_batch(saved))
    counts = {name: sum(ops.values()) for name, ops in counter.get_flop_counts().items()}
    attention = sum(
        count
        for operator, count in counter.get_flop_counts()["Global"].items()
        if "bmm" in str(operator) or "attention" in str(operator)
    )
    output = counts[f"{type(model).__name__}.head.words"]
    total = counts["Global"]
    layers = total - attention - output
    parts = {"step": total, "layers": layers, "attention": attention, "output": output}
    return {name: 3.0 * count for name, count in parts.items()}


def _batch(saved: Checkpoint) -> tuple[Batch, Targets]:
    """A batch with the shapes of training, without contents."""
    train = saved.recipe.train
    shape = (train.rows, train.length)
    buckets = buckets_for(train.rows * train.length, train.spellings)

    def empty(*sizes: int, dtype: torch.dtype = torch.long) -> torch.Tensor:
        return torch.empty(sizes, dtype=dtype, device="meta")

    spellings = empty(sum(count for count, _ in buckets), WIDTH)
    numbers, flags = empty(*shape), empty(*shape, dtype=torch.bool)
    batch = Batch(numbers, numbers, numbers, spellings, numbers, numbers, buckets)
    return batch, Targets(numbers, flags, flags, flags, numbers)


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """Read the metrics of a training run."""
    path = folder / METRICS
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    metrics = [parse_json(line, str(path)) for line in lines]
    if not any("loss" in row for row in metrics):
        raise Error(f"{path}: no training steps; train first")
    return metrics


def speed(metrics: Sequence[Mapping[str, Any]]) -> float:
    """Words per second between the first and the last logged step, or up to the only one."""
    steps = [row for row in metrics if "loss" in row]
    first, last = steps[0], steps[-1]
    words, seconds = last["words"], last["seconds"]
    if seconds > first["seconds"]:
        words, seconds = words - first["words"], seconds - first["seconds"]
    return float(words / seconds) if seconds else 0.0


def curve(metrics: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Dev scores during training, with words and seconds so far, and some of the losses."""
    # By step, because a run that is resumed at its end logs it twice.
    points: dict[int, dict[str, Any]] = {}
    losses: list[dict[str, Any]] = []
    for row in metrics:
        if "loss" in row:
            losses.append({key: row[key] for key in ("step", "words", "seconds", "loss")})
        elif losses:
            so_far = {key: losses[-1][key] for key in ("words", "seconds")}
            points[row["step"]] = {**row, **so_far}
    stride = max(1, -(-len(losses) // LOSSES))
    return {"dev": list(points.values()), "loss": losses[stride - 1 :: stride]}


def cost(saved: Checkpoint, model: Model, trained_on: str | None) -> dict[str, Any]:
    """The whole cost of a checkpoint; `trained_on` is the name of the GPU."""
    facts, metrics = saved.facts, read_metrics(saved.path)
    counted = flops(saved)
    rate = speed(metrics)
    per_word = counted["step"] * facts.step / facts.words if facts.words else 0.0
    peak = next((flop for name, flop in PEAKS.items() if name in (trained_on or "")), None)
    shares = {name: counted[name] / counted["step"] for name in ("layers", "attention", "output")}
    return {
        "parameters": parameters(model),
        "training": {
            "seconds": round(facts.seconds, 1),
            "steps": facts.step,
            "words": facts.words,
            "words_per_second": round(rate),
            "device": trained_on,
            "flops_per_word": round(per_word),
            "flops_share": {name: round(share, 4) for name, share in shares.items()},
            "utilisation": per_word * rate / peak if peak else None,
            "cut": next((row["cut"] for row in reversed(metrics) if "cut" in row), None),
        },
        "curve": curve(metrics),
    }
