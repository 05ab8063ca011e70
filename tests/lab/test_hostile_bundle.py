"""Malicious bundles: they are rejected with one line, and only their own files are opened."""

import json
import random
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

import respell
from fakes import hashed_config
from respell.corrector import load
from respell.model.bundle import CONFIG, LEXICON, MODEL, Bundle
from respell.model.onnx_check import refuse_external_data
from respell.types import Error

WORDS = ("the", "cat")
TYPES = dict.fromkeys(("gate", "keep", "probabilities"), TensorProto.FLOAT)
RANKS = {"gate": 0, "positions": 1, "cases": 1}
OPSET, IR_VERSION = 18, 8


def _value(name: str, kind: int | None = None, rank: int | None = None) -> onnx.ValueInfoProto:
    kind = TYPES.get(name, TensorProto.INT64) if kind is None else kind
    rank = RANKS.get(name, 2) if rank is None else rank
    return helper.make_tensor_value_info(name, kind, [None] * rank)


def _numbers(name: str, value: Any, kind: int = TensorProto.INT64) -> onnx.TensorProto:
    array = np.array(value, np.float32 if kind == TensorProto.FLOAT else np.int64)
    return helper.make_tensor(name, kind, array.shape, array.ravel().tolist())


def make_model(
    *,
    positions: Sequence[int] = (0,),
    ids: Sequence[Sequence[int]] = ((0,),),
    probabilities: Sequence[Sequence[float]] = ((0.9,),),
    cases: Sequence[int] = (0,),
    keep: onnx.NodeProto | None = None,
    more: Sequence[onnx.TensorProto] = (),
    declared: Sequence[onnx.ValueInfoProto] = (),
) -> onnx.ModelProto:
    """A model that always gives the same answer."""
    answers = [
        _numbers("the_positions", positions),
        _numbers("the_ids", ids),
        _numbers("the_probabilities", probabilities, TensorProto.FLOAT),
        _numbers("the_cases", cases),
    ]
    names = [answer.name.removeprefix("the_") for answer in answers]
    nodes = [helper.make_node("Identity", [f"the_{name}"], [name]) for name in names]
    nodes.append(keep or helper.make_node("Cast", ["words"], ["keep"], to=TensorProto.FLOAT))
    outputs = {name: _value(name) for name in ("keep", *names)}
    outputs |= {value.name: value for value in declared}
    graph = helper.make_graph(
        nodes, "says", [_value("words")], list(outputs.values()), [*answers, *more]
    )
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def write_bundle(
    folder: Path,
    model: bytes | onnx.ModelProto,
    *,
    lexicon: bytes = b"the\ncat\n",
    change: Callable[[dict[str, Any]], object] = lambda raw: None,
) -> Path:
    """Write a bundle with correct hashes, as an attacker would."""
    folder.mkdir(exist_ok=True)
    data = model if isinstance(model, bytes) else model.SerializeToString()
    (folder / MODEL).write_bytes(data)
    (folder / LEXICON).write_bytes(lexicon)
    config = hashed_config(folder, threshold=0.5)
    raw = json.loads(config.to_json())
    change(raw)
    (folder / CONFIG).write_text(json.dumps(raw), encoding="utf-8")
    return folder


def error_of(folder: Path, text: str = "zat") -> str:
    with pytest.raises(Error) as caught:
        load(folder).check(text)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_harmless_bundle_works(tmp_path: Path) -> None:
    assert load(write_bundle(tmp_path, make_model())).correct("zat cat") == "the cat"


def test_truncated_models_are_rejected(tmp_path: Path) -> None:
    whole = make_model().SerializeToString()
    for cut in random.Random(0).sample(range(len(whole)), 60):
        assert MODEL in error_of(write_bundle(tmp_path, whole[:cut]))


ALWAYS = {"positions": (0,), "ids": ((0,),), "probabilities": ((0.9,),), "cases": (0,)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ids": ((2,),)}, "words outside its lexicon of 2"),
        ({"ids": ((-1,),)}, "words outside its lexicon of 2"),
        ({"ids": ((2**40,),)}, "words outside its lexicon of 2"),
        ({"positions": (7,)}, "wrong shapes or values"),
        ({"positions": (-1,)}, "wrong shapes or values"),
        ({"positions": (0, 0)}, "wrong shapes or values"),
        ({"ids": ((0, 0),)}, "wrong shapes or values"),
        ({"ids": np.zeros((1, 0)), "probabilities": np.zeros((1, 0))}, "wrong shapes or values"),
        ({"probabilities": ((float("nan"),),)}, "wrong shapes or values"),
        ({"probabilities": ((float("inf"),),)}, "wrong shapes or values"),
        ({"probabilities": ((-0.5,),)}, "wrong shapes or values"),
        ({"probabilities": ((2.0,),)}, "wrong shapes or values"),
        ({"cases": ()}, "wrong shapes or values"),
    ],
)
def test_invalid_answers_are_rejected(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    assert message in error_of(write_bundle(tmp_path, make_model(**{**ALWAYS, **changes})))


def test_false_declaration_is_rejected(tmp_path: Path) -> None:
    model = make_model(declared=[_value("ids", TensorProto.FLOAT)])
    assert "cannot load it" in error_of(write_bundle(tmp_path, model))


def test_other_types_and_ranks_are_rejected_at_load(tmp_path: Path) -> None:
    for kind, rank in ((TensorProto.DOUBLE, 2), (TensorProto.FLOAT, 3)):
        shape = _numbers("shape", [1] * rank)
        node = helper.make_node(
            "ConstantOfShape",
            ["shape"],
            ["keep"],
            value=helper.make_tensor("value", kind, [1], [0.0]),
        )
        model = make_model(keep=node, more=[shape], declared=[_value("keep", kind, rank)])
        write_bundle(tmp_path, model)
        with pytest.raises(Error, match="keep must be tensor"):
            load(tmp_path)


def external(location: str, size: int) -> onnx.TensorProto:
    tensor = onnx.TensorProto(name="far", data_type=TensorProto.FLOAT, dims=[size])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", str(4 * size))):
        tensor.external_data.add(key=key, value=value)
    return tensor


def in_constant(tensor: onnx.TensorProto) -> onnx.ModelProto:
    """A model with the tensor as a constant inside a branch."""
    branch = helper.make_graph(
        [helper.make_node("Constant", [], ["far"], value=tensor)], "branch", [], [_value("far")]
    )
    node = helper.make_node("If", ["yes"], ["x"], then_branch=branch, else_branch=branch)
    model = make_model()
    model.graph.node.append(node)
    return model


@pytest.mark.parametrize(
    "location", ["weights.bin", "../secret", "/etc/passwd", "model.onnx", "/dev/zero"]
)
@pytest.mark.parametrize("place", ["weights", "branch"])
def test_weights_in_other_files_are_rejected(location: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(16))
    folder = tmp_path / "bundle"
    tensor = external(location, 4)
    model = make_model(more=[tensor]) if place == "weights" else in_constant(tensor)
    write_bundle(folder, model)
    (folder / "weights.bin").write_bytes(bytes(16))
    assert "its weights are in another file" in error_of(folder)


def test_tensor_with_a_false_size_is_rejected(tmp_path: Path) -> None:
    for dims, content in (([2_500_000_000], bytes(16)), ([2**62, 2**62], b"")):
        huge = onnx.TensorProto(name="huge", data_type=TensorProto.FLOAT, dims=dims)
        huge.raw_data = content
        model = make_model(more=[huge])
        model.graph.node.append(helper.make_node("Identity", ["huge"], ["copy"]))
        model.graph.output.append(_value("copy", TensorProto.FLOAT, len(dims)))
        assert "cannot load it" in error_of(write_bundle(tmp_path, model))


def test_field_with_a_false_size_is_rejected(tmp_path: Path) -> None:
    length = bytes((0x80 | 10_000_000_000 >> shift & 0x7F) for shift in range(0, 28, 7)) + b"\x25"
    message = error_of(write_bundle(tmp_path, b"\x3a" + length + bytes(100)))  # field 7: graph
    assert "cut short: field 7 claims" in message


def test_unknown_operators_are_rejected(tmp_path: Path) -> None:
    model = make_model()
    model.graph.node.append(helper.make_node("Shell", ["words"], ["x"], domain="evil"))
    model.opset_import.append(helper.make_opsetid("evil", 1))
    assert "cannot load it" in error_of(write_bundle(tmp_path, model))
    python = make_model()
    python.graph.node.append(
        helper.make_node(
            "PythonOp", ["words"], ["x"], domain="com.microsoft", func_name="os.system"
        )
    )
    python.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    assert "cannot load it" in error_of(write_bundle(tmp_path, python))


@pytest.mark.parametrize(
    ("lexicon", "message"),
    [
        (b"the\n\xff\xfe\n", "not UTF-8"),
        (b"the\ncat\nthe\n", "a word is listed twice"),
        (b"the\n\ncat\n", "a word is empty"),
        (b"the\nrm -rf\n", "lexicon.txt:2: the word has a space"),
        (b"the\ncat\x1b[31m\n", "lexicon.txt:2: the word has a space or a control character"),
        ("the\ncat\u2028dog\n".encode(), "lexicon.txt:2: the word has a space"),
        ("the\ncat\x85\n".encode(), "lexicon.txt:2: the word has a space"),
        (b"the\ncat\0\n", "lexicon.txt:2: the word has a space"),
        (b"", "outside its lexicon of 0"),
    ],
)
def test_invalid_lexicons_are_rejected(lexicon: bytes, message: str, tmp_path: Path) -> None:
    assert message in error_of(write_bundle(tmp_path, make_model(), lexicon=lexicon))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("presets", {"default": {"threshold": float("nan")}}, "threshold must be between 0 and 1"),
        ("presets", {"default": {"threshold": float("-inf")}}, "threshold must be between 0 and 1"),
        ("presets", {"default": {"threshold": 0.5}, "a\nb": {"threshold": 0.5}}, "printable"),
        ("name", "\x1b]0;title\x07", "printable"),
        ("length", 10**400, "length must be between"),
        ("characters", "a" * (1 << 21), "larger than any config.json"),
    ],
)
def test_invalid_configurations_are_rejected(
    key: str, value: object, message: str, tmp_path: Path
) -> None:
    folder = write_bundle(tmp_path, make_model(), change=lambda raw: raw.update({key: value}))
    assert message in error_of(folder)


AUDITED = """
import json, sys
import respell, numpy, onnxruntime, respell.corrector, respell.model.session
opened, worse = [], []
def hook(event, arguments):
    if event == "open":
        opened.append(str(arguments[0]))
    elif event.split(".")[0] in "exec compile import subprocess socket os ctypes".split():
        worse.append(event)
folder = sys.argv[1]
sys.addaudithook(hook)
try:
    respell.load(folder).check("zat")
    message = "fine"
except respell.Error as error:
    message = str(error)
print(json.dumps((opened, worse, message)))
"""


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..\\..\\x", "\0", "a/../b"])
def test_names_in_the_configuration_are_not_paths(name: str, tmp_path: Path) -> None:
    def change(raw: dict[str, Any]) -> None:
        raw["sha256"][name] = "0" * 64
        if name.isprintable():
            raw["name"] = raw["model"] = name

    folder = write_bundle(tmp_path / "bundle", make_model(), change=change)
    done = subprocess.run(
        [sys.executable, "-c", AUDITED, str(folder)], capture_output=True, text=True, check=True
    )
    opened, worse, message = json.loads(done.stdout)
    assert message == "fine"
    opened.remove(
        str(Path(respell.__file__).parent / "decision" / "shorthand.txt")
    )  # part of the package
    assert {Path(path).parent for path in opened} == {folder}
    assert {Path(path).name for path in opened} <= {CONFIG, LEXICON, MODEL}
    assert worse == []


def test_special_files_are_rejected(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "bundle", make_model())
    for name in (CONFIG, LEXICON, MODEL):
        whole = (folder / name).read_bytes()
        (folder / name).unlink()
        (folder / name).symlink_to(folder / name)
        assert f"{name} is missing" in error_of(folder)
        (folder / name).unlink()
        (folder / name).symlink_to("/dev/zero")
        assert f"{name} is missing" in error_of(folder)
        (folder / name).unlink()
        (folder / name).mkdir()
        assert f"{name} is missing" in error_of(folder)
        (folder / name).rmdir()
        (folder / name).write_bytes(whole)
    assert load(folder).correct("zat cat") == "the cat"


MODEL_BYTES = make_model().SerializeToString()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_flipped_bits_are_rejected_or_harmless(data: st.DataObject, tmp_path: Path) -> None:
    broken = bytearray(MODEL_BYTES)
    for _ in range(data.draw(st.integers(1, 4))):
        broken[data.draw(st.integers(0, len(broken) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    folder = write_bundle(tmp_path, bytes(broken))
    try:
        corrections = load(folder).check("zat the zat")
    except Error:
        return
    assert all(0 <= c.score <= 1.001 for c in corrections)


@given(st.binary(max_size=200))
@example(b"\x3a" * 100)
@example(b"\xff" * 20)
@example(b"\x0b")
def test_any_bytes_can_be_scanned(data: bytes) -> None:
    try:
        refuse_external_data(memoryview(data))
    except (Error, ValueError):
        return


def test_deep_nesting_is_rejected() -> None:
    def wrap(tag: int, inside: bytes) -> bytes:
        size = len(inside)
        length = b""
        while size >= 0x80:
            length += struct.pack("B", size & 0x7F | 0x80)
            size >>= 7
        return bytes([tag]) + length + struct.pack("B", size) + inside

    inside = b""
    for _ in range(40):  # attribute.g, node.attribute, graph.node
        inside = wrap(0x0A, wrap(0x2A, wrap(0x32, inside)))
    with pytest.raises(ValueError, match="nested too deeply"):
        refuse_external_data(memoryview(wrap(0x3A, inside)))


def test_shipped_bundle_passes() -> None:
    from respell.model.bundle import default_path

    bundle = Bundle.read(default_path())
    refuse_external_data(memoryview(bundle.model.read_bytes()))
