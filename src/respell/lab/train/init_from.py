"""Weights of a checkpoint into a model of other words, characters or parts.

Rows of words and characters go to the same word or character; a table that has grown keeps its
first rows. Layers that the checkpoint does not have change nothing at first; what else it does not
have stays as it was made.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from respell.lab.train.checkpoint import WEIGHTS, Checkpoint, load_tensors
from respell.lab.train.models.layers import Layer
from respell.model.encode import FIRST_CHARACTER, WORD_OFFSET
from respell.types import Error


def init_from(saved: Checkpoint, model: nn.Module, words: Sequence[str], characters: str) -> None:
    """Give the model what fits of a checkpoint's weights."""
    moves = [
        _moves(saved.lexicon.words, words, WORD_OFFSET),
        _moves(saved.lexicon.words, words, 0),
        _moves(saved.facts.characters, characters, FIRST_CHARACTER),
    ]
    own = model.state_dict()
    taken = load_tensors(saved.path / WEIGHTS)
    shared = own.keys() & taken.keys()
    if not shared:
        raise Error(f"{saved.path}: holds another model, nothing of it fits this recipe")
    fitted = {name: _fit(name, taken[name], own[name], moves, saved) for name in sorted(shared)}
    model.load_state_dict(own | fitted)
    for name, layer in model.named_modules():
        if isinstance(layer, Layer) and f"{name}.narrow.weight" not in taken:
            for linear in (layer.attended, layer.narrow):  # what a layer adds to its input
                nn.init.zeros_(linear.weight)
                nn.init.zeros_(linear.bias)


_Moves = tuple[int, int, Tensor, Tensor]


def _moves(old: Sequence[str], new: Sequence[str], offset: int) -> _Moves:
    """Rows of an old table, rows of a new one, and which go where; special rows come first."""
    places = {word: number + offset for number, word in enumerate(new)}
    source, target = list(range(offset)), list(range(offset))
    for number, word in enumerate(old):
        if word in places:
            source.append(number + offset)
            target.append(places[word])
    return len(old) + offset, len(new) + offset, torch.tensor(source), torch.tensor(target)


def _fit(name: str, old: Tensor, new: Tensor, moves: Sequence[_Moves], saved: Checkpoint) -> Tensor:
    if old.shape[1:] != new.shape[1:]:
        raise Error(f"{saved.path}: {name} has other sizes, it does not fit this recipe")
    fitted = new.clone()
    old = old.to(new)
    for old_rows, new_rows, source, target in moves:
        if (len(old), len(new)) == (old_rows, new_rows):
            fitted[target.to(new.device)] = old[source.to(new.device)]
            return fitted
    if old.shape == new.shape or (old.dim() > 1 and len(old) < len(new)):
        fitted[: len(old)] = old
        return fitted
    raise Error(f"{saved.path}: {name} has other sizes, it does not fit this recipe")
