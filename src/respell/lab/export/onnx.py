"""TODO respell.lab.export.onnx."""

import logging
import warnings
from dataclasses import fields
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from respell.lab.train.models.base import Model
from respell.model.encode import WIDTH
from respell.model.forward import Features
from respell.model.session import COMPOSED, NEW_WORDS, OUTPUTS
from respell.types import Error

OPSET = 20


class _Graph(nn.Module):
    """What is exported: flat tensors in, flat tensors out."""

    def __init__(self, model: Model, k: int) -> None:
        super().__init__()
        self.model, self.k = model, k

    def forward(
        self,
        words: Tensor,
        shapes: Tensor,
        slots: Tensor,
        spellings: Tensor,
        gate: Tensor,
        new_words: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        said = self.model.predict(words, shapes, slots, spellings, gate, self.k, new_words)
        answers = tuple(getattr(said, name) for name in OUTPUTS)
        return answers if said.composed is None else (*answers, said.composed)


def to_onnx(model: Model, path: Path, *, k: int = 8) -> None:
    """Write a model as an ONNX graph that ranks the `k` best words."""
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
    names = [field.name for field in fields(Features) if field.name != NEW_WORDS] + ["gate"]
    sizes: tuple[object, ...] = (sentence, sentence, sentence, spelled, None)
    outputs = OUTPUTS
    if model.composes:
        with torch.no_grad():
            inputs = (*inputs, model.compose_words(model.spell(inputs[3][:4])))
        names, outputs = [*names, NEW_WORDS], (*OUTPUTS, COMPOSED)
        sizes = (*sizes, {0: torch.export.Dim("new_words")})
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter warns of its own internals
        # After a model with an LSTM, torch 2.13 unrolls the next one to the length of the example;
        # exporting anything else in between makes it forget.
        torch.onnx.export(nn.Linear(1, 1), (torch.zeros(1, 1),), dynamo=True, verbose=False)
        program = torch.onnx.export(
            _Graph(model.eval(), k),
            inputs,
            dynamo=True,
            verbose=False,
            opset_version=OPSET,
            input_names=names,
            output_names=list(outputs),
            dynamic_shapes=sizes,
        )
    if program is None:
        raise Error("torch gave no ONNX program")
    graph = program.model_proto.graph
    if any(d.dim_value == length for i in graph.input for d in i.type.tensor_type.shape.dim):
        raise Error(f"torch fixed the graph to sentences of {length} words: it cannot be used")
    forget_origin(program.model_proto)
    onnx.save(program.model_proto, path)


def forget_origin(model: onnx.ModelProto) -> None:
    """Drop what torch notes of the code a graph came from: paths of this machine among it."""
    graph = model.graph
    noted = (model, graph, *graph.node, *graph.initializer)
    for part in (*noted, *graph.input, *graph.output, *graph.value_info):
        del part.metadata_props[:]
    del graph.value_info[:]
