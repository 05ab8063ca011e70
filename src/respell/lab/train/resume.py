"""What training goes on from: the weights, optimizers and notes of a checkpoint."""

from pathlib import Path

import torch
from torch import Tensor, nn

from respell.lab.common.storage import parse_json, save_text
from respell.lab.train import checkpoint as ck
from respell.lab.train.optimizer import Muon
from respell.lab.train.trainer import Trainer
from respell.types import Error


def resume(trainer: Trainer, folder: Path, data_hash: str) -> None:
    """Go on from a checkpoint: weights, optimizer, place in the data."""
    saved, recipe = ck.Checkpoint.read(folder), trainer.recipe
    if (saved.facts.data_hash, saved.lexicon.words) != (data_hash, trainer.lexicon.words):
        raise Error(
            f"{folder}: was trained on other data, it cannot be resumed with this; "
            "--start begins anew with its weights"
        )
    if (saved.recipe.kind, saved.recipe.model) != (recipe.kind, recipe.model):
        raise Error(f"{folder}: holds another model, it cannot be resumed with this recipe")
    if saved.facts.length != recipe.train.length:
        told = f"was trained with train.length = {saved.facts.length}"
        raise Error(f"{folder}: {told}, it cannot be resumed with {recipe.train.length}")
    if bool(saved.recipe.train.muon) != bool(recipe.train.muon):
        told = f"was trained with train.muon = {saved.recipe.train.muon}"
        raise Error(f"{folder}: {told}, it cannot be resumed with {recipe.train.muon}")
    saved.fill(trainer.model)
    if not (folder / ck.OPTIMIZER).is_file():
        raise Error(f"{folder}: {ck.OPTIMIZER} is missing, it cannot be resumed")
    _fill_optimizers(trainer, folder / ck.OPTIMIZER)
    trainer.step, trainer.words = saved.facts.step, saved.facts.words
    trainer.seconds = saved.facts.seconds


def _fill_optimizers(trainer: Trainer, path: Path) -> None:
    tensors = ck.load_tensors(path)
    count = len(tensors)
    for i, (optimizer, parameter) in enumerate(_parameters(trainer)):
        averages = dict.fromkeys(("exp_avg", "exp_avg_sq"), parameter.shape)
        wanted = {"step": torch.Size(), **averages}
        if isinstance(optimizer, Muon):
            wanted = {"exp_avg": parameter.shape}
        state = {key: tensors.pop(f"{i}.{key}") for key in wanted if f"{i}.{key}" in tensors}
        # A parameter that nothing has moved yet has no state at all.
        if state and {key: tensor.shape for key, tensor in state.items()} != wanted:
            raise Error(f"{path}: is of another model, it cannot be resumed with this recipe")
        optimizer.state[parameter] = {  # a fused optimizer's step is on its device as well
            key: tensor.to(parameter.device) for key, tensor in state.items()
        }
    if tensors or not count:
        raise Error(f"{path}: is of another model, it cannot be resumed with this recipe")


def _parameters(trainer: Trainer) -> list[tuple[torch.optim.Optimizer, nn.Parameter]]:
    return [
        (optimizer, parameter)
        for optimizer in trainer.optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    ]


def optimizer_tensors(trainer: Trainer) -> dict[str, Tensor]:
    """What the optimizers remember, by the number of the parameter."""
    return {
        f"{i}.{key}": value.float()
        for i, (optimizer, parameter) in enumerate(_parameters(trainer))
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def forget_after(metrics: Path, step: int) -> None:
    """Drop what was noted after the checkpoint: it will happen, and be noted, again."""
    if metrics.is_file():
        lines = metrics.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]  # a killed process leaves halves
        kept = [line for i, line in enumerate(whole, 1) if _step(line, f"{metrics}:{i}") <= step]
        save_text("".join(kept), metrics)


def _step(line: str, where: str) -> int:
    step = parse_json(line, where).get("step")
    if type(step) is not int:
        raise Error(f"{where}: not written by `train`, it names no step; mend or remove the line")
    return step
