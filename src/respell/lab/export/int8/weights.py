"""Quantize the weights of an ONNX graph to 8 bits, with one scale per row or column.

Matrix products whose inputs were recorded are computed in integers. All other weights are
converted back to 32 bits when they are loaded or looked up.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from respell.lab.export.int8.matmul import SMALLEST, compute_in_integers, multiply_by_tables
from respell.lab.export.int8.smoothquant import smooth

_LAST = "respell.last_axis"


def quantize(
    source: Path, target: Path, *, inputs: Mapping[str, NDArray[np.float32]] | None = None
) -> None:
    """Write the graph with every large weight stored in 8 bits.

    With the recorded inputs of its matrix products (see `activations`) it also computes in 8 bits.
    """
    model = onnx.load(source)
    if inputs:
        inputs = smooth(model.graph, inputs)
        compute_in_integers(model, inputs)
    _store(model.graph)
    if inputs:
        multiply_by_tables(model, inputs)
    onnx.checker.check_model(model)
    onnx.save(model, target)


def _store(graph: GraphProto) -> None:
    """Store every large weight in 8 bits, and dequantize those that are needed in 32 bits."""
    users: dict[str, list[NodeProto]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            users[name].append(node)
    dequantized: list[NodeProto] = []
    followers: dict[str, list[NodeProto]] = {}  # by the output of the node before them
    for weight in [w for w in graph.initializer if _large(w)]:
        name = weight.name
        axis = _axis(name, users[name], len(weight.dims))
        small, scale = _rounded(numpy_helper.to_array(weight), axis)
        graph.initializer.remove(weight)
        graph.initializer.append(numpy_helper.from_array(small, f"{name}.int8"))
        graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
        gathers = [node for node in users[name] if axis == 0 and _looks_up(node, name)]
        for number, gather in enumerate(gathers):
            extra = list(_scaled_rows(gather, name, number))
            followers[gather.output[0]] = extra
        if len(gathers) < len(users[name]):
            inputs = [f"{name}.int8", f"{name}.scale"]
            dequantized.append(helper.make_node("DequantizeLinear", inputs, [name], axis=axis))
    graph.initializer.append(numpy_helper.from_array(np.array([-1]), _LAST))
    nodes = list(graph.node)
    del graph.node[:]
    graph.node.extend(dequantized)
    for node in nodes:
        graph.node.append(node)
        graph.node.extend(followers.get(node.output[0], ()))


def _large(weight: TensorProto) -> bool:
    size = int(np.prod(weight.dims))
    return weight.data_type == TensorProto.FLOAT and len(weight.dims) > 1 and size >= SMALLEST


def _axis(name: str, users: Sequence[NodeProto], dimensions: int) -> int:
    """The axis along which scales run: numbers that are added up must share one."""
    for node in users:
        transposed = any(a.name == "transB" and a.i for a in node.attribute)
        if node.op_type in ("MatMul", "Gemm") and node.input[1] == name and not transposed:
            return dimensions - 1
        if node.op_type in ("LSTM", "GRU"):
            return 1
    return 0


def _rounded(
    numbers: NDArray[np.float32], axis: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    others = tuple(i for i in range(numbers.ndim) if i != axis)
    largest = np.abs(numbers).max(axis=others, keepdims=True)
    scale = np.maximum(largest / 127, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(numbers / scale).astype(np.int8), scale.reshape(-1)


def _looks_up(node: NodeProto, name: str) -> bool:
    first_axis = all(a.i == 0 for a in node.attribute if a.name == "axis")
    return node.op_type == "Gather" and node.input[0] == name and first_axis


def _scaled_rows(gather: NodeProto, name: str, number: int) -> Iterator[NodeProto]:
    """Make a look-up read 8-bit rows; the nodes returned multiply the rows by their scales."""
    rows, scales, cast, wide = (
        f"{name}.{part}{number}" for part in ("rows", "scales", "cast", "wide")
    )
    result = gather.output[0]
    gather.input[0], gather.output[0] = f"{name}.int8", rows
    yield helper.make_node("Gather", [f"{name}.scale", gather.input[1]], [scales], axis=0)
    yield helper.make_node("Cast", [rows], [cast], to=TensorProto.FLOAT)
    yield helper.make_node("Unsqueeze", [scales, _LAST], [wide])
    yield helper.make_node("Mul", [cast, wide], [result])
