"""Mistyped commands, options and values: one line of error with a hint."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.cli.args import parser
from respell.cli.main import main
from respell.cli.reports.render import FORMATS
from respell.text.edits import count_edits
from respell.types import Correction, Suggestion

Capture = pytest.CaptureFixture[bytes]


class Fake:
    """Corrects "teh"."""

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            yield [
                Correction(match.start(), "teh", (Suggestion("the", 0.9),), 0.9)
                for match in re.finditer("teh", text)
            ]


def load(path: str | Path | None = None, **options: Any) -> Fake:
    return Fake()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text("teh\n")
    (tmp_path / "README.md").write_text("fine\n")
    return tmp_path


def errors(capture: Capture) -> str:
    out, err = capture.readouterr()
    assert out == b""
    assert err.count(b"\n") == 1
    return err.decode().removeprefix("respell: ").removesuffix("\n")


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("chekc .", "check"),
        ("Check docs/", "check"),
        ("CHECK nothing", "check"),
        ("chck README.md", "check"),
        ("chekc --format json .", "check"),
        ("--preset careful chekc .", "check"),
        ("fxi --write .", "fix"),
        ("Fix docs", "fix"),
        ("fox docs", "fix"),  # an English word, but a path follows
        ("sevre --port 0", "serve"),
        ("word --min-count 2", "words"),
        ("completon bash", "completion"),
        ("chekc -- teh", "check"),
    ],
)
def test_a_mistyped_command_is_an_error(line: str, command: str, capsysbinary: Capture) -> None:
    assert main(line.split(), load=load) == 2
    typed = next(word for word in line.split() if word.lower()[0] in "cfsw" and word != "careful")
    hint = f"did you mean {command!r}? A text goes after --"
    assert errors(capsysbinary) == f"no command {typed!r}; {hint}"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("lint .", "commands are check, fix, words, serve, page, lsp, completion. A text goes af"),
        ("lint --preset careful README.md docs/", "commands are check"),
        ("spell -q docs", "commands are check"),
        ("help check", "for help on check: respell check --help"),
    ],
)
def test_other_names_of_commands_are_errors(line: str, reason: str, capsysbinary: Capture) -> None:
    assert main(line.split(), load=load) == 2
    assert errors(capsysbinary).startswith(f"no command '{line.split()[0]}'; {reason}")


@pytest.mark.parametrize(
    "line",
    [
        "teh",
        "help",
        "lint",
        "lint teh README.md",
        "help me check",
        "-- lint .",
        "chekc",
        "Check",
        "I saw teh dog",
        "were you teh one",  # two letters away from "serve", but English
        "fox and teh hound",
        "is teh fix in",
        "men and teh women",  # nearly "man", which takes no arguments
        "-- chekc .",
        "-- Check docs/",
        "-- docs/",
    ],
)
def test_other_words_are_text(line: str, capsysbinary: Capture) -> None:
    assert main(line.split(), load=load) == 0
    words = line.removeprefix("-- ").replace("teh", "the")
    assert capsysbinary.readouterr() == (f"{words}\n".encode(), b"")


def test_a_long_text_is_not_compared_with_commands(capsysbinary: Capture) -> None:
    assert main(["word " * 200_000, "teh"], load=load) == 0
    assert capsysbinary.readouterr().out.endswith(b"word  the\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("docs/", "'docs/' is a path; to check it: respell check docs/"),
        ("README.md", "'README.md' is a path; to check it: respell check README.md"),
        (".", "'.' is a path; to check it: respell check ."),
        ("README.md docs", "'README.md' is a path; to check it: respell check README.md docs"),
        ("--preset noisy docs", "'docs' is a path; to check it: respell check docs"),
    ],
)
def test_a_path_without_a_command_is_an_error(
    line: str, message: str, capsysbinary: Capture
) -> None:
    assert main(line.split(), load=load) == 2
    assert errors(capsysbinary) == message


def test_odd_paths_are_quoted_in_one_line(folder: Path, capsysbinary: Capture) -> None:
    (folder / "a b\nc.md").touch()
    assert main(["a b\nc.md"], load=load) == 2
    assert errors(capsysbinary) == r"'a b\nc.md' is a path; to check it: respell check 'a b c.md'"


def test_a_sentence_before_a_path_is_text(capsysbinary: Capture) -> None:
    assert main(["See teh", "README.md"], load=load) == 0
    assert capsysbinary.readouterr().out == b"See the README.md\n"


@pytest.mark.parametrize("text", ["", " ", "x" * 5000, "README.md teh"])
def test_texts_that_are_not_paths(text: str, capsysbinary: Capture) -> None:
    assert main([text], load=load) == 0
    assert capsysbinary.readouterr().out.decode() == text.replace("teh", "the") + "\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("check --frmat json", "no option '--frmat'; did you mean '--format'? See respell check"),
        ("check --frmat=json .", "no option '--frmat'; did you mean '--format'? See respell check"),
        ("fix --writ .", "no option '--writ'; did you mean '--write'? See respell fix"),
        ("check --diff-bsae HEAD", "no option '--diff-bsae'; did you mean '--diff-base'? See re"),
        ("check --ext md", "no option '--ext'; did you mean '--extension'? See respell check"),
        ("words --dict x", "no option '--dict'; did you mean '--dictionary'? See respell words"),
        ("words --mincount 2", "no option '--mincount'; did you mean '--min-count'? See respell w"),
        ("serve --prt 1", "no option '--prt'; did you mean '--port'? See respell serve --help"),
        ("check . --nonsense x", "no option '--nonsense'; see respell check --help"),
        ("check -z", "no option '-z'; see respell check --help"),
        ("teh --presset noisy", "no option '--presset'; did you mean '--preset'? See respell fix"),
        ("--verison", "no option '--verison'; did you mean '--version'? See respell fix --help"),
    ],
)
def test_unknown_options_are_errors(line: str, message: str, capsysbinary: Capture) -> None:
    assert main(line.split(), load=load) == 2
    error = errors(capsysbinary)
    assert error.startswith(message)
    assert error.endswith("--help")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("check --fix .", "respell fix"),
        ("--check docs", "respell check"),
        ("check --diff .", "respell fix --diff"),
        ("check -i .", "respell fix -i"),
        ("fix --format=json .", "respell check --format"),
        ("lsp --port 1", "respell serve --port"),
        ("words --version", "respell --version"),
    ],
)
def test_options_of_other_commands_are_errors(
    line: str, wanted: str, capsysbinary: Capture
) -> None:
    assert main(line.split(), load=load) == 2
    name = next(word for word in line.split() if word.startswith("-")).partition("=")[0]
    assert errors(capsysbinary) == f"no option {name!r} here; did you mean {wanted}?"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("check --format jsn", "text, json, sarif, github, not 'jsn'; did you mean 'json'? See "),
        ("check --format yaml", "text, json, sarif, github, not 'yaml'; see "),
        (
            "fix --preset carefull",
            "default, noisy, careful, not 'carefull'; did you mean 'careful'",
        ),
        ("check --variant en-UK", "auto, en-GB, en-US, not 'en-UK'; did you mean 'en-US'? See "),
        ("check --variant en-gb", "auto, en-GB, en-US, not 'en-gb'; did you mean 'en-GB'? See "),
        ("check --variant EN_us", "auto, en-GB, en-US, not 'EN_us'; did you mean 'en-US'? See "),
        ("completion bsh", "bash, zsh, fish, not 'bsh'; did you mean 'bash'? See "),
    ],
)
def test_invalid_choices_are_errors(line: str, message: str, capsysbinary: Capture) -> None:
    assert main(line.split(), load=load) == 2
    assert f"must be one of {message}" in (error := errors(capsysbinary))
    assert error.endswith(f"respell {line.split()[0]} --help")


@pytest.mark.parametrize(
    ("option", "values", "range_text"),
    [
        ("check --threshold", ["2", "-1", "nan", "x"], "number between 0 and 1"),
        ("fix --fix-threshold", ["1.1", ""], "number between 0 and 1"),
        ("check --jobs", ["0", "-2", "1.5", "two"], "whole number of at least 1"),
        ("words --min-count", ["0"], "whole number of at least 1"),
        ("serve --port", ["-1", "65536", "a", "1.5"], "whole number between 0 and 65535"),
        ("serve --workers", ["0"], "whole number of at least 1"),
        ("serve --max-body", ["x"], "whole number of at least 1"),
        (
            "serve --timeout",
            ["0", "-1", "inf", "1000000", "nan", "x"],
            "number of seconds above 0 and below 1000000",
        ),
    ],
)
def test_numbers_out_of_range_are_errors(
    option: str, values: list[str], range_text: str, capsysbinary: Capture
) -> None:
    command, name = option.split()
    for value in values:
        assert main([command, name, value], load=load) == 2
        assert errors(capsysbinary) == (
            f"argument {name}: must be a {range_text}, not {value!r}; see respell {command} --help"
        )


def test_every_choice_suggests_the_nearest_value(capsysbinary: Capture) -> None:
    commands = parser(formats=FORMATS).commands
    choices = [
        ([name, *action.option_strings[:1]], value)
        for name, command in commands.items()
        for action in (*command.options, *command.positionals)
        for value in action.choices or ()
    ]
    assert len(choices) > 20
    for arguments, value in choices:
        assert main([*arguments, f"{value}x"], load=load) == 2
        assert f"not '{value}x'; did you mean {value!r}? See " in errors(capsysbinary)


@pytest.mark.parametrize("line", ["--format json check .", "--no-such-thing check ."])
def test_options_before_a_command(line: str, capsysbinary: Capture) -> None:
    assert main(line.split(), load=load) == 2
    option = line.partition(" ")[0]
    assert errors(capsysbinary) == f"options go after the command: respell check {option}"


@pytest.mark.parametrize("name", ["--forma", "--thresh", "--ext", "--qui"])
def test_options_cannot_be_abbreviated(name: str, capsysbinary: Capture) -> None:
    assert main(["check", name, "1", "."], load=load) == 2
    assert errors(capsysbinary).startswith(f"no option {name!r}")


@pytest.mark.parametrize("command", ["", "check", "fix", "words", "serve", "lsp", "completion"])
def test_every_command_has_help(command: str, capsysbinary: Capture) -> None:
    assert main([*command.split(), "--help"], load=load) == 0
    out, err = capsysbinary.readouterr()
    assert out.startswith(f"usage: respell {command}".encode())
    assert err == b""


letters = st.text(st.sampled_from("abc"), max_size=5)


def changed(word: str) -> set[str]:
    """All words that one edit makes of a word."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    deleted = {a + b[1:] for a, b in cuts if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    replaced = {a + c + b[1:] for a, b in cuts if b for c in "abc"}
    return deleted | swapped | replaced | {a + c + b for a, b in cuts for c in "abc"}


@given(letters, letters)
def test_edits(one: str, other: str) -> None:
    count = count_edits(one, other)
    assert count == count_edits(other, one)
    assert (count == 0) == (one == other)
    assert (count <= 1) == (one == other or other in changed(one))
