"""Make the sums of an 8-bit graph exact, so that answers are the same on every machine.

A sum of 32-bit floats depends on the order of its terms, which each processor and each build of
onnxruntime chooses. The change is in the last digit only; but where the result is then rounded to
8 bits, it may fall on the other side, and a step in one layer becomes many in the next. So the
probabilities of two machines differ by some percent now and then.

Sums of whole numbers do not depend on the order as long as they need no more than 24 bits. So the
terms are rounded to a grid, which is as fine as these bits allow for the sums that occur on
sentences: in layer norms, and in attention the products of queries and keys, the weights, and their
products with values. Larger sums are not wrong, only inexact as before. Exponentials and Gelu
differ in the last digit, too: their inputs are rounded to a grid, so that they have few different
values and none of them is near the middle between two steps. Everything else is a product of
integers or changes each number on its own, which is exact by IEEE 754.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from respell.lab.export.int8.activations import feeds
from respell.model.encode import Encoder
from respell.model.session import runtime
from respell.types import Token

Tensors = Mapping[str, NDArray[np.float32]]
Sums = Mapping[str, tuple[float, ...]]
"""The largest sums of absolute numbers in a node, by its output."""

BITS = 24
"""Whole numbers up to 2 ** 24 are exact in 32-bit floats."""
MARGIN = 4
"""Sums may be this much larger than those of the sentences."""
GELU_STEP = 2.0**-10
SCORE_STEP, WEIGHT_STEP = 2.0**-8, 2.0**-11
"""Steps of the scores of attention, and of their exponentials, of which the largest is 1."""
_ROUNDING = 1.5 * 2**23
"""Added to a float and subtracted again, it leaves a whole number."""


def make_exact(path: Path, encoder: Encoder, sentences: Sequence[Sequence[Token]]) -> None:
    """Make the sums of a graph exact, in place; the grids are chosen on sentences."""
    model = onnx.load(path)
    measured = measure_sums(model, feeds(model.graph, encoder, sentences))
    onnx.save(with_exact_sums(model, measured), path)


def measure_sums(model: ModelProto, inputs: Iterable[Mapping[str, Any]]) -> Sums:
    """The largest sums in the layer norms and in the attention of a graph."""
    nodes = [n for n in model.graph.node if n.op_type in _MEASURES and _is_plain(n)]
    if not nodes:
        return {}
    names = sorted({name for node in nodes for name in _summed(node)})
    watched = ModelProto()
    watched.CopyFrom(model)
    known = {value.name for value in model.graph.output}
    more = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names]
    watched.graph.output.extend(value for value in more if value.name not in known)
    session = runtime().InferenceSession(
        watched.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found: dict[str, tuple[float, ...]] = defaultdict(tuple)
    for feed in inputs:
        tensors = dict(zip(names, session.run(names, dict(feed)), strict=True))
        for node in nodes:
            parts = [tensors[name].astype(np.float64) for name in _summed(node)]
            if all(part.size for part in parts):
                sums = _MEASURES[node.op_type](node, *parts)
                old = found[node.output[0]] or (0.0,) * len(sums)
                found[node.output[0]] = tuple(map(max, old, sums))
    return dict(found)


def _is_plain(node: NodeProto) -> bool:
    """Whether nothing but a mask is added to attention; norms are always plain."""
    return node.op_type != "MultiHeadAttention" or not any(list(node.input)[3:5])


def _summed(node: NodeProto) -> Sequence[str]:
    """The inputs of a node whose numbers are added up."""
    return list(node.input)[: 1 if node.op_type == "LayerNormalization" else 3]


def _sums_of_norm(_: NodeProto, rows: Any) -> tuple[float, ...]:
    centred = rows - rows.mean(axis=-1, keepdims=True)
    return np.abs(rows).sum(axis=-1).max(), np.square(centred).sum(axis=-1).max()


def _sums_of_attention(node: NodeProto, queries: Any, keys: Any, values: Any) -> tuple[float, ...]:
    heads = _attributes(node)["num_heads"]
    size = queries.shape[-1] // heads

    def split(rows: Any) -> Any:
        return rows.reshape(*rows.shape[:2], heads, -1).swapaxes(1, 2)

    queries, keys, values = map(split, (queries, keys, values))
    keys = keys.swapaxes(2, 3)
    scores = queries @ keys / np.sqrt(size)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    largest = (np.abs(queries) @ np.abs(keys)).max(), (weights @ np.abs(values)).max()
    return *largest, size


_MEASURES: Mapping[str, Any] = {
    "LayerNormalization": _sums_of_norm,
    "MultiHeadAttention": _sums_of_attention,
}


def with_exact_sums(model: ModelProto, sums: Sums) -> ModelProto:
    """The graph with exact sums; nodes that were not measured stay as they are."""
    changed = ModelProto()
    changed.CopyFrom(model)
    builder = _Builder(changed.graph)
    users = defaultdict(list)
    for node in model.graph.node:
        for name in node.input:
            users[name].append(node.op_type)
    for node in model.graph.node:
        measured = sums.get(node.output[0])
        if node.op_type == "LayerNormalization" and measured:
            builder.norm(node, *measured)
        elif node.op_type == "MultiHeadAttention" and measured:
            builder.attention(node, *measured)
        elif node.op_type == "Gelu":
            builder.gelu(node, is_rounded=users[node.output[0]] == ["QuantizeLinear"])
        else:
            builder.nodes.append(node)
    del changed.graph.node[:]
    changed.graph.node.extend(builder.nodes)
    onnx.checker.check_model(changed)
    return changed


def _attributes(node: NodeProto) -> Mapping[str, Any]:
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def _step(largest: float) -> float:
    """The finest step, a power of two, with which sums up to this one need 24 bits."""
    return float(2.0 ** np.ceil(np.log2(max(largest, 1e-12) * MARGIN / 2**BITS)))


class _Builder:
    """Collects the nodes of the new graph."""

    def __init__(self, graph: GraphProto) -> None:
        self.nodes: list[NodeProto] = []
        self._graph, self._constants = graph, dict[bytes, str]()
        self._count = 0

    def norm(self, node: NodeProto, total: float, squares: float) -> None:
        """A layer norm: its mean and its variance are exact."""
        rows, weight, *bias = node.input
        epsilon = np.float32(_attributes(node).get("epsilon", 1e-5))
        last = self._constant(np.array([-1]))
        mean = self._add("ReduceMean", self._round(rows, _step(total)), last, keepdims=1)
        centred = self._add("Sub", rows, mean)
        square = self._round(self._add("Mul", centred, centred), _step(squares))
        variance = self._add("ReduceMean", square, last, keepdims=1)
        deviation = self._add("Sqrt", self._add("Add", variance, self._constant(epsilon)))
        scaled = self._add("Div", centred, deviation)
        last_node = "" if bias else node.output[0]
        scaled = self._add("Mul", scaled, weight, output=last_node)
        if bias:
            self._add("Add", scaled, *bias, output=node.output[0])

    def attention(self, node: NodeProto, product: float, weighted: float, size: float) -> None:
        """Attention: the products and the sum of the weights are exact."""
        queries, keys, values, *more = node.input
        step = 2.0 ** np.ceil(np.log2(_step(product)) / 2)
        heads = self._constant(np.array([0, 0, _attributes(node)["num_heads"], -1]))

        def split(rows: str, step: float, *order: int) -> str:
            parts = self._add("Reshape", self._round(rows, step), heads)
            return self._add("Transpose", parts, perm=order)

        both = split(queries, step, 0, 2, 1, 3), split(keys, step, 0, 2, 3, 1)
        scale = self._constant(np.float32(1 / np.sqrt(size)))
        scores = self._add("Mul", self._add("MatMul", *both), scale)
        if len(more) > 2:
            scores = self._add("Add", scores, more[2])
        last = self._constant(np.array([-1]))
        scores = self._add("Sub", scores, self._add("ReduceMax", scores, last, keepdims=1))
        weights = self._add("Exp", self._round(scores, SCORE_STEP))
        weights = self._round(weights, WEIGHT_STEP)
        content = split(values, _step(weighted) / WEIGHT_STEP, 0, 2, 1, 3)
        total = self._add("ReduceSum", weights, last, keepdims=1)
        mixed = self._add("Div", self._add("MatMul", weights, content), total)
        joined = self._add("Transpose", mixed, perm=(0, 2, 1, 3))
        width = self._constant(np.array([0, 0, -1]))
        self._add("Reshape", joined, width, output=node.output[0])

    def gelu(self, node: NodeProto, *, is_rounded: bool) -> None:
        """A Gelu of few different numbers, whose results are rounded, too."""
        copy = NodeProto()
        copy.CopyFrom(node)
        copy.input[0] = self._round(node.input[0], GELU_STEP)
        self.nodes.append(copy)
        if not is_rounded:
            copy.output[0] = f"{node.output[0]}.inexact"
            self._round(copy.output[0], GELU_STEP, output=node.output[0])

    def _round(self, name: str, step: float, output: str = "") -> str:
        """Round to multiples of a power of two."""
        large = self._constant(np.float32(_ROUNDING * step))
        return self._add("Sub", self._add("Add", name, large), large, output=output)

    def _constant(self, value: Any) -> str:
        table = np.asarray(value)
        key = f"{table.dtype}{table.shape}".encode() + table.tobytes()
        if key not in self._constants:
            name = self._constants[key] = f"exact.constant{len(self._constants)}"
            self._graph.initializer.append(numpy_helper.from_array(table, name))
        return self._constants[key]

    def _add(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        self._count += 1
        output = output or f"exact.{self._count}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output
