from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import tiny
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from respell.corrector import Corrector
from respell.lab.export.int8.activations import record_inputs
from respell.lab.export.int8.matmul import find_products
from respell.lab.export.int8.weights import quantize
from respell.model.forward import Features, TopK
from respell.model.session import open_session
from respell.types import Token

Array = NDArray[Any]
SIXTEEN_BITS = 2**15 - 1
CASES = (
    "word_char_keep",
    *(pytest.param(c, marks=pytest.mark.exhaustive) for c in ("word_char", "subword_keep", "mude")),
)


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def two_products(path: Path) -> Path:
    """A graph with a product with a bias, and one with a table that is also used for look-ups."""
    weights = {
        "weight": rng(1).standard_normal((64, 96)),
        "bias": rng(2).standard_normal(96),
        "down": rng(3).standard_normal((96, 64)),
        "table": rng(4).standard_normal((103, 64)),
        "offset": rng(5).standard_normal(100),
    }
    stored = {name: value.astype(np.float32) for name, value in weights.items()}
    bounds = {"from": np.array([3]), "to": np.array([103]), "rows": np.array([0])}
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["looked_up"]),
        helper.make_node("Add", ["x", "looked_up"], ["sum"]),
        helper.make_node("MatMul", ["sum", "weight"], ["product"]),
        helper.make_node("Add", ["bias", "product"], ["wide"]),
        helper.make_node("MatMul", ["wide", "down"], ["narrow"]),
        helper.make_node("Slice", ["table", "from", "to", "rows"], ["words"]),
        helper.make_node("Gemm", ["narrow", "words", "offset"], ["scores"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "two",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64]),
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["n"]),
        ],
        [
            helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", None])
            for n in ("wide", "scores")
        ],
        [numpy_helper.from_array(v, k) for k, v in {**stored, **bounds}.items()],
    )
    opsets = [helper.make_opsetid("", 20)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)
    return path


def run(path: Path, x: Array, *more: str) -> list[Array]:
    model = onnx.load(path)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in more]
    model.graph.output.extend(values)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    feed = {"x": x.astype(np.float32), "ids": np.arange(len(x)) % 103}
    return [np.asarray(value) for value in session.run(None, feed)]


def quantized_products(folder: Path) -> tuple[Path, Path, Array]:
    """The graph before and after quantization, and the calibration data."""
    float32, int8 = two_products(folder / "float32.onnx"), folder / "int8.onnx"
    x = rng(9).standard_normal((500, 64))
    names = sorted({product.input for product in find_products(onnx.load(float32).graph)})
    known = dict(zip(names, run(float32, x, *names)[2:], strict=True))
    quantize(float32, int8, inputs=known)
    return float32, int8, x


def weights_of(path: Path) -> dict[str, Array]:
    return {w.name: numpy_helper.to_array(w) for w in onnx.load(path).graph.initializer}


def assert_no_saturation(path: Path) -> int:
    """Check that two neighbouring products always fit into 16 bits; return the number of nodes."""
    model, weights = onnx.load(path), weights_of(path)
    producers = {node.output[0]: node for node in model.graph.node}
    checked = 0
    for node in model.graph.node:
        if node.op_type == "MatMulIntegerToFloat":
            source = node.input[1]
            while source not in weights:  # a table is sliced and transposed
                source = producers[source].input[0]
            source_node = producers[producers[node.input[0]].input[0]]
            most = 255
            if source_node.op_type == "Clip":
                scale, zero = weights[node.input[2]], int(weights[node.input[4]])
                most = round(float(weights[source_node.input[2]] / scale)) + zero
                assert round(float(weights[source_node.input[1]] / scale)) + zero == 0
            assert 2 * most * int(np.abs(weights[source].astype(int)).max()) <= SIXTEEN_BITS
            checked += 1
    return checked


def test_results_are_close(tmp_path: Path) -> None:
    float32, int8, _ = quantized_products(tmp_path)
    x = rng(10).standard_normal((200, 64))
    for before, after in zip(run(float32, x), run(int8, x), strict=True):
        assert before.shape == after.shape
        assert np.abs(before - after).mean() < 0.04 * np.abs(before).mean()


def test_all_products_use_integers(tmp_path: Path) -> None:
    _, int8, _ = quantized_products(tmp_path)
    kinds = [node.op_type for node in onnx.load(int8).graph.node]
    assert kinds.count("MatMulIntegerToFloat") == 3
    assert not {"MatMul", "Gemm", "DequantizeLinear"} & set(kinds)
    large = [w for w in weights_of(int8).values() if w.ndim > 1]
    assert {w.dtype for w in large} == {np.dtype(np.int8)}


def test_nothing_saturates(tmp_path: Path) -> None:
    _, int8, _ = quantized_products(tmp_path)
    assert assert_no_saturation(int8) == 3
    # Inputs far outside the calibration data: every integer is the smallest or the largest.
    extreme = np.where(rng(11).random((50, 64)) < 0.5, -1e6, 1e6)
    signs = rng(12).choice([-1e6, 1e6], (3, 1)) * np.ones((3, 64))
    for x in (extreme, signs):
        weights = weights_of(int8)
        (node,) = [n for n in onnx.load(int8).graph.node if n.output[0] == "sum.uint8"]
        scale, zero = weights[node.input[1]], int(weights[node.input[2]])
        integers = np.where(x > 0, 255, 0) - zero
        exact = integers @ weights["weight.int8"].astype(int) * (scale * weights["weight.scale"])
        found = run(int8, x)[0]
        assert found == pytest.approx(exact + weights["weight.bias"], rel=1e-5, abs=1e-3)
        assert all(np.isfinite(value).all() for value in run(int8, x))


def test_rows_do_not_depend_on_each_other(tmp_path: Path) -> None:
    _, int8, x = quantized_products(tmp_path)
    alone = [run(int8, x[:1])[i] for i in (0, 1)]
    batch = np.concatenate([x[:1], 1e5 * rng(13).standard_normal((40, 64))])
    for one, many in zip(alone, run(int8, batch), strict=True):
        assert np.array_equal(one, many[:1])


def quantized(base: Path, case: str) -> tuple[Corrector, Corrector, Path]:
    """Correctors with 32-bit and 8-bit products, and the 8-bit graph."""
    saved = tiny.checkpoint(base, case)
    float32, int8 = tiny.graphs(base, case)[0], base / f"tiny-{case}-products.onnx"
    bundle = tiny.onnx_bundle(base, case)
    before = Corrector(bundle, open_session(float32), preset="noisy")
    if not int8.exists():
        noisy, _ = tiny.parity_sentences()
        tokens = [w.tokens for words in noisy for w in before.split_tokens(words)]
        quantize(float32, int8, inputs=record_inputs(float32, bundle.encoder, tokens))
    assert saved.lexicon.words == bundle.lexicon.words
    return before, Corrector(bundle, open_session(int8), preset="noisy"), int8


@pytest.mark.parametrize("case", CASES)
def test_models_give_the_same_answers(base: Path, case: str) -> None:
    before, after, int8 = quantized(base, case)
    assert assert_no_saturation(int8) > 0
    noisy, _ = tiny.parity_sentences()
    wanted, found = (list(c.correct_tokens_many(noisy)) for c in (before, after))
    same = [a == b for x, y in zip(wanted, found, strict=True) for a, b in zip(x, y, strict=True)]
    assert np.mean(same) > 0.98
    assert wanted != noisy


def by_position(topk: TopK, row: int) -> Mapping[int, tuple[Array, Array]]:
    length = topk.keep.shape[1]
    return {
        position % length: (topk.ids[i], topk.probabilities[i])
        for i, position in enumerate(topk.positions.tolist())
        if position // length == row
    }


def test_answers_do_not_depend_on_the_batch(base: Path) -> None:
    """Longer sentences, longer spellings and unusual characters have no effect."""
    _, after, int8 = quantized(base, "word_char_keep")
    forward, encoder = open_session(int8), after.bundle.encoder
    noisy, _ = tiny.parity_sentences(12)
    others = tiny.tokens(["Zzyzxqvbnmkjhgfdsaqwe", "\u00e9\u00e9\u00e9", "teh"] * 8)
    for words in noisy:
        sentence: list[Token] = tiny.tokens(words)
        alone = forward(encoder.encode([sentence]), 0.0)
        together = forward(encoder.encode([others, sentence, others]), 0.0)
        assert together.keep[1, : len(words)] == pytest.approx(alone.keep[0], abs=1e-4)
        one, many = by_position(alone, 0), by_position(together, 1)
        assert one.keys() == many.keys()
        for position, (ids, probabilities) in one.items():
            assert ids[0] == many[position][0][0] or probabilities[0] - probabilities[1] < 1e-3
            assert many[position][1] == pytest.approx(probabilities, abs=1e-4)


def test_spellings_have_a_dynamic_width(base: Path) -> None:
    float32 = tiny.graphs(base, "word_char_keep")[0]
    (width,) = [
        value.type.tensor_type.shape.dim[1]
        for value in onnx.load(float32).graph.input
        if value.name == "spellings"
    ]
    assert width.dim_param
    encoder = tiny.onnx_bundle(base, "word_char_keep").encoder
    features = encoder.encode([tiny.tokens(["teh", "libary"])])
    empty = Features(features.words, features.shapes, features.slots, features.spellings * 0)
    for given in (features, empty):
        topk = open_session(float32)(given, 0.0)
        assert topk.keep.shape == (1, 2)
        assert np.isfinite(topk.keep).all()
