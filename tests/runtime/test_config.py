"""Configuration files, lists of words, and what beats what."""

import argparse
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.cli import args
from respell.config import Settings, find_config, read_dictionary
from respell.types import Error


def options(*arguments: str) -> argparse.Namespace:
    return args.parser(version="1", formats=("text",)).parse_args(["check", *arguments])


def test_without_a_file_all_is_default(tmp_path: Path) -> None:
    assert find_config(tmp_path) == Settings(base=tmp_path.resolve())


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    (tmp_path / "respell.toml").write_text("threshold = 1\npreset = 'noisy'\n")
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert find_config(tmp_path / "a/b").threshold == 1.0
    (tmp_path / "a/pyproject.toml").write_text("[tool.respell]\nthreshold = 0.5\n")
    settings = find_config(tmp_path / "a/b")
    assert (settings.threshold, settings.preset, settings.base) == (0.5, "default", tmp_path / "a")
    (tmp_path / "a/respell.toml").write_text("threshold = 0.25\n")
    assert find_config(tmp_path / "a/b").threshold == 0.25


def test_every_key(tmp_path: Path) -> None:
    (tmp_path / "respell.toml").write_text(
        "threshold = 0.5\npreset = 'careful'\ndictionary = ['foo']\ndictionary_files = ['w.txt']\n"
        "exclude = ['*.tmp']\nextension = ['md']\nmodel = 'bundle'\n"
    )
    (tmp_path / "w.txt").write_text("\ufeffbar # comment\n\n# comment\nC#\n", encoding="utf-8")
    settings = find_config(tmp_path)
    assert settings == Settings(
        base=tmp_path,
        threshold=0.5,
        preset="careful",
        dictionary=("foo",),
        dictionary_files=(tmp_path / "w.txt",),
        exclude=("*.tmp",),
        extension=("md",),
        model=tmp_path / "bundle",
    )
    assert settings.words() == ["foo", "bar", "C#"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 1", "unknown key 'colour'; known are threshold"),
        ("threshold = '0.5'", "threshold must be a number"),
        ("threshold = true", "threshold must be a number"),
        ("threshold = 1.5", "threshold must be a number"),
        ("threshold = nan", "threshold must be a number"),
        ("preset = 'loud'", "preset must be one of default, noisy, careful"),
        ("dictionary = 'word'", "dictionary must be a list of strings"),
        ("exclude = [1]", "exclude must be a list of strings"),
        ("model = 3", "model must be a string"),
        ("extension = 'md'", "extension must be a list of strings"),
        ("extension = ['md', 'a,b']", "extension: 'a,b' is not one extension"),
        ("extension = ['*.md']", "extension: '*.md' is not one extension"),
        ("threshold = ", "not valid TOML"),
    ],
)
def test_a_mistake_is_one_line_with_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "respell.toml").write_text(text)
    with pytest.raises(Error) as caught:
        find_config(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'respell.toml'}: {message}")
    assert "\n" not in str(caught.value)


def test_pyproject_may_be_odd(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\nrespell = 1\n")
    with pytest.raises(Error, match="must be a table"):
        find_config(tmp_path)
    (tmp_path / "pyproject.toml").write_text("tool = 1\n")
    assert find_config(tmp_path).base == tmp_path


def test_word_lists_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "words"
    with pytest.raises(Error, match=r"words: No such file"):
        read_dictionary(path)
    path.write_bytes(b"a\nb\xff")
    with pytest.raises(Error, match=r"words: not UTF-8 \(byte 3\)"):
        read_dictionary(path)
    path.write_text("one\ntwo words\n")
    with pytest.raises(Error, match=r"words:2: more than one word"):
        read_dictionary(path)


def test_the_command_line_beats_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "respell.toml").write_text(
        "threshold = 0.5\npreset = 'careful'\ndictionary_files = ['a']\nextension = ['md']\n"
        "exclude = ['x']\n"
    )
    unchanged = args.settle(options())
    assert (unchanged.threshold, unchanged.preset, unchanged.extension) == (0.5, "careful", ("md",))
    changed = args.settle(
        options("--threshold", "0.75", "--extension", "txt", "--dictionary", "b", "--model", "m")
    )
    assert (changed.threshold, changed.preset, changed.extension) == (0.75, "careful", ("txt",))
    assert changed.dictionary_files == (tmp_path / "a", Path("b"))
    assert (changed.model, changed.exclude) == (Path("m"), ("x",))
    loud = args.settle(options("--preset", "noisy"))
    assert (loud.threshold, loud.preset) == (None, "noisy")
    assert args.settle(options("--no-config")) == Settings(base=Path())


@given(st.floats() | st.text())
def test_only_probabilities_are_thresholds(value: object) -> None:
    try:
        wanted = 0 <= float(str(value)) <= 1
    except ValueError:
        wanted = False
    arguments = ("--no-config", f"--threshold={value}")
    if wanted:
        assert args.settle(options(*arguments)).threshold == float(str(value))
    else:
        with pytest.raises(Error, match=r"see respell check --help$"):
            options(*arguments)
