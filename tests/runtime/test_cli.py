"""The command line, from arguments to bytes and exit status, with a corrector that is a dict."""

import json
import os
import re
import sys
import time
import tracemalloc
from collections import deque
from collections.abc import Iterable, Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respell.cli.main import main
from respell.types import Correction, Error, Suggestion

WRONG = {"teh": "the", "recieve": "receive", "Teh": "The"}


class Fake:
    """Corrects the words of a dict; reads two texts ahead, as the real one may."""

    def __init__(self, wait: float = 0) -> None:
        self.wait = wait
        self.asked: dict[str, Any] = {}

    def load(self, path: str | Path | None = None, **asked: Any) -> "Fake":
        self.asked = {"path": path, **asked, "dictionary": sorted(asked["dictionary"])}
        return self

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        ahead: deque[list[Correction]] = deque()
        for text in texts:
            ahead.append(
                [
                    Correction(m.start(), m[0], (Suggestion(WRONG[m[0]], 0.9),), 0.9)
                    for m in re.finditer(r"\w+", text)
                    if m[0] in WRONG
                ]
            )
            time.sleep(self.wait)
            if len(ahead) > 2:
                yield ahead.popleft()
        yield from ahead


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, fake: Fake | None = None) -> int:
    return main(list(arguments), load=(fake or Fake()).load)


def pipe(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))


Capture = pytest.CaptureFixture[bytes]


def test_check_lists_findings(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a.md").write_text("fine\nI recieve `teh` teh\n")
    (folder / "b.txt").write_text("é teh respell: ignore\n😀 teh\n")
    assert run("check", ".") == 1
    out, err = capsysbinary.readouterr()
    assert out.decode() == (
        "a.md:2:3: recieve → receive (0.90) unknown word\n"
        "a.md:2:17: teh → the (0.90) unknown word\n"
        "b.txt:2:3: teh → the (0.90) unknown word\n"
    )
    assert err == b"Found 3 problems in 2 files.\n"


def test_clean_is_zero_and_trouble_is_two(folder: Path, capsysbinary: Capture) -> None:
    (folder / "clean.md").write_text("fine")
    (folder / "empty.md").write_text("")
    (folder / "wrong.md").write_text("teh")
    (folder / "bad.md").write_bytes(b"teh \xff")
    assert run("check", "clean.md", "empty.md") == 0
    assert capsysbinary.readouterr() == (b"", b"No problems found in 2 files.\n")
    assert run("check", "none.md", "bad.md", "wrong.md") == 2
    out, err = capsysbinary.readouterr()
    assert out.decode() == "wrong.md:1:1: teh → the (0.90) unknown word\n"
    assert err.decode() == (
        "respell: none.md: No such file or directory\nrespell: bad.md: not UTF-8 (byte 4)\n"
        "Found 1 problem in 1 file.\n"
    )
    assert run("check", "none.md") == 2
    assert capsysbinary.readouterr().err == b"respell: none.md: No such file or directory\n"


def test_binary_is_trouble_only_when_named(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a.txt").write_bytes(b"teh\0")
    assert run("check", ".") == 0
    assert capsysbinary.readouterr().err.splitlines() == [
        b"respell: a.txt: skipped, looks binary",
        b"No problems found in 0 files.",
    ]
    assert run("check", "a.txt") == 2


def test_json_offsets_count_from_the_start_of_the_file(folder: Path, capsysbinary: Capture) -> None:
    text = "\ufeffteh\r\n" + ("word " * 1000 + "teh\n") * 60 + "x " * 80_000 + "teh"
    (folder / "a.txt").write_bytes(text.encode())
    assert run("check", "a.txt", "--format", "json") == 1
    rows = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    lines = text.split("\n")
    assert len(rows) == 62
    for row in rows:
        assert text[row["start"] : row["end"]] == row["original"] == "teh"
        line = lines[row["line"] - 1].removeprefix("\ufeff")
        assert line[row["column"] - 1 :].startswith("teh")


@pytest.mark.parametrize("form", ["sarif", "github"])
def test_other_formats(folder: Path, capsysbinary: Capture, form: str) -> None:
    (folder / "a.txt").write_text("teh")
    assert run("check", ".", "--format", form) == 1
    written, err = capsysbinary.readouterr()
    assert err == b""
    out = written.decode()
    assert out.startswith("::warning file=a.txt,line=1") if form == "github" else json.loads(out)


def test_text_on_the_command_line(folder: Path, capsysbinary: Capture) -> None:
    assert run("I recieve", "teh", "mail") == 0
    assert run("--", "--teh", "-") == 0
    assert run("teh") == 0
    assert capsysbinary.readouterr() == (b"I receive the mail\n--the -\nthe\n", b"")


@pytest.mark.parametrize("arguments", [("--threshold", "0.5", "teh"), ("teh", "--threshold=.5")])
def test_a_text_takes_options(arguments: tuple[str, ...], capsysbinary: Capture) -> None:
    fake = Fake()
    assert run(*arguments, fake=fake) == 0
    assert capsysbinary.readouterr() == (b"the\n", b"")
    assert fake.asked["threshold"] == 0.5


@pytest.mark.parametrize("option", ["--write", "--diff", "--interactive", "--nonsense"])
def test_a_text_takes_no_options_of_files(option: str, capsysbinary: Capture) -> None:
    assert run("teh", option) == 2
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert option.encode() in err


@pytest.mark.parametrize("command", ["check", "fix", "words", "lsp", "serve", "completion", "man"])
def test_options_go_after_the_command(command: str, capsysbinary: Capture) -> None:
    assert run("--preset", "careful", command, "a.md") == 2
    out, err = capsysbinary.readouterr()
    assert (out, err.count(b"\n")) == (b"", 1)
    assert f"options go after the command: respell {command}".encode() in err
    assert run("--preset", "careful", "--", command, "teh") == 0
    assert run("--preset", "careful", "teh", command) == 0
    assert capsysbinary.readouterr().out == f"{command} the\nthe {command}\n".encode()


def test_paths_and_words_between_options(folder: Path, capsysbinary: Capture) -> None:
    for name in ("a.md", "b.md", "-c.md"):
        (folder / name).write_text("teh")
    assert run("check", "a.md", "--threshold", "0.5", "b.md", "--stats", "--", "-c.md") == 1
    names = [line.split(b":")[0] for line in capsysbinary.readouterr().out.splitlines()]
    assert names == [b"a.md", b"b.md", b"-c.md"]
    assert run("teh end", "--preset", "noisy", "recieve", "--", "--teh") == 0
    assert capsysbinary.readouterr().out == b"the end receive --the\n"


@pytest.mark.parametrize(
    "arguments",
    [("lsp", "a.md"), ("serve", "--", "a.md"), ("man", "check")],
)
def test_unknown_arguments_are_errors(arguments: tuple[str, ...], capsysbinary: Capture) -> None:
    assert run(*arguments) == 2
    message = f"unrecognized arguments: {arguments[-1]}; see respell {arguments[0]} --help\n"
    assert capsysbinary.readouterr() == (b"", f"respell: {message}".encode())


everything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    everything, st.sampled_from(["\r\n", "\r", "\n", "\t", "\x0c", "\u00a0", "\ufeff", "\u2028"])
)
def test_a_pipe_keeps_every_byte(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture, text: str, space: str
) -> None:
    pipe(f"{space}{text}{space} teh {space}".encode(), monkeypatch)
    assert run() == 0
    expected = re.sub(r"\w+", lambda m: WRONG.get(m[0], m[0]), f"{space}{text}{space} teh {space}")
    assert capsysbinary.readouterr() == (expected.encode(), b"")


def test_a_pipe_into_check_and_fix(capsysbinary: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, status, out in (
        (["check"], 1, "-:1:1: teh → the (0.90) unknown word\n"),
        (["-"], 0, "the"),
        (["--threshold", "0.5"], 0, "the"),
        (["fix", "-"], 0, "the"),
        (["fix", "--write"], 2, ""),
    ):
        pipe(b"teh", monkeypatch)
        assert run(*arguments) == status
        assert capsysbinary.readouterr().out.decode() == out


def test_nothing_piped_means_this_folder(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a.md").write_text("teh")
    with Path(os.devnull).open() as null, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", null)
        assert run("check") == 1
        assert run("fix") == 2
        assert run() == 2
    out, err = capsysbinary.readouterr()
    assert out.startswith(b"a.md:1:1")
    assert b"--write" in err
    assert b"usage: respell" in err


def test_fix_prints_one_file_and_writes_nothing(folder: Path, capsysbinary: Capture) -> None:
    path = folder / "a.md"
    path.write_bytes(b"Teh\r\n```\nteh\n```\n")
    assert run("fix", "a.md") == 0
    assert capsysbinary.readouterr().out == b"The\r\n```\nteh\n```\n"
    assert path.read_bytes().startswith(b"Teh")
    assert run("fix", "a.md", "a.md") == 2
    assert b"--write" in capsysbinary.readouterr().err


def test_fix_write_and_diff_agree(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a.md").write_text("Teh\n" * 3)
    (folder / "clean.md").write_text("fine")
    before = (folder / "clean.md").stat().st_mtime_ns
    assert run("fix", "--diff", ".") == 1
    patch = capsysbinary.readouterr().out
    assert run("fix", "--write", ".") == 0
    assert (folder / "a.md").read_text() == "The\n" * 3
    assert (folder / "clean.md").stat().st_mtime_ns == before
    assert (
        patch.decode() == "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n" + "-Teh\n" * 3 + "+The\n" * 3
    )
    assert run("fix", "--diff", ".") == 0
    assert run("fix", "--diff", "--write", ".") == 2
    assert sorted(p.name for p in folder.iterdir()) == ["a.md", "clean.md"]


def test_a_file_named_twice_is_done_once(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a.md").write_text("teh\n")
    (folder / "link.md").symlink_to("a.md")
    assert run("check", "a.md", ".", "./a.md", "link.md") == 1
    assert capsysbinary.readouterr().out.decode() == "a.md:1:1: teh → the (0.90) unknown word\n"
    assert run("fix", "--write", "--quiet", "link.md", ".", "a.md", "a.md") == 0
    assert capsysbinary.readouterr() == (b"", b"")
    assert (folder / "a.md").read_text() == "the\n"


def test_bad_bytes_late_in_a_file_leave_it_alone(folder: Path, capsysbinary: Capture) -> None:
    bad = b"teh word\n" * 40_000 + b"\xff"
    (folder / "a.md").write_bytes(bad)
    (folder / "b.md").write_bytes(b"teh")
    assert run("fix", "--write", ".") == 2
    assert (folder / "a.md").read_bytes() == bad
    assert (folder / "b.md").read_bytes() == b"the"
    assert b"a.md: not UTF-8 (byte 360000)" in capsysbinary.readouterr().err
    assert len(list(folder.iterdir())) == 2


def test_options_reach_the_corrector(folder: Path) -> None:
    (folder / "words").write_text("foo\n")
    (folder / "respell.toml").write_text("dictionary = ['bar']\npreset = 'careful'\nmodel = 'm'\n")
    fake = Fake()
    assert run("check", ".", "--threshold", "0.25", "--dictionary", "words", fake=fake) == 0
    assert fake.asked == {
        "path": folder / "m",
        "preset": "careful",
        "threshold": 0.25,
        "fix_threshold": None,
        "strict_fixes": False,
        "dictionary": ["bar", "foo"],
        "max_suggestions": 5,
        "threads": 0,
        "variant": "auto",
        "spacing": "auto",
    }


@pytest.mark.parametrize(
    ("argument", "spacing"), [("--spacing", True), ("--no-spacing", False), ("--quiet", "auto")]
)
def test_blanks_are_checked_if_the_model_can_unless_told(argument: str, spacing: object) -> None:
    fake = Fake()
    assert run("check", argument, ".", fake=fake) == 0
    assert fake.asked["spacing"] == spacing


def test_exclude_of_file_and_line_add_up(folder: Path, capsysbinary: Capture) -> None:
    for name in ("a.md", "b.md", "c.md", "d.py"):
        (folder / name).write_text("# teh")
    (folder / "respell.toml").write_text("exclude = ['/a.md']\n")
    assert run("check", ".", "--exclude", "b.*") == 1
    assert run("check", ".", "--extension", "py") == 1
    assert [line[:4] for line in capsysbinary.readouterr().out.splitlines()] == [b"c.md", b"d.py"]


@pytest.mark.parametrize("odd", ["md,txt", "*.md", "docs/md"])
def test_a_list_or_a_pattern_is_no_extension(odd: str, capsysbinary: Capture) -> None:
    assert run("check", ".", "--extension", odd) == 2
    assert f"'{odd}' is not one extension, such as md".encode() in capsysbinary.readouterr().err


def test_a_folder_without_files_is_noted(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a.md").write_text("fine")
    assert run("check", ".", ".", "a.md") == 0
    assert capsysbinary.readouterr().err == b"No problems found in 1 file.\n"
    assert run("check", ".", "a.md", "--extension", "dm") == 0
    assert capsysbinary.readouterr().err.splitlines() == [
        b"respell: .: no file to check in this folder",
        b"No problems found in 1 file.",
    ]


@pytest.mark.parametrize("pattern", ["./a.md", ".//a.md", "./a*"])
def test_exclude_takes_relative_paths(pattern: str, folder: Path, capsysbinary: Capture) -> None:
    (folder / "b").mkdir()
    for name in ("a.md", "b/a.md"):
        (folder / name).write_text("teh")
    assert run("check", ".", "--exclude", pattern) == 1
    assert capsysbinary.readouterr().out.startswith(b"b/a.md")
    (folder / "respell.toml").write_text(f"exclude = ['*.md', '!{pattern}']\n")
    assert run("check", ".") == 1
    assert capsysbinary.readouterr().out.startswith(b"a.md")


def test_stats(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a.md").write_text("one two teh\n")
    (folder / "b.md").write_text("four")
    assert run("check", ".", "--stats") == 1
    stats, summary = capsysbinary.readouterr().err.decode().splitlines()
    assert stats.startswith("respell: 2 files, 4 words, 1 problem in ")
    assert re.search(r": \d+ words/s, \d+ words/CPU-second$", stats)
    assert summary == "Found 1 problem in 1 file."


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (Error("no bundle"), 2, "respell: no bundle\n"),
        (ValueError("odd"), 2, "respell: ValueError: odd\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_main_catches_everything(
    capsysbinary: Capture,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    status: int,
    message: str,
) -> None:
    def load(*_: Any, **__: Any) -> Fake:
        raise error

    monkeypatch.delenv("RESPELL_DEBUG", raising=False)
    assert main(["text"], load=load) == status
    assert capsysbinary.readouterr() == (b"", message.encode())
    monkeypatch.setenv("RESPELL_DEBUG", "1")
    assert main(["text"], load=load) == status
    assert (b"Traceback" in capsysbinary.readouterr().err) == isinstance(error, ValueError)


def test_wrong_options_are_trouble(capsysbinary: Capture) -> None:
    assert run("check", "--threshold", "2") == 2
    assert capsysbinary.readouterr().err == (
        b"respell: argument --threshold: must be a number between 0 and 1, not '2'; "
        b"see respell check --help\n"
    )
    assert run("--nonsense") == 2
    assert run("fix", "--diff", "--write") == 2
    assert run("check", "--a\nb") == 2
    errors = capsysbinary.readouterr().err
    assert errors.count(b"respell: ") == errors.count(b"\n") == 3
    assert run("--help") == 0
    assert b"respell check docs" in capsysbinary.readouterr().out


@pytest.mark.parametrize(
    "line",
    ["a {}`teh {} teh` b", "[a {}](<teh {} teh>)", "teh {} <!-- respell: ignore --> {} teh"],
)
def test_markup_in_long_lines_is_recognised(line: str, folder: Path, capsysbinary: Capture) -> None:
    words = "word " * 30_000
    text = line.format(words, words) + "\nI recieve\n"
    (folder / "a.md").write_text(text)
    assert run("fix", "a.md") == 0
    assert capsysbinary.readouterr().out.decode() == text.replace("recieve", "receive")


def peak(path: Path) -> int:
    tracemalloc.start()
    run("fix", "--write", str(path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_memory_does_not_grow_with_the_file(folder: Path) -> None:
    small, large = folder / "small.md", folder / "large.md"
    small.write_text("Some words and teh rest.\n" * 15_000)
    large.write_text("Some words and teh rest.\n" * 45_000)
    assert peak(large) < 1.2 * peak(small) < 5_000_000


def test_memory_does_not_grow_with_a_line(folder: Path) -> None:
    small, large = folder / "small.md", folder / "large.md"
    small.write_text("Some words and teh rest. " * 50_000)
    large.write_text("Some words and teh rest. " * 130_000)
    assert peak(large) < 1.2 * peak(small) < 30_000_000
