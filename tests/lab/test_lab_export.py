import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
import pytest
import tiny
import torch

import respell
from fakes import doubt_unknown, fake_bundle
from respell.lab.__main__ import main
from respell.lab.common.tokens import write_tokens
from respell.lab.export import command, parity
from respell.lab.export.command import export
from respell.lab.export.lineage import read_lineage
from respell.lab.export.parity import MIN_AGREEMENT, Parity, Run
from respell.lab.train.checkpoint import WEIGHTS, Checkpoint, load_tensors, save_tensors
from respell.model.bundle import MODEL, Bundle, digest
from respell.model.forward import REPLACE, SPLIT, Forward
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
    """Use the graph of an earlier export, because torch is slow."""
    tiny.exported(base)  # tests share this bundle: it must be exported without the shortcut
    graph = tiny.graphs(base, CASE)[0]
    monkeypatch.setattr(command, "to_onnx", lambda model, path: shutil.copyfile(graph, path))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def try_export(checkpoint: Checkpoint, out: Path, **changes: Any) -> Parity:
    noisy, gold = tiny.parity_sentences(10)
    arguments = {"noisy": noisy, "gold": gold, "presets": checkpoint.presets(), **changes}
    return export(checkpoint, out, **arguments)


def test_bundle_is_complete(base: Path, checkpoint: Checkpoint) -> None:
    out, measured = tiny.exported(base)
    names = {path.name for path in out.iterdir()}
    assert names == {"config.json", "lexicon.txt", "model.onnx", "README.md", "facts.json"}
    bundle = Bundle.read(out)
    assert bundle.config.spell_oov_only
    assert bundle.config.keep
    assert bundle.lexicon.words == checkpoint.lexicon.words
    assert bundle.config.sha256["model.onnx"] == digest(out / "model.onnx")
    facts = json.loads((out / "facts.json").read_text(encoding="utf-8"))
    assert facts["checkpoint"] == checkpoint.digest()
    assert facts["recipe"] == checkpoint.recipe.to_toml()
    assert facts["training"]["step"] == checkpoint.facts.step
    assert facts["parameters"] == sum(p.numel() for p in checkpoint.model().parameters())
    assert facts["parity"]["bundle"]["agreement"] == measured.bundle.agreement
    assert facts["lineage"] == [
        {
            "stage": "last run",
            "recipe": f"tiny-{CASE}",
            "checkpoint": checkpoint.digest(),
            "steps": checkpoint.facts.step,
            "words": checkpoint.facts.words,
        }
    ]
    card = (out / "README.md").read_text(encoding="utf-8")
    assert card.startswith(f"# tiny-{CASE}, edition 1\n")
    assert "| tiny.txt | CC0 | 5,000 |" in card
    assert str(base) not in card + json.dumps(facts) + (out / "config.json").read_text()


def test_bundle_corrects(base: Path) -> None:
    corrector = respell.load(tiny.exported(base)[0])
    noisy = "There is a diffrent machine at teh hospital, and it is realy strange."
    clean = "There is a different machine at the hospital, and it is really strange."
    assert corrector.correct(noisy) == clean
    assert corrector.check(clean) == []
    corrected = corrector.check(noisy)
    assert [correction.original for correction in corrected] == ["diffrent", "teh", "realy"]
    assert all(0.5 <= correction.score <= 1 for correction in corrected)


def test_punctuation_and_numbers_get_no_suggestions(base: Path) -> None:
    bundle = Bundle.read(tiny.exported(base)[0])
    words = ["It", "is", "0", ",", "strange", "."]
    assert all(word.lower() in bundle.lexicon for word in words)
    features = bundle.encoder.encode([tokenize_words(words)])
    ranked = open_session(bundle.model)(features, 0.0)
    assert ranked.positions.tolist() == [0, 1, 4]


def test_parity_is_measured(base: Path) -> None:
    _, measured = tiny.exported(base)
    noisy, gold = tiny.parity_sentences()
    assert measured.tokens == sum(map(len, gold))
    assert noisy != gold
    assert measured.torch.agreement == 1
    assert measured.torch.f05 > 0.8
    assert measured.bundle.bytes < measured.onnx.bytes
    assert measured.failures() == []


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("MIN_AGREEMENT", 1.1, "agrees with the checkpoint on only"),
        ("MAX_F05_DROP", -0.1, r"F0\.5 drops from"),
        ("MAX_BUNDLE_BYTES", 1000, "MB is more than the limit"),
    ],
)
def test_nothing_is_written_if_parity_fails(
    limit: str,
    value: float,
    message: str,
    checkpoint: Checkpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parity, limit, value)
    with pytest.raises(Error, match=message) as caught:
        try_export(checkpoint, tmp_path / "new")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("quick")
def test_old_bundle_is_kept_if_parity_fails(
    base: Path, checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shutil.copytree(tiny.exported(base)[0], tmp_path / "bundle")
    before = contents(out)
    monkeypatch.setattr(parity, "MIN_AGREEMENT", 1.1)
    with pytest.raises(Error, match="not written"):
        try_export(checkpoint, out)
    assert contents(out) == before
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.usefixtures("quick")
def test_new_bundle_replaces_the_old_one(
    base: Path, checkpoint: Checkpoint, tmp_path: Path
) -> None:
    out = shutil.copytree(tiny.exported(base)[0], tmp_path / "bundle")
    (out / "left-over").touch()
    presets = {**checkpoint.presets(), "default": Preset(threshold=0.75)}
    measured = try_export(checkpoint, out, presets=presets)
    assert list(tmp_path.iterdir()) == [out]
    assert "left-over" not in contents(out)
    assert respell.load(out).policy.threshold == 0.75
    assert measured.bundle.agreement >= MIN_AGREEMENT


@pytest.mark.usefixtures("quick")
def test_graph_with_other_weights_fails_parity(
    base: Path, checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Checkpoint.read(shutil.copytree(checkpoint.path, tmp_path / "other"))
    model = checkpoint.model()
    for parameter in model.head.parameters():
        parameter.data.neg_()
    monkeypatch.setattr(Checkpoint, "model", lambda self, device="cpu": model)
    noisy, gold = tiny.parity_sentences(10)
    with pytest.raises(Error, match="agrees with the checkpoint on only"):
        export(other, tmp_path / "out", noisy=noisy, gold=gold, presets=other.presets())
    assert not (tmp_path / "out").exists()


def test_reasons_for_failed_parity() -> None:
    good = Run(bytes=1000, f05=0.9, agreement=1.0, words_per_second=1.0)
    passed = Parity(tokens=100, torch=good, onnx=good, bundle=good)
    assert passed.failures() == []
    assert replace(passed, bundle=replace(good, f05=0.95, agreement=0.9981)).failures() == []
    assert len(replace(passed, onnx=replace(good, agreement=0.99)).failures()) == 1
    assert len(replace(passed, bundle=replace(good, f05=0.89, agreement=0.99)).failures()) == 2
    assert len(replace(passed, bundle=replace(good, bytes=36_000_001)).failures()) == 1
    assert len(replace(passed, onnx=replace(good, spacing_agreement=0.97)).failures()) == 1


def test_sentences_with_wrong_spaces() -> None:
    gold = [["we", "went", "home", "."], ["They", "like", "this", "book"], ["Hm", "."]]
    assert list(parity.with_wrong_spaces(gold)) == ["we we nt home .", "They like thisbook"]


def test_other_kinds_of_errors_fail_parity() -> None:
    made = fake_bundle(words=("they", "like", "this", "book"))
    bundle = replace(made, config=replace(made.config, spacing=True))
    gold = [["they", "like", "this", "book"]] * 4

    def version(kind: int) -> tuple[Bundle, Forward, int]:
        return bundle, lambda features, gate: doubt_unknown(features, error=0.9, kind=kind), 1

    measured = parity.compare([version(SPLIT), version(SPLIT), version(REPLACE)], gold, gold)
    assert measured.bundle.agreement == measured.onnx.spacing_agreement == 1
    assert measured.bundle.spacing_agreement == 0.5  # only missing spaces are corrected
    assert [line for line in measured.failures() if "spaces of only 50.000%" in line]


def test_only_a_bundle_is_replaced(checkpoint: Checkpoint, tmp_path: Path) -> None:
    own = shutil.copytree(checkpoint.path, tmp_path / "own")
    for name in ("file", "folder/notes", "other/config.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    copied = Checkpoint.read(own)
    for name, message in (
        ("file", "is not a bundle"),
        ("folder", "is not a bundle"),
        ("other", "is not a bundle"),
        ("own", "contains the checkpoint"),
        ("own/../own", "contains the checkpoint"),
        ("", "contains the checkpoint"),
    ):
        with pytest.raises(Error, match=message):
            try_export(copied, tmp_path / name)
    assert sorted(tmp_path.rglob("*")) == before


def test_weights_must_be_finite(checkpoint: Checkpoint, tmp_path: Path) -> None:
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
    write_tokens(files["calibration"], [*noisy, *tiny.calibration_sentences()[:20]])
    write_tokens(files["gold"], gold)
    presets = {name: {"threshold": 0.6, "mode": "light"} for name in ("default", "noisy")}
    files["presets"].write_text(json.dumps({"presets": presets}), encoding="utf-8")
    source = {"file": "own.txt", "licence": "CC0", "words": 1234}
    files["manifest"].write_text(json.dumps({"sources": [source]}), encoding="utf-8")
    return files


@pytest.mark.usefixtures("quick")
def test_command(
    checkpoint: Checkpoint,
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The probabilities of such a small model are often close, and 8 bits change the order.
    monkeypatch.setattr(parity, "MIN_AGREEMENT", 0.98)
    monkeypatch.setattr(parity, "MAX_F05_DROP", 0.05)
    out = tmp_path / "out" / "bundle"
    options = [option for name, path in files.items() for option in (f"--{name}", str(path))]
    assert main(["export", str(checkpoint.path), "--out", str(out), *options]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert measured["tokens"] == sum(map(len, tiny.parity_sentences(10)[1]))
    assert respell.load(out, preset="noisy").policy.threshold == 0.6
    assert json.loads((out / "facts.json").read_text(encoding="utf-8"))["matmul_bits"] == 8
    kinds = {node.op_type for node in onnx.load(out / MODEL).graph.node}
    assert "QuantizeLinear" in kinds
    assert not kinds & {"LayerNormalization", "MultiHeadAttention"}  # their sums are exact
    assert "| own.txt | CC0 | 1,234 |" in (out / "README.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("quick")
def test_files_must_be_aligned(
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
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 2
    assert "1 lines where" in errors[0]
    assert "not a checkpoint" in errors[1]
    assert not out.exists()


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("sources", [None, 3, [3], [{"file": "x"}], [{"file": 1, "words": "1"}]])
def test_manifest_must_list_sources(
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
def test_failed_parity_suggests_32_bits(
    checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parity, "MIN_AGREEMENT", 1.1)
    sentences = tiny.calibration_sentences()[:3]
    with pytest.raises(Error, match="omit --calibration to compute matrix products in 32 bits"):
        try_export(checkpoint, tmp_path / "new", calibration=sentences)


@pytest.mark.usefixtures("quick")
def test_parity_sentences_are_not_used_for_calibration(
    checkpoint: Checkpoint,
    files: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files["calibration"] = files["noisy"]
    out = tmp_path / "bundle"
    options = [option for name, path in files.items() for option in (f"--{name}", str(path))]
    assert main(["export", str(checkpoint.path), "--out", str(out), *options]) == 2
    assert "calibrate on other sentences" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.usefixtures("quick")
def test_without_calibration_products_have_32_bits(checkpoint: Checkpoint, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    assert try_export(checkpoint, out).failures() == []
    assert json.loads((out / "facts.json").read_text(encoding="utf-8"))["matmul_bits"] == 32
    assert b"MatMulIntegerToFloat" not in (out / "model.onnx").read_bytes()


def test_empty_or_invalid_files_are_errors(
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
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 7
    assert all(f"{files['presets']}: not " in line for line in errors[:4])
    assert f"{files['presets']}: threshold must be between 0 and 1" in errors[4]
    assert all("no sentences" in line for line in errors[5:])
    assert not (tmp_path / "bundle").exists()


STAGES = [
    {"stage": "first", "started_from": "random weights", "recipe": "tiny", "steps": 9, "words": 50},
    {"stage": "second", "started_from": "first", "teacher": "a model", "note": "low rate"},
]


@pytest.mark.usefixtures("quick")
def test_lineage_and_edition_are_recorded(
    checkpoint: Checkpoint, files: dict[str, Path], tmp_path: Path
) -> None:
    path, out = tmp_path / "lineage.json", tmp_path / "bundle"
    path.write_text(json.dumps(STAGES), encoding="utf-8")
    options = ["--out", str(out), "--noisy", str(files["noisy"]), "--gold", str(files["gold"])]
    options += ["--lineage", str(path), "--edition", "7"]
    assert main(["export", str(checkpoint.path), *options]) == 0
    assert json.loads((out / "facts.json").read_text(encoding="utf-8"))["lineage"] == STAGES
    card = (out / "README.md").read_text(encoding="utf-8")
    assert card.startswith(f"# tiny-{CASE}, edition 7\n")
    assert "1. **first**: started from random weights; recipe tiny; 9 steps; 0M words.\n" in card
    assert Bundle.read(out).edition == 7


@pytest.mark.parametrize(
    ("lineage", "message"),
    [
        ("{", "not JSON"),
        ("{}", "must be a JSON list of stages"),
        ("[]", "must be a JSON list of stages"),
        ("[1]", "stage 1: must be a JSON object with a name"),
        ('[{"stage": "a"}, {"steps": 1}]', "stage 2: must be a JSON object with a name"),
        ('[{"stage": "a", "step": 1}]', "stage 1: unknown key 'step'"),
        ('[{"stage": "a", "steps": "1"}]', "stage 1: steps must be int"),
        ('[{"stage": "a", "note": null}]', "stage 1: note must be str"),
        ('[{"stage": "a", "checkpoint": "b"}]', "the last stage has the hash of another"),
    ],
)
def test_invalid_lineage_is_an_error(
    lineage: str, message: str, checkpoint: Checkpoint, tmp_path: Path
) -> None:
    path = tmp_path / "lineage.json"
    path.write_text(lineage, encoding="utf-8")
    with pytest.raises(Error, match=f"lineage.json: {message}"):
        read_lineage(path, checkpoint)
