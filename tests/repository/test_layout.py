"""The layout of the package, and names that must not come back."""

import ast
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "respell"
OLD_IDENTIFIERS = frozenset(
    """
    absurd apply_to_words as_people_write believed blend Calibration calibrations
    choose_calibration Composing cross_fitted doubtful FormStyle framed Habits heard IDENTITY
    imitate Imitator in_wild invented is_framed is_mangled is_unlisted Jobs known_forms
    lenient Lesson lesson Lever levers listed_capitals lone_word lose_case mangled mended
    new_words_of read_capitals read_doubtful read_levers read_right read_wild
    Remembering restore_case spared stretches sure taught told transplant uncapitalize
    unlisted WILD wild
    """.split()
)
OLD_KEYS = OLD_IDENTIFIERS | frozenset(
    "folded flat heavy hide ordinary shift slips slope calibration_on_dev".split()
)
"""Keys of recipes, presets and result files."""
OLD_OPTIONS = ("--heavy", "--form", "--uncalibrated")
OLD_COMMANDS = ("noise", "invent", "calibrate", "dictionary", "capitals", "page")
OLD_FILES = (
    "blend.py cli.py comments.py decode.py dictionary.py features.py files.py frame.py globs.py "
    "grammar.py habits.py imitate.py integers.py invent.py jobs.py join.py leveling.py listed.py "
    "markup.py onnxfile.py progress.py remembering.py report.py resuming.py rounding.py run.py "
    "session.py text.py transplant.py capitals.txt levers.toml calibration.json calibration.svg"
).split()
MOVED = {"decode.py", "files.py", "progress.py", "session.py", "run.py", "text.py"}
"""Names that are still in use, but in a folder."""


@cache
def tracked() -> list[Path]:
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("needs a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).exists()]


def modules(folder: Path) -> list[str]:
    """The modules and packages of a folder."""
    names = [path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")]
    return names + [path.parent.name for path in folder.glob("*/__init__.py")]


def test_few_modules_at_the_top() -> None:
    assert len([name for name in modules(PACKAGE) if name != "lab"]) <= 12
    assert len(modules(PACKAGE / "lab")) <= 8


def identifiers(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for field in ("id", "attr", "arg", "name", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield from value.split(".")


def keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from map(str, value)
        for inside in value.values():
            yield from keys(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from keys(inside)


def test_old_identifiers_are_gone() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in tracked()
        if path.suffix == ".py"
        for name in OLD_IDENTIFIERS & set(identifiers(path))
    }
    assert sorted(found) == []


def test_old_keys_are_gone() -> None:
    found = set()
    for path in tracked():
        text = path.read_text(encoding="utf-8") if path.suffix in (".json", ".toml") else ""
        if not text or path.name == "pyproject.toml":
            continue
        value = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        found |= {f"{path.relative_to(ROOT)}: {key}" for key in OLD_KEYS & set(keys(value))}
    assert sorted(found) == []


def test_old_options_and_commands_are_gone() -> None:
    old = "|".join([*OLD_OPTIONS, *(f"respell\\.lab {name}" for name in OLD_COMMANDS)])
    pattern = re.compile(rf"(?<![\w-])(?:{old})(?![\w-])")
    found = set()
    for path in tracked():
        if path.suffix in (".py", ".md", ".sh", ".toml", ".json", ".yml") and path != Path(
            __file__
        ):
            text = path.read_text(encoding="utf-8")
            found |= {f"{path.relative_to(ROOT)}: {match[0]}" for match in pattern.finditer(text)}
    assert sorted(found) == []


def test_old_files_are_gone() -> None:
    names = {path.name: path for path in tracked() if path.is_relative_to(PACKAGE)}
    found = [name for name in OLD_FILES if name in names and name not in MOVED]
    assert found == []
    assert [name for name in MOVED if (PACKAGE / name).exists()] == []
