import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny
import torch

import respell
from respell.lab.__main__ import main
from respell.lab.common.tokens import write_tokens
from respell.lab.export import command as module
from respell.lab.export.command import export
from respell.lab.export.parity import SMALLEST_AGREEMENT, Parity, Run
from respell.lab.train.checkpoint import WEIGHTS, Checkpoint, load_tensors, save_tensors
from respell.model.bundle import Bundle, digest
from respell.model.presets import Preset
from respell.model.session import open_session
from respell.text.tokenize import tokenize_words
from respell.types import Error

CASE = "word_char_keep"
FILES = ("noisy", "gold", "calibration", "presets", "manifest")
Sentences = Sequence[list[str]]


@pytest.fixture
def checkpoint(base: Path) -> Checkpoint:
    return tiny.checkpoint(base, CASE)


@pytest.fixture
def quick(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph has been made before: take it instead of asking torch again."""
    wide = tiny.graphs(base, CASE)[0]
    monkeypatch.setattr(module, "to_onnx", lambda model, path: shutil.copyfile(wide, path))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def try_export(checkpoint: Checkpoint, out: Path, **changes: Any) -> Parity:
    noisy, gold = tiny.parity_sentences(10)
    arguments = {"noisy": noisy, "gold": gold, "presets": checkpoint.presets(), **changes}
    return export(checkpoint, out, **arguments)


def test_a_bundle_is_complete(base: Path, checkpoint: Checkpoint) -> None:
    out, parity = tiny.exported(base)
    names = {path.name for path in out.iterdir()}
    assert names == {"config.json", "lexicon.txt", "model.onnx", "README.md", "facts.json"}
    bundle = Bundle.read(out)
    assert bundle.config.folded
    assert bundle.config.keep
    assert bundle.lexicon.words == checkpoint.lexicon.words
    assert bundle.config.sha256["model.onnx"] == digest(out / "model.onnx")
    facts = json.loads((out / "facts.json").read_text(encoding="utf-8"))
    assert facts["checkpoint"] == checkpoint.digest()
    assert facts["recipe"] == checkpoint.recipe.to_toml()
    assert facts["training"]["step"] == checkpoint.facts.step
    assert facts["parameters"] == sum(p.numel() for p in checkpoint.model().parameters())
    assert facts["parity"]["bundle"]["agreement"] == parity.bundle.agreement
    card = (out / "README.md").read_text(encoding="utf-8")
    assert card.startswith(f"# tiny-{CASE}\n")
    assert "| tiny.txt | CC0 | 5,000 |" in card
    assert str(base) not in card + json.dumps(facts) + (out / "config.json").read_text()


def test_a_bundle_corrects(base: Path) -> None:
    corrector = respell.load(tiny.exported(base)[0])
    noisy = "There is a diffrent machine at teh hospital, and it is realy strange."
    clean = "There is a different machine at the hospital, and it is really strange."
    assert corrector.correct(noisy) == clean
    assert corrector.check(clean) == []
    corrected = corrector.check(noisy)
    assert [correction.original for correction in corrected] == ["diffrent", "teh", "realy"]
    assert all(0.5 <= correction.score <= 1 for correction in corrected)


def test_no_words_are_ranked_for_marks_and_numbers(base: Path) -> None:
    bundle = Bundle.read(tiny.exported(base)[0])
    words = ["It", "is", "0", ",", "strange", "."]
    assert all(word.lower() in bundle.lexicon for word in words)
    features = bundle.encoder.encode([tokenize_words(words)])
    ranked = open_session(bundle.model)(features, 0.0)
    assert ranked.positions.tolist() == [0, 1, 4]


def test_parity_was_measured(base: Path) -> None:
    _, parity = tiny.exported(base)
    noisy, gold = tiny.parity_sentences()
    assert parity.tokens == sum(map(len, gold))
    assert noisy != gold
    assert parity.torch.agreement == 1
    assert parity.torch.f05 > 0.8
    assert parity.bundle.bytes < parity.onnx.bytes
    assert parity.failures() == []


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("SMALLEST_AGREEMENT", 1.1, "decisions agree"),
        ("LARGEST_DROP", -0.1, r"F0\.5 falls from"),
        ("LARGEST_BUNDLE", 1000, "are more than"),
    ],
)
def test_a_failed_gate_writes_nothing(
    limit: str,
    value: float,
    message: str,
    checkpoint: Checkpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, limit, value)
    with pytest.raises(Error, match=message) as caught:
        try_export(checkpoint, tmp_path / "new")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("quick")
def test_a_failed_gate_keeps_the_old_bundle(
    base: Path, checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shutil.copytree(tiny.exported(base)[0], tmp_path / "bundle")
    before = contents(out)
    monkeypatch.setattr(module, "SMALLEST_AGREEMENT", 1.1)
    with pytest.raises(Error, match="not written"):
        try_export(checkpoint, out)
    assert contents(out) == before
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.usefixtures("quick")
def test_a_new_bundle_takes_the_place_of_the_old(
    base: Path, checkpoint: Checkpoint, tmp_path: Path
) -> None:
    out = shutil.copytree(tiny.exported(base)[0], tmp_path / "bundle")
    (out / "left-over").touch()
    presets = {**checkpoint.presets(), "default": Preset(threshold=0.75)}
    parity = try_export(checkpoint, out, presets=presets)
    assert list(tmp_path.iterdir()) == [out]
    assert "left-over" not in contents(out)
    assert respell.load(out).policy.threshold == 0.75
    assert parity.bundle.agreement >= SMALLEST_AGREEMENT


@pytest.mark.usefixtures("quick")
def test_a_bad_graph_is_noticed(
    base: Path, checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate compares answers: the weights of another model do not pass."""
    other = Checkpoint.read(shutil.copytree(checkpoint.path, tmp_path / "other"))
    model = checkpoint.model()
    for parameter in model.head.parameters():
        parameter.data.neg_()
    monkeypatch.setattr(Checkpoint, "model", lambda self, device="cpu": model)
    noisy, gold = tiny.parity_sentences(10)
    with pytest.raises(Error, match="decisions agree"):
        export(other, tmp_path / "out", noisy=noisy, gold=gold, presets=other.presets())
    assert not (tmp_path / "out").exists()


def test_what_fails_the_gate() -> None:
    good = Run(bytes=1000, f05=0.9, agreement=1.0, words_per_second=1.0)
    parity = Parity(tokens=100, torch=good, onnx=good, bundle=good)
    assert parity.failures() == []
    assert replace(parity, bundle=replace(good, f05=0.95, agreement=0.9981)).failures() == []
    assert len(replace(parity, onnx=replace(good, agreement=0.99)).failures()) == 1
    assert len(replace(parity, bundle=replace(good, f05=0.89, agreement=0.99)).failures()) == 2
    assert len(replace(parity, bundle=replace(good, bytes=30_000_001)).failures()) == 1


def test_only_a_bundle_is_replaced(checkpoint: Checkpoint, tmp_path: Path) -> None:
    own = shutil.copytree(checkpoint.path, tmp_path / "own")
    for name in ("file", "folder/notes", "other/config.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    mine = Checkpoint.read(own)
    for name, message in (
        ("file", "is no bundle"),
        ("folder", "is no bundle"),
        ("other", "is no bundle"),
        ("own", "holds the checkpoint"),
        ("own/../own", "holds the checkpoint"),
        ("", "holds the checkpoint"),
    ):
        with pytest.raises(Error, match=message):
            try_export(mine, tmp_path / name)
    assert sorted(tmp_path.rglob("*")) == before


def test_weights_that_are_no_numbers(checkpoint: Checkpoint, tmp_path: Path) -> None:
    diverged = Checkpoint.read(shutil.copytree(checkpoint.path, tmp_path / "diverged"))
    weights = load_tensors(diverged.path / WEIGHTS)
    weights["words.weight"][0] = torch.nan
    save_tensors(weights, diverged.path / WEIGHTS)
    with pytest.raises(Error, match="diverged: weights are not finite"):
        try_export(diverged, tmp_path / "bundle")


@pytest.mark.usefixtures("quick")
def test_an_empty_folder_is_replaced(checkpoint: Checkpoint, tmp_path: Path) -> None:
    try_export(checkpoint, tmp_path)
    assert (tmp_path / "model.onnx").is_file()


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    noisy, gold = tiny.parity_sentences(10)
    files = {name: tmp_path / name for name in FILES}
    write_tokens(files["noisy"], noisy)
    write_tokens(files["calibration"], [*noisy, *tiny.calibration_sentences()])
    write_tokens(files["gold"], gold)
    presets = {name: {"threshold": 0.6, "restore_case": False} for name in ("default", "noisy")}
    files["presets"].write_text(json.dumps({"presets": presets}), encoding="utf-8")
    source = {"file": "own.txt", "licence": "CC0", "words": 1234}
    files["manifest"].write_text(json.dumps({"sources": [source]}), encoding="utf-8")
    return files


@pytest.mark.usefixtures("quick")
def test_the_command(
    checkpoint: Checkpoint,
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A model this small is often undecided, and 8 bits decide for it.
    monkeypatch.setattr(module, "SMALLEST_AGREEMENT", 0.98)
    monkeypatch.setattr(module, "LARGEST_DROP", 0.05)
    out = tmp_path / "out" / "bundle"
    options = [option for name, path in files.items() for option in (f"--{name}", str(path))]
    assert main(["export", str(checkpoint.path), "--out", str(out), *options]) == 0
    parity = json.loads(capsys.readouterr().out)
    assert parity["tokens"] == sum(map(len, tiny.parity_sentences(10)[1]))
    assert respell.load(out, preset="noisy").policy.threshold == 0.6
    assert json.loads((out / "facts.json").read_text(encoding="utf-8"))["products"] == 8
    assert "| own.txt | CC0 | 1,234 |" in (out / "README.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("quick")
def test_files_that_do_not_fit(
    checkpoint: Checkpoint,
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files["gold"].write_text("one line\n", encoding="utf-8")
    out = tmp_path / "bundle"
    options = ["--out", str(out), "--noisy", str(files["noisy"]), "--gold", str(files["gold"])]
    assert main(["export", str(checkpoint.path), *options]) == 2
    assert main(["export", str(tmp_path), *options]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    assert "1 lines where" in told[0]
    assert "not a checkpoint" in told[1]
    assert not out.exists()


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("sources", [None, 3, [3], [{"file": "x"}], [{"file": 1, "words": "1"}]])
def test_manifests_of_another_shape(
    sources: object,
    checkpoint: Checkpoint,
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files["manifest"].write_text(json.dumps({"sources": sources}), encoding="utf-8")
    options = [option for name, path in files.items() for option in (f"--{name}", str(path))]
    assert main(["export", str(checkpoint.path), "--out", str(tmp_path / "out"), *options]) == 2
    assert "manifest: not written by `build`" in capsys.readouterr().err


@pytest.mark.usefixtures("quick")
def test_a_failed_gate_names_the_way_out(
    checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SMALLEST_AGREEMENT", 1.1)
    read = tiny.calibration_sentences()
    with pytest.raises(Error, match="leave out --calibration to keep products in 32 bits"):
        try_export(checkpoint, tmp_path / "new", calibration=read)


@pytest.mark.usefixtures("quick")
def test_what_is_compared_on_is_not_calibrated_on(
    checkpoint: Checkpoint,
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files["calibration"] = files["noisy"]
    out = tmp_path / "bundle"
    options = [option for name, path in files.items() for option in (f"--{name}", str(path))]
    assert main(["export", str(checkpoint.path), "--out", str(out), *options]) == 2
    assert "calibrate on others" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.usefixtures("quick")
def test_without_calibration_products_stay_wide(checkpoint: Checkpoint, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    assert try_export(checkpoint, out).failures() == []
    assert json.loads((out / "facts.json").read_text(encoding="utf-8"))["products"] == 32
    assert b"MatMulIntegerToFloat" not in (out / "model.onnx").read_bytes()


def test_files_that_say_nothing(
    checkpoint: Checkpoint,
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--out", str(tmp_path / "bundle"), "--noisy", str(files["noisy"])]
    options += ["--gold", str(files["gold"]), "--presets", str(files["presets"])]
    for text in ("{", "[]", "{}", '{"presets": {"default": {"limit": 1}}}'):
        files["presets"].write_text(text, encoding="utf-8")
        assert main(["export", str(checkpoint.path), *options]) == 2
    bad = {"default": {"threshold": 7}}
    files["presets"].write_text(json.dumps({"presets": bad}), encoding="utf-8")
    assert main(["export", str(checkpoint.path), *options]) == 2
    for text in ("", "\n\n"):
        for name in ("noisy", "gold"):
            files[name].write_text(text, encoding="utf-8")
        assert main(["export", str(checkpoint.path), *options]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 7
    assert all(f"{files['presets']}: not " in line for line in told[:4])
    assert f"{files['presets']}: a preset needs a threshold from 0 to 1" in told[4]
    assert all("no sentences" in line for line in told[5:])
    assert not (tmp_path / "bundle").exists()
