"""Replace the large matrix products of an ONNX graph by 8-bit integer products.

All scales are fixed at export and none is taken from a batch, so that an answer does not depend on
the other sentences of its batch. CPUs without VNNI add two 8-bit products in 16 bits: one factor
is limited to 7 bits, so that 2 * 255 * 64 and 2 * 127 * 127 fit and nothing saturates on any CPU.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from respell.lab.export.int8.gptq import Range, choose_range, round_weights

DOMAIN = "com.microsoft"
SMALLEST, WIDEST = 4096, 8192
"""Smaller matrices, and those with more outputs, are left in 32 bits."""
WEIGHT_MOST, INPUT_STEPS = 64, 255
"""Weights from -64 to 64 times inputs from 0 to 255."""
TABLE_INPUT_STEPS = 127
"""Tables that are also used for look-ups have weights from -127 to 127: inputs from 0 to 127."""


@dataclass(frozen=True, slots=True)
class Product:
    """`output = input @ weight + bias`."""

    node: str
    """The first output of its node."""
    input: str
    weight: str
    bias: str | None
    output: str
    transposed: bool
    """Whether the weight is stored as [out, in]."""


def find_products(graph: GraphProto) -> list[Product]:
    """The products of computed values with large weights, including look-up tables."""
    shapes = {weight.name: tuple(weight.dims) for weight in graph.initializer}
    users: dict[str, list[NodeProto]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            users[name].append(node)
    found = []
    for node in graph.node:
        if node.op_type == "Gemm" and _is_plain(node):
            bias = node.input[2] if len(node.input) > 2 else None
            given, weight, output = node.input[0], node.input[1], node.output[0]
            found.append(Product(output, given, weight, bias, output, True))
        elif node.op_type == "MatMul" and node.input[1] in shapes:
            found.append(_with_bias(node, users[node.output[0]], shapes))
    return [p for p in found if p.weight not in shapes or _is_large(shapes[p.weight])]


def _is_plain(gemm: NodeProto) -> bool:
    options = {a.name: helper.get_attribute_value(a) for a in gemm.attribute}
    return options.get("transB") == 1 and options.get("transA", 0) == 0


def _is_large(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 and int(np.prod(shape)) >= SMALLEST


def _with_bias(
    node: NodeProto, users: list[NodeProto], shapes: Mapping[str, tuple[int, ...]]
) -> Product:
    """A MatMul, with the Add after it if that adds a bias."""
    bias, output = None, node.output[0]
    if len(users) == 1 and users[0].op_type == "Add":
        (other,) = [name for name in users[0].input if name != output] or [output]
        if shapes.get(other) == shapes[node.input[1]][1:]:
            bias, output = other, users[0].output[0]
    return Product(node.output[0], node.input[0], node.input[1], bias, output, False)


def compute_in_integers(model: ModelProto, inputs: Mapping[str, NDArray[np.float32]]) -> None:
    """Replace the products whose inputs were recorded; each column of weights gets a scale."""
    graph = model.graph
    weights = {weight.name: weight for weight in graph.initializer}
    ranges: dict[str, Range] = {}
    replaced: dict[str, list[NodeProto]] = {}
    for product in find_products(graph):
        if product.weight not in weights or product.input not in inputs:
            continue
        matrix = numpy_helper.to_array(weights[product.weight]).astype(np.float64)
        matrix = matrix.T if product.transposed else matrix  # [in, out]
        if matrix.shape[1] > WIDEST:
            continue
        rows = inputs[product.input].astype(np.float64)
        is_new = product.input not in ranges
        limits = ranges.setdefault(product.input, choose_range(rows, INPUT_STEPS))
        rounded = round_weights(matrix, rows, limits.apply(rows), most=WEIGHT_MOST)
        bias = numpy_helper.to_array(weights[product.bias]) if product.bias else np.float32(0)
        name = product.weight
        graph.initializer.append(numpy_helper.from_array(rounded.integers, f"{name}.int8"))
        graph.initializer.append(numpy_helper.from_array(rounded.scales, f"{name}.scale"))
        graph.initializer.append(numpy_helper.from_array(bias + rounded.shift, f"{name}.bias"))
        nodes = list(_quantize_input(graph, product.input, limits)) if is_new else []
        names = [f"{name}.int8", f"{name}.scale", f"{name}.bias"]
        nodes.append(multiply(product.input, *names, output=product.output))
        replaced[product.node] = nodes
        if product.output != product.node:
            replaced[product.output] = []
    _replace(graph, replaced)
    declare(model)


def _quantize_input(graph: GraphProto, name: str, limits: Range) -> Iterator[NodeProto]:
    """Nodes that quantize a tensor to unsigned 8-bit integers."""
    scale, zero = np.float32(limits.scale), np.uint8(limits.zero)
    graph.initializer.append(numpy_helper.from_array(np.asarray(scale), f"{name}.scale"))
    graph.initializer.append(numpy_helper.from_array(np.asarray(zero), f"{name}.zero"))
    given = name
    if limits.steps < INPUT_STEPS:  # the integer type alone does not limit them
        for end, value in (("least", -limits.zero), ("most", limits.steps - limits.zero)):
            edge = np.asarray(value * scale, np.float32)
            graph.initializer.append(numpy_helper.from_array(edge, f"{name}.{end}"))
        given = f"{name}.clipped"
        yield helper.make_node("Clip", [name, f"{name}.least", f"{name}.most"], [given])
    parts = [given, f"{name}.scale", f"{name}.zero"]
    yield helper.make_node("QuantizeLinear", parts, [f"{name}.uint8"])


def multiply(given: str, weight: str, scale: str, bias: str, *, output: str) -> NodeProto:
    """The node that multiplies a quantized tensor by 8-bit weights."""
    parts = [f"{given}.uint8", weight, f"{given}.scale", scale, f"{given}.zero", "", bias]
    return helper.make_node("MatMulIntegerToFloat", parts, [output], domain=DOMAIN)


def multiply_by_tables(model: ModelProto, inputs: Mapping[str, NDArray[np.float32]]) -> None:
    """Replace products with 8-bit look-up tables, which have a scale for each row.

    The tables have been dequantized and perhaps sliced before the product. Afterwards this is no
    longer needed.
    """
    graph = model.graph
    producers = {node.output[0]: node for node in graph.node}
    replaced: dict[str, list[NodeProto]] = {}
    for product in find_products(graph):
        slicing = producers.get(product.weight)
        sliced = slicing is not None and slicing.op_type == "Slice"
        table = producers.get(slicing.input[0]) if slicing is not None and sliced else slicing
        if table is None or table.op_type != "DequantizeLinear" or product.input not in inputs:
            continue
        if product.bias is None or any(a.name == "axis" and a.i for a in table.attribute):
            continue
        integers, scale = table.input[0], table.input[1]
        nodes = list(_quantize_input(graph, product.input, _table_range(inputs[product.input])))
        if slicing is not None and sliced:
            for name in (integers, scale):
                parts = [name, *slicing.input[1:]]
                nodes.append(helper.make_node("Slice", parts, [f"{name}.part"]))
            integers, scale = f"{integers}.part", f"{scale}.part"
        turned = f"{integers}.turned"
        nodes.append(helper.make_node("Transpose", [integers], [turned], perm=[1, 0]))
        nodes.append(multiply(product.input, turned, scale, product.bias, output=product.output))
        replaced[product.node] = nodes
    _replace(graph, replaced)
    _drop_unused(graph)
    declare(model)


def _table_range(rows: NDArray[np.float32]) -> Range:
    return choose_range(rows.astype(np.float64), TABLE_INPUT_STEPS)


def _replace(graph: GraphProto, replaced: Mapping[str, list[NodeProto]]) -> None:
    """Replace nodes, given by their first output, by others."""
    nodes = [m for node in graph.node for m in replaced.get(node.output[0], [node])]
    del graph.node[:]
    graph.node.extend(nodes)
    _drop_unused(graph)


def _drop_unused(graph: GraphProto) -> None:
    """Remove nodes and weights that are no longer used."""
    wanted = {value.name for value in graph.output}
    nodes = []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            nodes.append(node)
            wanted.update(node.input)
    weights: list[TensorProto] = [w for w in graph.initializer if w.name in wanted]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(reversed(nodes))
    graph.initializer.extend(weights)


def declare(model: ModelProto) -> None:
    """Declare that the graph uses operators of onnxruntime."""
    if not any(entry.domain == DOMAIN for entry in model.opset_import):
        model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
