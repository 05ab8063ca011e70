"""Record the inputs of the large matrix products of an ONNX graph on sentences."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import GraphProto, TensorProto, helper

from respell.lab.export.int8.matmul import find_products
from respell.model.encode import CHAR_PAD, Encoder
from respell.model.forward import Features
from respell.model.session import NEW_WORDS, runtime
from respell.types import Token

SENTENCES = 300
"""More calibration sentences do not help."""
ROWS = 6000
"""Rows kept of each input, at most."""
GATE = 0.25
_BATCH = 16
Inputs = Mapping[str, NDArray[np.float32]]
"""Rows [n, width], by the name of the tensor in the graph."""


def record_inputs(graph: Path, encoder: Encoder, sentences: Sequence[Sequence[Token]]) -> Inputs:
    """Run the graph on sentences and record the inputs of its matrix products."""
    onnxruntime = runtime()
    model = onnx.load(graph)
    names = sorted({product.input for product in find_products(model.graph)})
    known = {value.name for value in model.graph.output}
    more = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names]
    model.graph.output.extend(value for value in more if value.name not in known)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    found: dict[str, list[NDArray[np.float32]]] = defaultdict(list)
    for features in _batches(encoder, sentences):
        feed = _feed(model.graph, features)
        for name, value in zip(names, session.run(names, feed), strict=True):
            found[name].append(_rows(value, features))
    joined = {name: np.concatenate(parts) for name, parts in found.items()}
    return {name: rows[:: len(rows) // ROWS + 1] for name, rows in joined.items() if len(rows)}


def feeds(
    graph: GraphProto, encoder: Encoder, sentences: Sequence[Sequence[Token]]
) -> Iterator[Mapping[str, Any]]:
    """The inputs of a graph for sentences, in batches."""
    return (_feed(graph, features) for features in _batches(encoder, sentences))


def _feed(graph: GraphProto, features: Features) -> Mapping[str, Any]:
    feed = {**asdict(features), "gate": np.array(GATE, np.float32)}
    for value in graph.input:
        if value.name == NEW_WORDS:
            width = value.type.tensor_type.shape.dim[1].dim_value
            feed[NEW_WORDS] = np.zeros((0, width), np.float32)
    return {value.name: feed[value.name] for value in graph.input}


def _batches(encoder: Encoder, sentences: Sequence[Sequence[Token]]) -> Iterator[Features]:
    """Batches of sentences of equal length: padding would be recorded as words."""
    by_length: dict[int, list[Sequence[Token]]] = defaultdict(list)
    for tokens in sentences:
        by_length[len(tokens)].append(tokens)
    for group in by_length.values():
        for start in range(0, len(group), _BATCH):
            yield encoder.encode(group[start : start + _BATCH])


def _rows(value: NDArray[np.float32], features: Features) -> NDArray[np.float32]:
    """Reshape [..., width] to [n, width], without the padding of spellings."""
    if value.shape[:-1] == features.spellings.shape:
        value = value[features.spellings != CHAR_PAD]
    return value.reshape(-1, value.shape[-1])
