"""What the VS Code extension has copied from Python."""

import json
from pathlib import Path

from respell import __version__
from respell.types import PRESETS, VARIANTS

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"


def test_the_version_is_that_of_the_package() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    assert __version__.startswith(manifest["version"])


def test_settings_have_the_values_of_the_package() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    settings = manifest["contributes"]["configuration"]["properties"]
    assert set(settings["respell.preset"]["enum"]) == {*PRESETS, None}
    assert set(settings["respell.variant"]["enum"]) == {*VARIANTS, None}


def test_the_lock_file_names_no_registry() -> None:
    assert "resolved" not in (FOLDER / "package-lock.json").read_text(encoding="utf-8")
