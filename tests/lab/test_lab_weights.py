from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import tiny
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from respell.lab.export.int8.matmul import SMALLEST
from respell.lab.export.int8.weights import quantize

Array = NDArray[Any]
IDS = np.array([[0, 3, 99], [5, 5, 1]])


def save(
    path: Path, weights: Mapping[str, Array], nodes: Sequence[NodeProto], outputs: Mapping[str, int]
) -> Path:
    """Save a graph with the input "ids" [2, 3] and these outputs and ranks."""
    graph = helper.make_graph(
        list(nodes),
        "tiny",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [2, 3])],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * rank)
            for name, rank in outputs.items()
        ],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def run(path: Path) -> list[Array]:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return [np.asarray(value) for value in session.run(None, {"ids": IDS})]


def weights_of(path: Path) -> dict[str, Array]:
    return {w.name: numpy_helper.to_array(w) for w in onnx.load(path).graph.initializer}


def random(seed: int, *shape: int) -> Array:
    rng = np.random.default_rng(seed)
    # Rows of very different sizes: with one common scale, the small ones would become 0.
    sizes = 10.0 ** rng.integers(-3, 3, (*shape[:-1], 1))
    return (rng.standard_normal(shape) * sizes).astype(np.float32)


def every_use(path: Path, seed: int = 0) -> Path:
    """A graph with look-ups in a tied and a plain table, all kinds of products, and an LSTM."""
    weights = {
        "tied": random(seed, 100, 64),
        "plain": random(seed + 1, 100, 64),
        "product": random(seed + 2, 80, 64).T.copy(),  # [64, 80], one scale per column
        "gemm": random(seed + 3, 96, 80),
        "lstm_w": random(seed + 4, 1, 4 * 16, 96),
        "lstm_r": random(seed + 5, 1, 4 * 16, 16) / 1000,
        "bias": random(seed + 6, 80),
    }
    weights = {name: value / np.abs(value).max() for name, value in weights.items()}
    nodes = [
        helper.make_node("Gather", ["tied", "ids"], ["a"]),
        helper.make_node("Gather", ["plain", "ids"], ["b"], axis=0),
        helper.make_node("Gather", ["tied", "ids"], ["again"]),
        helper.make_node("Add", ["a", "b"], ["both"]),
        helper.make_node("Transpose", ["tied"], ["transposed"], perm=[1, 0]),
        helper.make_node("MatMul", ["both", "transposed"], ["scores"]),
        helper.make_node("MatMul", ["both", "product"], ["wide"]),
        helper.make_node("Add", ["wide", "bias"], ["biased"]),
        helper.make_node("Flatten", ["biased"], ["flat"], axis=2),
        helper.make_node("Gemm", ["flat", "gemm"], ["multiplied"], transB=1),
        helper.make_node("Unsqueeze", ["multiplied", "zero"], ["row"]),
        helper.make_node("LSTM", ["row", "lstm_w", "lstm_r"], ["read"], hidden_size=16),
    ]
    zero = {"zero": np.array([0])}
    outputs = {"again": 3, "scores": 3, "multiplied": 2, "read": 4}
    return save(path, {**weights, **zero}, nodes, outputs)


AXES = {"tied": 0, "plain": 0, "product": 1, "gemm": 0, "lstm_w": 1}


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_every_weight_is_within_half_a_step(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("quantize")
    float32, int8 = every_use(folder / "float32.onnx", seed), folder / "int8.onnx"
    quantize(float32, int8)
    before, after = weights_of(float32), weights_of(int8)
    for name, axis in AXES.items():
        numbers, scale = after[f"{name}.int8"], after[f"{name}.scale"]
        original = before[name]
        assert numbers.dtype == np.int8
        assert scale.shape == (original.shape[axis],)
        step = scale.reshape([-1 if i == axis else 1 for i in range(original.ndim)])
        error = np.abs(numbers.astype(np.float32) * step - original)
        assert (error <= step * 0.5001).all()
        others = tuple(i for i in range(original.ndim) if i != axis)
        assert (np.abs(numbers).max(axis=others) == 127).all()  # the whole range is used
        assert name not in after


def test_small_weights_are_not_changed(tmp_path: Path) -> None:
    float32, int8 = every_use(tmp_path / "float32.onnx"), tmp_path / "int8.onnx"
    quantize(float32, int8)
    before, after = weights_of(float32), weights_of(int8)
    for name in ("bias", "lstm_r", "zero"):
        assert before[name].size < SMALLEST
        assert np.array_equal(before[name], after[name])
        assert before[name].dtype == after[name].dtype


def test_results_are_close(tmp_path: Path) -> None:
    float32, int8 = every_use(tmp_path / "float32.onnx"), tmp_path / "int8.onnx"
    quantize(float32, int8)
    onnx.checker.check_model(onnx.load(int8), full_check=True)
    assert int8.stat().st_size < float32.stat().st_size / 2
    for before, after in zip(run(float32), run(int8), strict=True):
        assert before.shape == after.shape
        assert np.abs(before - after).max() < 0.02 * np.abs(before).max()


def test_rows_are_dequantized_after_the_look_up(tmp_path: Path) -> None:
    float32, int8 = every_use(tmp_path / "float32.onnx"), tmp_path / "int8.onnx"
    quantize(float32, int8)
    nodes = list(onnx.load(int8).graph.node)
    dequantized = {node.output[0] for node in nodes if node.op_type == "DequantizeLinear"}
    assert dequantized == {"tied", "product", "gemm", "lstm_w"}  # not "plain"
    looked_up = [node.input[0] for node in nodes if node.op_type == "Gather"]
    assert sorted(looked_up) == sorted(
        ["tied.int8", "tied.scale"] * 2 + ["plain.int8", "plain.scale"]
    )


def test_weight_of_zeros(tmp_path: Path) -> None:
    zeros = {"table": np.zeros((100, 64), np.float32)}
    node = helper.make_node("Gather", ["table", "ids"], ["rows"])
    float32 = save(tmp_path / "float32.onnx", zeros, [node], {"rows": 3})
    quantize(float32, tmp_path / "int8.onnx")
    (rows,) = run(tmp_path / "int8.onnx")
    assert not rows.any()


def test_graph_without_large_weights(tmp_path: Path) -> None:
    table = {"table": random(1, 100, 4)}
    node = helper.make_node("Gather", ["table", "ids"], ["rows"])
    float32 = save(tmp_path / "float32.onnx", table, [node], {"rows": 3})
    quantize(float32, tmp_path / "int8.onnx")
    assert np.array_equal(run(float32)[0], run(tmp_path / "int8.onnx")[0])


FAST = ("word_char_keep", "scrnn")


@pytest.mark.parametrize(
    "case",
    [
        case if case in FAST else pytest.param(case, marks=pytest.mark.exhaustive)
        for case in tiny.RAW_RECIPES
    ],
)
def test_real_graphs_become_smaller(case: str, base: Path) -> None:
    float32, int8 = tiny.graphs(base, case)
    onnx.checker.check_model(onnx.load(int8))
    large = [w for w in weights_of(float32).values() if w.ndim > 1 and w.size >= SMALLEST]
    saved = sum(weight.nbytes for weight in large if weight.dtype == np.float32)
    assert saved > 0
    assert float32.stat().st_size - int8.stat().st_size > saved / 2
    kept = weights_of(int8).values()
    assert not [w for w in kept if w.dtype == np.float32 and w.ndim > 1 and w.size >= SMALLEST]
