"""The README and the page about tokens agree with the results and the model."""

import re
import subprocess
import sys
from pathlib import Path

import respell

ROOT = Path(__file__).parents[2]


def test_tables_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "readme.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run benchmarks/readme.py"


def test_examples_of_the_page_about_tokens() -> None:
    page = " ".join((ROOT / "docs" / "tokens.md").read_text(encoding="utf-8").split())
    examples = re.findall(r"\*([^*]+)\* becomes \*([^*]+)\*", page)
    assert len(examples) == 2
    corrector = respell.load()
    assert [corrector.correct(old) for old, _ in examples] == [new for _, new in examples]
