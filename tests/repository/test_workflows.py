"""What GitHub reads: workflows, the action, issue forms and the citation."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
ACTION = ROOT / "action.yml"
CITATION = ROOT / "CITATION.cff"
if not GITHUB.is_dir() and not (ROOT / ".git").exists():
    pytest.skip("needs a checkout: an sdist has no .github", allow_module_level=True)

WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(p for p in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if p.name != "config.yml")
FILES = sorted([*GITHUB.rglob("*.yml"), *GITHUB.rglob("*.yaml"), ACTION])
STEPS = [*WORKFLOWS, ACTION]  # files that run something
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
USES = re.compile(r"^\s*(?:- )?uses: (\S+)(.*)$", re.MULTILINE)


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def values(node: object, key: str) -> Iterator[str]:
    """Every string under this key, however deep."""
    if isinstance(node, dict):
        if isinstance(node.get(key), str):
            yield node[key]
        for child in node.values():
            yield from values(child, key)
    elif isinstance(node, list):
        for child in node:
            yield from values(child, key)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_nothing_is_missing() -> None:
    assert [path.stem for path in WORKFLOWS] == ["check", "release"]
    assert [path.stem for path in FORMS] == ["bug", "false_alarm", "missed_error"]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_yaml_parses(path: Path) -> None:
    assert isinstance(read(path), dict)


@pytest.mark.parametrize("path", STEPS, ids=name)
def test_actions_are_pinned(path: Path) -> None:
    used = list(values(read(path), "uses"))
    assert used
    loose = [use for use in used if not use.startswith("./") and not PINNED.fullmatch(use)]
    assert not loose


@pytest.mark.parametrize("path", STEPS, ids=name)
def test_a_comment_tells_the_version_of_a_pin(path: Path) -> None:
    found = USES.findall(path.read_text(encoding="utf-8"))
    assert sorted(use for use, _ in found) == sorted(values(read(path), "uses"))
    for use, rest in found:
        assert use.startswith("./") or re.fullmatch(r" # v\d+\.\d+\.\d+", rest), use


def test_one_version_of_each_action() -> None:
    pins = {use for path in STEPS for use in values(read(path), "uses")}
    assert len(pins) == len({use.partition("@")[0] for use in pins})


@pytest.mark.parametrize("path", STEPS, ids=name)
def test_scripts_hold_no_expressions(path: Path) -> None:
    """`${{ inputs.x }}` in a script would run what an input says; `env` hands it over as data."""
    for script in values(read(path), "run"):
        assert "${{" not in script


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_workflows_may_only_read(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    more = {
        job: value["permissions"]
        for job, value in workflow["jobs"].items()
        if "permissions" in value
    }
    assert more == ({"publish": {"id-token": "write"}} if path.stem == "release" else {})


@pytest.mark.parametrize("path", FORMS, ids=name)
def test_issue_forms(path: Path) -> None:
    form = read(path)
    assert form["name"]
    assert form["description"]
    ids = [field.get("id") for field in form["body"] if field["type"] != "markdown"]
    assert all(ids)
    assert len(set(ids)) == len(ids) > 0
    assert "version" in ids


def test_citation() -> None:
    citation = read(CITATION)
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["license"] == "Apache-2.0"
    assert "version" not in citation, "the version is in src/respell/__init__.py only"
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= reference.keys()


def check(folder: Path, *, status: int = 0, **inputs: str) -> tuple[int, list[str]]:
    """Run the last step with a stand-in for respell: its status, and the arguments of respell."""
    if sys.platform == "win32" or not (bash := shutil.which("bash")):
        pytest.skip("needs bash")
    program = folder / "respell"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit {status}\n", encoding="utf-8")
    program.chmod(0o755)
    action = read(ACTION)
    environment = {"PATH": "/usr/bin:/bin", "BIN": str(folder)}
    for key, value in action["inputs"].items():
        environment[key.upper()] = inputs.get(key, value["default"])
    script = action["runs"]["steps"][-1]["run"]
    command = [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def test_the_action_checks_everything_by_default(tmp_path: Path) -> None:
    assert check(tmp_path) == (0, ["check", "--format", "github", "--", "."])
    assert check(tmp_path, paths="")[1][-1] == "."


def test_the_action_hands_over_its_inputs(tmp_path: Path) -> None:
    arguments = check(tmp_path, paths="docs\nREADME.md", preset="careful", args="--exclude *.txt")[
        1
    ]
    assert arguments[3:] == ["--exclude", "*.txt", "--preset", "careful", "--", "docs", "README.md"]


def test_inputs_of_the_action_are_data(tmp_path: Path) -> None:
    evil = "$(touch${IFS}owned) `touch${IFS}owned` ;touch${IFS}owned"
    arguments = check(tmp_path, paths=evil, preset=evil, args=evil)[1]
    assert arguments[3:] == [*evil.split(), "--preset", evil, "--", *evil.split()]
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    ("status", "fail", "expected"),
    [(0, "true", 0), (1, "true", 1), (1, "false", 0), (2, "true", 2), (2, "false", 2)],
)
def test_when_the_action_fails(tmp_path: Path, status: int, fail: str, expected: int) -> None:
    assert check(tmp_path, status=status, fail=fail)[0] == expected
