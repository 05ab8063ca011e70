"""Writing the page that needs no server; tests/clients drives it in a browser."""

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest

from respell.cli.main import main
from respell.model.bundle import CONFIG, VOCABULARY, default_path, digest
from respell.model.vocabulary import class_id, write_vocabulary
from respell.server import page


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    """What stands for the built JavaScript package."""
    folder = tmp_path / "assets"
    folder.mkdir()
    for name in (*page.ENGINE, page.WASM):
        (folder / name).write_text(f"built {name}", encoding="utf-8")
    return folder


def test_what_is_written(assets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["page", "--out", str(out), "--assets", str(assets)]) == 0
    assert re.search(r"a first visit transfers \d+\.\d MB", capsys.readouterr().err)
    index = (out / "index.html").read_text(encoding="utf-8")
    for source in re.findall(r'(?:src|href)="([^"]*)"', index):
        assert source.startswith("data:") or (out / source).is_file(), source
    for name in ("lexicon.txt", "model.onnx", "truecase.txt"):
        content = gzip.decompress((out / "model" / f"{name}.gz").read_bytes())
        assert content == (default_path() / name).read_bytes()
    worker = (out / "sw.js").read_text(encoding="utf-8")
    match = re.search(r"FILES = (\[.*?\]);", worker)
    assert match
    for name in json.loads(match[1]):
        assert (out / name).exists(), name
    local = (page.STATIC / "local.js").read_bytes()
    assert (out / "static" / "api.js").read_bytes() == local
    assert (out / "static" / "engine" / "worker.js").read_text(
        encoding="utf-8"
    ) == "built worker.js"
    manifest = json.loads((out / "manifest.webmanifest").read_bytes())
    assert (out / manifest["icons"][0]["src"]).read_text(encoding="utf-8").startswith("<svg")


def test_every_script_of_the_page_is_there(assets: Path, tmp_path: Path) -> None:
    page.write_page(tmp_path / "out", model=default_path(), assets=assets)
    for path in (tmp_path / "out" / "static").glob("*.js"):
        for name in re.findall(r'from "(\./[^"]*)"', path.read_text(encoding="utf-8")):
            assert (path.parent / name).is_file(), f"{path.name} imports {name}"


def test_a_compressed_file_of_a_model_is_not_compressed_again(assets: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model", tmp_path / "out"
    shutil.copytree(default_path(), model)
    write_vocabulary({"mutex": class_id("technical", 1)}, model / VOCABULARY)
    config = json.loads((model / CONFIG).read_text(encoding="utf-8"))
    config["sha256"][VOCABULARY] = digest(model / VOCABULARY)
    (model / CONFIG).write_text(json.dumps(config), encoding="utf-8")
    page.write_page(out, model=model, assets=assets)
    assert (out / "model" / VOCABULARY).read_bytes() == (model / VOCABULARY).read_bytes()
    assert not (out / "model" / f"{VOCABULARY}.gz").exists()


def test_a_new_model_changes_the_service_worker(assets: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    page.write_page(out, model=default_path(), assets=assets)
    before = (out / "sw.js").read_bytes()
    page.write_page(out, model=default_path(), assets=assets)
    assert (out / "sw.js").read_bytes() == before
    (assets / "worker.js").write_text("new", encoding="utf-8")
    page.write_page(out, model=default_path(), assets=assets)
    assert (out / "sw.js").read_bytes() != before


def test_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "CHECKOUT", tmp_path / "none")
    assert main(["page", "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("respell: page needs the JavaScript package: run npm ci")
    assert error.count("\n") == 1
    assert main(["page", "--out", str(tmp_path / "out"), "--assets", str(tmp_path)]) == 2
    assert "worker.js is missing" in capsys.readouterr().err
    assert main(["page"]) == 2
    assert not (tmp_path / "out").exists()


def test_a_page_that_was_not_finished_can_be_written_again(
    assets: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out, replace = tmp_path / "out", Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "sw.js":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    assert main(["page", "--out", str(out), "--assets", str(assets)]) == 2
    assert capsys.readouterr().err.endswith("cannot be written (No space left on device)\n")
    assert not [path for path in out.rglob("*") if path.name.startswith("tmp")]
    monkeypatch.undo()
    assert main(["page", "--out", str(out), "--assets", str(assets)]) == 0
    assert (out / "sw.js").is_file()


def test_other_files_are_safe(
    assets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["page", "--out", str(assets), "--assets", str(assets)]) == 2
    assert "not empty" in capsys.readouterr().err
    file = tmp_path / "file"
    file.touch()
    assert main(["page", "--out", str(file), "--assets", str(assets)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
