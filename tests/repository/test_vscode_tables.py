"""What the VS Code extension has copied from Python."""

import importlib.util
import json
from pathlib import Path

from respell.types import PRESETS, VARIANTS

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"


def test_languages_are_those_of_the_table() -> None:
    spec = importlib.util.spec_from_file_location("languages", FOLDER / "languages.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    current = (FOLDER / "src" / "languages.json").read_text(encoding="utf-8")
    assert current == module.table(), "run: python editors/vscode/languages.py"


def test_settings_have_the_values_of_the_package() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    settings = manifest["contributes"]["configuration"]["properties"]
    assert set(settings["respell.preset"]["enum"]) == {*PRESETS, None}
    assert set(settings["respell.variant"]["enum"]) == {*VARIANTS, None}


def test_the_lock_file_names_no_registry() -> None:
    assert "resolved" not in (FOLDER / "package-lock.json").read_text(encoding="utf-8")
