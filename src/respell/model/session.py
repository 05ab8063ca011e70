"""Run an ONNX model. This is the only module that imports onnxruntime."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from respell.model.compose import UserWordScorer
from respell.model.encode import CHAR_PAD, WORD_UNKNOWN
from respell.model.forward import KINDS as NUMBER_OF_KINDS
from respell.model.forward import Features, Floats, Forward, Ints, TopK
from respell.model.onnx_check import refuse_external_data
from respell.types import Error

INPUTS = (*(field.name for field in fields(Features)), "gate")
NEW_WORDS, COMPOSED = "new_words", "composed"
"""Input and output of a model that can rank words outside its lexicon."""
CLASSES = "classes"
"""Input of a model that reads the classes of words outside its lexicon."""
KINDS = "kinds"
"""Output of a model that finds missing and extra blanks."""
OPTIONAL_INPUTS, OPTIONAL_OUTPUTS = (NEW_WORDS, CLASSES), (KINDS, COMPOSED)
OUTPUTS = tuple(field.name for field in fields(TopK) if field.name not in OPTIONAL_OUTPUTS)
_FLOATS = frozenset(("gate", "keep", "probabilities", NEW_WORDS, COMPOSED, KINDS))
_MAX_PROBABILITY = 1.001  # a probability, with room for rounding in 32 bits
_DIMENSIONS = {"gate": 0, "positions": 1, "cases": 1}  # the others have two


def runtime() -> Any:
    """Import onnxruntime on first use, with telemetry disabled."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def open_session(model: Path, *, threads: int = 0) -> Forward:
    """Load the model; 0 threads means all cores."""
    onnxruntime = runtime()
    options = session_options(threads)
    try:
        refuse_external_data(memoryview(model.read_bytes()))
        session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
    except Error as error:
        raise Error(f"{model}: {error}") from error
    except Exception as error:  # onnxruntime's exceptions have no common class
        raise Error(f"{model}: onnxruntime cannot load it ({_line(error)})") from error
    _check_interface(model, session)
    return as_forward(model, session)


def as_forward(model: Path, session: Any) -> Forward:
    """An open session as a Forward."""
    takes = {value.name: value.shape for value in session.get_inputs()}
    gives = {value.name for value in session.get_outputs()}
    outputs = [name for name in (*OUTPUTS, KINDS) if name in gives]

    def run(outputs: Sequence[str], features: Features, gate: float) -> list[Any]:
        feed = _feed(model, takes, features, gate)
        try:
            answers: list[Any] = session.run(list(outputs), feed)
        except Exception as error:
            raise Error(f"{model}: onnxruntime cannot run it ({_line(error)})") from error
        return answers

    def forward(features: Features, gate: float) -> TopK:
        topk = TopK(**dict(zip(outputs, run(outputs, features, gate), strict=True)))
        if not _fits(topk, features):
            raise Error(f"{model}: its output has wrong shapes or values; is it a respell model?")
        return topk

    def compose(spellings: Ints) -> Floats:
        word = np.full((1, 1), WORD_UNKNOWN)
        zeros = np.zeros_like(word)
        features = Features(word, zeros, zeros, spellings, classes=zeros)
        (rows,) = run([COMPOSED], features, 1.0)
        _check_shape(model, rows, (len(spellings), takes[NEW_WORDS][1]))
        return np.asarray(rows, np.float32)

    return UserWordScorer(forward, compose) if NEW_WORDS in takes else forward


def _feed(
    model: Path, takes: Mapping[str, Sequence[int | str]], features: Features, gate: float
) -> dict[str, Any]:
    """The inputs of a model, given the shapes that it takes."""
    if CLASSES in takes and features.classes.shape != features.words.shape:
        raise Error(f"{model}: needs the classes of words, but the model folder has none")
    feed: dict[str, Any] = {field.name: getattr(features, field.name) for field in fields(Features)}
    feed["gate"] = np.array(gate, np.float32)
    if NEW_WORDS in takes and not features.new_words.size:
        feed[NEW_WORDS] = np.zeros((0, int(takes[NEW_WORDS][1])), np.float32)
    if isinstance(takes.get("spellings", [0, 0])[1], str):  # accepts any width
        feed["spellings"] = _trimmed(features.spellings)
    return {name: value for name, value in feed.items() if name in takes}


def session_options(threads: int) -> Any:
    """The options of a session; 0 threads means all cores."""
    options = runtime().SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Some weights are stored in 8 bits and converted once, when loading. Without this setting
    # onnxruntime keeps the conversion in the graph and repeats it at every call.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    # Spinning idle threads would use up the other cores of a laptop between calls.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def _check_shape(model: Path, rows: Any, shape: tuple[int, int]) -> None:
    if rows.shape != shape:
        raise Error(f"{model}: composes words of wrong shapes; is it a respell model?")


def _trimmed(spellings: Ints) -> Ints:
    """The columns in which some spelling has a character."""
    return spellings[:, : max(1, int((spellings != CHAR_PAD).any(axis=0).sum()))]


def _check_interface(model: Path, session: Any) -> None:
    takes = {value.name for value in session.get_inputs()}
    gives = {value.name for value in session.get_outputs()}
    if not gives >= set(OUTPUTS):
        raise Error(f"{model}: lacks the outputs {', '.join(sorted(set(OUTPUTS) - gives))}")
    if not takes <= set(INPUTS):
        raise Error(f"{model}: needs unknown inputs {', '.join(sorted(takes - set(INPUTS)))}")
    if NEW_WORDS in takes and COMPOSED not in gives:
        raise Error(f"{model}: takes {NEW_WORDS}, but lacks the output {COMPOSED}")
    if any(v.name == NEW_WORDS and not isinstance(v.shape[-1], int) for v in session.get_inputs()):
        raise Error(f"{model}: takes {NEW_WORDS} without a fixed width")
    for value in (*session.get_inputs(), *session.get_outputs()):
        _check_declared(model, value)


def _check_declared(model: Path, value: Any) -> None:
    """Raise an Error if an input or output is declared with another type or rank."""
    if value.name not in (*INPUTS, *OUTPUTS, *OPTIONAL_OUTPUTS):
        return
    wanted = "tensor(float)" if value.name in _FLOATS else "tensor(int64)"
    dimensions = _DIMENSIONS.get(value.name, 2)
    if value.type != wanted or len(value.shape) != dimensions:
        found = f"{value.type} of {len(value.shape)} dimensions"
        raise Error(f"{model}: {value.name} must be {wanted} of {dimensions}, it is {found}")


def _fits(topk: TopK, features: Features) -> bool:
    """Whether an output fits its input; whether the ids exist is checked elsewhere."""
    suspects = len(topk.positions)
    if topk.keep.shape != features.words.shape or topk.ids.shape != topk.probabilities.shape:
        return False
    if topk.ids.shape[0] != suspects or topk.cases.shape != (suspects,):
        return False
    if topk.kinds.size and topk.kinds.shape != (suspects, NUMBER_OF_KINDS):
        return False
    if not suspects:
        return True
    inside = topk.positions.min() >= 0 and topk.positions.max() < topk.keep.size
    # Written so that NaN fails too.
    likely = topk.probabilities.size > 0 and topk.probabilities.min() >= 0
    return bool(inside and likely and topk.probabilities.max() <= _MAX_PROBABILITY)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
