"""The JavaScript package shares the tables of the Python one, and its cases are up to date."""

import json
import re
import subprocess
import sys
from pathlib import Path

import js_cases
import js_tables
import pytest
from js_patterns import SPACE, translate

ROOT = Path(__file__).parents[2]


def test_the_generated_tables_are_up_to_date() -> None:
    wrong = [
        name
        for name, text in js_tables.generate().items()
        if (js_tables.FOLDER / name).read_text(encoding="utf-8") != text
    ]
    assert wrong == [], "run python benchmarks/js_tables.py"
    assert {path.name for path in js_tables.FOLDER.iterdir()} == set(js_tables.generate())


def test_a_changed_table_changes_the_generated_files(monkeypatch: pytest.MonkeyPatch) -> None:
    before = js_tables.generate()
    monkeypatch.setattr("respell.text.sentences._MAX_CLOSING", 9)
    monkeypatch.setattr("respell.text.tokenize._ACRONYM", re.compile("[A-Z]+"))
    after = js_tables.generate()
    assert [name for name in before if before[name] != after[name]] == ["text.ts"]
    assert js_tables.main(["--check"]) == 1


@pytest.mark.parametrize("name", ["tokens.jsonl", "masks.jsonl", "words.jsonl", "fakes.jsonl"])
def test_the_cases_are_up_to_date(name: str) -> None:
    assert not js_cases.out_of_date(name), "run python benchmarks/js_cases.py"


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("decision.spacing.MOST_EDITS", 1),
        ("decision.valid_words.MOST", 1),
        ("corrector.best_apart", list),
        ("corrector.SUSPECT_SHARE", 1.0),
    ],
)
def test_a_changed_rule_is_seen(
    monkeypatch: pytest.MonkeyPatch, name: str, changed: object
) -> None:
    monkeypatch.setattr(f"respell.{name}", changed)
    assert js_cases.out_of_date("fakes.jsonl")


def test_the_lock_file_has_no_addresses() -> None:
    lock = (ROOT / "js" / "package-lock.json").read_text(encoding="utf-8")
    assert "http" not in lock
    assert "resolved" not in lock
    assert json.loads(lock)["packages"]["node_modules/onnxruntime-web"]["integrity"]


PATTERNS = {
    r"a++b": r"(?=(?<a1>a+))\k<a1>b",
    r"(?P<x>`+)y(?P=x)": r"(?<x>`+)y\k<x>",
    r"(a)|[^\s\d]": rf"(?:(?<_1>a)|[^{SPACE}\p{{Nd}}])",
    r"(?i:k)k": r"(?:[kK\u{212a}])k",
    r"(?m)^a$": r"(?<=^|\n)a(?=\n|$)",
    r"\Aa\Z": "^a$",
    r"a$": r"a(?=\n?$)",
    r"(?s:.).": r"(?:[\s\S])[^\n]",
}


@pytest.mark.parametrize("source", PATTERNS)
def test_translation_of_a_pattern(source: str) -> None:
    assert translate(re.compile(source)).source == PATTERNS[source]


def test_what_cannot_be_translated() -> None:
    with pytest.raises(ValueError, match="ignores case"):
        translate(re.compile(r"(a)\1", re.IGNORECASE))
    with pytest.raises(ValueError, match="no translation"):
        translate(re.compile(r"(a)?(?(1)b|c)"))


def test_the_command() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "js_tables.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "up to date\n")
