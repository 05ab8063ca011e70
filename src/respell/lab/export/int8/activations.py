"""What the large products of an ONNX graph are given when it reads sentences."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from respell.lab.export.int8.matmul import find_products
from respell.model.encode import CHAR_PAD, Encoder
from respell.model.forward import Features
from respell.model.session import NEW_WORDS, runtime
from respell.types import Token

SENTENCES = 300
"""As many are enough."""
ROWS = 6000
"""Most rows of an input that are kept."""
GATE = 0.25
_BATCH = 16
Inputs = Mapping[str, NDArray[np.float32]]
"""Rows [n, width] by the name of the value in the graph."""


def record_inputs(graph: Path, encoder: Encoder, sentences: Sequence[Sequence[Token]]) -> Inputs:
    """Run the graph over sentences and keep what its products are given."""
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
    takes = {value.name: value.shape for value in session.get_inputs()}
    none = {NEW_WORDS: np.zeros((0, takes[NEW_WORDS][1]), np.float32)} if NEW_WORDS in takes else {}
    found: dict[str, list[NDArray[np.float32]]] = defaultdict(list)
    for features in _batches(encoder, sentences):
        feed = {**asdict(features), **none, "gate": np.array(GATE, np.float32)}
        feed = {name: value for name, value in feed.items() if name in takes}
        for name, value in zip(names, session.run(names, feed), strict=True):
            found[name].append(_rows(value, features))
    joined = {name: np.concatenate(parts) for name, parts in found.items()}
    return {name: rows[:: len(rows) // ROWS + 1] for name, rows in joined.items() if len(rows)}


def _batches(encoder: Encoder, sentences: Sequence[Sequence[Token]]) -> Iterator[Features]:
    """Sentences of one length together: padding would be counted as words."""
    by_length: dict[int, list[Sequence[Token]]] = defaultdict(list)
    for tokens in sentences:
        by_length[len(tokens)].append(tokens)
    for group in by_length.values():
        for start in range(0, len(group), _BATCH):
            yield encoder.encode(group[start : start + _BATCH])


def _rows(value: NDArray[np.float32], features: Features) -> NDArray[np.float32]:
    """[.., width] -> [n, width], without the padding of spellings."""
    if value.shape[:-1] == features.spellings.shape:
        value = value[features.spellings != CHAR_PAD]
    return value.reshape(-1, value.shape[-1])
