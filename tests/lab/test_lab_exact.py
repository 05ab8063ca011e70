"""Sums of 8-bit graphs are exact: their order does not matter."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from respell.lab.export.int8.exact import GELU_STEP, measure_sums, with_exact_sums
from respell.model.session import runtime

FLOAT = TensorProto.FLOAT
WIDTH, HEADS, LENGTH = 64, 2, 9


def graph_of(node: onnx.NodeProto, inputs: tuple[str, ...], **weights: Any) -> onnx.ModelProto:
    dims = {name: [None] * (4 if name == "mask" else 3) for name in inputs}
    given = [helper.make_tensor_value_info(name, FLOAT, dims[name]) for name in inputs]
    out = [helper.make_tensor_value_info("out", FLOAT, [None] * 3)]
    stored = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph([node], "graph", given, out, stored)
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def norm(order: NDArray[np.int64]) -> onnx.ModelProto:
    dice = np.random.default_rng(1)
    weight, bias = dice.normal(size=(2, WIDTH)).astype(np.float32)
    node = helper.make_node("LayerNormalization", ["rows", "w", "b"], ["out"], epsilon=1e-5)
    return graph_of(node, ("rows",), w=weight[order], b=bias[order])


def attention() -> onnx.ModelProto:
    node = helper.make_node(
        "MultiHeadAttention",
        ["queries", "keys", "values", "", "", "mask"],
        ["out"],
        domain="com.microsoft",
        num_heads=HEADS,
    )
    return graph_of(node, ("queries", "keys", "values", "mask"))


def run(model: onnx.ModelProto, feed: Mapping[str, Any]) -> NDArray[np.float32]:
    session = runtime().InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (out,) = session.run(["out"], feed)
    return np.asarray(out, np.float32)


def rows(seed: int, *, size: float = 3.0) -> NDArray[np.float32]:
    shape = (4, LENGTH, WIDTH)
    return (size * np.random.default_rng(seed).normal(size=shape)).astype(np.float32)


def exactly(model: onnx.ModelProto, feed: Mapping[str, Any]) -> onnx.ModelProto:
    return with_exact_sums(model, measure_sums(model, [feed]))


@pytest.mark.parametrize("large", [1.0, 50.0])
def test_norms_of_turned_rows_are_the_same_rows_turned(large: float) -> None:
    given = rows(2)
    given[..., 5] *= large  # some columns of models are much larger than the others
    same, order = np.arange(WIDTH), np.random.default_rng(3).permutation(WIDTH)
    feed, turned = {"rows": given}, {"rows": given[..., order]}
    plain = run(norm(same), feed), run(norm(order), turned)
    assert (plain[0][..., order] != plain[1]).any()
    sums = measure_sums(norm(same), [feed])
    exact = (
        run(with_exact_sums(norm(same), sums), feed),
        run(with_exact_sums(norm(order), sums), turned),
    )
    assert np.array_equal(exact[0][..., order], exact[1])
    assert np.abs(exact[0] - plain[0]).max() < 1e-3


def test_attention_does_not_depend_on_the_order_of_its_sums() -> None:
    mask = np.zeros((4, 1, LENGTH, LENGTH), np.float32)
    mask[1, :, :, 6:] = -10_000
    feed = {"queries": rows(4, size=1), "keys": rows(5, size=1), "values": rows(6), "mask": mask}
    dice, half = np.random.default_rng(7), WIDTH // HEADS
    inside = np.concatenate([dice.permutation(half), half + dice.permutation(half)])
    words = dice.permutation(LENGTH)
    turned = {
        "queries": feed["queries"][..., inside],
        "keys": feed["keys"][:, words][..., inside],
        "values": feed["values"][:, words],
        "mask": mask[..., words],
    }
    model = attention()
    exact = exactly(model, feed)
    assert not any(node.op_type == "MultiHeadAttention" for node in exact.graph.node)
    assert (run(model, feed) != run(model, turned)).any()
    assert np.array_equal(run(exact, feed), run(exact, turned))
    assert np.abs(run(exact, feed) - run(model, feed)).max() < 0.02


def test_gelus_have_few_results() -> None:
    node = helper.make_node("Gelu", ["rows"], ["out"])
    model = graph_of(node, ("rows",))
    feed = {"rows": rows(8)}
    out = run(exactly(model, feed), feed)
    assert np.array_equal(out, np.rint(out / GELU_STEP) * GELU_STEP)
    assert np.abs(out - run(model, feed)).max() < 2 * GELU_STEP


def test_a_norm_without_bias() -> None:
    weight = np.full(WIDTH, 2, np.float32)
    model = graph_of(
        helper.make_node("LayerNormalization", ["rows", "w"], ["out"]), ("rows",), w=weight
    )
    feed = {"rows": rows(11)}
    assert np.abs(run(exactly(model, feed), feed) - run(model, feed)).max() < 1e-3


def test_attention_with_more_inputs_stays() -> None:
    model = attention()
    model.graph.node[0].input[3] = "bias"
    bias = numpy_helper.from_array(np.ones(3 * WIDTH, np.float32), "bias")
    model.graph.initializer.append(bias)
    mask = np.zeros((4, 1, LENGTH, LENGTH), np.float32)
    feed = {"queries": rows(4), "keys": rows(5), "values": rows(6), "mask": mask}
    assert np.array_equal(run(exactly(model, feed), feed), run(model, feed))


def test_what_was_not_measured_stays() -> None:
    model = norm(np.arange(WIDTH))
    assert with_exact_sums(model, {}).graph.node == model.graph.node


def test_larger_sums_are_not_wrong() -> None:
    model = norm(np.arange(WIDTH))
    exact = exactly(model, {"rows": rows(9)})
    larger = {"rows": 100 * rows(10)}
    assert np.abs(run(exact, larger) - run(model, larger)).max() < 1e-3
