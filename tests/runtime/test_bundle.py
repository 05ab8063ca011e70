import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import CHARACTERS, hashed_config
from respell.corrector import load
from respell.model.bundle import CONFIG, LEXICON, MODEL, Bundle
from respell.model.encode import Encoder
from respell.model.presets import Preset
from respell.types import Error


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bundle that is complete but for its model, which is no ONNX file."""
    (tmp_path / LEXICON).write_text("the\nof\n", encoding="utf-8")
    (tmp_path / MODEL).write_bytes(b"not a model")
    config = replace(
        hashed_config(tmp_path, threshold=0.5),
        characters=CHARACTERS,
        presets={"default": Preset(threshold=0.5), "noisy": Preset(threshold=0, mode="noisy")},
    )
    (tmp_path / CONFIG).write_text(config.to_json(), encoding="utf-8")
    return tmp_path


def _change(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / CONFIG
    raw = json.loads(path.read_text(encoding="utf-8"))
    change(raw)
    path.write_text(json.dumps(raw), encoding="utf-8")


def _complaint(folder: Path) -> str:
    with pytest.raises(Error) as caught:
        Bundle.read(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert str(folder) in message
    return message


def test_what_was_written_is_read(folder: Path) -> None:
    bundle = Bundle.read(folder)
    assert bundle.lexicon.words == ("the", "of")
    assert bundle.config.name == "fake"
    assert bundle.preset("noisy") == Preset(threshold=0, mode="noisy")
    assert bundle.model == folder / MODEL
    assert bundle.encoder == Encoder(bundle.lexicon, CHARACTERS, "lower", spell_oov_only=False)


def test_config_survives_json(folder: Path) -> None:
    config = Bundle.read(folder).config
    (folder / CONFIG).write_text(config.to_json(), encoding="utf-8")
    assert Bundle.read(folder).config == config


@pytest.mark.parametrize("name", [CONFIG, LEXICON, MODEL])
def test_a_missing_file(name: str, folder: Path) -> None:
    (folder / name).unlink()
    assert f"{name} is missing" in _complaint(folder)


def test_a_missing_folder(tmp_path: Path) -> None:
    assert "no such model folder" in _complaint(tmp_path / "nowhere")


def test_a_file_is_no_folder(folder: Path) -> None:
    assert "no such model folder" in _complaint(folder / MODEL)


@pytest.mark.parametrize("name", [LEXICON, MODEL])
def test_a_damaged_file(name: str, folder: Path) -> None:
    with (folder / name).open("ab") as file:
        file.write(b"!")
    assert f"{name}: damaged" in _complaint(folder)


@pytest.mark.parametrize("name", [LEXICON, MODEL])
def test_a_file_without_a_hash(name: str, folder: Path) -> None:
    _change(folder, lambda raw: raw["sha256"].pop(name))
    assert f"{name}: damaged" in _complaint(folder)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff", b"[" * 100_000, b"'x'"],
    ids="empty open bytes deep text".split(),
)
def test_not_json(content: bytes, folder: Path) -> None:
    (folder / CONFIG).write_bytes(content)
    assert "not readable as JSON" in _complaint(folder)


@pytest.mark.parametrize("content", ["[]", "1", "null", "{}", '{"format": 3}', '{"format": "2"}'])
def test_another_format(content: str, folder: Path) -> None:
    (folder / CONFIG).write_text(content, encoding="utf-8")
    assert "not a model of format 2" in _complaint(folder)


def test_an_old_format_is_refused_with_advice(folder: Path) -> None:
    (folder / CONFIG).write_text('{"format": 1}', encoding="utf-8")
    advice = "a model of the old format 1; export its checkpoint again with this version of respell"
    assert advice in _complaint(folder)


def test_an_unknown_key(folder: Path) -> None:
    _change(folder, lambda raw: raw.update(colour="red"))
    assert "missing or unknown keys: colour" in _complaint(folder)


@pytest.mark.parametrize(
    "key",
    "name edition model casing keep spell_oov_only noise_flag characters length presets".split(),
)
def test_a_missing_key(key: str, folder: Path) -> None:
    _change(folder, lambda raw: raw.pop(key))
    assert f"missing or unknown keys: {key}" in _complaint(folder)


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("name", 1, "name must be str"),
        ("model", None, "model must be str"),
        ("keep", 1, "keep must be bool"),
        ("spell_oov_only", "no", "spell_oov_only must be bool"),
        ("noise_flag", 1, "noise_flag must be bool"),
        ("edition", "4", "edition must be int"),
        ("characters", ["a"], "characters must be str"),
        ("characters", "", "characters must not be empty"),
        ("length", 8.0, "length must be int"),
        ("length", True, "length must be int"),
        ("length", 0, "length must be between"),
        ("length", 10_001, "length must be between"),
        ("casing", "upper", "casing must be"),
        ("sha256", [], "sha256 must be dict"),
        ("presets", {}, "presets must include a default"),
        ("presets", [], "list"),
        ("presets", {"default": 0.5}, "mapping"),
        ("presets", {"default": {}}, "threshold"),
        ("presets", {"default": {"threshold": 0.5, "colour": 1}}, "colour"),
        ("presets", {"default": {"threshold": 1.01}}, "threshold must be between 0 and 1"),
        ("presets", {"default": {"threshold": -0.01}}, "threshold must be between 0 and 1"),
        ("presets", {"default": {"threshold": float("nan")}}, "threshold must be between 0 and 1"),
        ("presets", {"default": {"threshold": "0.5"}}, "threshold must be between 0 and 1"),
        ("presets", {"default": {"threshold": None}}, "between 0 and 1, not None"),
        ("presets", {"default": {"threshold": True}}, "between 0 and 1, not True"),
        (
            "presets",
            {"default": {"threshold": 0.5, "fix_threshold": ""}},
            "fix_threshold must be between 0 and 1, not ''",
        ),
        (
            "presets",
            {"default": {"threshold": 0.5, "vocabulary_bias": []}},
            "vocabulary_bias must be between",
        ),
        (
            "presets",
            {"default": {"threshold": 0.5, "mode": "loud"}},
            "mode must be one of light, noisy",
        ),
        ("presets", {"default": {"threshold": 0.5, "restore_case": True}}, "restore_case"),
        ("presets", {"default": {"threshold": 0.5, "slope": 1.0}}, "slope"),
        (
            "presets",
            {"default": {"threshold": 0.5, "rewrite_threshold": float("nan")}},
            "rewrite_threshold must be between",
        ),
        (
            "presets",
            {"default": {"threshold": 0.5, "oov_threshold": -1}},
            "oov_threshold must be between",
        ),
        ("presets", {"default": {"threshold": 0.5, "dictionary_bias": 10**400}}, "dictionary_bias"),
    ],
)
def test_a_wrong_value(key: str, value: object, complaint: str, folder: Path) -> None:
    _change(folder, lambda raw: raw.update({key: value}))
    assert complaint in _complaint(folder)


def test_an_unknown_preset(folder: Path) -> None:
    with pytest.raises(Error, match=r"^no preset 'loud' in this model; it has default, noisy$"):
        Bundle.read(folder).preset("loud")


def test_a_model_that_is_none(folder: Path) -> None:
    with pytest.raises(Error, match="onnxruntime cannot load it"):
        load(folder)


def test_a_huge_file_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("respell.model.bundle.MAX_FILE_SIZE", 10)
    assert "larger than any model file" in _complaint(folder)
