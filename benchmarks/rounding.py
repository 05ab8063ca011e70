"""Measure why the native onnxruntime and onnxruntime-web give different probabilities.

python benchmarks/rounding.py --output results/rounding.json

Needs npm and the packages of `pip install '.[lab]'`. First, each operator of the model gets the
same inputs in both programs. Then whole runs are compared: as the model is, without the rounding
of its activations to 8 bits, and, natively, with word vectors that are changed in the last bit.
At last, other forms of the model try to give the same probabilities in both programs. Some of them
answer random texts, with the processor time that they take for 1,000 words.
"""

import argparse
import base64
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import js_texts
import numpy as np
import onnx
from js_model import PACKAGE
from js_parity import ROUNDS, compare_answers, seconds_to_check
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper
from rounding_attempts import in_64_bits, rounded_before

import respell
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.export.int8.exact import measure_sums, with_exact_sums
from respell.model.bundle import CONFIG, MODEL, Bundle, default_path, digest
from respell.model.session import _feed, runtime, session_options
from respell.text.tokenize import tokenize
from respell.text.windows import Window
from respell.types import Error

Tables = Mapping[str, Any]
Run = Callable[[Sequence[str], Tables], list[Any]]

OPERATORS = (
    *("QuantizeLinear", "MatMulIntegerToFloat", "LayerNormalization", "MultiHeadAttention"),
    *("Gelu", "Softmax"),
)
FEW = 60
"""Sentences that operators are compared on; grids of exact sums are chosen on as many."""
PLAIN, IN_64_BITS, EXACT = "as_it_is", "both_in_64_bits", "exact_sums"
ANSWERING = (PLAIN, IN_64_BITS, EXACT)
"""The forms of the model that answer random texts."""
WORDS = 1000
SHORTEST, LONGEST = 5, 60
"""Words of a sentence."""
FLOATS = TensorProto.FLOAT
SEEN = 1e-3
"""A change of a probability that is counted."""


def main() -> int:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("results/rounding.json"))
    parser.add_argument("--model", type=Path, default=default_path(), metavar="FOLDER")
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--texts", type=int, default=1000, help="random texts to answer")
    args = parser.parse_args()
    bundle = Bundle.read(args.model)
    model = onnx.load(bundle.model)
    inputs = list(_inputs(bundle, model.graph, args.sentences))
    forms = {
        PLAIN: model,
        "rounded_before_8_bits": rounded_before(model),
        "norms_in_64_bits": in_64_bits(model, ["LayerNormalization"]),
        "attention_in_64_bits": in_64_bits(model, ["MultiHeadAttention"]),
        IN_64_BITS: in_64_bits(model, ["LayerNormalization", "MultiHeadAttention"]),
        EXACT: with_exact_sums(model, measure_sums(model, inputs[:FEW])),
    }
    with tempfile.TemporaryDirectory() as folder:
        value = {
            "sentences": len(inputs),
            **compare_operators(model, inputs[:FEW], Path(folder)),
            "probabilities": compare_runs(model, inputs, Path(folder)),
            "attempts": compare_attempts(forms, inputs, Path(folder)),
            "answers": {name: answer(args.model, forms[name], args.texts) for name in ANSWERING},
            "model": hash_bundle(args.model),
            **provenance(),
        }
    write_json(args.output, value)
    print(json.dumps(value, indent=1))
    return 0


def _inputs(bundle: Bundle, graph: GraphProto, count: int) -> Iterator[dict[str, Any]]:
    """Sentences with and without misspellings, as the model reads them."""
    dice = random.Random(5)
    texts = js_texts.prose()
    takes = {value.name: _shape(value) for value in graph.input}
    made = 0
    while made < count:
        tokens = tokenize(js_texts.misspelled(dice, dice.choice(texts)[:250]))
        if not SHORTEST <= len(tokens) <= LONGEST:
            continue
        features = bundle.encoder.encode_windows([Window(0, tokens, 0, len(tokens))])
        # With this gate all words are ranked: onnxruntime-web fails if none is.
        yield _feed(bundle.model, takes, features, 0.0)
        made += 1


def _shape(value: Any) -> list[int | str]:
    return [one.dim_param or one.dim_value for one in value.type.tensor_type.shape.dim]


def compare_operators(
    model: ModelProto, inputs: Sequence[Tables], folder: Path
) -> dict[str, dict[str, Any]]:
    """How each operator and the integers before each product differ between both programs."""
    weights = {weight.name for weight in model.graph.initializer}
    kinds = _kinds(model)
    nodes = [
        node
        for node in model.graph.node
        if node.op_type in OPERATORS
        # the product with a whole look-up table would take long to send
        and all(name in weights or kinds[name] != TensorProto.INT8 for name in node.input)
    ]
    given = {name for node in nodes for name in node.input if name and name not in weights}
    graph = {value.name for value in model.graph.input}
    integers = [node.output[0] for node in nodes if node.op_type == "QuantizeLinear"]
    made = sorted({*given, *integers} - graph)
    whole = _with_outputs(model, made)
    apart = _apart(model, nodes, weights)
    answers = [node.output[0] for node in nodes]
    found: dict[str, _Difference] = defaultdict(_Difference)
    by_depth: dict[str, _Difference] = defaultdict(_Difference)
    native_whole, native_apart = _native(whole), _native(apart)
    with (
        _Web(whole, folder / "whole.onnx") as web_whole,
        _Web(apart, folder / "o.onnx") as web_apart,
    ):
        for feed in inputs:
            known = dict(zip(made, native_whole(made, feed), strict=True))
            others = dict(zip(made, web_whole(made, feed), strict=True))
            for name in integers:
                by_depth[name].add(known[name], others[name])
            feed = {_input(name): known.get(name, feed.get(name)) for name in given}
            both = native_apart(answers, feed), web_apart(answers, feed)
            for node, one, other in zip(nodes, *both, strict=True):
                found[node.op_type].add(one, other)
    return {
        "operators_with_the_same_inputs": {name: one.summary() for name, one in found.items()},
        "changed_integers_in_whole_runs": {
            "first_layers": by_depth[integers[0]].share,
            "half_way": by_depth[integers[len(integers) // 2]].share,
            "last_layers": by_depth[integers[-1]].share,
        },
    }


class _Difference:
    """How many numbers differ, and how much."""

    def __init__(self) -> None:
        self.count = self.different = 0
        self.most = 0.0

    def add(self, one: Any, other: Any) -> None:
        if not one.size:
            return
        change = np.abs(one.astype(np.float64) - other.astype(np.float64))
        self.count += one.size
        self.different += int(np.count_nonzero(change))
        self.most = max(self.most, float(change.max() / max(np.abs(one).max(), 1e-9)))

    @property
    def share(self) -> float:
        return float(f"{self.different / max(self.count, 1):.3g}")

    def summary(self) -> dict[str, Any]:
        """`most` is a share of the largest number of the table."""
        return {"numbers": self.count, "different": self.share, "most": float(f"{self.most:.3g}")}


def _with_outputs(model: ModelProto, names: Sequence[str]) -> ModelProto:
    """The model with more outputs."""
    changed = ModelProto()
    changed.CopyFrom(model)
    old = {value.name for value in model.graph.output}
    kinds = _kinds(model)
    more = [helper.make_tensor_value_info(name, kinds[name], None) for name in names]
    changed.graph.output.extend(value for value in more if value.name not in old)
    return changed


def _kinds(model: ModelProto) -> dict[str, int]:
    """The types of the tensors; what shape inference does not know is a float."""
    known = onnx.shape_inference.infer_shapes(model).graph
    kinds: dict[str, int] = defaultdict(lambda: int(FLOATS))
    for value in (*known.value_info, *known.input, *known.output):
        kinds[value.name] = value.type.tensor_type.elem_type or int(FLOATS)
    for node in model.graph.node:
        if node.op_type == "QuantizeLinear":
            kinds[node.output[0]] = int(TensorProto.UINT8)
    return kinds


def _input(name: str) -> str:
    return f"given.{name}"


def _apart(model: ModelProto, nodes: Sequence[NodeProto], weights: set[str]) -> ModelProto:
    """A model with these nodes only; each reads inputs of the model."""
    kinds = _kinds(model)
    changed = ModelProto()
    changed.CopyFrom(model)
    graph = changed.graph
    del graph.node[:], graph.input[:], graph.output[:], graph.value_info[:]
    given: dict[str, int] = {}
    for node in nodes:
        copy = graph.node.add()
        copy.CopyFrom(node)
        for i, name in enumerate(node.input):
            if name and name not in weights:
                copy.input[i] = _input(name)
                given[_input(name)] = kinds[name]
        name = node.output[0]
        graph.output.append(helper.make_tensor_value_info(name, kinds[name], None))
    used = {name for node in nodes for name in node.input}
    for weight in [one for one in graph.initializer if one.name not in used]:
        graph.initializer.remove(weight)
    graph.input.extend(helper.make_tensor_value_info(n, kind, None) for n, kind in given.items())
    return changed


def compare_runs(model: ModelProto, inputs: Sequence[Tables], folder: Path) -> dict[str, Any]:
    """How much the probabilities that words are right differ between runs."""
    exact = _without_rounding(model)

    def native(model: ModelProto) -> list[Any]:
        run = _native(model)
        return [run(["keep"], feed)[0] for feed in inputs]

    def web(model: ModelProto, name: str) -> list[Any]:
        with _Web(model, folder / name) as run:
            return [run(["keep"], feed)[0] for feed in inputs]

    plain = native(model)
    return {
        "onnxruntime_web": _change(plain, web(model, "model.onnx")),
        "onnxruntime_web_without_rounding": _change(native(exact), web(exact, "exact.onnx")),
        "native_with_the_last_bits_of_word_vectors_changed": _change(plain, native(_nudged(model))),
        "native_without_rounding": _change(plain, native(exact)),
    }


def compare_attempts(
    forms: Mapping[str, ModelProto], inputs: Sequence[Tables], folder: Path
) -> dict[str, dict[str, Any]]:
    """How other forms of the model differ between both programs."""
    found: dict[str, dict[str, Any]] = {}
    plain = _keeps(_native(forms[PLAIN]), inputs)
    for name, form in forms.items():
        native = _keeps(_native(form), inputs)
        with _Web(form, folder / f"{name}.onnx") as run:
            web = _keeps(run, inputs)
        found[name] = {
            **_change(native, web),
            "change_of_the_native_model": _change(plain, native),
        }
        if name == PLAIN:
            unfused = _keeps(_native(form, optimized=False), inputs)
            found["native_without_optimizations"] = _change(unfused, web)
    return found


def _keeps(run: Run, inputs: Sequence[Tables]) -> list[Any]:
    return [run(["keep"], feed)[0] for feed in inputs]


def answer(folder: Path, model: ModelProto, count: int) -> dict[str, Any]:
    """How answers of this form of a model to random texts differ, and the time that it takes."""
    text = " ".join(" ".join(js_texts.prose()).split(" ")[:WORDS])
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "model"
        shutil.copytree(folder, copy)
        onnx.save(model, copy / MODEL)
        config = json.loads((copy / CONFIG).read_text(encoding="utf-8"))
        config["sha256"][MODEL] = digest(copy / MODEL)
        (copy / CONFIG).write_text(json.dumps(config), encoding="utf-8")
        return {
            **compare_answers(copy, count),
            "native_seconds": _native_seconds(copy, text),
            "web_seconds": seconds_to_check(copy, text),
        }


def _native_seconds(folder: Path, text: str) -> float:
    """The processor time that a check takes on one thread."""
    corrector = respell.load(folder, threads=1)
    seconds = []
    for _ in range(ROUNDS + 1):  # the first one warms up
        start = time.process_time()
        corrector.check(text)
        seconds.append(time.process_time() - start)
    return round(median(seconds[1:]), 3)


def _change(ones: Sequence[Any], others: Sequence[Any]) -> dict[str, float]:
    parts = [np.abs(one - other).ravel() for one, other in zip(ones, others, strict=True)]
    change = np.concatenate(parts)
    return {
        "words": len(change),
        "of_99_percent": float(f"{np.quantile(change, 0.99):.2g}"),
        "most": float(f"{change.max():.2g}"),
        "sentences_changed_by_0.001": sum(bool(part.max() > SEEN) for part in parts),
    }


def _without_rounding(model: ModelProto) -> ModelProto:
    """The model with the same weights, but with activations that are not rounded to 8 bits."""
    changed = ModelProto()
    changed.CopyFrom(model)
    makers = {node.output[0]: node for node in model.graph.node}
    nodes: list[NodeProto] = []
    for node in model.graph.node:
        if node.op_type != "MatMulIntegerToFloat":
            nodes.append(node)
            continue
        rounded, weight, _, scale, *_, bias = node.input
        out = node.output[0]
        given = makers[rounded].input[0]
        nodes += [
            helper.make_node("Cast", [weight], [f"{out}.cast"], to=FLOATS),
            helper.make_node("Mul", [f"{out}.cast", scale], [f"{out}.weight"]),
            helper.make_node("MatMul", [given, f"{out}.weight"], [f"{out}.product"]),
            helper.make_node("Add", [f"{out}.product", bias], [out]),
        ]
    del changed.graph.node[:]
    changed.graph.node.extend(nodes)
    return changed


def _nudged(model: ModelProto) -> ModelProto:
    """The model with the scales of its look-up tables changed by the smallest step."""
    changed = ModelProto()
    changed.CopyFrom(model)
    rows = {node.input[0] for node in model.graph.node if node.op_type == "Gather"}
    for weight in changed.graph.initializer:
        numbers = numpy_helper.to_array(weight)
        if weight.name in rows and weight.name.endswith(".scale"):
            more = np.nextafter(numbers, np.float32(np.inf))
            weight.CopyFrom(numpy_helper.from_array(more, weight.name))
    return changed


def _native(model: ModelProto, *, optimized: bool = True) -> Run:
    options = session_options(1)
    if not optimized:
        options.graph_optimization_level = runtime().GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime().InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )

    def run(outputs: Sequence[str], feed: Tables) -> list[Any]:
        return list(session.run(list(outputs), dict(feed)))

    return run


class _Web:
    """A graph as onnxruntime-web runs it, in a process of Node."""

    def __init__(self, model: ModelProto, path: Path) -> None:
        onnx.save(model, path)
        command = ["node", str(PACKAGE / "test" / "graph.mjs"), str(path)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def __enter__(self) -> "_Web":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def __call__(self, outputs: Sequence[str], feed: Tables) -> list[Any]:
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        assert pipe_in is not None
        assert pipe_out is not None
        inputs = {
            name: {
                "type": str(table.dtype),
                "dims": table.shape,
                "bytes": base64.b64encode(np.ascontiguousarray(table).tobytes()).decode(),
            }
            for name, table in feed.items()
        }
        pipe_in.write(json.dumps({"inputs": inputs, "outputs": outputs}) + "\n")
        pipe_in.flush()
        line = pipe_out.readline()
        if not line:
            raise Error("onnxruntime-web stopped; what it said is above")
        found = json.loads(line)
        return [
            np.frombuffer(base64.b64decode(found[name]["bytes"]), found[name]["type"]).reshape(
                found[name]["dims"]
            )
            for name in outputs
        ]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"rounding: {error}")
