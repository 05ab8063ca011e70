from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from respell.lab.export.int8 import weights
from respell.lab.export.int8.smoothquant import choose_factors, smooth
from respell.lab.export.int8.weights import quantize

Array = NDArray[Any]
WIDTH = 64


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def norm_and_products(*, scale: float, shared: bool = False) -> onnx.ModelProto:
    """x -> layer norm -> product y -> ReLU -> product z; some columns are `scale` times larger."""
    gain, spread = np.ones(WIDTH), np.ones(WIDTH)
    gain[:2], spread[:2] = scale, scale
    stored = {
        "gain": gain,
        "offset": rng(1).standard_normal(WIDTH) * gain,
        "up": rng(2).standard_normal((WIDTH, WIDTH)) * spread,
        "down": rng(3).standard_normal((WIDTH, WIDTH)),
    }
    nodes = [
        helper.make_node("LayerNormalization", ["x", "gain", "offset"], ["normed"]),
        helper.make_node("MatMul", ["normed", "up"], ["y"]),
        helper.make_node("Relu", ["y"], ["active"]),
        helper.make_node("MatMul", ["active", "down"], ["z"]),
        *([helper.make_node("Relu", ["normed"], ["other"])] if shared else []),
    ]
    names = ("y", "z", "other") if shared else ("y", "z")
    graph = helper.make_graph(
        nodes,
        "norm",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", WIDTH])],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", WIDTH]) for n in names],
        [numpy_helper.from_array(v.astype(np.float32), k) for k, v in stored.items()],
    )
    opsets = [helper.make_opsetid("", 20)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def run(model: onnx.ModelProto, x: Array, *names: str) -> list[Array]:
    model = onnx.ModelProto.FromString(model.SerializeToString())
    known = {value.name for value in model.graph.output}
    model.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in {*names} - known
    )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return [np.asarray(v) for v in session.run(list(names), {"x": x.astype(np.float32)})]


def inputs_of(model: onnx.ModelProto, x: Array) -> dict[str, Array]:
    return dict(zip(("normed", "active"), run(model, x, "normed", "active"), strict=True))


@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_results_do_not_change(scale: float) -> None:
    model, x = norm_and_products(scale=scale), rng(4).standard_normal((200, WIDTH))
    wanted = run(model, x, "y", "z")
    found = smooth(model.graph, inputs_of(model, x))
    onnx.checker.check_model(model)
    for before, after in zip(wanted, run(model, x, "y", "z"), strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-4 * np.abs(before).max())
    given = run(model, x, *found)
    for (name, rows), now in zip(found.items(), given, strict=True):
        if name != "active" or "active.level" not in found:
            np.testing.assert_allclose(rows, now, rtol=1e-4, atol=1e-4 * np.abs(now).max())
    assert ("active.level" in found) == (scale > 1)


def test_layer_norm_with_other_readers_is_not_changed() -> None:
    model = norm_and_products(scale=40.0, shared=True)
    x = rng(4).standard_normal((200, WIDTH))
    before = {w.name: numpy_helper.to_array(w) for w in model.graph.initializer}
    found = smooth(model.graph, inputs_of(model, x))
    after = {w.name: numpy_helper.to_array(w) for w in model.graph.initializer}
    assert "normed.level" not in found
    assert all((after[name] == before[name]).all() for name in ("gain", "offset", "up"))


def test_large_columns_cause_less_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = norm_and_products(scale=40.0), rng(4).standard_normal((2000, WIDTH))
    onnx.save(model, tmp_path / "float32.onnx")
    (wanted,) = run(model, x, "z")
    errors = []
    for smoothed in (True, False):
        if not smoothed:
            monkeypatch.setattr(weights, "smooth", lambda graph, inputs: inputs)
        quantize(tmp_path / "float32.onnx", tmp_path / "int8.onnx", inputs=inputs_of(model, x))
        (found,) = run(onnx.load(tmp_path / "int8.onnx"), x, "z")
        errors.append(np.square(found - wanted).mean())
    assert errors[0] < 0.7 * errors[1]


def test_uniform_inputs_and_zeros_need_no_factors() -> None:
    matrix = rng(5).standard_normal((WIDTH, 8))
    assert choose_factors(matrix, rng(6).uniform(-1, 1, (500, WIDTH)), limit=0.9) is None
    assert choose_factors(matrix, np.zeros((500, WIDTH)), limit=0.9) is None
