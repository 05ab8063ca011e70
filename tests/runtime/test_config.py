"""Configuration files, lists of words, and what beats what."""

import argparse
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.cli import args
from respell.config import Config, find_config, read_dictionary
from respell.options import CorrectorOptions
from respell.types import Error


def options(*arguments: str) -> argparse.Namespace:
    return args.parser(formats=("text",)).parse_args(["check", *arguments])


def merged(*arguments: str) -> CorrectorOptions:
    given = options(*arguments)
    return args.corrector_options(given, args.read_config(given))


def test_without_a_file_all_is_default(tmp_path: Path) -> None:
    assert find_config(tmp_path) == Config(base=tmp_path.resolve())


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    (tmp_path / "respell.toml").write_text("threshold = 1\npreset = 'noisy'\n")
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert find_config(tmp_path / "a/b").corrector.threshold == 1.0
    (tmp_path / "a/pyproject.toml").write_text("[tool.respell]\nthreshold = 0.5\n")
    config = find_config(tmp_path / "a/b")
    assert config == Config(tmp_path / "a", CorrectorOptions(threshold=0.5))
    (tmp_path / "a/respell.toml").write_text("threshold = 0.25\n")
    assert find_config(tmp_path / "a/b").corrector.threshold == 0.25


def test_every_key(tmp_path: Path) -> None:
    (tmp_path / "respell.toml").write_text(
        "threshold = 0.5\npreset = 'careful'\ndictionary = ['foo']\ndictionary_files = ['w.txt']\n"
        "exclude = ['*.tmp']\nextension = ['md']\nmodel = 'bundle'\n"
    )
    (tmp_path / "w.txt").write_text("\ufeffbar # comment\n\n# comment\nC#\n", encoding="utf-8")
    config = find_config(tmp_path)
    options = CorrectorOptions(
        threshold=0.5,
        preset="careful",
        dictionary=frozenset({"foo"}),
        model=tmp_path / "bundle",
    )
    assert config == Config(
        tmp_path,
        options,
        dictionary_files=(tmp_path / "w.txt",),
        exclude=("*.tmp",),
        extension=("md",),
    )
    assert config.options() == replace(options, dictionary=frozenset({"foo", "bar", "C#"}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 1", "unknown key 'colour'; known are threshold"),
        ("treshold = 1", "unknown key 'treshold'; did you mean 'threshold'?"),
        ("threshold = '0.5'", "threshold must be a number"),
        ("threshold = true", "threshold must be a number"),
        ("threshold = 1.5", "threshold must be a number"),
        ("threshold = nan", "threshold must be a number"),
        ("preset = 'loud'", "preset must be one of default, noisy, careful, not 'loud'"),
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
    (tmp_path / "a").write_text("alpha\n")
    (tmp_path / "b").write_text("beta\n")
    unchanged = merged()
    assert (unchanged.threshold, unchanged.preset) == (0.5, "careful")
    changed = merged("--threshold", "0.75", "--dictionary", "b", "--model", "m")
    assert (changed.threshold, changed.preset) == (0.75, "careful")
    assert changed.dictionary == {"alpha", "beta"}
    assert changed.model == Path("m")
    noisy = merged("--preset", "noisy")
    assert (noisy.threshold, noisy.preset) == (None, "noisy")
    assert merged("--no-config") == CorrectorOptions(spacing="auto")


@pytest.mark.parametrize("value", [True, False])
def test_spacing_of_the_file(value: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "respell.toml").write_text(f"spacing = {str(value).lower()}\n")
    assert merged().spacing is value
    assert merged("--no-spacing" if value else "--spacing").spacing is not value


def test_options_on_top_of_others() -> None:
    base = CorrectorOptions(threshold=0.9, dictionary=frozenset({"a"}), max_suggestions=3)
    over = CorrectorOptions(dictionary=frozenset({"b"}), max_suggestions=7).over(base)
    assert over == CorrectorOptions(
        threshold=0.9, dictionary=frozenset({"a", "b"}), max_suggestions=7
    )
    assert CorrectorOptions(preset="careful").over(base).threshold is None
    assert CorrectorOptions(preset="careful", threshold=0.2).over(base).threshold == 0.2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"threshold": 1.5}, "threshold must be a number between 0 and 1, not 1.5"),
        ({"threshold": True}, "threshold must be a number between 0 and 1, not True"),
        ({"preset": 3}, "preset must be one of default, noisy, careful, not 3"),
        ({"max_suggestions": 0}, "max_suggestions must be a whole number of at least 1, not 0"),
        ({"max_suggestions": 2.0}, "max_suggestions must be a whole number of at least 1"),
        ({"dictionary": "word"}, "dictionary must be a list of words, not str"),
        ({"dictionary": [1]}, "dictionary must be a list of words, not of int"),
    ],
)
def test_invalid_options(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(Error, match=f"^{re.escape(message)}"):
        CorrectorOptions(**wrong)


@given(st.floats() | st.text())
def test_only_probabilities_are_thresholds(value: object) -> None:
    try:
        wanted = 0 <= float(str(value)) <= 1
    except ValueError:
        wanted = False
    arguments = ("--no-config", f"--threshold={value}")
    if wanted:
        assert merged(*arguments).threshold == float(str(value))
    else:
        with pytest.raises(Error, match=r"see respell check --help$"):
            options(*arguments)
