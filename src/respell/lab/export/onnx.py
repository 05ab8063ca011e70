"""Write a model as an ONNX graph."""

import logging
import warnings
from collections.abc import Sequence
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from respell.lab.train.models.base import Model
from respell.model.encode import WIDTH
from respell.model.session import (
    CLASSES,
    COMPOSED,
    INPUTS,
    KINDS,
    NEW_WORDS,
    OPTIONAL_INPUTS,
    OPTIONAL_OUTPUTS,
    OUTPUTS,
)
from respell.types import Error

OPSET = 20


class _Graph(nn.Module):
    """The exported function: plain tensors in, plain tensors out."""

    def __init__(self, model: Model, k: int, optional: Sequence[str]) -> None:
        super().__init__()
        self.model, self.k, self.optional = model, k, optional

    def forward(
        self,
        words: Tensor,
        shapes: Tensor,
        slots: Tensor,
        spellings: Tensor,
        gate: Tensor,
        *optional: Tensor,
    ) -> tuple[Tensor, ...]:
        more = dict(zip(self.optional, optional, strict=True))
        predicted = self.model.predict(words, shapes, slots, spellings, gate, self.k, **more)
        outputs = (getattr(predicted, name) for name in (*OUTPUTS, *OPTIONAL_OUTPUTS))
        return tuple(output for output in outputs if output is not None)


def to_onnx(model: Model, path: Path, *, k: int = 8) -> None:
    """Write a model as an ONNX graph that returns the `k` best words of each position."""
    batch, length, spellings = 3, 7, 5
    inputs: tuple[Tensor, ...] = (
        torch.ones(batch, length, dtype=torch.long),
        torch.zeros(batch, length, dtype=torch.long),
        torch.zeros(batch, length, dtype=torch.long),
        torch.full((spellings, WIDTH), 4, dtype=torch.long),
        torch.tensor(0.0),
    )
    sentence = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    spelled = {0: torch.export.Dim("spellings")}
    if model.any_width:
        spelled[1] = torch.export.Dim.AUTO
    names = [name for name in INPUTS if name not in OPTIONAL_INPUTS]
    sizes: list[object] = [sentence, sentence, sentence, spelled, None]
    optional: dict[str, tuple[Tensor, object]] = {}
    if model.composes:
        with torch.no_grad():
            words = model.compose_words(model.spell(inputs[3][:4]))
        optional[NEW_WORDS] = words, {0: torch.export.Dim("new_words")}
    if model.reads_classes:
        optional[CLASSES] = torch.zeros(batch, length, dtype=torch.long), sentence
    outputs = [*OUTPUTS]
    outputs += [KINDS] * model.knows_kinds + [COMPOSED] * model.composes
    inputs = (*inputs, *(value for value, _ in optional.values()))
    if optional:  # the variable arguments of the graph have one entry together
        sizes.append(tuple(size for _, size in optional.values()))
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter warns about its own internals
        # After exporting a model with an LSTM, torch 2.13 unrolls the LSTM of the next model to the
        # length of its example. Exporting something else in between avoids this.
        torch.onnx.export(nn.Linear(1, 1), (torch.zeros(1, 1),), dynamo=True, verbose=False)
        program = torch.onnx.export(
            _Graph(model.eval(), k, tuple(optional)),
            inputs,
            dynamo=True,
            verbose=False,
            opset_version=OPSET,
            input_names=[*names, *optional],
            output_names=outputs,
            dynamic_shapes=tuple(sizes),
        )
    if program is None:
        raise Error("torch returned no ONNX program")
    graph = program.model_proto.graph
    if any(d.dim_value == length for i in graph.input for d in i.type.tensor_type.shape.dim):
        raise Error(
            f"torch exported a graph for sentences of exactly {length} words: it is unusable"
        )
    drop_metadata(program.model_proto)
    onnx.save(program.model_proto, path)


def drop_metadata(model: onnx.ModelProto) -> None:
    """Remove the metadata that torch adds, which has paths of this machine."""
    graph = model.graph
    parts = (model, graph, *graph.node, *graph.initializer)
    for part in (*parts, *graph.input, *graph.output, *graph.value_info):
        del part.metadata_props[:]
    del graph.value_info[:]
