"""`check --baseline` does not report known problems again."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from respell.cli.main import main
from respell.types import Correction, Suggestion

Capture = pytest.CaptureFixture[bytes]
WRONG = {"teh": "the", "recieve": "receive", "Teh": "The"}


class Fake:
    """Corrects the words of a dict."""

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            yield [
                Correction(m.start(), m[0], (Suggestion(WRONG[m[0]], 0.9),), 0.9)
                for m in re.finditer(r"\w+", text)
                if m[0] in WRONG
            ]


def load(path: str | Path | None = None, **options: Any) -> Fake:
    return Fake()


def check(*arguments: str) -> int:
    return main(["check", "--baseline", "known.json", *arguments], load=load)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("teh one\nrecieve teh mail\n")
    (tmp_path / "b.md").write_text("fine\n")
    return tmp_path


def listed(capture: Capture) -> list[str]:
    return [line.split(" → ")[0] for line in capture.readouterr().out.decode().splitlines()]


WRITTEN = """\
{
  "version": 1,
  "problems": [
    {"path": "docs/a.md", "word": "recieve", "count": 1},
    {"path": "docs/a.md", "word": "teh", "count": 2}
  ]
}
"""


def test_the_first_run_writes_the_baseline(folder: Path, capsysbinary: Capture) -> None:
    assert check(".") == 0
    assert capsysbinary.readouterr() == (b"", b"Wrote 3 problems to known.json.\n")
    assert (folder / "known.json").read_text() == WRITTEN
    assert check(".") == 0
    assert capsysbinary.readouterr() == (b"", b"No problems found in 2 files.\n")
    assert (folder / "known.json").read_text() == WRITTEN


def test_new_problems_are_reported(folder: Path, capsysbinary: Capture) -> None:
    assert check(".") == 0
    (folder / "docs" / "a.md").write_text("Title\n\nteh one\nrecieve teh mail\nteh end\n")
    (folder / "b.md").write_text("teh\n")
    capsysbinary.readouterr()
    assert check(".") == 1
    assert listed(capsysbinary) == ["b.md:1:1: teh", "docs/a.md:5:1: teh"]


def test_lines_may_move_and_problems_may_go(folder: Path, capsysbinary: Capture) -> None:
    assert check(".") == 0
    (folder / "docs" / "a.md").write_text("mail recieve\n\n\nAnd then teh rest\n")
    assert check(".") == 0


def test_suggestions_may_change(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    assert check(".") == 0
    monkeypatch.setitem(WRONG, "teh", "then")  # another model, or evidence of another file
    assert check(".") == 0


@pytest.mark.parametrize("name", ["docs", "./docs", "docs/../docs/a.md"])
def test_paths_are_relative_to_the_baseline(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    assert check(".") == 0
    assert check(name) == 0
    assert check(str(folder / "docs")) == 0
    monkeypatch.chdir(folder / "docs")
    assert main(["check", "a.md", "--baseline", "../known.json"], load=load) == 0


def test_update_rewrites_the_baseline(folder: Path, capsysbinary: Capture) -> None:
    assert check(".") == 0
    (folder / "docs" / "a.md").write_text("Teh\n")
    (folder / "known.json").chmod(0o640)
    assert check(".") == 1
    assert check(".", "--update-baseline") == 0
    assert check(".") == 0
    written = json.loads((folder / "known.json").read_text())
    assert written["problems"] == [{"path": "docs/a.md", "word": "Teh", "count": 1}]
    assert (folder / "known.json").stat().st_mode & 0o777 == 0o640
    (folder / "docs" / "a.md").write_text("fine\n")
    assert check(".", "--update-baseline") == 0
    assert json.loads((folder / "known.json").read_text())["problems"] == []
    assert sorted(path.name for path in folder.iterdir()) == ["b.md", "docs", "known.json"]


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_other_formats_leave_out_known_problems(
    form: str, folder: Path, capsysbinary: Capture
) -> None:
    for _ in range(2):
        assert check(".", "--format", form) == 0
        out = capsysbinary.readouterr().out
        assert b"teh" not in out
        assert form != "sarif" or json.loads(out)["runs"][0]["results"] == []


def test_quiet(capsysbinary: Capture) -> None:
    assert check(".", "-q") == 0
    assert capsysbinary.readouterr() == (b"", b"")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b'{"version": 2, "problems": []}',
        b'{"version": 1, "problems": [{"path": "a"}]}',
        b'{"version": 1, "problems": [1]}',
        b'{"version": 1, "problems": [{"path": [], "word": "a", "count": 1}]}',
    ],
)
def test_a_file_that_is_not_a_baseline(content: bytes, folder: Path, capsysbinary: Capture) -> None:
    (folder / "known.json").write_bytes(content)
    assert check(".") == 2
    assert capsysbinary.readouterr() == (
        b"",
        b"respell: known.json: not a baseline; --update-baseline writes a new one\n",
    )
    assert (folder / "known.json").read_bytes() == content


def test_the_baseline_is_not_written_after_errors(folder: Path, capsysbinary: Capture) -> None:
    assert check(".", "none.md") == 2
    assert capsysbinary.readouterr().err.splitlines() == [
        b"respell: none.md: No such file or directory",
        b"respell: known.json: not written, because some files could not be checked",
    ]
    assert not (folder / "known.json").exists()


def test_a_baseline_that_cannot_be_written_or_read(folder: Path, capsysbinary: Capture) -> None:
    arguments = ["check", ".", "--baseline"]
    assert main([*arguments, "none/known.json"], load=load) == 2
    assert main([*arguments, "docs"], load=load) == 2
    assert main([*arguments, "docs", "--update-baseline"], load=load) == 2
    assert capsysbinary.readouterr().err.splitlines() == [
        b"respell: none/known.json: No such file or directory",
        b"respell: docs: Is a directory",
        b"respell: docs: Is a directory",
    ]
    assert sorted(path.name for path in folder.iterdir()) == ["b.md", "docs"]


def test_update_needs_a_baseline(capsysbinary: Capture) -> None:
    assert main(["check", ".", "--update-baseline"], load=load) == 2
    assert capsysbinary.readouterr() == (b"", b"respell: --update-baseline needs --baseline FILE\n")
