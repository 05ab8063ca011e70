"""The `chain` command: stages are run once, in order, and again if what they depend on changes."""

import json
from pathlib import Path

import pytest
from tiny import train_arguments

from respell.lab.__main__ import main
from respell.lab.export import chain
from respell.types import Error

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """#!/bin/sh
set -e
echo "$2" >> "$1/words.txt"
echo ran >> runs.txt
"""
STAGES = """
[[stage]]
name = "first"
run = ["./write.sh {out} one"]

[[stage]]
name = "second"
needs = ["first"]
run = ["./write.sh {out} two", "cp {first}/words.txt {out}/copy.txt"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "write.sh").write_text(SCRIPT)
    (tmp_path / "write.sh").chmod(0o755)
    (tmp_path / "chain.toml").write_text(STAGES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*options: str) -> int:
    return main(["chain", "chain.toml", "--work", "work", *options])


def runs() -> int:
    path = Path("runs.txt")
    return len(path.read_text().splitlines()) if path.exists() else 0


def stages(name: str = "*") -> list[Path]:
    return sorted(Path("work").glob(f"{name}-*"))


def test_a_finished_stage_is_not_run_again(folder: Path) -> None:
    assert run("--out", "chain.json") == 0
    assert runs() == 2
    (second,) = stages("second")
    assert (second / "copy.txt").read_text() == "one\n"
    assert run() == 0
    assert runs() == 2
    first, after = json.loads(Path("chain.json").read_text())["stages"]
    assert (first["stage"], after["stage"]) == ("first", "second")
    assert after["needs"] == {"first": stages("first")[0].name}
    assert str(folder) not in json.dumps([first, after])


def test_a_changed_script_makes_new_stages(folder: Path) -> None:
    assert run() == 0
    (folder / "write.sh").write_text(SCRIPT.replace('"$2"', '"$2 words"'))
    assert run() == 0
    assert runs() == 4
    assert len(stages("second")) == 2


def test_the_same_result_makes_no_new_stage_after_it(folder: Path) -> None:
    assert run() == 0
    text = STAGES.replace("out} one", "out} one  ")  # another definition, the same result
    (folder / "chain.toml").write_text(text)
    assert run() == 0
    assert (len(stages("first")), len(stages("second"))) == (2, 1)


def test_a_failed_stage_is_tried_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "chain.toml").write_text(STAGES.replace("cp {first}", "cp {first}/missing"))
    assert run() == 2
    assert "second: cp" in capsys.readouterr().err.splitlines()[-1]
    assert [path.name.endswith(chain.UNFINISHED) for path in stages("second")] == [True]
    assert run("--list") == 0
    assert capsys.readouterr().out.splitlines()[1] == "second: not finished"


def test_only_some_stages(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--only", "second") == 2
    assert "first is not finished" in capsys.readouterr().err
    assert run("--only", "first") == 0
    assert runs() == 1
    assert run("--only", "third") == 2
    assert "the stages are first, second" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stage = 1", "must have [[stage]]"),
        ("[[stage]]\nname = 'a'", "must have name and run"),
        ("[[stage]]\nname = 'a'\nrun = ['x']\nwhen = 1", "unknown key 'when'"),
        ("[[stage]]\nname = 'a'\nrun = 'x'", "run must be a list of strings"),
        ("[[stage]]\nname = 'a b'\nrun = ['x']", "a name of letters"),
        ("[[stage]]\nname = 'out'\nrun = ['x']", "choose another name"),
        ("[[stage]]\nname = 'a'\nrun = ['x']\nneeds = ['b']", "no earlier stage"),
        ("[[stage]]\nname = 'a'\nrun = ['x']\n" * 2, "two stages"),
        ("[[stage", "not a TOML file"),
    ],
)
def test_a_wrong_chain(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "chain.toml"
    path.write_text(text)
    with pytest.raises(Error, match=r".*") as caught:
        chain.read_chain(path)
    assert message in str(caught.value)


def test_an_unknown_placeholder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "chain.toml").write_text(STAGES.replace("{first}", "{fist}"))
    assert run() == 2
    assert "cannot fill in" in capsys.readouterr().err


def test_training_is_recorded(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = train_arguments(base, "word_char_keep", Path("{out}"), "--steps", "2")
    monkeypatch.chdir(ROOT)
    path = tmp_path / "chain.toml"
    path.write_text(
        f"""
[[stage]]
name = "trained"
run = ["lab {" ".join(words)}"]

[[stage]]
name = "averaged"
needs = ["trained"]
run = ["lab average {{trained}} {{trained}} --out {{out}}", "cp {{lineage}} {{out}}/copy.json"]
"""
    )
    assert main(["chain", str(path), "--work", str(tmp_path / "work")]) == 0
    (averaged,) = (tmp_path / "work").glob("averaged-*")
    record = json.loads((averaged / chain.RECORD).read_text())
    (stage,) = json.loads((averaged / "copy.json").read_text())
    assert stage["steps"] == record["steps"] == 2
    assert stage["started_from"] == "random weights"
    assert len(record["checkpoint"]) == 64


def test_the_chain_of_the_shipped_model() -> None:
    steps = chain.read_chain(ROOT / "recipes" / "chain.toml")
    assert (steps[0].name, steps[-1].name) == ("data", "bundle")
    files = {word for step in steps for word in (*step.files, *" ".join(step.run).split())}
    named = {file for file in files if file.startswith(("recipes/", "tests/"))}
    assert len(named) > 5
    assert [file for file in named if not (ROOT / file).is_file()] == []


def test_a_stage_may_write_weights_of_another_program(folder: Path) -> None:
    text = STAGES.replace('"./write.sh {out} one"', '"touch {out}/model.safetensors"')
    (folder / "chain.toml").write_text(text.replace(', "cp {first}/words.txt {out}/copy.txt"', ""))
    assert run() == 0
    (first,) = stages("first")
    assert "checkpoint" not in json.loads((first / "stage.json").read_text())
