"""The `unpack` command: turn a bundle back into a checkpoint, to train it further.

An ONNX graph keeps most names of the model's weights. The matrices of linear layers may have lost
theirs, but they are in the same order as in the model. 8-bit weights are converted to 32 bits;
otherwise nothing is lost. Columns that SmoothQuant has scaled stay scaled.
"""

import argparse
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, numpy_helper
from torch.overrides import TorchFunctionMode

from respell.lab.common.storage import read_json, replacing_folder, save_text, to_json
from respell.lab.export.card import FACTS
from respell.lab.train import checkpoint as ck
from respell.lab.train.models.base import Model, Sizes
from respell.lab.train.recipe import Recipe, parse_recipe
from respell.model.bundle import Bundle, default_path
from respell.model.encode import FIRST_CHARACTER
from respell.model.forward import Features, TopK
from respell.model.session import open_session
from respell.text.tokenize import tokenize_words
from respell.types import Error

MIN_AGREEMENT = 0.75
"""The share of words for which bundle and checkpoint must have the same first suggestion."""
PREFIX, INTEGERS = "model.", ".int8"
"""The prefix of the weights in a graph, and the suffix of 8-bit weights."""
_WORDS = 40
_Array = NDArray[Any]


def unpack(bundle: Bundle, out: Path) -> None:
    """Write the model of a bundle as a checkpoint, complete or not at all."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise Error(f"{out}: exists; give another --out or remove it")
    recipe, facts = _read_facts(bundle)
    characters = len(facts.characters) + FIRST_CHARACTER
    model = ck.build_model(recipe, Sizes(len(bundle.lexicon), characters, facts.length)).eval()
    _fill(model, bundle)
    with replacing_folder(out) as folder:
        for name in (ck.LEXICON,) + (ck.VOCABULARY,) * (bundle.vocabulary is not None):
            shutil.copyfile(bundle.path / name, folder / name)
        ck.save_tensors(model.state_dict(), folder / ck.WEIGHTS)
        save_text(recipe.to_toml(), folder / ck.RECIPE)
        save_text(to_json(asdict(facts)), folder / ck.FACTS)


def _read_facts(bundle: Bundle) -> tuple[Recipe, ck.Facts]:
    """The recipe and the facts of the checkpoint that the bundle was exported from."""
    path, config = bundle.path / FACTS, bundle.config
    if not path.is_file():
        raise Error(f"{path} is missing: only exported bundles can be unpacked")
    raw = read_json(path)
    try:
        recipe = parse_recipe(tomllib.loads(raw["recipe"]), str(path))
        training = {**raw["training"], "casing": config.casing, "length": config.length}
        facts = ck.Facts(characters=config.characters, **training)
    except (KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise Error(f"{path}: not written by `export` of this version ({error!r})") from error
    return recipe, facts


def _fill(model: Model, bundle: Bundle) -> None:
    """Load the weights of a bundle into a model, and check that both give the same answers."""
    words = [word for word in bundle.lexicon.words if word.isalpha()]
    sentence = tokenize_words(words[: min(_WORDS, bundle.config.length)])
    features = replace(bundle.encoder, spell_oov_only=False).encode([sentence])
    forward = open_session(bundle.model)  # rejects other ONNX files
    graph = onnx.load(bundle.model, load_external_data=False).graph
    found = _find(graph, _linears(model, features), bundle.model)
    state = model.state_dict()
    for name, tensor in state.items():
        if name not in found:
            raise Error(
                f'{bundle.model}: {name} is missing; only kind = "word_char" can be unpacked'
            )
        if found[name].shape != tensor.shape:
            raise Error(
                f"{bundle.model}: {name} does not have the size that the recipe in {FACTS} gives"
            )
    model.load_state_dict({name: torch.tensor(found[name]) for name in state})
    expected = forward(bundle.encoder.encode([sentence]), 0.0)
    if not _agree(expected, ck.torch_forward(model)(features, 0.0)):
        raise Error(f"{bundle.model}: its weights do not fit this version of respell and torch")


_Linear = tuple[str, str | None]


class _LinearRecorder(TorchFunctionMode):
    """Records the weight and the bias of every linear layer that a model runs."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.names = {id(parameter): name for name, parameter in model.named_parameters()}
        self.found: list[_Linear] = []

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func is F.linear and id(args[1]) in self.names:
            bias = next(iter(args[2:]), (kwargs or {}).get("bias"))
            self.found.append((self.names[id(args[1])], self.names.get(id(bias))))
        return func(*args, **(kwargs or {}))


def _linears(model: Model, features: Features) -> list[_Linear]:
    """The names of the weight and the bias of each linear layer, in the order of use."""
    recorder = _LinearRecorder(model)
    with recorder:
        ck.torch_forward(model)(features, 0.0)
    return recorder.found


def _find(graph: GraphProto, linears: Sequence[_Linear], path: Path) -> dict[str, _Array]:
    """The weights of a graph, by their names in the model."""
    weights = dict(_dequantized(graph))
    found = {name.removeprefix(PREFIX): array for name, array in weights.items()}
    layers = list(_linear_weights(graph, weights))
    if len(layers) != len(linears):
        raise Error(
            f"{path}: {len(layers)} linear layers where the recipe in {FACTS} has {len(linears)}, "
            "it cannot be unpacked"
        )
    for (weight, bias), (matrix, added) in zip(linears, layers, strict=True):
        found[weight] = matrix
        if bias is not None and added is not None:
            found[bias] = added
        elif bias is not None:  # torch omits zeros
            found.setdefault(bias, np.zeros(len(matrix), np.float32))
    return found


def _dequantized(graph: GraphProto) -> Iterator[tuple[str, _Array]]:
    """All weights in 32 bits, under their original names."""
    stored = {weight.name: numpy_helper.to_array(weight) for weight in graph.initializer}
    axes = {name: _axis(node) for node in graph.node for name in node.input}
    for name, array in stored.items():
        short = name.removesuffix(INTEGERS)
        if short == name:
            yield name, array
            continue
        shape = [-1 if axis == axes[name] else 1 for axis in range(array.ndim)]
        yield short, array.astype(np.float32) * stored[f"{short}.scale"].reshape(shape)


def _axis(node: NodeProto) -> int:
    """The axis along which the scales of a node's 8-bit weights run."""
    if node.op_type == "MatMulIntegerToFloat":
        return 1
    dequantizes = node.op_type == "DequantizeLinear"
    return next((a.i for a in node.attribute if dequantizes and a.name == "axis"), 0)


def _linear_weights(
    graph: GraphProto, weights: Mapping[str, _Array]
) -> Iterator[tuple[_Array, _Array | None]]:
    """The weight [out, in] of each linear layer, and its bias if it has lost its name."""
    for node in graph.node:
        if node.op_type not in ("MatMul", "Gemm", "MatMulIntegerToFloat"):
            continue
        name = node.input[1].removesuffix(INTEGERS)
        if name not in weights:  # computed, or part of a table that has a name
            continue
        weight = weights[name] if node.op_type == "Gemm" else weights[name].T
        factors = weights.get(f"{node.input[0].removesuffix('.uint8')}.factors")
        bias = weights[node.input[6]] if node.op_type == "MatMulIntegerToFloat" else None
        yield weight if factors is None else weight * factors, bias


def _agree(expected: TopK, actual: TopK) -> bool:
    first, second = expected.ids[:, :1], actual.ids[:, :1]
    return first.shape == second.shape and float((first == second).mean()) >= MIN_AGREEMENT


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `unpack`."""
    parser.add_argument("bundle", type=Path, nargs="?", help="default: the shipped bundle")
    parser.add_argument("--out", type=Path, required=True, help="checkpoint folder to write")


def run(args: argparse.Namespace) -> int:
    """Unpack a bundle."""
    unpack(Bundle.read(args.bundle or default_path()), args.out)
    sys.stdout.write(f"{args.out}\n")
    return 0
