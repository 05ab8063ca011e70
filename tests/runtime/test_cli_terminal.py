"""The command line on a terminal: source lines, the progress bar, and `fix --interactive`."""

import os
import re
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import respell
from respell.cli.main import main
from respell.types import Correction, Suggestion

pty = pytest.importorskip("pty")
TESTS = Path(__file__).parents[1]
PATH = os.pathsep.join([str(Path(respell.__file__).parents[1]), str(TESTS), str(TESTS / "runtime")])
RUN = """
import sys
from test_cli_terminal import load
from respell.cli import progress
from respell.cli.main import main
progress.Progress.__init__.__kwdefaults__.update(delay=0, every=0)
sys.exit(main(sys.argv[1:], load=load))
"""
PROMPT = "?] "
ANSWERS = {
    "teh": ("the", "tea", "ten"),
    "Teh": ("The", "Tea"),
    "beleive": ("believe",),
    "refspec": ("respect", "aspect"),
    "refspecs": ("respects",),
}


class Fake:
    """Corrects some words; only those that start with t are automatic."""

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            yield [
                Correction(
                    match.start(),
                    match[0],
                    tuple(Suggestion(word, 0.3) for word in ANSWERS[match[0]]),
                    0.9,
                    automatic=match[0] == "teh",
                )
                for match in re.finditer(r"\w+", text)
                if match[0] in ANSWERS
            ]


def load(path: str | Path | None = None, **options: Any) -> Fake:
    return Fake()


def terminal(*arguments: str, folder: Path, keys: Sequence[str] = ()) -> tuple[int, str]:
    """Run on a terminal, answer each question with the next key, and return what was shown."""
    here, there = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": PATH, "COLUMNS": "60", "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *arguments],
        cwd=folder,
        env=environment,
        stdin=there,
        stdout=there,
        stderr=there,
        start_new_session=True,
    )
    os.close(there)
    shown, waiting = "", list(keys)
    try:
        while select.select([here], [], [], 30)[0]:
            try:
                piece = os.read(here, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece.decode()
            if shown.endswith(PROMPT):
                os.write(here, waiting.pop(0).encode() if waiting else b"\x04")
        return process.wait(30), shown.replace("\r\n", "\n")
    finally:
        process.kill()
        process.wait()
        os.close(here)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("teh one\nWe beleive\nTeh end of teh refspec\n")
    (tmp_path / "b.md").write_text("teh two refspec\n")
    return tmp_path


def test_check_shows_source_lines(folder: Path) -> None:
    long = "word " * 20
    (folder / "a.txt").write_text(f"\tteh one\n{long}teh {long}\n")
    status, shown = terminal("check", "a.txt", folder=folder)
    assert status == 1
    assert re.sub(r"\r?\x1b\[K|\[#.*a\.txt", "", shown).splitlines() == [
        "a.txt:1:2: teh → the (0.90) unknown word",
        "  teh one",
        "  ^^^",
        "a.txt:2:101: teh → the (0.90) unknown word",
        "  … word word word word word teh word word word word word w…",
        "                             ^^^",
        "Found 2 problems in 1 file.",
    ]


def test_progress_has_a_total_if_a_folder_is_named(folder: Path) -> None:
    (folder / "docs").mkdir()
    for number in range(4):
        (folder / "docs" / f"{number}.md").write_text("fine words\n" * 10)
    _, shown = terminal("check", "docs", folder=folder)
    assert [int(part) for part in re.findall(r"\] +(\d+)% \d+ s left", shown)] == [25, 50, 75, 100]


def test_unchanged_files_are_not_in_the_total(folder: Path) -> None:
    for name, text in (("a.md", "fine words\n" * 90), ("b.md", "fine words\n"), ("c.md", "fine\n")):
        (folder / name).write_text(text)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True)
    for name in ("b.md", "c.md"):
        (folder / name).write_text("fine words\nnew words\n")
    _, shown = terminal("check", "--diff-base", "HEAD", ".", folder=folder)
    assert [int(part) for part in re.findall(r"\] +(\d+)% ", shown)] == [50, 100]


def ask(folder: Path, *keys: str, arguments: Sequence[str] = (".",)) -> tuple[int, str]:
    return terminal("fix", "-i", *arguments, folder=folder, keys=[f"{key}\n" for key in keys])


def test_every_answer(folder: Path) -> None:
    status, shown = ask(folder, "y", "", "2", "n", "1", "Y", "2")
    assert status == 0
    assert (folder / "a.md").read_text() == "the one\nWe believe\nTea end of teh respect\n"
    assert (folder / "b.md").read_text() == "the two aspect\n"
    assert shown.endswith("Fixed 6 problems in 2 files; 1 left.\n")
    assert "\na.md:3:1: Teh → The (0.90) unknown word\n  Teh end of teh refspec\n  ^^^\n" in shown
    assert "  1 The  2 Tea\nReplace with 'The'? [Y/1-2/n/s/a/q/?] " in shown
    assert "Replace with 'believe'? [Y/n/s/a/q/?] " in shown


def test_other_keys_show_help_and_ask_again(folder: Path) -> None:
    status, shown = ask(folder, "?", "x", "0", "4", "3", arguments=["b.md"])
    assert status == 0
    assert shown.count("  y, Enter  replace\n") == 4
    assert (folder / "b.md").read_text() == "teh two refspec\n"  # the second question: end of input
    assert shown.endswith("No problems fixed.\n")


def test_skip_a_word_everywhere(folder: Path) -> None:
    status, shown = ask(folder, "s", "y", "y", "n")
    assert status == 0
    assert (folder / "a.md").read_text() == "teh one\nWe believe\nTeh end of teh respect\n"
    assert (folder / "b.md").read_text() == "teh two refspec\n"
    assert shown.endswith("Fixed 2 problems in 1 file; 5 left.\n")
    assert shown.count("Replace with") == 4


def test_quit_leaves_the_current_file(folder: Path) -> None:
    status, shown = ask(folder, "y", "y", "y", "y", "y", "y", "q")
    assert status == 0
    assert (folder / "a.md").read_text() == "the one\nWe believe\nThe end of the respect\n"
    assert (folder / "b.md").read_text() == "teh two refspec\n"
    assert shown.endswith("Fixed 5 problems in 1 file.\n")
    assert sorted(path.name for path in folder.iterdir()) == ["a.md", "b.md"]


def test_end_of_input_quits(folder: Path) -> None:
    status, shown = ask(folder, "y", "y")
    assert status == 0
    assert (folder / "a.md").read_text().startswith("teh")
    assert shown.endswith("q/?] \nNo problems fixed.\n")
    assert sorted(path.name for path in folder.iterdir()) == ["a.md", "b.md"]


def test_interrupt_leaves_the_current_file(folder: Path) -> None:
    text = (folder / "a.md").read_text()
    process, here = start_in_own_session(folder)
    try:
        read_until(here, PROMPT)
        os.write(here, b"y\n")
        read_until(here, PROMPT)
        os.write(here, b"\x03")
        read_until(here, "\n")  # the prompt of the shell is not behind the question
        assert process.wait(30) == 130
    finally:
        process.kill()
        os.close(here)
    assert (folder / "a.md").read_text() == text
    assert sorted(path.name for path in folder.iterdir()) == ["a.md", "b.md"]


def start_in_own_session(folder: Path) -> tuple["subprocess.Popen[bytes]", int]:
    """Start with the terminal as the controlling one, so that Ctrl-C sends a signal."""
    here, there = pty.openpty()
    code = f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n{RUN}"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "fix", "-i", "a.md"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PATH},
        stdin=there,
        stdout=there,
        stderr=there,
        start_new_session=True,
    )
    os.close(there)
    return process, here


def read_until(here: int, end: str) -> None:
    shown = ""
    while not shown.endswith(end):
        assert select.select([here], [], [], 30)[0]
        shown += os.read(here, 1 << 16).decode()


def test_add_to_a_new_dictionary(folder: Path) -> None:
    status, shown = ask(folder, "a", "n", "a")
    assert status == 0
    assert (folder / "respell-words.txt").read_text() == "teh\nrefspec\n"
    assert (
        "respell: added 'teh' to respell-words.txt; to use it: --dictionary respell-words.txt, "
        "or dictionary_files in respell.toml\n"
    ) in shown
    assert "respell: added 'refspec' to respell-words.txt\n" in shown
    assert shown.count("Replace with") == 3
    status, shown = terminal("check", ".", folder=folder)
    assert "respell-words.txt" not in shown


def test_a_word_that_was_added_is_accepted_in_the_plural(folder: Path) -> None:
    (folder / "b.md").write_text("A refspec and many refspecs.\n")
    _, shown = ask(folder, "a", arguments=["b.md"])
    assert shown.count("Replace with") == 1


def test_add_to_the_dictionary_of_the_configuration(folder: Path) -> None:
    (folder / "respell.toml").write_text("dictionary_files = ['terms.words', 'other.words']\n")
    (folder / "terms.words").write_text("first")  # without a line end
    (folder / "other.words").write_text("")
    status, shown = ask(folder, "a", arguments=["b.md"])
    assert status == 0
    assert (folder / "terms.words").read_text() == "first\nteh\n"
    assert (folder / "other.words").read_text() == ""
    assert f"respell: added 'teh' to {folder / 'terms.words'}\n" in shown
    assert not (folder / "respell-words.txt").exists()


def test_a_dictionary_that_cannot_be_written(folder: Path) -> None:
    (folder / "respell-words.txt").mkdir()
    status, shown = ask(folder, "a", "y", arguments=["b.md"])
    assert status == 2
    assert "respell: respell-words.txt: Is a directory\n" in shown
    assert (folder / "b.md").read_text() == "teh two respect\n"


def test_a_file_that_changes_meanwhile_is_left(folder: Path) -> None:
    process, here = start_in_own_session(folder)
    try:
        read_until(here, PROMPT)
        (folder / "a.md").write_text("another text\n")
        for _ in range(5):
            os.write(here, b"y\n")
        shown = b""
        while select.select([here], [], [], 30)[0]:
            try:
                shown += os.read(here, 1 << 16)
            except OSError:
                break
        assert process.wait(30) == 2
    finally:
        process.kill()
        os.close(here)
    assert b"respell: a.md: changed while it was being read; not changed" in shown
    assert (folder / "a.md").read_text() == "another text\n"


def test_no_question_about_a_file_that_cannot_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(folder)
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("respell.cli.interactive.os.access", lambda *_: False)  # root may write
    assert main(["fix", "-i", "a.md", "b.md"], load=load) == 2
    shown = capsysbinary.readouterr().err
    assert b"respell: a.md: not writable\n" in shown
    assert b"respell: b.md: not writable\n" in shown
    assert b"Replace" not in shown


def test_quiet_asks_but_prints_no_summary(folder: Path) -> None:
    status, shown = ask(folder, "y", "y", arguments=["b.md", "-q"])
    assert status == 0
    assert (folder / "b.md").read_text() == "the two respect\n"
    assert shown.count("Replace with") == 2
    assert "Fixed" not in shown


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_interactive_needs_a_terminal(
    stream: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: False, raising=False)
    assert main(["fix", "--interactive", "."], load=load) == 2
    assert capsysbinary.readouterr() == (
        b"",
        b"respell: fix --interactive needs a terminal; use --write or --diff in scripts\n",
    )
    assert main(["fix", "--interactive", "--write", "."], load=load) == 2
    assert (folder / "b.md").read_text() == "teh two refspec\n"
