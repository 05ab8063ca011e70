import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import onnx
import pytest
import tiny
import torch

import respell
from respell.corrector import Corrector
from respell.lab.__main__ import main
from respell.lab.export import command, parity
from respell.lab.export import unpack as module
from respell.lab.export.command import export
from respell.lab.export.int8 import smoothquant
from respell.lab.export.unpack import unpack
from respell.lab.train.checkpoint import WEIGHTS, Checkpoint, load_tensors, torch_forward
from respell.model.bundle import Bundle, default_path

CASES = (
    tiny.SHIPPED,
    "word_char_suspects",
    "word_char",
    *(pytest.param(case, marks=pytest.mark.exhaustive) for case in ("word", "char")),
)


def pack(base: Path, case: str, out: Path, monkeypatch: pytest.MonkeyPatch, bits: int) -> Bundle:
    """The tiny model of a case as a bundle with matrix products in 8 or 32 bits."""
    graph, saved = tiny.graphs(base, case)[0], tiny.checkpoint(base, case)
    monkeypatch.setattr(command, "to_onnx", lambda model, path: shutil.copyfile(graph, path))
    # The probabilities of such a small model are often close, and 8 bits change the order.
    monkeypatch.setattr(parity, "MIN_AGREEMENT", 0.0)
    monkeypatch.setattr(parity, "MAX_F05_DROP", 1.0)
    noisy, gold = tiny.parity_sentences(10)
    sentences = tiny.calibration_sentences() if bits == 8 else ()
    export(saved, out, noisy=noisy, gold=gold, presets=saved.presets(), calibration=sentences)
    return Bundle.read(out)


@pytest.fixture
def bundle(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle that a test may change."""
    folder = tmp_path_factory.mktemp("packed") / "bundle"
    with pytest.MonkeyPatch.context() as monkeypatch:
        return pack(base, tiny.SHIPPED, folder, monkeypatch, 32).path


def corrected(checkpoint: Checkpoint, sentences: Sequence[list[str]]) -> list[str]:
    corrector = Corrector(checkpoint.bundle(), torch_forward(checkpoint.model()))
    return [word for words in corrector.correct_tokens_many(sentences) for word in words]


@pytest.mark.parametrize("case", CASES)
def test_weights_are_restored(
    case: str, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpack(pack(base, case, tmp_path / "bundle", monkeypatch, 32), tmp_path / "out")
    saved, back = tiny.checkpoint(base, case), Checkpoint.read(tmp_path / "out")
    assert (back.recipe, back.facts) == (saved.recipe, saved.facts)
    assert back.lexicon.words == saved.lexicon.words
    before, after = (load_tensors(folder.path / WEIGHTS) for folder in (saved, back))
    assert before.keys() == after.keys()
    for name, numbers in before.items():
        step = numbers.abs().amax(-1, keepdim=True) / 127 if numbers.dim() > 1 else 0
        assert ((after[name] - numbers).abs() <= 0.501 * step).all(), name


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("smoothed", [False, True])
def test_8_bit_products_are_restored(
    case: str, smoothed: bool, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if smoothed:  # always, not only where it pays
        monkeypatch.setattr(smoothquant, "MAX_ERROR", 100.0)
        monkeypatch.setattr(smoothquant, "MAX_ERROR_WITH_NODE", 100.0)
    bundle = pack(base, case, tmp_path / "bundle", monkeypatch, 8)
    graph = onnx.load(bundle.model).graph
    assert any(node.op_type == "MatMulIntegerToFloat" for node in graph.node)
    assert (
        any(weight.name.endswith(".level.factors") for weight in graph.initializer) or not smoothed
    )
    unpack(bundle, tmp_path / "out")
    noisy = tiny.parity_sentences()[0]
    restored, before = (
        corrected(checkpoint, noisy)
        for checkpoint in (Checkpoint.read(tmp_path / "out"), tiny.checkpoint(base, case))
    )
    corrector = respell.load(bundle.path)
    packed = [word for words in corrector.correct_tokens_many(noisy) for word in words]
    for others in (before, packed):
        same = sum(a == b for a, b in zip(restored, others, strict=True))
        assert same >= 0.97 * len(restored)


@pytest.mark.exhaustive
def test_restored_checkpoint_can_be_exported(bundle: Path, tmp_path: Path) -> None:
    unpack(Bundle.read(bundle), tmp_path / "out")
    back = Checkpoint.read(tmp_path / "out")
    noisy, gold = tiny.parity_sentences()
    measured = export(back, tmp_path / "again", noisy=noisy, gold=gold, presets=back.presets())
    assert measured.failures() == []


def test_restored_checkpoint_can_be_trained(
    base: Path, bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start, out = tmp_path / "start", tmp_path / "out"
    assert main(["unpack", str(bundle), "--out", str(start)]) == 0
    assert capsys.readouterr().out == f"{start}\n"
    more = ("--start", str(start), "--steps", "1", "--set", "train.learning_rate=1e-9")
    assert main(tiny.train_arguments(base, tiny.SHIPPED, out, *more)) == 0
    before, after = (load_tensors(folder / WEIGHTS) for folder in (start, out))
    assert all(torch.allclose(after[name], before[name], atol=1e-6) for name in before)


def test_shipped_model(tmp_path: Path) -> None:
    assert main(["unpack", "--out", str(tmp_path / "out")]) == 0
    checkpoint = Checkpoint.read(tmp_path / "out")
    presets = Bundle.read(default_path()).config.presets
    corrector = Corrector(checkpoint.bundle(presets), torch_forward(checkpoint.model()))
    assert corrector.correct("You will recieve teh letter.") == "You will receive the letter."
    correct = "She put the strange machine in the garden of her neighbours."
    assert corrector.correct(correct) == correct


def change_facts(folder: Path, old: str, new: str) -> None:
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    assert old in facts["recipe"]
    facts["recipe"] = facts["recipe"].replace(old, new)
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\nwidth = 144", "\nwidth = 140", "words.weight does not have the size"),
        ("\nlayers = 2", "\nlayers = 1", "linear layers where the recipe"),
        ("composed = 0.3", "composed = 0.0", "linear layers where the recipe"),
        ("noise_flag = true", "noise_flag = false", "shapes.weight does not have the size"),
        ("[model]", "[model", "not written by `export`"),
        ("[model]", "[model]\nwings = 2", "unknown key 'wings'"),
    ],
)
def test_recipe_must_fit_the_weights(
    old: str,
    new: str,
    message: str,
    bundle: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    change_facts(bundle, old, new)
    assert main(["unpack", str(bundle), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_broken_bundles_are_errors(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    (bundle / "facts.json").write_text("{}", encoding="utf-8")
    assert main(["unpack", str(bundle), "--out", str(out)]) == 2
    (bundle / "facts.json").unlink()
    assert main(["unpack", str(bundle), "--out", str(out)]) == 2
    (bundle / "model.onnx").write_bytes(b"no model")
    assert main(["unpack", str(bundle), "--out", str(out)]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 3
    for line, message in zip(errors, ("not written by", "is missing", "damaged"), strict=True):
        assert message in line
    assert list(tmp_path.iterdir()) == []


def test_other_models_cannot_be_unpacked(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = pack(base, "scrnn", tmp_path / "bundle", monkeypatch, 32)
    with pytest.raises(respell.Error, match=r"reader\S+ is missing; only kind"):
        unpack(bundle, tmp_path / "out")
    assert list(tmp_path.iterdir()) == [bundle.path]


def test_weights_in_another_order_are_an_error(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = module._linears
    monkeypatch.setattr(module, "_linears", lambda *args: _swapped(found(*args)))
    with pytest.raises(respell.Error, match="do not fit this version"):
        unpack(Bundle.read(bundle), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def _swapped(linears: list[tuple[str, str | None]]) -> list[tuple[str, str | None]]:
    """Swap the two layers over words."""
    places = {"context.layers.0": "context.layers.1", "context.layers.1": "context.layers.0"}

    def swap(name: str | None) -> str | None:
        return name and places.get(name[:16], name[:16]) + name[16:]

    return [(swap(weight) or weight, swap(bias)) for weight, bias in linears]


def test_existing_files_are_kept(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    with pytest.raises(respell.Error, match="exists; give another --out"):
        unpack(Bundle.read(bundle), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]
