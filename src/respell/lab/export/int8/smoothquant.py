"""Inputs of products made alike in size before they are rounded, at no change of the result.

All numbers that a product is given share one scale. Where a few columns hold much larger ones than
the rest, these would be rounded coarsely: so each column is divided by a factor and its weights are
multiplied by it (SmoothQuant, Xiao et al. 2022). A layer norm before the product divides for
nothing; elsewhere it costs a multiplication, for which there must be more to win.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from respell.lab.export.int8.activations import Inputs
from respell.lab.export.int8.gptq import Array, choose_range
from respell.lab.export.int8.matmul import INPUT_STEPS, WEIGHT_MOST, Product, find_products

MOST_LEFT, MOST_LEFT_OF_NODE = 0.9, 0.2
"""Share of the error that may be left, where leveling is free and where it takes a node."""
ROWS = 2000
"""Rows of an input that factors are chosen on."""


def level(graph: GraphProto, inputs: Inputs) -> Inputs:
    """Level what pays, and tell what the products are given now."""
    weights = {weight.name: weight for weight in graph.initializer}
    uses = Counter(name for node in graph.node for name in node.input)
    uses.update(value.name for value in graph.output)
    makers = {node.output[0]: node for node in graph.node}
    found = dict(inputs)
    for product in find_products(graph):
        stored, rows = weights.get(product.weight), inputs.get(product.input)
        if stored is None or rows is None or uses[product.input] > 1 or uses[stored.name] > 1:
            continue
        matrix = numpy_helper.to_array(stored)
        matrix = matrix.T if product.transposed else matrix  # [in, out]
        maker = makers.get(product.input)
        norm = maker is not None and _can_divide(maker, weights, uses)
        most = MOST_LEFT if norm else MOST_LEFT_OF_NODE
        factors = choose_factors(matrix.astype(np.float64), rows.astype(np.float64), most=most)
        if factors is None:
            continue
        name = product.input
        if maker is not None and norm:
            for part in maker.input[1:]:
                _store(weights[part], numpy_helper.to_array(weights[part]) / factors)
        else:
            name = _divide(graph, product, factors)
        larger = matrix * factors[:, None]
        _store(stored, larger.T if product.transposed else larger)
        found[name] = rows / factors
    return found


def choose_factors(weights: Array, inputs: Array, *, most: float) -> NDArray[np.float32] | None:
    """What to divide columns by, if that leaves at most a share of the product's error."""
    inputs = inputs[:: len(inputs) // ROWS + 1]
    plain = _error(weights, inputs, np.ones(len(weights)))
    tried = [(_error(weights, inputs, factors), factors) for factors in _candidates(inputs)]
    error, factors = min(tried, key=lambda pair: pair[0], default=(plain, None))
    return factors.astype(np.float32) if factors is not None and error < most * plain else None


def _candidates(inputs: Array) -> Iterator[Array]:
    """Roots of the columns' largest numbers; or the few largest columns made as large as others."""
    largest = np.abs(inputs).max(axis=0)
    if not largest.any():
        return
    largest = np.maximum(largest, 1e-3 * largest.max())
    for power in (0.25, 0.5, 0.75):
        roots = largest**power
        yield roots / np.exp(np.log(roots).mean())
    for times in (2, 3):
        yield np.maximum(largest / (times * np.median(largest)), 1.0)


def _error(weights: Array, inputs: Array, factors: Array) -> float:
    """Mean square of what rounding spoils, with each weight rounded for itself."""
    divided, larger = inputs / factors, weights * factors[:, None]
    rounded = choose_range(divided, INPUT_STEPS).apply(divided)
    scales = np.maximum(np.abs(larger).max(axis=0) / WEIGHT_MOST, np.finfo(np.float32).tiny)
    return float(np.square(rounded @ (np.rint(larger / scales) * scales) - inputs @ weights).mean())


def _can_divide(node: NodeProto, weights: Mapping[str, TensorProto], uses: Counter[str]) -> bool:
    parts = node.input[1:]
    alone = all(part in weights and uses[part] == 1 for part in parts)
    return node.op_type == "LayerNormalization" and alone


def _divide(graph: GraphProto, product: Product, factors: NDArray[np.float32]) -> str:
    """Put a multiplication before a product."""
    name = f"{product.input}.level"
    inverse = numpy_helper.from_array(np.float32(1) / factors, f"{name}.factors")
    graph.initializer.append(inverse)
    index, node = next(
        (i, node) for i, node in enumerate(graph.node) if node.output[0] == product.node
    )
    node.input[0] = name
    graph.node.insert(index, helper.make_node("Mul", [product.input, inverse.name], [name]))
    return name


def _store(weight: TensorProto, numbers: NDArray[np.floating]) -> None:
    values = np.ascontiguousarray(numbers, np.float32)
    weight.CopyFrom(numpy_helper.from_array(values, weight.name))
