"""README tells the truth: its tables are those of results/, its Python runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import respell

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_tables_are_rendered_from_results() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "readme.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run benchmarks/readme.py"


def test_python_example(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    for line in example.splitlines():
        code, _, promised = line.partition("  # ")
        if promised and "…" not in promised:
            assert repr(eval(code, names)) == promised
        else:
            exec(code, names)


def test_shell_example() -> None:
    command, promised = re.findall(r'respell ("I recieve.*")\n# (.*)', README)[0]
    done = subprocess.run(
        [sys.executable, "-m", "respell", command.strip('"')],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == promised


def test_it_stays_short() -> None:
    assert len(README.splitlines()) < 120


def test_sentences_about_tokens() -> None:
    page = " ".join((ROOT / "docs" / "tokens.md").read_text(encoding="utf-8").split())
    promises = re.findall(r"\*([^*]+)\* becomes \*([^*]+)\*", page)
    assert len(promises) == 2
    corrector = respell.load()
    assert [corrector.correct(old) for old, _ in promises] == [new for _, new in promises]
