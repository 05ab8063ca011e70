"""Other forms of the model, which may give the same probabilities in every onnxruntime."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

STEP = 2.0**-10
"""Of the numbers before they are rounded to 8 bits."""
DOUBLE, FLOAT = TensorProto.DOUBLE, TensorProto.FLOAT


class _Graph:
    """A copy of a model whose nodes are written again."""

    def __init__(self, model: ModelProto) -> None:
        self.model, self.nodes = ModelProto(), list[NodeProto]()
        self.model.CopyFrom(model)
        stored = self.model.graph.initializer
        self.weights = {one.name: one for one in stored}

    def add(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"attempt.{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, value: Any) -> str:
        graph = self.model.graph
        name = f"attempt.constant{len(graph.initializer)}"
        graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def finish(self) -> ModelProto:
        del self.model.graph.node[:]
        self.model.graph.node.extend(self.nodes)
        return self.model


def rounded_before(model: ModelProto) -> ModelProto:
    """Floats are rounded to a coarser grid before they are rounded to 8 bits."""
    graph = _Graph(model)
    large = graph.constant(np.float32(1.5 * 2**23 * STEP))
    for node in model.graph.node:
        if node.op_type == "QuantizeLinear":
            rounded = graph.add("Sub", graph.add("Add", node.input[0], large), large)
            graph.add("QuantizeLinear", rounded, *node.input[1:], output=node.output[0])
        else:
            graph.nodes.append(node)
    return graph.finish()


def in_64_bits(model: ModelProto, kinds: Sequence[str]) -> ModelProto:
    """Operators of these kinds compute in 64 bits; their results are rounded to 32 bits."""
    graph = _Graph(model)
    for node in model.graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type not in kinds:
            graph.nodes.append(node)
        elif node.op_type == "LayerNormalization":
            _norm(graph, node, attributes)
        else:
            _attention(graph, node, attributes["num_heads"])
    return graph.finish()


def _norm(graph: _Graph, node: NodeProto, attributes: Mapping[str, Any]) -> None:
    weights = (numpy_helper.to_array(graph.weights[name]) for name in node.input[1:])
    parts = [graph.constant(weight.astype(np.float64)) for weight in weights]
    wide = graph.add("Cast", node.input[0], to=DOUBLE)
    normed = graph.add("LayerNormalization", wide, *parts, epsilon=attributes["epsilon"])
    graph.add("Cast", normed, output=node.output[0], to=FLOAT)


def _attention(graph: _Graph, node: NodeProto, heads: int) -> None:
    queries, keys, values, *more = node.input
    shape = graph.constant(np.array([0, 0, heads, -1]))

    def split(name: str, *order: int) -> str:
        parts = graph.add("Transpose", graph.add("Reshape", name, shape), perm=order)
        return graph.add("Cast", parts, to=DOUBLE)

    query, key = split(queries, 0, 2, 1, 3), split(keys, 0, 2, 3, 1)
    size = graph.add("Cast", graph.add("Shape", query, start=3), to=DOUBLE)
    scores = graph.add("Div", graph.add("MatMul", query, key), graph.add("Sqrt", size))
    scores = graph.add("Add", scores, graph.add("Cast", more[2], to=DOUBLE))
    weights = graph.add("Softmax", scores, axis=-1)
    mixed = graph.add("MatMul", weights, split(values, 0, 2, 1, 3))
    joined = graph.add("Transpose", mixed, perm=(0, 2, 1, 3))
    flat = graph.add("Reshape", joined, graph.constant(np.array([0, 0, -1])))
    graph.add("Cast", flat, output=node.output[0], to=FLOAT)
