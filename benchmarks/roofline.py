"""Count the multiply-adds of a bundle per word, and measure how many this machine can do."""

import json
import math
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

from respell.corrector import Corrector
from respell.model.bundle import Bundle
from respell.model.forward import Features, TopK
from respell.model.session import as_forward, session_options

SIZE = 1024
REPEATS = 15
INTEGERS = ("MatMulIntegerToFloat", "MatMulInteger")
PRODUCTS = (*INTEGERS, "MatMul", "Gemm", "FusedMatMul")


def needed(bundle: Bundle, sentences: Sequence[list[str]]) -> dict[str, Any]:
    """Multiply-adds per word, and the share of onnxruntime's time per operator."""
    with tempfile.TemporaryDirectory() as folder:
        options = session_options(1)
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "profile")
        session = onnxruntime.InferenceSession(
            str(bundle.model), options, providers=["CPUExecutionProvider"]
        )
        words = 0
        run = as_forward(bundle.model, session)

        def forward(features: Features, gate: float) -> TopK:
            nonlocal words
            words += int((features.words != 0).sum())
            return run(features, gate)

        list(Corrector(bundle, forward).correct_tokens_many(sentences))
        events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
    return _summary(events, words)


def _summary(events: Sequence[dict[str, Any]], words: int) -> dict[str, Any]:
    work: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("kernel_time"):
            kind = event["args"]["op_name"]
            spent[kind] += event["dur"]
            work["int8" if kind in INTEGERS else "fp32"] += _multiply_adds(kind, event["args"])
    total = sum(spent.values())
    return {
        "int8_multiply_adds_per_word": round(work["int8"] / words),
        "fp32_multiply_adds_per_word": round(work["fp32"] / words),
        "time_by_operator": {k: round(v / total, 3) for k, v in spent.most_common(10)},
    }


def _multiply_adds(kind: str, args: dict[str, Any]) -> int:
    inputs = [next(iter(shape.values())) for shape in args["input_type_shape"]]
    outputs = [next(iter(shape.values())) for shape in args["output_type_shape"]]
    if kind in PRODUCTS:
        return int(math.prod(inputs[0]) * outputs[0][-1])
    if kind == "MultiHeadAttention":
        return int(2 * math.prod(inputs[0]) * inputs[1][1])
    return 0


def possible() -> dict[str, int]:
    """Multiply-adds per CPU-second of one core on large square matrices, the best of several."""
    rates = {}
    for name, kind, types in (
        ("fp32", "MatMul", (TensorProto.FLOAT, TensorProto.FLOAT)),
        ("int8", "MatMulInteger", (TensorProto.UINT8, TensorProto.INT8)),
    ):
        output = TensorProto.FLOAT if name == "fp32" else TensorProto.INT32
        numbers = np.random.default_rng(1).integers(-60, 60, (SIZE, SIZE))
        constant = numbers.astype(helper.tensor_dtype_to_np_dtype(types[1]))
        graph = helper.make_graph(
            [helper.make_node(kind, ["a", "b"], ["c"])],
            name,
            [helper.make_tensor_value_info("a", types[0], [SIZE, SIZE])],
            [helper.make_tensor_value_info("c", output, [SIZE, SIZE])],
            [onnx.numpy_helper.from_array(constant, "b")],
        )
        opsets = [helper.make_opsetid("", 20)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), session_options(1), providers=["CPUExecutionProvider"]
        )
        feed = {"a": np.abs(numbers).astype(helper.tensor_dtype_to_np_dtype(types[0]))}
        best = min(_cpu_seconds(session, feed) for _ in range(REPEATS))
        rates[f"{name}_multiply_adds_per_cpu_second"] = round(SIZE**3 / best)
    return rates


def _cpu_seconds(session: onnxruntime.InferenceSession, feed: dict[str, Any]) -> float:
    started = time.process_time()
    session.run(None, feed)
    return time.process_time() - started


def bytes_by_part(bundle: Bundle) -> dict[str, int]:
    """The sizes of the parts of a bundle, in bytes."""
    parts: Counter[str] = Counter()
    for weight in onnx.load(bundle.model).graph.initializer:
        parts[_part(weight.name)] += len(weight.SerializeToString())
    parts["graph"] = bundle.model.stat().st_size - sum(parts.values())
    parts["lexicon, card and other files"] = sum(
        path.stat().st_size for path in bundle.path.iterdir() if path != bundle.model
    )
    return dict(parts)


def _part(name: str) -> str:
    if name.startswith("model.words.weight"):
        return "word embeddings, input and output"
    if name.startswith("model.folded"):
        return "vectors of known spellings"
    if name.startswith("model.head.words.bias"):
        return "output bias"
    return "encoders and heads"
