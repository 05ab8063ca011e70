"""`check --diff-base` reports only lines that were added or changed since a git revision."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from respell.cli.changed_lines import parse_patch
from respell.cli.main import main
from respell.types import Correction, Suggestion

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")
Capture = pytest.CaptureFixture[bytes]


class Fake:
    """Corrects "teh", and remembers the texts."""

    seen: ClassVar[list[str]] = []

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            self.seen.append(text)
            yield [
                Correction(match.start(), "teh", (Suggestion("the", 0.9),), 0.9)
                for match in re.finditer("teh", text)
            ]


def load(path: str | Path | None = None, **options: Any) -> Fake:
    return Fake()


def check(*arguments: str, base: str = "HEAD") -> int:
    Fake.seen.clear()
    return main(["check", "--diff-base", base, *arguments], load=load)


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q")
    (tmp_path / "docs").mkdir()
    (tmp_path / "a.md").write_text("teh 1\nteh 2\nteh 3\nteh 4\n")
    (tmp_path / "docs" / "b.md").write_text("teh\n" * 20)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    return tmp_path


def places(capture: Capture) -> list[str]:
    return [line.split(": ")[0] for line in capture.readouterr().out.decode().splitlines()]


def test_nothing_changed(capsysbinary: Capture) -> None:
    assert check(".") == 0
    assert capsysbinary.readouterr() == (b"", b"No problems found in 0 files.\n")
    assert Fake.seen == []


def test_changed_and_added_lines(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a.md").write_text("new teh\nteh 1\nteh two\nteh 4\nteh 5\n\nteh 6")
    assert check(".") == 1
    assert places(capsysbinary) == ["a.md:1:5", "a.md:3:1", "a.md:5:1", "a.md:7:1"]
    assert len(Fake.seen) == 1  # the other file was not checked
    git(folder, "add", ".")
    assert check(".") == 1  # it does not matter what is staged
    assert len(places(capsysbinary)) == 4
    git(folder, "commit", "-q", "-m", "two")
    assert check(".") == 0
    assert places(capsysbinary) == []
    assert check(".", base="HEAD~1") == 1
    assert len(places(capsysbinary)) == 4


def test_deleted_lines_are_no_problem(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a.md").write_text("teh 1\nteh 4\n")
    (folder / "docs" / "b.md").unlink()
    assert check(".") == 0
    assert places(capsysbinary) == []


def test_untracked_files_are_new(folder: Path, capsysbinary: Capture) -> None:
    (folder / "new.md").write_text("teh\n")
    (folder / ".gitignore").write_text("ignored.md\n")
    (folder / "ignored.md").write_text("teh\n")
    assert check(".") == 1
    assert places(capsysbinary) == ["new.md:1:1"]
    assert check("ignored.md") == 1
    assert places(capsysbinary) == ["ignored.md:1:1"]


def test_a_renamed_file_has_only_its_changed_lines(folder: Path, capsysbinary: Capture) -> None:
    git(folder, "mv", "docs/b.md", "c.md")
    (folder / "c.md").write_text("teh\n" * 20 + "and teh end\n")
    assert check(".") == 1
    assert places(capsysbinary) == ["c.md:21:5"]


def test_subfolders_and_links(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    (folder / "docs" / "b.md").write_text("teh\n" * 20 + "teh last\n")
    (folder / "link.md").symlink_to("docs/b.md")
    (folder / "a.md").write_text("teh new\n")
    assert check("link.md") == 1
    assert places(capsysbinary) == ["link.md:21:1"]
    monkeypatch.chdir(folder / "docs")
    assert check(".") == 1
    assert places(capsysbinary) == ["b.md:21:1"]
    assert check("../a.md", str(folder / "docs")) == 1
    assert places(capsysbinary) == ["../a.md:1:1", f"{folder}/docs/b.md:21:1"]


ODD = ["a b.md", 'q"uote\\.md', "tab\there.md", "line\nend.md", "é 😀.md", "b\\303.md"]


@pytest.mark.parametrize("name", [*ODD, os.fsdecode(b"\xff bytes.md")])
def test_odd_file_names(name: str, folder: Path, capsysbinary: Capture) -> None:
    (folder / name).write_text("teh\nteh\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "odd")
    (folder / name).write_text("teh\nteh new\n")
    assert check(name, "--format", "json") == 1
    (row,) = capsysbinary.readouterr().out.splitlines()
    assert b'"line": 2' in row


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.interHunkContext", "10"),
        ("diff.context", "5"),
        ("core.quotePath", "false"),
        ("color.ui", "always"),
        ("diff.renames", "false"),
        ("diff.external", "false"),
    ],
)
def test_settings_of_git_do_not_matter(
    key: str,
    value: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: Capture,
) -> None:
    git(folder, "config", key, value)
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=3")
    (folder / "a.md").write_text("teh one\nteh 2\nteh 3\nteh four\n")
    assert check(".") == 1
    assert places(capsysbinary) == ["a.md:1:1", "a.md:4:1"]


def test_lines_that_look_like_a_patch(folder: Path, capsysbinary: Capture) -> None:
    text = "++ b/docs/b.md\n@@ -1 +1,20 @@\n-- a/x\nteh\n\\ teh\n"
    (folder / "a.md").write_text(text)
    assert check(".") == 1
    assert places(capsysbinary) == ["a.md:4:1", "a.md:5:3"]


def test_a_file_marked_as_binary_has_changed_lines(folder: Path, capsysbinary: Capture) -> None:
    (folder / ".gitattributes").write_text("*.md -diff\n")
    (folder / "a.md").write_text("teh 1\nteh 2\nteh 3\nteh 4\nteh 5\n")
    assert check("a.md") == 1
    assert places(capsysbinary) == ["a.md:5:1"]


def errors(capture: Capture) -> str:
    out, err = capture.readouterr()
    assert out == b""
    assert err.count(b"\n") == 1
    return err.decode()


@pytest.mark.parametrize("revision", ["nonsense", "", "HEAD~5", "-x", "HEAD..HEAD", "a.md"])
def test_an_unknown_revision_is_an_error(revision: str, capsysbinary: Capture) -> None:
    assert main(["check", f"--diff-base={revision}", "."], load=load) == 2
    assert errors(capsysbinary) == f"respell: --diff-base: no git revision {revision!r}\n"


def test_a_folder_outside_a_repository_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    shutil.rmtree(folder / ".git")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    assert check(".") == 2
    assert errors(capsysbinary).startswith("respell: --diff-base: not a git repository")


def test_git_must_be_there(monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture) -> None:
    monkeypatch.setenv("PATH", "")
    assert check(".") == 2
    assert errors(capsysbinary) == "respell: --diff-base needs git, which was not found\n"


def test_with_a_baseline(folder: Path, capsysbinary: Capture) -> None:
    assert check(".", "--baseline", "known.json") == 2
    assert errors(capsysbinary) == (
        "respell: a baseline is written from whole files: leave out --diff-base\n"
    )
    assert main(["check", ".", "--baseline", "known.json"], load=load) == 0
    (folder / "a.md").write_text("teh one\nteh 2\nteh 3\nteh 4\nteh 5\n")
    assert check(".") == 1
    assert len(places(capsysbinary)) == 2
    assert check(".", "--baseline", "known.json") == 0
    assert places(capsysbinary) == []


def test_parse_patch() -> None:
    patch = b"""\
diff --git a/x.md b/x.md
--- a/x.md
+++ b/x.md
@@ -1 +1,2 @@ heading
-old
\\ No newline at end of file
+new
++++ b/y.md
\\ No newline at end of file
@@ -9,2 +10,0 @@
-gone
-gone
--- "a/\\303\\251.md"
+++ "b/\\303\\251.md"
@@ -3,0 +4 @@
+new
"""
    assert parse_patch(patch.split(b"\n")) == {
        b"x.md": [range(1, 3)],
        "é.md".encode(): [range(4, 5)],
    }
