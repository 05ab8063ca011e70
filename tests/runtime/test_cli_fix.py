"""`fix` changes what is automatic and reports every change; `--quiet` reports nothing."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from respell.cli.main import main
from respell.types import Correction, Suggestion

Capture = pytest.CaptureFixture[bytes]
ANSWERS = {"teh": ("the", 0.99), "beleive": ("believe", 0.97), "refspec": ("respect", 0.61)}


class Fake:
    """Corrects some words; only scores of 0.9 or more are automatic."""

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            yield [
                Correction(m.start(), m[0], (Suggestion(word, p),), p, automatic=p > 0.9)
                for m in re.finditer(r"\w+", text)
                for word, p in [ANSWERS.get(m[0], ("", 0.0))]
                if word
            ]


def load(path: str | Path | None = None, **options: Any) -> Fake:
    return Fake()


def run(*arguments: str) -> int:
    return main(list(arguments), load=load)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("one\n\nWe beleive it\nrefspec and teh end\n")
    (tmp_path / "docs" / "b.md").write_text("clean\n")
    (tmp_path / "c.md").write_text("teh\n")
    return tmp_path


LINES = """\
c.md:1:1: teh → the
docs/a.md:3:4: beleive → believe
docs/a.md:4:1: refspec: left (respect 0.61)
docs/a.md:4:13: teh → the
Fixed 3 problems in 2 files; 1 left.
"""


def test_write_changes_what_is_automatic(folder: Path, capsysbinary: Capture) -> None:
    assert run("fix", "--write", ".") == 0
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert err.decode() == LINES
    fixed = "one\n\nWe believe it\nrefspec and the end\n"
    assert (folder / "docs" / "a.md").read_text() == fixed
    assert (folder / "c.md").read_text() == "the\n"
    assert run("fix", "--write", ".") == 0
    assert capsysbinary.readouterr().err.decode() == (
        "docs/a.md:4:1: refspec: left (respect 0.61)\nNo problems fixed; 1 left.\n"
    )
    assert run("fix", "--write", "c.md") == 0
    assert capsysbinary.readouterr().err.decode() == "No problems found in 1 file.\n"


@pytest.mark.parametrize("option", ["-q", "--quiet"])
def test_quiet_writes_the_same(option: str, folder: Path, capsysbinary: Capture) -> None:
    assert run("fix", "--write", option, ".") == 0
    assert capsysbinary.readouterr() == (b"", b"")
    assert (folder / "docs" / "a.md").read_text() == "one\n\nWe believe it\nrefspec and the end\n"


def test_diff_shows_what_is_automatic(folder: Path, capsysbinary: Capture) -> None:
    assert run("fix", "--diff", "docs") == 1
    out, err = capsysbinary.readouterr()
    changed = [
        line for line in out.decode().splitlines() if line[0] in "+-" and line[1] not in "+-"
    ]
    assert changed == [
        "-We beleive it",
        "-refspec and teh end",
        "+We believe it",
        "+refspec and the end",
    ]
    assert err.decode() == "Would fix 2 problems in 1 file; 1 left.\n"
    assert run("fix", "--diff", "-q", "docs") == 1
    assert capsysbinary.readouterr() == (out, b"")


def test_diff_is_clean_if_nothing_is_automatic(folder: Path, capsysbinary: Capture) -> None:
    (folder / "c.md").write_text("refspec\n")
    assert run("fix", "--diff", "c.md") == 0
    assert capsysbinary.readouterr() == (b"", b"No problems fixed; 1 left.\n")


def test_printed_text_has_what_is_automatic(capsysbinary: Capture) -> None:
    assert run("fix", "docs/a.md") == 0
    assert run("refspec", "teh") == 0
    assert capsysbinary.readouterr() == (
        b"one\n\nWe believe it\nrefspec and the end\nrefspec the\n",
        b"",
    )


def test_a_file_that_cannot_be_written_has_no_lines(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: "docs" not in str(path))
    assert run("fix", "--write", ".") == 2
    assert capsysbinary.readouterr().err.decode().splitlines() == [
        "c.md:1:1: teh → the",
        "respell: docs/a.md: not writable",
        "Fixed 1 problem in 1 file.",
    ]


def test_many_lines_are_complete_and_in_order(folder: Path, capsysbinary: Capture) -> None:
    (folder / "c.md").write_text("teh line\n" * 20_000)
    assert run("fix", "--write", "c.md") == 0
    *lines, summary = capsysbinary.readouterr().err.decode().splitlines()
    assert lines == [f"c.md:{n}:1: teh → the" for n in range(1, 20_001)]
    assert summary == "Fixed 20000 problems in 1 file."


def test_odd_file_names_are_printed(folder: Path, capsysbinary: Capture) -> None:
    (folder / "é\r.md").write_text("teh\n")
    assert run("fix", "--write", "é\r.md") == 0
    assert capsysbinary.readouterr().err.decode() == (
        "é\r.md:1:1: teh → the\nFixed 1 problem in 1 file.\n"
    )
    assert (folder / "é\r.md").read_text() == "the\n"


@pytest.mark.parametrize(
    ("line", "strict"),
    [
        ("fix --write .", True),
        ("fix --diff .", True),
        ("fix c.md", False),
        ("teh", False),
        ("check .", False),
        ("words .", False),
    ],
)
@pytest.mark.parametrize("config", ["", "fix_threshold = 0.8"])
def test_only_what_goes_into_files_is_strict(
    line: str, strict: bool, config: str, folder: Path
) -> None:
    given: dict[str, Any] = {}

    class Stop(Exception):  # noqa: N818
        pass

    def spy(path: str | Path | None = None, **options: Any) -> Fake:
        given.update(options)
        raise Stop

    (folder / "respell.toml").write_text(config)
    assert main(line.split(), load=spy) == 2
    assert (given["strict_fixes"], given["fix_threshold"]) == (strict, 0.8 if config else None)
    if not line.startswith("words"):
        assert main([*line.split(), "--fix-threshold", "0.3"], load=spy) == 2
        assert given["fix_threshold"] == 0.3


@pytest.mark.parametrize("arguments", [("check", "."), ("fix", "--write", "."), ("words", ".")])
def test_quiet_prints_errors_but_no_notes(
    arguments: tuple[str, ...], folder: Path, capsysbinary: Capture
) -> None:
    for path in folder.rglob("*.md"):
        path.unlink()
    (folder / "binary.md").write_bytes(b"\0")
    (folder / "empty").mkdir()
    assert run(*arguments, "empty", "-q") == 0
    assert capsysbinary.readouterr() == (b"", b"")
    assert run(*arguments, "none.md", "-q") == 2
    expected = (b"", b"respell: none.md: No such file or directory\n")
    assert capsysbinary.readouterr() == expected


def test_quiet_check_still_lists_findings(capsysbinary: Capture) -> None:
    assert run("check", "-q", "c.md") == 1
    out, err = capsysbinary.readouterr()
    assert (out.decode(), err) == ("c.md:1:1: teh → the (0.99) unknown word\n", b"")
