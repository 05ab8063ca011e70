import importlib
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

import respell
from respell.lab.__main__ import COMMANDS, main
from respell.lab.evaluate import table


@pytest.mark.parametrize("arguments", [["fly"], [], ["--fast"], ["train"], ["train", "--fast"]])
def test_invalid_command_lines(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: python -m respell.lab" in capsys.readouterr().err


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    output = " ".join(capsys.readouterr().out.split())
    for name, (_, text) in COMMANDS.items():
        assert f"{name} {text}" in output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m respell.lab {name} ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_run(name: str) -> None:
    module = importlib.import_module(f"respell.lab.{COMMANDS[name][0]}")
    assert callable(module.run)


def test_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    for name in [name for name in sys.modules if name.startswith("respell.lab.")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["train", "recipe.toml"]) == 2
    error = capsys.readouterr().err
    assert error == "respell.lab: torch is not installed; run: pip install '.[lab]'\n"


def test_unreadable_file_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["card", "--bundle", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_internal_errors_are_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object) -> NoReturn:
        raise RuntimeError("size mismatch:\n\tfor words")

    monkeypatch.setattr(table, "run", run)
    assert main(["table", "x"]) == 2
    assert capsys.readouterr().err == "respell.lab: RuntimeError: size mismatch: for words\n"
    monkeypatch.setenv("RESPELL_DEBUG", "1")
    assert main(["table", "x"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", ["golden t", "card", "truecase --corpora c --data d"])
def test_commands_that_change_a_bundle_require_it(
    arguments: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments.split())
    assert "the following arguments are required: --bundle" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        "freeze text --lists l --out o --seed 99999999999999999999",
        "freeze text --lists l --out o --seed -1",
        "generate --lists l --lexicon x --out o --seed 99999999999999999999",
        "presets --people n g --noisy n g --clean c --out o --rate nan",
        "presets --people n g --noisy n g --clean c --out o --rate 1",
        "presets --people n g --noisy n g --clean c --out o --rate 0",
        "presets --people n g --noisy n g --clean c --out o --rate many",
        "generate --lists l --lexicon x --out o --seed many",
    ],
)
def test_numbers_out_of_range_are_errors(
    arguments: str, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, option, value = arguments.split()
    with pytest.raises(SystemExit) as caught:
        main(arguments.split())
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert f"argument {option}: must be a " in error
    assert f", not '{value}'" in error


@pytest.mark.parametrize(
    "arguments",
    [
        "build text --out o --limit -3",
        "freeze text --lists l --out o --limit -1",
        "false-alarms text --output o --findings f --limit-words -1",
        "dictionary-bias --rare r --lists l --test t --output o --count -1",
        "mistakes --findings f --output o --size -1",
        "wordpiece text --out o --size 0",
        "truecase --corpora c --data d --limit many",
        "peers speed --rounds 0",
        "paper run 5 --data d --lists l --steps 1 --curve-sentences -1",
    ],
)
def test_counts_are_positive_integers(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    *_, option, value = arguments.split()
    with pytest.raises(SystemExit) as caught:
        main(arguments.split())
    assert caught.value.code == 2
    message = f"argument {option}: must be a whole number of at least 1, not '{value}'"
    assert message in capsys.readouterr().err


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    source = str(Path(respell.__file__).parents[1])
    return subprocess.run(
        [sys.executable, *arguments],
        env={"PYTHONPATH": source},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_help_imports_no_large_packages() -> None:
    code = (
        "import sys\n"
        "from respell.lab.__main__ import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'numpy', 'onnx', 'matplotlib')))"
    )
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr


def test_the_module_runs() -> None:
    done = run_python("-m", "respell.lab", "fly")
    assert done.returncode == 2
    assert "invalid choice: 'fly'" in done.stderr
