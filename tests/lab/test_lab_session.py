"""Sessions, with a small graph that is made here."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from fakes import hashed_config
from respell.corrector import load
from respell.model.bundle import CONFIG, LEXICON, MODEL
from respell.model.compose import UserWordScorer
from respell.model.encode import WIDTH, WORD_OFFSET, Encoder
from respell.model.forward import Features
from respell.model.lexicon import Lexicon
from respell.model.session import (
    COMPOSED,
    INPUTS,
    NEW_WORDS,
    OPTIONAL_INPUTS,
    OUTPUTS,
    open_session,
)
from respell.text.case import TITLE
from respell.text.tokenize import tokenize
from respell.types import Error

LEXICON_WORDS = ["the", "cat"]
PLAIN = tuple(name for name in INPUTS if name not in OPTIONAL_INPUTS)
OPSET = 18
IR_VERSION = 8  # old enough for every onnxruntime we support


def _write_model(
    path: Path, *, inputs: tuple[str, ...] = PLAIN, outputs: tuple[str, ...] = OUTPUTS
) -> Path:
    """A model that suggests word 0 for every token, with the gate as its probability."""
    types = dict.fromkeys(("gate", "keep", "probabilities", NEW_WORDS, COMPOSED), TensorProto.FLOAT)
    ranks = {"gate": 0, "positions": 1, "cases": 1}

    def value(name: str) -> onnx.ValueInfoProto:
        shape = [None, WIDTH] if name == NEW_WORDS else [None] * ranks.get(name, 2)
        return helper.make_tensor_value_info(name, types.get(name, TensorProto.INT64), shape)

    def constant(name: str, numbers: list[int]) -> onnx.TensorProto:
        return helper.make_tensor(name, TensorProto.INT64, [len(numbers)], numbers)

    node = helper.make_node
    nodes = [
        node("Cast", ["shapes"], ["keep"], to=TensorProto.FLOAT),
        node("Reshape", ["words", "all"], ["flat"]),
        node("Cast", ["flat"], ["some"], to=TensorProto.BOOL),
        node("NonZero", ["some"], ["found"]),
        node("Squeeze", ["found", "zero"], ["positions"]),
        node("Unsqueeze", ["positions", "one"], ["column"]),
        node("Mul", ["column", "zero"], ["ids"]),
        node("Cast", ["ids"], ["nothing"], to=TensorProto.FLOAT),
        node("Add", ["nothing", "gate"], ["probabilities"]),
        node("Reshape", ["shapes", "all"], ["row"]),
        node("Gather", ["row", "positions"], ["cases"]),
    ]
    if COMPOSED in outputs:  # the characters of a spelling
        nodes.append(node("Cast", ["spellings"], [COMPOSED], to=TensorProto.FLOAT))
    constants = [constant("all", [-1]), constant("zero", [0]), constant("one", [1])]
    taken, given = [value(name) for name in inputs], [value(name) for name in outputs]
    graph = helper.make_graph(nodes, "tiny", taken, given, constants)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
    )
    onnx.save(model, str(path))
    return path


def _features(*texts: str) -> Features:
    encoder = Encoder(Lexicon(LEXICON_WORDS), "abcehst")
    return encoder.encode([tokenize(text) for text in texts])


@pytest.mark.parametrize("inputs", [PLAIN, ("words", "shapes", "gate")], ids=["all", "some"])
@pytest.mark.parametrize("threads", [0, 1])
def test_session_returns_arrays(inputs: tuple[str, ...], threads: int, tmp_path: Path) -> None:
    forward = open_session(_write_model(tmp_path / "m.onnx", inputs=inputs), threads=threads)
    topk = forward(_features("The cat", "zat"), 0.25)
    assert topk.keep.tolist() == [[TITLE, 0], [TITLE, 0]]
    assert topk.positions.tolist() == [0, 1, 2]
    assert topk.ids.tolist() == [[0], [0], [0]]
    assert topk.probabilities.tolist() == [[0.25]] * 3
    assert topk.cases.tolist() == [TITLE, 0, TITLE]
    assert topk.ids.dtype == np.dtype(np.int64)
    assert topk.probabilities.dtype == np.dtype(np.float32)


def test_batches_of_any_size(tmp_path: Path) -> None:
    forward = open_session(_write_model(tmp_path / "m.onnx"))
    for texts in (["the"], ["the cat the"] * 3, ["cat " * 50]):
        assert forward(_features(*texts), 0.5).keep.shape == _features(*texts).words.shape


def test_model_with_new_words_is_a_user_word_scorer(tmp_path: Path) -> None:
    assert not isinstance(open_session(_write_model(tmp_path / "old.onnx")), UserWordScorer)
    path = _write_model(
        tmp_path / "m.onnx", inputs=(*PLAIN, NEW_WORDS), outputs=(*OUTPUTS, COMPOSED)
    )
    forward = open_session(path)
    assert isinstance(forward, UserWordScorer)
    spellings = _features("zat cat zat").spellings
    rows = forward.compose(spellings)
    assert rows.dtype == np.dtype(np.float32)
    assert np.array_equal(rows, spellings)
    features = _features("the cat")
    assert forward(features, 0.5).positions.tolist() == [0, 1]
    with_rows = Features(features.words, features.shapes, features.slots, features.spellings, rows)
    assert forward(with_rows, 0.5).positions.tolist() == [0, 1]


def test_new_words_need_the_composed_output(tmp_path: Path) -> None:
    path = _write_model(tmp_path / "m.onnx", inputs=(*PLAIN, NEW_WORDS))
    with pytest.raises(Error, match=r"takes new_words, but lacks the output composed$"):
        open_session(path)


def test_missing_outputs_are_named(tmp_path: Path) -> None:
    path = _write_model(tmp_path / "m.onnx", outputs=("keep", "positions", "ids"))
    with pytest.raises(Error, match=r"m\.onnx: lacks the outputs cases, probabilities$"):
        open_session(path)


def test_unknown_inputs_are_named(tmp_path: Path) -> None:
    path = _write_model(tmp_path / "m.onnx", inputs=(*PLAIN, "weather"))
    with pytest.raises(Error, match=r"m\.onnx: needs unknown inputs weather$"):
        open_session(path)


@pytest.mark.parametrize("content", [None, b"", b"not a model"], ids=["missing", "empty", "noise"])
def test_invalid_models_are_errors(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Error, match="onnxruntime cannot load it") as caught:
        open_session(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_bundle_is_loaded_and_corrects(tmp_path: Path) -> None:
    _write_model(tmp_path / MODEL)
    (tmp_path / LEXICON).write_text("".join(f"{w}\n" for w in LEXICON_WORDS), encoding="utf-8")
    config = hashed_config(tmp_path, threshold=0.0)
    (tmp_path / CONFIG).write_text(config.to_json(), encoding="utf-8")
    for path in (tmp_path, str(tmp_path)):
        corrector = load(path)
        assert corrector.correct("Teh cat, teh NASA.") == "The the, the NASA."
    assert corrector.bundle.lexicon.index("cat") == _features("cat").words[0, 0] - WORD_OFFSET
