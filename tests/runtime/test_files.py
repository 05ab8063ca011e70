"""Finding, reading and replacing files."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respell.cli.files import (
    BLOCK,
    LINE,
    BinaryError,
    Source,
    _blocks,
    find,
    pieces,
    read,
    total_size,
)
from respell.cli.gitignore import Patterns
from respell.cli.rewrite import Rewrite
from respell.types import Error

TREE = """
a.md b.md x.txt a/a.md a/b.md a/b/a.md a/b/x.txt a/b/a/b.md b/a.md b/b/b.md b/ab/x.txt ab/a.md
b/a/x.txt a/ab/b.md a/c!.md c#/a.md c#/#b.md
""".split()


def plant(root: Path, names: list[str], text: str = "words\n") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def no_error(message: str) -> None:
    raise AssertionError(message)


def found(
    root: Path, *, exclude: tuple[str, ...] = (), extensions: tuple[str, ...] = ()
) -> set[str]:
    patterns = (Patterns.parse(root, exclude),)
    sources = find([str(root)], exclude=patterns, extensions=extensions, on_error=no_error)
    return {source.path.relative_to(root).as_posix() for source in sources if source.path}


def git_files(root: Path) -> set[str]:
    command = [
        "git",
        "-c",
        "core.excludesFile=",
        "ls-files",
        "-z",
        "--others",
        "--exclude-standard",
    ]
    output = subprocess.run(command, cwd=root, capture_output=True, check=True, text=True).stdout
    return {name for name in output.split("\0") if name and not Path(name).name.startswith(".")}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("git"):
        pytest.skip("needs git")
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    plant(root, TREE)
    return root


def write_rules(folder: Path, lines: list[str]) -> None:
    (folder / ".gitignore").write_text("\n".join(lines) + "\n")


parts = st.sampled_from(
    "a b ab * ** ? [ab] [!a] [^b] a* *b *.md a.* ??.md \\a [[:alpha:]] [a [z-a] [a-] []a] c! "
    "\\#b.md x.txt c# *.?d a? [b-c]#".split()
)


@st.composite
def patterns(draw: st.DrawFn) -> str:
    body = "/".join(draw(st.lists(parts, min_size=1, max_size=3)))
    front = draw(st.sampled_from(["", "", "/", "!", "!/", "**/", "#", "\\!"]))
    return front + body + draw(st.sampled_from(["", "", "/", " ", "\\ ", "/**"]))


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(patterns(), max_size=5),
    st.lists(patterns(), max_size=3),
    st.lists(patterns(), max_size=2),
)
def test_ignores_what_git_ignores(
    repository: Path, top: list[str], nested: list[str], info: list[str]
) -> None:
    write_rules(repository, top)
    write_rules(repository / "a", nested)
    (repository / ".git/info/exclude").write_text("\n".join(info) + "\n")
    assert found(repository) == git_files(repository)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("a/", {"a.md", "b.md", "x.txt", "c#/a.md", "c#/#b.md", "ab/a.md", "b/a.md", "b/b/b.md"}),
        ("*.md", {"x.txt", "a/b/x.txt", "b/ab/x.txt", "b/a/x.txt"}),
        ("/*/", {"a.md", "b.md", "x.txt"}),
    ],
)
def test_patterns_mean_what_they_say(tmp_path: Path, line: str, kept: set[str]) -> None:
    plant(tmp_path, TREE)
    write_rules(tmp_path, [line, ""])
    assert found(tmp_path) - {"b/ab/x.txt"} == kept - {"b/ab/x.txt"}
    assert found(tmp_path, exclude=(line,)) == found(tmp_path)


def test_rules_of_folders_above_hold(tmp_path: Path) -> None:
    plant(tmp_path, TREE)
    (tmp_path / ".git").mkdir()
    write_rules(tmp_path, ["/a/b/", "!x.txt", "b.md"])
    assert found(tmp_path / "a") == {"a.md", "c!.md"}


def test_exclude_cannot_be_overruled(tmp_path: Path) -> None:
    plant(tmp_path, ["a.md", "b.md"])
    write_rules(tmp_path, ["!a.md"])
    assert found(tmp_path, exclude=("a.md",)) == {"b.md"}


def test_a_pattern_with_a_folder_does_not_match_elsewhere(tmp_path: Path) -> None:
    plant(tmp_path, ["here/a.md", "there/a.md", "there/b.md"])
    rules = Patterns.parse(tmp_path / "here", ["/a.md", "b.md"])
    assert rules.verdict(f"{tmp_path}/here/a.md", folder=False) is True
    assert rules.verdict(f"{tmp_path}/there/a.md", folder=False) is None
    assert rules.verdict(f"{tmp_path}/there/b.md", folder=False) is True


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("*a" * 30 + "*b", "a" * 250),
        ("*?" * 30 + "[!a]", "a" * 250),
        ("**/a/" * 30 + "b", "a/" * 500 + "a"),
        ("**/*a*a*/" * 20 + "b", "aaaa/" * 500 + "a"),
        ("**/" * 50 + "b", "a/" * 500 + "a"),
    ],
)
def test_hostile_patterns_take_no_time(line: str, name: str, tmp_path: Path) -> None:
    rules = Patterns.parse(tmp_path, [line])
    start = time.process_time()
    assert rules.verdict(f"{tmp_path}/{name}", folder=False) is None
    assert rules.verdict(f"{tmp_path}/{name[:-1]}b", folder=False) is True
    assert time.process_time() - start < 0.5


def test_extensions_and_names(tmp_path: Path) -> None:
    plant(tmp_path, ["a.MD", "b.py", "README", "Makefile", ".hidden.md", ".git/x.md", "c.html"])
    assert found(tmp_path) == {"a.MD", "README", "c.html"}
    assert found(tmp_path, extensions=(".py", "html")) == {"b.py", "c.html"}


def test_order_is_by_name_and_named_files_always_count(tmp_path: Path) -> None:
    plant(tmp_path, ["b/z.md", "a.md", "c.md", "b/a.md", "x.py"])
    write_rules(tmp_path, ["x.py"])
    names = [str(tmp_path / "x.py"), str(tmp_path), "-"]
    sources = list(find(names, on_error=no_error))
    assert [Path(s.name).name for s in sources] == ["x.py", "a.md", "a.md", "z.md", "c.md", "-"]
    assert [s.named for s in sources] == [True, False, False, False, False, True]


def test_links_in_folders_are_not_followed(tmp_path: Path) -> None:
    plant(tmp_path, ["a/a.md"])
    (tmp_path / "a/loop").symlink_to(tmp_path)
    (tmp_path / "self.md").symlink_to(tmp_path / "self.md")
    (tmp_path / "link.md").symlink_to(tmp_path / "a/a.md")
    os.mkfifo(tmp_path / "pipe.md")
    assert found(tmp_path) == {"a/a.md"}
    assert found(tmp_path / "a/loop") == {"a/a.md"}


def test_a_folder_that_cannot_be_read_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    errors: list[str] = []
    assert list(find([str(tmp_path)], on_error=errors.append)) == []
    assert errors == [f"{tmp_path}: Permission denied"]


def test_total_size_counts_files_and_folders(tmp_path: Path) -> None:
    def size(*names: str) -> int | None:
        return total_size(find([str(tmp_path / name) for name in names], on_error=no_error))

    plant(tmp_path, ["a.md", "b.md", "docs/c.md", "docs/d.bin"])
    assert size("a.md", "b.md") == 12
    assert size("docs") == 6
    assert size("a.md", ".") == 18
    assert size("a.md", "none") is None
    assert total_size([Source("-", None)]) is None
    os.mkfifo(tmp_path / "pipe")
    assert size("a.md", "pipe") is None


def blocks_of(data: bytes) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))
        return list(read(Source("-", None)))


line = st.text(st.sampled_from("a é\r\t\u00a0\x0c\ufeff😀"), max_size=30)


@settings(deadline=None, max_examples=50)
@given(st.lists(line, max_size=20), st.integers(1, 9000))
def test_blocks_are_the_text(lines: list[str], times: int) -> None:
    text = "\n".join(lines) * min(times, 1 + 400_000 // (1 + 31 * len(lines)))
    blocks = blocks_of(text.encode())
    assert "".join(blocks) == text
    assert all(0 < len(block) <= BLOCK or block.find("\n", 0, -1) < 0 for block in blocks)
    for block in blocks:
        cut = [block[piece] for piece in pieces(block)]
        assert "".join(cut) == block
        assert all(0 < len(piece) <= BLOCK for piece in cut)


def test_blocks_end_at_blank_lines_then_lines_then_blanks() -> None:
    paragraph = "word " * 400 + "\nline\n\n"
    assert all(block.endswith("\n\n") for block in blocks_of((paragraph * 100).encode()))
    assert all(block.endswith("\n") for block in blocks_of(b"word word\n" * 20_000))
    assert all(block.endswith(" ") for block in blocks_of(b"word " * 400_000))
    assert [len(block) for block in blocks_of(b"w" * (LINE + 5))] == [LINE, 5]


def test_lines_stay_whole_up_to_a_limit() -> None:
    long = "word " * 40_000 + "\n"
    assert blocks_of(f"a\n\n{long}b\n".encode()) == ["a\n\n", long, "b\n"]
    cut = [long[piece] for piece in pieces(long)]
    assert all(piece.endswith(" ") and len(piece) <= BLOCK for piece in cut[:-1])
    hard = "w" * (BLOCK + 5)
    assert [len(hard[piece]) for piece in pieces(hard)] == [BLOCK, 5]


def test_an_endless_line_is_read_bit_by_bit() -> None:
    def chunks() -> Iterator[str]:
        for _ in range(64):
            read_so_far.append("w " * (BLOCK // 2))
            yield read_so_far[-1]

    read_so_far: list[str] = []
    blocks = _blocks(chunks())
    assert len(next(blocks)) == LINE
    assert len(read_so_far) == LINE // BLOCK


@settings(deadline=None)
@given(st.integers(0, 3 * BLOCK), st.sampled_from(["a", "é", "€", "😀"]))
def test_bad_bytes_are_named_by_position(before: int, char: str) -> None:
    good = char.encode() * (before // len(char.encode()))
    with pytest.raises(Error, match=rf"^-: not UTF-8 \(byte {len(good)}\)$"):
        blocks_of(good + b"\xff tail")


def test_a_character_cut_off_at_the_end_is_bad() -> None:
    with pytest.raises(Error, match=r"not UTF-8 \(byte 2\)"):
        blocks_of("ab€".encode()[:-1])


def test_binary_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(BinaryError, match="looks binary"):
        blocks_of(b"abc\0def")
    assert blocks_of(b"a" * 8192 + b"\0") == ["a" * 8192 + "\0"]
    with pytest.raises(Error, match=r"nothing\.md: No such file"):
        list(read(Source("nothing.md", tmp_path / "nothing.md")))


def rewrite(path: Path, old: str, new: str) -> None:
    (source,) = find([str(path)], on_error=no_error)
    with Rewrite(source, path) as out:
        out.write(old, new)


def test_rewrite_keeps_mode_and_follows_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    real.write_text("teh")
    real.chmod(0o640)
    link.symlink_to(real)
    rewrite(link, "teh", "the")
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o7777) == ("the", 0o640)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.md", "real.md"]


def test_rewrite_leaves_the_same_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("the")
    before = path.stat()
    rewrite(path, "the", "the")
    assert path.stat() == before
    assert list(tmp_path.iterdir()) == [path]


def test_rewrite_keeps_the_text_before_the_first_change(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    front = "é words\r\n" * BLOCK
    path.write_bytes(f"{front}teh end".encode())
    (source,) = find([str(path)], on_error=no_error)
    with Rewrite(source, path) as out:
        for block in (front[:100], front[100:]):
            out.write(block, block)
        assert list(tmp_path.iterdir()) == [path]  # nothing differs yet
        out.write("teh", "the")
        out.write(" end", " end")
    assert path.read_bytes() == f"{front}the end".encode()


def test_every_file_comes_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plant(tmp_path, ["a.md", "b/c.md"])
    (tmp_path / "link").symlink_to("a.md")
    (tmp_path / "folder").symlink_to("b")
    os.link(tmp_path / "a.md", tmp_path / "hard.md")
    names = ["a.md", "./a.md", "link", ".", "b/../a.md", "folder", "b", "none", "-", "none", "-"]
    sources = [source.name for source in find(names, on_error=no_error)]
    assert sources == ["a.md", "b/c.md", "hard.md", "none", "-"]


def test_an_empty_path_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes from an unset variable of a shell, and must not stand for this folder."""
    monkeypatch.chdir(tmp_path)
    plant(tmp_path, ["a.md"])
    errors: list[str] = []
    assert [source.name for source in find(["", "a.md"], on_error=errors.append)] == ["a.md"]
    assert errors == ["a path is empty"]


def test_rewrite_that_fails_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("teh")
    with pytest.raises(UnicodeEncodeError):
        rewrite(path, "teh", "the \ud800")
    assert path.read_text() == "teh"
    (source,) = find([str(path)], on_error=no_error)
    out = Rewrite(source, path)
    out.write("teh", "the")
    path.write_text("somebody else's work")
    with pytest.raises(Error, match="changed while"):
        out.__exit__(None)
    assert path.read_text() == "somebody else's work"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_right_after_the_draft_is_made_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("teh")
    made = os.open

    def end_behind(*arguments: Any) -> int:
        made(*arguments)
        raise SystemExit

    monkeypatch.setattr(os, "open", end_behind)
    with pytest.raises(SystemExit):
        rewrite(path, "teh", "the")
    assert list(tmp_path.iterdir()) == [path]
