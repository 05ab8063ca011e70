"""Findings and changes as people and machines read them."""

import difflib
import io
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.cli.progress import Progress
from respell.cli.reports import diff as diff_report
from respell.cli.reports.diff import diff
from respell.cli.reports.finding import Finding, locate, message
from respell.cli.reports.github import as_github
from respell.cli.reports.json_lines import as_json
from respell.cli.reports.render import FORMATS, render
from respell.cli.reports.sarif import as_sarif
from respell.cli.reports.text import as_text, color_wanted, excerpt
from respell.types import Correction, Suggestion


def correction(start: int, original: str = "teh") -> Correction:
    return Correction(start, original, (Suggestion("the", 0.987), Suggestion("ten", 0.01)), 0.987)


FINDING = Finding("a/b.md", 3, 5, 40, correction(7))


def test_text() -> None:
    assert list(as_text([FINDING])) == ["a/b.md:3:5: teh → the (0.99) unknown word\n"]
    colored = "".join(as_text([FINDING], color=True))
    assert "\x1b[31mteh\x1b[0m" in colored
    assert "\x1b[32mthe\x1b[0m" in colored


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        ("nonword", "unknown word", "“teh” is an unknown word; suggestions: the, ten"),
        ("realword", "may be the wrong word", "“teh” may be the wrong word; suggestions: the, ten"),
        ("split", "should be two words", "“teh” should be two words: the, ten"),
        ("join", "should be one word", "“teh” should be one word: the, ten"),
        ("other", "may be misspelled", "“teh” may be misspelled; suggestions: the, ten"),
    ],
)
def test_every_kind_has_a_wording(kind: Any, text: str, sentence: str) -> None:
    found = replace(FINDING, correction=replace(FINDING.correction, kind=kind))
    assert list(as_text([found])) == [f"a/b.md:3:5: teh → the (0.99) {text}\n"]
    assert message(found.correction) == sentence


def shown(text: str, width: int = 40) -> tuple[str, str]:
    """The line of "teh" in a text, and the carets below it, without the indent."""
    found = Finding("a.md", 1, 1, 0, correction(text.index("teh")), text)
    lines = excerpt(found, width).split("\n")
    assert [line[:2] for line in lines] == ["  ", "  ", ""]
    return lines[0][2:], lines[1][2:]


@pytest.mark.parametrize(
    ("text", "line", "carets"),
    [
        ("teh", "teh", "^^^"),
        ("one\ntwo teh end\r\nthree", "two teh end", "    ^^^"),
        ("\t  deep teh \t", "deep teh", "     ^^^"),
        ("\ufeffteh\x1b[31m", "teh [31m", "^^^"),
        ("漢字 teh", "漢字 teh", "     ^^^"),
        ("cafe\u0301 teh", "cafe\u0301 teh", "     ^^^"),
        ("a" * 50 + " teh", "…" + "a" * 32 + " teh", " " * 34 + "^^^"),
        ("teh " + "b" * 50, "teh " + "b" * 32 + "…", "^^^"),
        (
            "a" * 50 + " teh " + "b" * 50,
            "…" + "a" * 15 + " teh " + "b" * 16 + "…",
            " " * 17 + "^^^",
        ),
    ],
)
def test_excerpt(text: str, line: str, carets: str) -> None:
    assert shown(text) == (line, carets)


@given(st.text(max_size=80), st.text(max_size=80), st.integers(1, 100))
def test_excerpts_fit_and_are_printable(before: str, behind: str, width: int) -> None:
    line, carets = shown(f"{before.replace('teh', '')} teh {behind}", width)
    assert len(line) <= max(width - 2, 22)
    assert line.isprintable()
    assert carets.strip() == "^^^"
    if line.isascii():
        assert line[len(carets) - 3 : len(carets)] == "teh"


def test_json_lines_have_stable_keys() -> None:
    (line,) = as_json([FINDING])
    assert list(json.loads(line).items()) == [
        ("path", "a/b.md"),
        ("line", 3),
        ("column", 5),
        ("start", 40),
        ("end", 43),
        ("original", "teh"),
        ("replacement", "the"),
        (
            "suggestions",
            [{"text": t, "probability": p} for t, p in (("the", 0.987), ("ten", 0.01))],
        ),
        ("kind", "nonword"),
        ("error_probability", 1.0),
        ("score", 0.987),
        ("automatic", True),
    ]
    (line,) = as_json([Finding("a\udcff", 1, 1, 0, correction(0))])
    assert json.loads(line)["path"] == "a\ufffd"


def test_github_escapes() -> None:
    found = Finding("a,b:c%\n.md", 1, 2, 1, Correction(1, "50%\r\n", (Suggestion("x", 1.0),), 1.0))
    assert list(as_github([found])) == [
        "::warning file=a%2Cb%3Ac%25%0A.md,line=1,col=2,endColumn=7,title=respell"
        "::“50%25%0D%0A” is an unknown word; suggestions: x\n"
    ]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_sarif(count: int) -> None:
    document = json.loads("".join(as_sarif([FINDING] * count, version="1.2")))
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    assert run["tool"]["driver"]["version"] == "1.2"
    assert run["columnKind"] == "unicodeCodePoints"
    assert len(run["results"]) == count
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "a/b.md"
        assert place["region"] == {
            "startLine": 3,
            "startColumn": 5,
            "endColumn": 8,
            "charOffset": 40,
            "charLength": 3,
        }
        change = result["fixes"][1]["artifactChanges"][0]
        assert change["replacements"][0]["insertedContent"]["text"] == "ten"


def test_sarif_addresses_are_quoted() -> None:
    found = Finding("a b\udcff.md", 1, 1, 0, correction(0))
    result = json.loads("".join(as_sarif([found])))["runs"][0]["results"][0]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%20b%FF.md"


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_renders(form: str) -> None:
    assert "teh" in "".join(render(form, [FINDING]))


texts = st.text(st.sampled_from("ab\n\r\u2028😀 "), max_size=30)


@given(st.lists(texts, max_size=6), st.booleans())
def test_places_are_those_in_the_whole_text(blocks: list[str], mark: bool) -> None:
    blocks = ["\ufeff" * mark, *blocks] if mark else blocks
    checked = [
        (block, [correction(i, "a") for i, char in enumerate(block) if char == "a"])
        for block in blocks
    ]
    whole = "".join(blocks)
    expected = []
    for start, char in enumerate(whole):
        if char == "a":
            before = whole[:start].lstrip("\ufeff")
            expected.append((before.count("\n") + 1, len(before) - before.rfind("\n"), start))
    places = [(found.line, found.column, found.start) for found in locate("x", checked)]
    assert places == expected


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_shows_on_a_terminal_only() -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        with Progress(4000, "reading", delay=0, every=0, stream=stream) as progress:
            progress.advance("é" * 500, label="a.md")  # the total counts bytes
            progress.advance("e" * 1000, label="b.md")
    drawn = terminal.getvalue().split("\r\x1b[K")
    assert drawn[1].startswith("[#######-----")
    assert " 25% " in drawn[1]
    assert " 50% " in drawn[2]
    assert drawn[2].endswith("/s, reading b.md")
    assert drawn[3:] == [""]  # wiped in the end
    assert file.getvalue() == ""


def test_progress_waits_and_knows_no_total() -> None:
    terminal = Terminal()
    with Progress(delay=60, stream=terminal) as progress:
        progress.advance("word")
    assert terminal.getvalue() == ""
    with Progress(delay=0, stream=terminal) as progress:
        progress.advance("x" * 2_500_000, label="a.md")
    assert "\r\x1b[K2.5 MB, " in terminal.getvalue()


def test_progress_does_not_count_the_time_of_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("respell.cli.progress.time.monotonic", lambda: now[0])
    terminal = Terminal()
    with Progress(4000, delay=0, stream=terminal) as progress:
        now[0] += 1
        progress.advance("x" * 1000)
        with progress.paused():
            now[0] += 3600
        now[0] += 1
        progress.advance("x" * 1000)
    assert "]  50% 2 s left, 2.0 kB, 1.0 kB/s," in terminal.getvalue()


def test_color_only_on_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert color_wanted(Terminal())
    assert not color_wanted(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not color_wanted(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("TERM", "dumb")
    assert not color_wanted(Terminal())


def changed(text: str) -> str:
    return text.replace("teh", "the")


def test_diff_is_what_difflib_says() -> None:
    old = "".join(f"line {i}{' teh' if i in (2, 20, 40) else ''}\n" for i in range(50))
    expected = "".join(
        difflib.unified_diff(old.splitlines(True), changed(old).splitlines(True), "a/x", "b/x")
    )
    assert "".join(diff("x", [(old, changed(old))])) == expected


def test_diff_colors_end_before_the_line_does() -> None:
    lines = list(diff("/x", [("teh", "the")], color=True))
    assert lines[0].startswith("--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n")
    assert lines[1] == "\x1b[31m-teh\x1b[0m\n\\ No newline at end of file\n"


def test_nothing_changed_no_diff() -> None:
    assert list(diff("x", [("a\nb", "a\nb")])) == []


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
@pytest.mark.parametrize("gap", [0, 1, 3, 4, 5, 6, 9])
@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\nlast"])
@pytest.mark.parametrize("limit", [5, 4096])
def test_git_applies_the_diff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gap: int, ending: str, limit: int
) -> None:
    monkeypatch.setattr(diff_report, "_LONGEST_HUNK", limit)
    old = ("teh word\n" + "".join(f"line {i}\r\n" for i in range(gap))) * 5 + "teh end" + ending
    words = old.replace(" ", " |").split("|")  # blocks need not end where lines do
    pairs = [(word, changed(word)) for word in words]
    path = tmp_path / "x.md"
    path.write_bytes(old.encode())
    patch = "".join(diff("x.md", pairs)).encode()
    subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, check=True)
    assert path.read_bytes() == changed(old).encode()


NAMES = [
    *"x.md ./x.md a/../x.md".split(),
    "a//b c.md",
    'a"b\\.md',
    "a\tb\nc\r\x01\x7f.md",
    "é 😀.md",
    "a b.md",
]


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_git_finds_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, absolute: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / name).write_text("teh\n")
    patch = "".join(diff(f"{tmp_path}/{name}" if absolute else name, [("teh\n", "the\n")]))
    subprocess.run(["git", "apply", "-"], input=patch.encode(), check=True)
    assert (tmp_path / name).read_text() == "the\n"


@pytest.mark.skipif(not shutil.which("patch"), reason="needs patch")
def test_patch_finds_a_file_with_spaces(tmp_path: Path) -> None:
    (tmp_path / "a b.md").write_text("the\n")
    patch = "".join(diff("a b.md", [("teh\n", "the\n")]))
    command = ["patch", "--quiet", "-R", "-p1"]
    subprocess.run(command, input=patch.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "a b.md").read_text() == "teh\n"


def test_a_diff_names_files_elsewhere_from_the_root(tmp_path: Path) -> None:
    patch = "".join(diff(f"{tmp_path}/x.md", [("teh\n", "the\n")]))
    assert patch.startswith(f"--- a{tmp_path}/x.md\n+++ b{tmp_path}/x.md\n")
