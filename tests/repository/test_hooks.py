"""The pre-commit hooks: the manifest fits our command line, and a real commit runs them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from respell.cli import args
from respell.cli.reports.render import FORMATS

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"


def _hooks() -> dict[str, dict[str, Any]]:
    yaml = pytest.importorskip("yaml")
    return {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}


def test_the_entries_are_commands_of_ours() -> None:
    parser = args.parser(formats=FORMATS)
    parsed = {}
    for name, hook in _hooks().items():
        program, *arguments = hook["entry"].split()
        assert program == "respell"
        parsed[name] = parser.parse_args([*arguments, "a.md", "b.md"])
    assert parsed["respell"].command == "check"
    assert parsed["respell-fix"].command == "fix"
    assert parsed["respell-fix"].write
    assert parsed["respell-fix"].paths == ["a.md", "b.md"]


def test_both_hooks_look_at_the_same_files() -> None:
    check, fix = _hooks()["respell"], _hooks()["respell-fix"]
    for key in ("language", "types", "types_or", "require_serial"):
        assert check[key] == fix[key]


@pytest.mark.clients
def test_pre_commit_takes_the_manifest() -> None:
    pytest.importorskip("pre_commit")
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    command = ["git", *identity, "-C", str(folder), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with what ours holds now, committed or not."""
    pytest.importorskip("pre_commit")
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("needs git and a checkout")
    folder = tmp_path_factory.mktemp("package")
    for name in _git(ROOT, "ls-files", "-co", "--exclude-standard", "-z").split("\0"):
        if name.startswith(("src/", ".pre-commit-hooks", "pyproject", "README", "LICENSE")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    _git(folder, "init", "-q")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "as it is")
    return folder


def _has_index(folder: Path) -> bool:
    """Whether pip can fetch what pre-commit will need to build the hook's environment."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
    done = subprocess.run([*command, "hatchling"], capture_output=True, timeout=120)
    return done.returncode == 0


@pytest.mark.clients
def test_pre_commit_runs_both_hooks(package: Path, tmp_path: Path) -> None:
    if not _has_index(tmp_path / "probe"):
        pytest.skip("pip reaches no package index")
    project = tmp_path / "project"
    project.mkdir()
    _git(project, "init", "-q")
    note, code = project / "note.md", project / "code.py"
    note.write_text("I beleive teh mail.\n", encoding="utf-8")
    code.write_text("recieve = 'I recieve teh mail.'\n", encoding="utf-8")
    _git(project, "add", "-A")
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    environment["PRE_COMMIT_HOME"] = str(tmp_path / "home")

    def run(hook: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(package), hook]
        return subprocess.run(
            [*command, "--all-files", "--color=never"],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=600,
        )

    checked = run("respell")
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert "note.md:1:3: beleive → believe" in checked.stdout
    assert "code.py" not in checked.stdout
    fixed = run("respell-fix")
    assert "files were modified by this hook" in fixed.stdout
    assert note.read_text(encoding="utf-8") == "I believe the mail.\n"
    assert "recieve" in code.read_text(encoding="utf-8")
    assert run("respell").returncode == 0
