"""Bundles made to do harm: refused with one plain line, and nothing but their files is opened."""

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
    """A model that always says the same, whatever it is asked."""
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
    """A folder whose hashes are right: whoever does harm knows how to hash."""
    folder.mkdir(exist_ok=True)
    data = model if isinstance(model, bytes) else model.SerializeToString()
    (folder / MODEL).write_bytes(data)
    (folder / LEXICON).write_bytes(lexicon)
    config = hashed_config(folder, threshold=0.5)
    raw = json.loads(config.to_json())
    change(raw)
    (folder / CONFIG).write_text(json.dumps(raw), encoding="utf-8")
    return folder


def complaint(folder: Path, text: str = "zat") -> str:
    with pytest.raises(Error) as caught:
        load(folder).check(text)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_harmless_one_works(tmp_path: Path) -> None:
    assert load(write_bundle(tmp_path, make_model())).correct("zat cat") == "the cat"


def test_a_model_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    whole = make_model().SerializeToString()
    for cut in random.Random(0).sample(range(len(whole)), 60):
        said = complaint(write_bundle(tmp_path, whole[:cut]))
        assert MODEL in said


ALWAYS = {"positions": (0,), "ids": ((0,),), "probabilities": ((0.9,),), "cases": (0,)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ids": ((2,),)}, "words outside its lexicon of 2"),
        ({"ids": ((-1,),)}, "words outside its lexicon of 2"),
        ({"ids": ((2**40,),)}, "words outside its lexicon of 2"),
        ({"positions": (7,)}, "wrong shapes or numbers"),
        ({"positions": (-1,)}, "wrong shapes or numbers"),
        ({"positions": (0, 0)}, "wrong shapes or numbers"),
        ({"ids": ((0, 0),)}, "wrong shapes or numbers"),
        ({"ids": np.zeros((1, 0)), "probabilities": np.zeros((1, 0))}, "wrong shapes or numbers"),
        ({"probabilities": ((float("nan"),),)}, "wrong shapes or numbers"),
        ({"probabilities": ((float("inf"),),)}, "wrong shapes or numbers"),
        ({"probabilities": ((-0.5,),)}, "wrong shapes or numbers"),
        ({"probabilities": ((2.0,),)}, "wrong shapes or numbers"),
        ({"cases": ()}, "wrong shapes or numbers"),
    ],
)
def test_answers_that_make_no_sense(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    assert message in complaint(write_bundle(tmp_path, make_model(**{**ALWAYS, **changes})))


def test_a_declaration_that_is_false(tmp_path: Path) -> None:
    model = make_model(declared=[_value("ids", TensorProto.FLOAT)])
    assert "cannot load it" in complaint(write_bundle(tmp_path, model))


def test_another_type_or_rank_is_refused_before_it_is_asked(tmp_path: Path) -> None:
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
    """The tensor as the value of a node inside a branch, not among the weights."""
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
def test_weights_in_other_files_are_refused(location: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(16))
    folder = tmp_path / "bundle"
    tensor = external(location, 4)
    model = make_model(more=[tensor]) if place == "weights" else in_constant(tensor)
    write_bundle(folder, model)
    (folder / "weights.bin").write_bytes(bytes(16))
    assert "its weights lie in another file" in complaint(folder)


def test_a_tensor_that_claims_ten_gigabytes(tmp_path: Path) -> None:
    for dims, content in (([2_500_000_000], bytes(16)), ([2**62, 2**62], b"")):
        huge = onnx.TensorProto(name="huge", data_type=TensorProto.FLOAT, dims=dims)
        huge.raw_data = content
        model = make_model(more=[huge])
        model.graph.node.append(helper.make_node("Identity", ["huge"], ["copy"]))
        model.graph.output.append(_value("copy", TensorProto.FLOAT, len(dims)))
        assert "cannot load it" in complaint(write_bundle(tmp_path, model))


def test_a_field_that_claims_ten_gigabytes(tmp_path: Path) -> None:
    length = bytes((0x80 | 10_000_000_000 >> shift & 0x7F) for shift in range(0, 28, 7)) + b"\x25"
    said = complaint(write_bundle(tmp_path, b"\x3a" + length + bytes(100)))  # field 7, the graph
    assert "cut short: field 7 claims" in said


def test_operators_that_nobody_knows(tmp_path: Path) -> None:
    model = make_model()
    model.graph.node.append(helper.make_node("Shell", ["words"], ["x"], domain="evil"))
    model.opset_import.append(helper.make_opsetid("evil", 1))
    assert "cannot load it" in complaint(write_bundle(tmp_path, model))
    python = make_model()
    python.graph.node.append(
        helper.make_node(
            "PythonOp", ["words"], ["x"], domain="com.microsoft", func_name="os.system"
        )
    )
    python.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    assert "cannot load it" in complaint(write_bundle(tmp_path, python))


@pytest.mark.parametrize(
    ("lexicon", "message"),
    [
        (b"the\n\xff\xfe\n", "not UTF-8"),
        (b"the\ncat\nthe\n", "lists every word once"),
        (b"the\n\ncat\n", "no empty words"),
        (b"the\nrm -rf\n", "lexicon.txt:2: the word holds a blank"),
        (b"the\ncat\x1b[31m\n", "lexicon.txt:2: the word holds a blank or a control character"),
        ("the\ncat\u2028dog\n".encode(), "lexicon.txt:2: the word holds a blank"),
        ("the\ncat\x85\n".encode(), "lexicon.txt:2: the word holds a blank"),
        (b"the\ncat\0\n", "lexicon.txt:2: the word holds a blank"),
        (b"", "outside its lexicon of 0"),
    ],
)
def test_lexicons_that_do_harm(lexicon: bytes, message: str, tmp_path: Path) -> None:
    assert message in complaint(write_bundle(tmp_path, make_model(), lexicon=lexicon))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("presets", {"default": {"threshold": float("nan")}}, "threshold from 0 to 1"),
        ("presets", {"default": {"threshold": float("-inf")}}, "threshold from 0 to 1"),
        ("presets", {"default": {"threshold": 0.5}, "a\nb": {"threshold": 0.5}}, "printable"),
        ("name", "\x1b]0;title\x07", "printable"),
        ("length", 10**400, "length must lie"),
        ("characters", "a" * (1 << 21), "larger than any config.json"),
    ],
)
def test_configurations_that_do_harm(key: str, value: object, message: str, tmp_path: Path) -> None:
    folder = write_bundle(tmp_path, make_model(), change=lambda raw: raw.update({key: value}))
    assert message in complaint(folder)


WATCHED = """
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
    told = "fine"
except respell.Error as error:
    told = str(error)
print(json.dumps((opened, worse, told)))
"""


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..\\..\\x", "\0", "a/../b"])
def test_names_in_the_configuration_are_never_paths(name: str, tmp_path: Path) -> None:
    def change(raw: dict[str, Any]) -> None:
        raw["sha256"][name] = "0" * 64
        if name.isprintable():
            raw["name"] = raw["model"] = name

    folder = write_bundle(tmp_path / "bundle", make_model(), change=change)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(folder)], capture_output=True, text=True, check=True
    )
    opened, worse, told = json.loads(done.stdout)
    assert told == "fine"
    opened.remove(str(Path(respell.__file__).parent / "shorthand.txt"))  # our own
    assert {Path(path).parent for path in opened} == {folder}
    assert {Path(path).name for path in opened} <= {CONFIG, LEXICON, MODEL}
    assert worse == []


def test_files_that_are_none(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "bundle", make_model())
    for name in (CONFIG, LEXICON, MODEL):
        whole = (folder / name).read_bytes()
        (folder / name).unlink()
        (folder / name).symlink_to(folder / name)  # to itself
        assert f"{name} is missing" in complaint(folder)
        (folder / name).unlink()
        (folder / name).symlink_to("/dev/zero")
        assert f"{name} is missing" in complaint(folder)
        (folder / name).unlink()
        (folder / name).mkdir()
        assert f"{name} is missing" in complaint(folder)
        (folder / name).rmdir()
        (folder / name).write_bytes(whole)
    assert load(folder).correct("zat cat") == "the cat"


MODEL_BYTES = make_model().SerializeToString()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_bits_that_flip_are_refused_or_do_no_harm(data: st.DataObject, tmp_path: Path) -> None:
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
def test_any_bytes_are_walked_without_an_accident(data: bytes) -> None:
    try:
        refuse_external_data(memoryview(data))
    except (Error, ValueError):
        return


def test_nesting_has_an_end() -> None:
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


def test_the_shipped_bundle_passes() -> None:
    from respell.model.bundle import default_path

    bundle = Bundle.read(default_path())
    refuse_external_data(memoryview(bundle.model.read_bytes()))
