import json
from pathlib import Path

import pytest
import tiny

from respell.lab.__main__ import main
from respell.lab.evaluate.ablation import read_ablations
from respell.types import Error

CASE = "word_char_keep"
ROOT = Path(__file__).parents[2]
ABLATIONS = """
recipe = "tiny-word_char_keep.toml"
arguments = ["--set", "noise.case_noise=0.125"]
[[ablations]]
name = "base"
change = "none"
[[ablations]]
name = "no-case"
change = "no case noise"
against = "base"
arguments = ["--set", "noise.random_case=0.0"]
[[ablations]]
name = "distilled"
change = "with a teacher"
arguments = ["--teacher", "{teacher}"]
"""


@pytest.fixture
def command(base: Path, tmp_path: Path) -> list[str]:
    recipe, *line = tiny.train_arguments(base, CASE, tmp_path / "unused")[1:]
    (tmp_path / Path(recipe).name).write_text(Path(recipe).read_text())
    ablations = tmp_path / "ablations.toml"
    ablations.write_text(ABLATIONS)
    noisy, gold = tiny.parity_sentences(12)
    dev = []
    for name, sentences in {"noisy": noisy, "gold": gold, "clean": gold * 9}.items():
        dev.append(tmp_path / f"{name}.txt")
        dev[-1].write_text("".join(" ".join(words) + "\n" for words in sentences))
    pair = [str(dev[0]), str(dev[1])]
    folders = [*line[:4], "--work", str(tmp_path / "work"), "--out", str(tmp_path / "results")]
    sets = ["--people", *pair, "--noisy", *pair, "--clean", str(dev[2]), "--rate", "0.05"]
    return ["ablation", str(ablations), *folders, *sets, "--steps", "8"]


def test_runs_are_trained_and_scored(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--only", "base", "no-case"]) == 0
    records = {p.stem: json.loads(p.read_text()) for p in (tmp_path / "results").glob("*.json")}
    assert set(records) == {"base", "no-case"}
    made = records["no-case"]
    assert (made["change"], made["against"], made["steps"]) == ("no case noise", "base", 8)
    assert "random_case = 0.0" in made["recipe"]
    assert all("case_noise = 0.125" in record["recipe"] for record in records.values())
    assert "random_case = 0.2" in records["base"]["recipe"]
    for kind in ("people", "noisy"):
        ((precision, recall, f05),) = made["dev"][kind]
        assert all(0 <= share <= 1 for share in (precision, recall, f05))
    assert made["sha256"].keys() == {"noisy.txt", "gold.txt", "clean.txt"}
    assert made["losses"]["loss"] > 0
    capsys.readouterr()
    assert main([*command, "--only", "base"]) == 0
    assert "base.json exists already" in capsys.readouterr().out
    assert main([*command, "--only", "base", "--again"]) == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nobody", "no ablation 'nobody'; there are base, no-case"),
        ("distilled", "give --path teacher="),
    ],
)
def test_unknown_names_and_missing_paths_are_errors(
    name: str, message: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--only", name]) == 2
    assert message in capsys.readouterr().err


def test_paths_must_have_names(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--only", "distilled", "--path", "somewhere"]) == 2
    assert "--path somewhere: write WORD=PATH" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[ablations]]", "ablations = 3 #", "not a TOML file|must have recipe"),
        ('recipe = "tiny-word_char_keep.toml"', "", "must have recipe"),
        ('arguments = ["--set", "noise.case_noise=0.125"]', "arguments = 3", "must be lists"),
        ('name = "no-case"', 'name = "base"', "same name"),
        ('against = "base"', 'against = "gone"', "no-case: there is no gone to compare with"),
        ('change = "no case noise"', "change = 3", "wrong type"),
        ('against = "base"', "aginst = 3", "may have against and arguments"),
    ],
)
def test_invalid_files_are_errors(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "ablations.toml"
    path.write_text(ABLATIONS.replace(old, new))
    with pytest.raises(Error, match=message):
        read_ablations(path)


def test_our_file_is_valid() -> None:
    recipe, _, ablations = read_ablations(ROOT / "recipes" / "ablations.toml")
    assert recipe.is_file()
    assert "base" in ablations
