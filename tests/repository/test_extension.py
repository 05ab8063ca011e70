"""The files of the extensions, and what the docs say about them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "editors" / "browser"
PAGE = (ROOT / "docs" / "browser-extension.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["browser", "vscode"])
def test_the_lock_file_has_no_addresses(name: str) -> None:
    file = ROOT / "editors" / name / "package-lock.json"
    lock = json.loads(file.read_text(encoding="utf-8"))
    packages = [package for name, package in lock["packages"].items() if name]
    assert packages
    assert all("resolved" not in package for package in packages)
    assert all(package["integrity"] for package in packages)


def test_permissions_are_few_and_explained() -> None:
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    build = (FOLDER / "build.mjs").read_text(encoding="utf-8")
    (chromium,) = re.findall(r"permissions: (\[.*\])", build)
    asked = {*manifest["permissions"], *json.loads(chromium)}
    assert asked == {"storage", "offscreen"}
    assert set(re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE)) == asked
    assert {match for script in manifest["content_scripts"] for match in script["matches"]} == {
        "http://*/*",
        "https://*/*",
    }
    policy = manifest["content_security_policy"]["extension_pages"]
    assert policy.startswith("default-src 'none'")
    assert "connect-src 'self';" in policy


def read_results(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_text(encoding="utf-8"))


def test_the_numbers_of_the_page() -> None:
    results = read_results("browser_extension")
    sizes, seconds, keys = results["bytes"], results["seconds"], results["key_strokes"]
    median = {
        name: keys[f"{name}_extension_median_ms"]
        for name in ("textarea_with", "textarea_without", "editable_with", "editable_without")
    }
    shown = [
        f"{sizes['packed'] / 1e6:.1f} MB",
        f"{sizes['unpacked'] / 1e6:.1f} MB",
        f"{sizes['in_every_page'] / 1e3:.0f} kB",
        f"{seconds['first_marks_after_start']:.1f} s",
        f"{seconds['marks_after_typing']:.1f} s",
        f"{median['textarea_with']} ms, {median['textarea_without']} ms",
        f"{median['editable_with']} ms, {median['editable_without']} ms",
    ]
    assert [row for row in shown if f"| {row} |" not in PAGE] == []


def test_the_numbers_of_the_vs_code_extension() -> None:
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    results = read_results("vscode_extension")
    sizes, seconds = results["bytes"], results["seconds"]
    shown = [
        f"| {sizes['packed'] / 1e6:.1f} MB, {sizes['unpacked'] / 1e6:.1f} MB |",
        *(
            f"| {seconds['server'][name]:.1f} s, {seconds['local'][name]:.1f} s |"
            for name in ("first_marks_in_new_window", "marks_after_typing")
        ),
    ]
    assert [row for row in shown if row not in page] == []
