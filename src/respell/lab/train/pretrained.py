"""Read the encoder of a language model (BERT, ERNIE, DistilBERT, MPNet) from its folder.

The folder has config.json, model.safetensors and vocab.txt, the usual files of such models.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from respell.types import Error

CONFIG, WEIGHTS = "config.json", "model.safetensors"
_PARTS = ("weight", "bias")


@dataclass(frozen=True, slots=True)
class Family:
    """The names of settings and tensors in a family of language models."""

    numbers: Mapping[str, str]  # our setting -> theirs
    layer: str
    attention: Mapping[str, str]  # our tensor of a layer -> theirs
    queries_keys_values: tuple[str, str, str]
    first_position: int = 0
    """Number of unused rows at the start of the table of positions."""
    summed: tuple[str, ...] = ()
    """Tables whose first row is added to every piece."""


_NUMBERS = {
    "width": "hidden_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "inner": "intermediate_size",
    "activation": "hidden_act",
}
_DISTILBERT_NUMBERS = {
    "width": "dim",
    "layers": "n_layers",
    "heads": "n_heads",
    "inner": "hidden_dim",
    "activation": "activation",
}
_FEED = {
    "widen": "intermediate.dense",
    "narrow": "output.dense",
    "norm_inner": "output.LayerNorm",
}
_BERT = Family(
    _NUMBERS,
    "encoder.layer",
    {
        "attended": "attention.output.dense",
        "norm_attention": "attention.output.LayerNorm",
        **_FEED,
    },
    ("attention.self.query", "attention.self.key", "attention.self.value"),
    summed=("token_type_embeddings", "task_type_embeddings"),
)
FAMILIES = {
    "bert": _BERT,
    "ernie": _BERT,
    "distilbert": Family(
        _DISTILBERT_NUMBERS,
        "transformer.layer",
        {
            "attended": "attention.out_lin",
            "norm_attention": "sa_layer_norm",
            "widen": "ffn.lin1",
            "narrow": "ffn.lin2",
            "norm_inner": "output_layer_norm",
        },
        ("attention.q_lin", "attention.k_lin", "attention.v_lin"),
    ),
    "mpnet": Family(
        _NUMBERS,
        "encoder.layer",
        {"attended": "attention.attn.o", "norm_attention": "attention.LayerNorm", **_FEED},
        ("attention.attn.q", "attention.attn.k", "attention.attn.v"),
        first_position=2,
    ),
}
_BIAS = "encoder.relative_attention_bias.weight"


@dataclass(frozen=True, slots=True)
class Encoder:
    """A pretrained encoder: its sizes, and its weights with the names of `Subword`."""

    folder: Path
    numbers: dict[str, int | float | bool]
    state: dict[str, Tensor]

    def check(self, config: Any) -> None:
        """Raise an error if the weights do not fit a model with this configuration."""
        for name, number in self.numbers.items():
            own = config.attention_heads if name == "heads" else getattr(config, name)
            if own != number:
                written = str(number).lower()
                raise Error(f"{self.folder}: model.{name} = {own} does not fit, write {written}")


def read_encoder(folder: Path) -> Encoder:
    """Read the encoder of a folder; heads and poolers are ignored."""
    config = _read_config(folder / CONFIG)
    kind = config.get("model_type")
    if kind not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise Error(f"{folder / CONFIG}: model_type = {kind!r} is not supported, only {known}")
    family = FAMILIES[kind]
    try:
        numbers = {ours: config[theirs] for ours, theirs in family.numbers.items()}
    except KeyError as error:
        raise Error(f"{folder / CONFIG}: {error} is missing") from error
    inner, activation = numbers.pop("inner"), numbers.pop("activation")
    if inner != 4 * numbers["width"] or activation != "gelu":
        raise Error(f"{folder}: needs an inner width of 4 times the width, and GELU")
    try:
        weights = _plain(load_file(folder / WEIGHTS), kind)
        state = _renamed(weights, family, numbers["layers"])
    except (OSError, SafetensorError) as error:
        raise Error(f"{folder / WEIGHTS}: cannot be read ({error})") from error
    except KeyError as error:
        raise Error(f"{folder / WEIGHTS}: {error} is missing") from error
    numbers |= {
        "pieces": len(state["pieces.weight"]),
        "positions": len(state["positions.weight"]),
        "relative": _BIAS in weights,
        "epsilon": config.get("layer_norm_eps", 1e-12),
    }
    return Encoder(folder, numbers, state)


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Error(f"{path}: cannot be read ({error})") from error
    if not isinstance(config, dict):
        raise Error(f"{path}: not the configuration of a language model")
    return config


def _plain(weights: Mapping[str, Tensor], kind: str) -> dict[str, Tensor]:
    """Tensors in 32 bits with uniform names: without the prefix, with the new names of norms."""
    plain = {}
    for name, tensor in weights.items():
        short = name.removeprefix(f"{kind}.")
        short = short.replace(".gamma", ".weight").replace(".beta", ".bias")
        plain[short] = tensor.float()
    return plain


def _renamed(weights: Mapping[str, Tensor], family: Family, layers: int) -> dict[str, Tensor]:
    places = weights["embeddings.position_embeddings.weight"][family.first_position :]
    for table in family.summed:
        if f"embeddings.{table}.weight" in weights:
            places = places + weights[f"embeddings.{table}.weight"][0]
    state = {
        "pieces.weight": weights["embeddings.word_embeddings.weight"],
        "positions.weight": places,
    }
    for part in _PARTS:
        state[f"norm.{part}"] = weights[f"embeddings.LayerNorm.{part}"]
    if _BIAS in weights:
        state["context.bias.weight"] = weights[_BIAS]
    for i in range(layers):
        theirs, ours = f"{family.layer}.{i}", f"context.layers.{i}"
        for part in _PARTS:
            split = [weights[f"{theirs}.{name}.{part}"] for name in family.queries_keys_values]
            state[f"{ours}.queries_keys_values.{part}"] = torch.cat(split)
            for name, their_name in family.attention.items():
                state[f"{ours}.{name}.{part}"] = weights[f"{theirs}.{their_name}.{part}"]
    return state
