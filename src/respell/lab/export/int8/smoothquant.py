"""SmoothQuant: scale the columns of inputs so that they lose less when they are rounded.

All inputs of a matrix product share one scale. If a few columns are much larger than the others,
the others are rounded coarsely. So each column is divided by a factor and its weights are
multiplied by it (SmoothQuant, Xiao et al. 2022). This does not change the result. The division is
free if a layer norm comes before the product; otherwise it costs a multiplication and must gain
more.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from respell.lab.export.int8.activations import Inputs
from respell.lab.export.int8.gptq import Array, choose_range
from respell.lab.export.int8.matmul import INPUT_STEPS, WEIGHT_MOST, Product, find_products

MAX_ERROR, MAX_ERROR_WITH_NODE = 0.9, 0.2
"""The share of the error that may remain, if scaling is free and if it needs a node."""
ROWS = 2000
"""Rows of an input that factors are chosen on, at most."""


def smooth(graph: GraphProto, inputs: Inputs) -> Inputs:
    """Scale inputs where it pays, and return the scaled inputs of all products."""
    weights = {weight.name: weight for weight in graph.initializer}
    uses = Counter(name for node in graph.node for name in node.input)
    uses.update(value.name for value in graph.output)
    producers = {node.output[0]: node for node in graph.node}
    found = dict(inputs)
    for product in find_products(graph):
        stored, rows = weights.get(product.weight), inputs.get(product.input)
        if stored is None or rows is None or uses[product.input] > 1 or uses[stored.name] > 1:
            continue
        matrix = numpy_helper.to_array(stored)
        matrix = matrix.T if product.transposed else matrix  # [in, out]
        producer = producers.get(product.input)
        norm = producer is not None and _can_divide(producer, weights, uses)
        limit = MAX_ERROR if norm else MAX_ERROR_WITH_NODE
        factors = choose_factors(matrix.astype(np.float64), rows.astype(np.float64), limit=limit)
        if factors is None:
            continue
        name = product.input
        if producer is not None and norm:
            for part in producer.input[1:]:
                _store(weights[part], numpy_helper.to_array(weights[part]) / factors)
        else:
            name = _divide(graph, product, factors)
        larger = matrix * factors[:, None]
        _store(stored, larger.T if product.transposed else larger)
        found[name] = rows / factors
    return found


def choose_factors(weights: Array, inputs: Array, *, limit: float) -> NDArray[np.float32] | None:
    """The factors of the columns, or None if more than `limit` of the error would remain."""
    inputs = inputs[:: len(inputs) // ROWS + 1]
    plain = _error(weights, inputs, np.ones(len(weights)))
    tried = [(_error(weights, inputs, factors), factors) for factors in _candidates(inputs)]
    error, factors = min(tried, key=lambda pair: pair[0], default=(plain, None))
    return factors.astype(np.float32) if factors is not None and error < limit * plain else None


def _candidates(inputs: Array) -> Iterator[Array]:
    """Roots of the largest number of each column, or factors that only shrink the largest ones."""
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
    """The mean squared rounding error, with each weight rounded to the nearest integer."""
    divided, larger = inputs / factors, weights * factors[:, None]
    rounded = choose_range(divided, INPUT_STEPS).apply(divided)
    scales = np.maximum(np.abs(larger).max(axis=0) / WEIGHT_MOST, np.finfo(np.float32).tiny)
    return float(np.square(rounded @ (np.rint(larger / scales) * scales) - inputs @ weights).mean())


def _can_divide(node: NodeProto, weights: Mapping[str, TensorProto], uses: Counter[str]) -> bool:
    parts = node.input[1:]
    alone = all(part in weights and uses[part] == 1 for part in parts)
    return node.op_type == "LayerNormalization" and alone


def _divide(graph: GraphProto, product: Product, factors: NDArray[np.float32]) -> str:
    """Insert a multiplication before a product."""
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
