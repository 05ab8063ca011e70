"""Initialise a model from a checkpoint with other words, characters or layers.

Rows of words and characters are copied to the same word or character; in other tables that have
grown, the first rows are copied. Layers that the checkpoint lacks are set to zero, so that they
change nothing at first. All other new parameters keep their initial values.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from respell.lab.train.checkpoint import WEIGHTS, Checkpoint, load_tensors
from respell.lab.train.models.layers import Layer, SuspectLayer
from respell.model.encode import FIRST_CHARACTER, WORD_OFFSET
from respell.types import Error


def init_from(saved: Checkpoint, model: nn.Module, words: Sequence[str], characters: str) -> None:
    """Copy the weights of a checkpoint that fit the model."""
    moves = [
        _moves(saved.lexicon.words, words, WORD_OFFSET),
        _moves(saved.lexicon.words, words, 0),
        _moves(saved.facts.characters, characters, FIRST_CHARACTER),
    ]
    own = model.state_dict()
    taken = load_tensors(saved.path / WEIGHTS)
    shared = own.keys() & taken.keys()
    if not shared:
        raise Error(f"{saved.path}: another model, no weight fits this recipe")
    fitted = {name: _fit(name, taken[name], own[name], moves, saved) for name in sorted(shared)}
    model.load_state_dict(own | fitted)
    for name, layer in model.named_modules():
        if isinstance(layer, Layer | SuspectLayer) and f"{name}.narrow.weight" not in taken:
            for linear in (layer.attended, layer.narrow):  # a layer adds their outputs to its input
                nn.init.zeros_(linear.weight)
                nn.init.zeros_(linear.bias)


_Moves = tuple[int, int, Tensor, Tensor]


def _moves(old: Sequence[str], new: Sequence[str], offset: int) -> _Moves:
    """The sizes of an old and a new table, and the source and target rows; special rows first."""
    places = {word: number + offset for number, word in enumerate(new)}
    source, target = list(range(offset)), list(range(offset))
    for number, word in enumerate(old):
        if word in places:
            source.append(number + offset)
            target.append(places[word])
    return len(old) + offset, len(new) + offset, torch.tensor(source), torch.tensor(target)


def _fit(name: str, old: Tensor, new: Tensor, moves: Sequence[_Moves], saved: Checkpoint) -> Tensor:
    if old.shape[1:] != new.shape[1:]:
        raise Error(f"{saved.path}: {name} has another size, it does not fit this recipe")
    fitted = new.clone()
    old = old.to(new)
    for old_rows, new_rows, source, target in moves:
        if (len(old), len(new)) == (old_rows, new_rows):
            fitted[target.to(new.device)] = old[source.to(new.device)]
            return fitted
    if old.shape == new.shape or (old.dim() > 1 and len(old) < len(new)):
        fitted[: len(old)] = old
        return fitted
    raise Error(f"{saved.path}: {name} has another size, it does not fit this recipe")
