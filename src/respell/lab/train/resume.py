"""Resume training: restore the weights, the optimizers and the log of a checkpoint."""

from pathlib import Path

import torch
from torch import Tensor, nn

from respell.lab.common.storage import parse_json, save_text
from respell.lab.train import checkpoint as ck
from respell.lab.train.optimizer import Muon
from respell.lab.train.trainer import Trainer
from respell.types import Error


def resume(trainer: Trainer, folder: Path, data_hash: str) -> None:
    """Restore the weights, the optimizers and the position in the data from a checkpoint."""
    saved, recipe = ck.Checkpoint.read(folder), trainer.recipe
    if (saved.facts.data_hash, saved.lexicon.words) != (data_hash, trainer.lexicon.words):
        raise Error(
            f"{folder}: was trained on other data, it cannot be resumed with these; "
            "use --start to begin with its weights"
        )
    if (saved.recipe.kind, saved.recipe.model) != (recipe.kind, recipe.model):
        raise Error(f"{folder}: holds another model, it cannot be resumed with this recipe")
    before, now = saved.recipe.train, recipe.train
    _check_same(folder, "train.length", saved.facts.length, now.length)
    if bool(before.muon) != bool(now.muon):
        _check_same(folder, "train.muon", before.muon, now.muon)
    # The position in the data is a number of batches.
    _check_same(folder, "train.rows", before.rows, now.rows)
    _check_same(folder, "train.seed", before.seed, now.seed)
    permissive = saved.recipe.data.permissive
    _check_same(folder, "data.permissive", permissive, recipe.data.permissive)
    saved.load_weights(trainer.model)
    if not (folder / ck.OPTIMIZER).is_file():
        raise Error(f"{folder}: {ck.OPTIMIZER} is missing, it cannot be resumed")
    _load_optimizers(trainer, folder / ck.OPTIMIZER)
    trainer.step, trainer.words = saved.facts.step, saved.facts.words
    trainer.seconds = saved.facts.seconds


def _check_same(folder: Path, key: str, before: object, now: object) -> None:
    if before != now:
        trained = f"was trained with {key} = {before}"
        raise Error(f"{folder}: {trained}, it cannot be resumed with {now}")


def _load_optimizers(trainer: Trainer, path: Path) -> None:
    tensors = ck.load_tensors(path)
    count = len(tensors)
    for i, (optimizer, parameter) in enumerate(_parameters(trainer)):
        averages = dict.fromkeys(("exp_avg", "exp_avg_sq"), parameter.shape)
        wanted = {"step": torch.Size(), **averages}
        if isinstance(optimizer, Muon):
            wanted = {"exp_avg": parameter.shape}
        state = {key: tensors.pop(f"{i}.{key}") for key in wanted if f"{i}.{key}" in tensors}
        # A parameter that has never had a gradient has no state.
        if state and {key: tensor.shape for key, tensor in state.items()} != wanted:
            raise Error(f"{path}: from another model, it cannot be resumed with this recipe")
        optimizer.state[parameter] = {  # a fused optimizer needs `step` on its device too
            key: tensor.to(parameter.device) for key, tensor in state.items()
        }
    if tensors or not count:
        raise Error(f"{path}: from another model, it cannot be resumed with this recipe")


def _parameters(trainer: Trainer) -> list[tuple[torch.optim.Optimizer, nn.Parameter]]:
    return [
        (optimizer, parameter)
        for optimizer in trainer.optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    ]


def optimizer_tensors(trainer: Trainer) -> dict[str, Tensor]:
    """The state of the optimizers, by the number of the parameter."""
    return {
        f"{i}.{key}": value.float()
        for i, (optimizer, parameter) in enumerate(_parameters(trainer))
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def truncate_log(metrics: Path, step: int) -> None:
    """Drop the entries after the step of the checkpoint; they will be written again."""
    if metrics.is_file():
        lines = metrics.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]  # a killed process may cut a line
        kept = [line for i, line in enumerate(whole, 1) if _step(line, f"{metrics}:{i}") <= step]
        save_text("".join(kept), metrics)


def _step(line: str, where: str) -> int:
    step = parse_json(line, where).get("step")
    if type(step) is not int:
        raise Error(f"{where}: not written by `train`, it has no step; remove the line")
    return step
