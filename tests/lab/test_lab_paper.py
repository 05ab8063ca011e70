import argparse
import functools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import tiny

from respell.lab.__main__ import main
from respell.lab.common.stopping import STOPPED
from respell.lab.common.tokens import read_tokens, write_tokens
from respell.lab.evaluate.paper import cost
from respell.lab.evaluate.paper.rows import RESULTS, read_rows
from respell.lab.evaluate.paper.sets import ScoringData, Set
from respell.lab.train import command
from respell.lab.train.batches import buckets_for
from respell.lab.train.checkpoint import Checkpoint, pick_device
from respell.lab.train.recipe import read_recipe
from respell.model.encode import FIRST_CHARACTER
from respell.model.lexicon import Lexicon
from respell.types import Error

ROWS = Path(__file__).parents[2] / "recipes" / "paper" / "rows.toml"
CASES = ("scrnn", "mude", "char", "word", "word_char", "subword_bio2")


@functools.cache
def barely_trained(base: Path, case: str) -> Checkpoint:
    """A checkpoint after one step, for tests that do not need a good model."""
    out = base / f"paper-{case}"
    assert main(tiny.train_arguments(base, case, out, "--steps", "1")) == 0
    return Checkpoint.read(out)


@pytest.fixture(scope="session")
def sets(base: Path) -> Path:
    """A folder with all files that scoring reads."""
    folder = base / "paper-sets"
    folder.mkdir()
    shutil.copy(tiny.build_folder(base, "exact") / "lexicon.txt", folder)
    shutil.copy(tiny.lists_folder(base) / "tiny.tsv", folder / "omega_train80.tsv")
    lexicon = Lexicon.read(folder / "lexicon.txt")
    noisy, gold = tiny.parity_sentences()
    inside = [i for i, words in enumerate(gold) if all(word in lexicon for word in words)]
    assert len(inside) > 5
    for name in ("dev", "test1b"):
        write_tokens(folder / f"{name}.noisy.txt", [noisy[i] for i in inside])
        write_tokens(folder / f"{name}.gold.txt", [gold[i] for i in inside])
    write_tokens(folder / "test.noisy.txt", [*(noisy[i] for i in inside), ["Zulix", "is", "hte"]])
    write_tokens(folder / "test.gold.txt", [*(gold[i] for i in inside), ["Zulix", "is", "the"]])
    write_tokens(folder / "test.row11.txt", [*(gold[i] for i in inside), ["Zulix", "is", "hte"]])
    return folder


@pytest.fixture
def setup(base: Path, sets: Path, tmp_path: Path) -> list[str]:
    """Arguments of commands that train, with two tiny rows."""
    lines = ['[families.one]\ntried = "2"\nlearning_rate = 4e-3\n']
    for row, case in (("1", "word"), ("2", "scrnn")):
        path = tmp_path / f"{case}.toml"
        path.write_text(tiny.recipe(case).to_toml(), encoding="utf-8")
        lines.append(f'[[rows]]\nrow = "{row}"\nname = "{case}"\nfamily = "one"\n')
        lines.append(f'recipe = "{path.name}"\nsettings = ["train.log_every=2"]\n')
    (tmp_path / "rows.toml").write_text("".join(lines), encoding="utf-8")
    data, lists = tiny.build_folder(base, "exact"), tiny.lists_folder(base)
    folders = ["--data", str(data), "--lists", str(lists), "--data-dir", str(sets)]
    folders += ["--work", str(tmp_path / "work"), "--results", str(tmp_path / "results")]
    return [*folders, "--rows", str(tmp_path / "rows.toml")]


def read(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record


def test_all_rows_have_recipes_and_published_results() -> None:
    table = read_rows(ROWS)
    assert [row.row for row in table.rows] == [str(number) for number in range(1, 12)]
    names = [read_recipe(row.recipe, row.settings).name for row in table.rows]
    assert len(set(names)) == 11
    assert all(row.published.keys() == RESULTS.keys() for row in table.rows)
    assert table["11"].published["test"] == (0.980, 0.896, 0.964, 0.909)
    for row in table.rows:  # F0.5 must follow from P and R, to find typos
        for key in ("dev", "test", "real_dev", "real_test"):
            *_, p, r, f = row.published[key]
            if (row.row, key) != ("5", "real_dev"):  # printed as .900, P and R give .890
                assert 1.25 * p * r / (0.25 * p + r) == pytest.approx(f, abs=0.0016), (row, key)
    for family in table.tried:
        assert table.trial(family).family == family


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('row = "2"', 'row = "1"', "two rows have the same number"),
        ('row = "2"', "row = 2", "needs row, name, family, recipe"),
        ('tried = "2"', 'tried = "3"', "no row '3'; there are 1, 2"),
        ('tried = "2"\n', "", "needs tried and learning_rate"),
        ('family = "one"', 'family = "two"', r"there is no \[families.two\]"),
        ('name = "word"', 'name = "word"\nspeed = 1', "unknown key 'speed'"),
        ('name = "word"', 'name = "word"\ndev = [1, 2]', "dev must have 4 numbers, not 2"),
        ("[[rows]]", "[[lines]]", r"needs \[families.NAME\] and \[\[rows\]\]"),
        ("[[rows]]", "[[rows", "not a TOML file"),
    ],
)
def test_invalid_lists_of_rows_are_errors(
    setup: list[str], tmp_path: Path, old: str, new: str, message: str
) -> None:
    path = tmp_path / "rows.toml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(Error, match=message):
        read_rows(path)


def test_paper_sentences_are_scored_twice(sets: Path) -> None:
    data = ScoringData.read([sets], ["test"])
    (given,) = data.sets
    scored = data.score(given, given.gold)
    count = len(given.noisy)
    assert (scored["test"]["sentences"], scored["test"]["of"]) == (count - 1, count)
    assert scored["test"]["scores"]["all"]["accuracy"] == 1
    assert scored["test_all"]["sentences"] == count
    best = scored["test_all"]["ceiling"]
    assert best["false_alarms"] == 1  # Zulix is not in the lexicon
    assert best["all"]["table"]["recall"] == 1
    assert scored["test"]["scores"]["known"]["count"] == best["known"]["count"] - 1
    assert scored["test"]["scores"]["unknown"]["count"] == 0


def test_best_answers_of_a_closed_lexicon() -> None:
    data = ScoringData((), Lexicon(["the", "cat"]), (), {})
    given = Set("test", [["teh", "cat", "dgo", "ox"]], [["the", "dog", "dog", "ox"]], {})
    assert data.ceiling(given) == [["the", "cat", "the", "the"]]


def test_sets_must_not_change(sets: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sets"
    shutil.copytree(sets, folder)
    (folder / "dev.json").write_text('{"noisy_sha256": "another"}')
    with pytest.raises(Error, match="dev has changed since it was frozen, noisy_sha256 differs"):
        ScoringData.read([folder])
    (folder / "dev.json").write_text('{"lexicon_sha256": "another", "seed": 11}')
    with pytest.raises(Error, match=r"dev\.json: made with another lexicon"):
        ScoringData.read([folder])
    (folder / "dev.json").unlink()
    shutil.copy(folder / "test.gold.txt", folder / "dev.gold.txt")
    shutil.copy(folder / "test.noisy.txt", folder / "dev.noisy.txt")
    data = ScoringData.read([folder])
    with pytest.raises(Error, match=r"dev\.gold\.txt:\d+: has words outside the lexicon"):
        data.score(data.sets[0], data.sets[0].gold)
    (folder / "test1b.gold.txt").unlink()
    with pytest.raises(Error, match=r"test1b\.gold\.txt: not in .*; see docs/internals/paper\.md"):
        ScoringData.read([folder])


@pytest.mark.parametrize(
    "case", ["word_char", pytest.param("subword_bio2", marks=pytest.mark.exhaustive)]
)
def test_checkpoint_is_scored(base: Path, sets: Path, tmp_path: Path, case: str) -> None:
    saved = tiny.checkpoint(base, case)
    out, answers = tmp_path / "5.json", tmp_path / "answers"
    arguments = ["paper", "score", str(saved.path), "--row", "5", "--data-dir", str(sets)]
    arguments += ["--rows", str(ROWS), "--out", str(out), "--device", "cpu"]
    arguments += ["--trained-on", "NVIDIA H200", "--answers", str(answers)]
    assert main(arguments) == 0
    record = read(out)
    assert set(record["sets"]) == {"dev", "test", "test_all", "test1b"}
    assert record["sets"]["dev"]["scores"]["all"]["authors"]["f05"] > 0.5
    assert record["labels"] == ("bio2" if case == "subword_bio2" else None)
    assert record["data_hash"] == saved.facts.data_hash
    assert (tmp_path / "recipe.toml").write_text(record["recipe"])
    assert read_recipe(tmp_path / "recipe.toml") == saved.recipe
    sizes, training = record["parameters"], record["training"]
    assert sizes["all"] == sum(p.numel() for p in saved.model().parameters())
    assert sizes["all"] == sizes["table"] + sizes["output"] + sizes["rest"]
    assert min(sizes.values()) > 0
    assert training["steps"] == tiny.STEPS[case]
    assert 0 < training["utilisation"] < 0.1
    assert sum(training["flops_share"].values()) == pytest.approx(1, abs=1e-3)
    assert [point["step"] for point in record["curve"]["loss"]] == list(
        range(20, tiny.STEPS[case] + 1, 20)
    )
    assert record["curve"]["dev"] == []
    assert record["device"] == "cpu"
    answered = read_tokens(answers / "test.txt")
    assert [len(words) for words in answered] == [
        len(w) for w in read_tokens(sets / "test.gold.txt")
    ]


def test_other_checkpoints_are_errors(
    base: Path, sets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--row", "5", "--data-dir", str(sets), "--rows", str(ROWS)]
    arguments += ["--out", str(tmp_path / "out.json")]
    product = barely_trained(base, "word_char_keep").path
    assert main(["paper", "score", str(product), *arguments]) == 2
    assert "has KEEP" in capsys.readouterr().err
    other = tmp_path / "other"
    shutil.copytree(barely_trained(base, "word").path, other)
    words = (other / "lexicon.txt").read_text().split()
    (other / "lexicon.txt").write_text("\n".join(["Zulix", *words[1:]]) + "\n")
    assert main(["paper", "score", str(other), *arguments]) == 2
    assert "was trained with another lexicon" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()


def test_unknown_devices_are_errors() -> None:
    assert pick_device("cpu").type == "cpu"
    with pytest.raises(Error, match="--device abacus: no such kind of device"):
        pick_device("abacus")
    for name in ("meta", "cuda:99"):
        with pytest.raises(Error, match=f"--device {name}: no such device on this machine"):
            pick_device(name)


@pytest.mark.parametrize("case", CASES)
def test_flops_are_the_sum_of_parts(base: Path, case: str) -> None:
    counted = cost.flops(barely_trained(base, case))
    assert counted["layers"] + counted["attention"] + counted["output"] == counted["step"]
    assert counted["layers"] > 0
    assert counted["output"] > 0
    assert (counted["attention"] > 0) == (case != "scrnn")


def test_flops_of_simple_models(base: Path) -> None:
    places, width, words = 8 * 40, 64, tiny.SIZE
    counted = cost.flops(barely_trained(base, "word"))
    assert counted["layers"] == 6 * places * 2 * 12 * width**2
    assert counted["attention"] == 6 * places * 2 * 2 * 40 * width
    assert counted["output"] == 6 * places * width * words
    saved = barely_trained(base, "scrnn")
    characters = len(saved.facts.characters) + FIRST_CHARACTER
    inputs = sum(count for count, _ in buckets_for(places, 1.0)) * 3 * characters * width
    assert cost.flops(saved)["layers"] == 6 * (inputs + places * 8 * width**2)


def test_speed_is_measured_between_logged_steps() -> None:
    metrics = [{"loss": 1, "words": 100, "seconds": 5}, {"dev_f05": 1}]
    assert cost.speed(metrics) == 20
    assert cost.speed([*metrics, {"loss": 1, "words": 500, "seconds": 15}]) == 40


def test_curve_has_one_point_per_step() -> None:
    metrics: list[dict[str, Any]] = []
    for step in range(1, 101):
        metrics.append({"step": step, "words": step, "seconds": step / 2, "loss": 1 / step})
    metrics += [{"step": 100, "dev_f05": 0.5}, {"step": 100, "dev_f05": 0.6}]
    curve = cost.curve(metrics)
    assert curve["dev"] == [{"step": 100, "dev_f05": 0.6, "words": 100, "seconds": 50.0}]
    assert [point["step"] for point in curve["loss"]] == list(range(2, 101, 2))


def test_rows_are_trained_and_scored(
    setup: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["paper", "run", "1", "2", "--steps", "4", *setup, "--curve-sentences", "3"]
    assert main(arguments) == 0
    files = {row: tmp_path / "results" / "rows" / f"{row}.json" for row in "12"}
    for row, path in files.items():
        record = read(path)
        assert (record["row"], record["training"]["steps"]) == (row, 4)
        assert [point["step"] for point in record["curve"]["dev"]] == [4]
        assert "learning_rate = 0.004" in record["recipe"]
        assert (tmp_path / "work" / "answers" / row / "dev.txt").is_file()
    assert len(read_tokens(tmp_path / "work" / "row1" / "dev.gold.txt")) == 3
    assert read(files["1"])["data_hash"] == read(files["2"])["data_hash"]
    capsys.readouterr()
    before, content = files["1"].stat(), files["1"].read_bytes()
    files["2"].unlink()
    assert main(arguments) == 0  # only rows without a result are trained
    assert files["1"].read_bytes() == content
    assert files["1"].stat().st_mtime_ns == before.st_mtime_ns
    assert files["2"].is_file()
    assert "1.json exists already" in capsys.readouterr().out
    assert main([*arguments[:2], "1", *arguments[4:], "--again"]) == 0
    assert files["1"].stat().st_mtime_ns > before.st_mtime_ns  # written again


def test_interrupted_run_is_continued(
    setup: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[bool] = []
    real = command.run

    def recorded(args: argparse.Namespace) -> int:
        calls.append(args.resume)
        return STOPPED if real(args) == 0 and len(calls) == 1 else 0

    monkeypatch.setattr(command, "run", recorded)
    arguments = ["paper", "run", "2", "1", "--steps", "4", *setup]
    assert main(arguments) == STOPPED
    assert not (tmp_path / "results").exists()
    assert main(arguments) == 0
    assert calls == [False, True, False]
    rows = tmp_path / "rows.toml"
    rows.write_text(rows.read_text().replace("4e-3", "2e-3"))
    (tmp_path / "results" / "rows" / "2.json").unlink()
    assert main(arguments) == 0
    assert calls[3:] == [False]  # another recipe starts from the beginning


def test_row_that_fails_is_skipped(
    setup: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows.toml"
    rows.write_text(rows.read_text().replace("word.toml", "none.toml"))
    assert main(["paper", "run", "all", "--steps", "2", *setup]) == 1
    assert "row 1 failed: " in capsys.readouterr().err
    assert [p.name for p in (tmp_path / "results" / "rows").iterdir()] == ["2.json"]


def test_rates_are_tried(
    setup: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["paper", "rates", "one", "--steps", "6", *setup, "--rates"]
    assert main([*arguments, "1e-6", "4e-3"]) == 0
    output = capsys.readouterr().out
    (trial,) = read(tmp_path / "results" / "rates.json")["one"]
    rates = [point["rate"] for point in trial["points"]]
    scores = [point["dev_f05"] for point in trial["points"]]
    assert sorted(rates) == [1e-6, 4e-3]
    assert scores == sorted(scores, reverse=True)
    assert trial["budget"] == "--steps 6"
    assert f"[families.one] learning_rate = {rates[0]:g}; this is the lowest or" in output
    seconds = {point["rate"]: point["seconds"] for point in trial["points"]}
    assert main([*arguments, "1e-6", "1e-5"]) == 0  # the first one is not repeated
    points = read(tmp_path / "results" / "rates.json")["one"][0]["points"]
    assert len(points) == 3
    assert {p["rate"]: p["seconds"] for p in points}[1e-6] == seconds[1e-6]
    assert main(["paper", "rates", "two", "--steps", "6", *setup, "--rates", "1"]) == 2
    assert "no family 'two'; there are one" in capsys.readouterr().err


def test_authors_output_is_scored(sets: Path, tmp_path: Path) -> None:
    arguments = ["--data-dir", str(sets), "--results", str(tmp_path), "--rows", str(ROWS)]
    assert main(["paper", "row11", *arguments]) == 0
    record = read(tmp_path / "authors.json")
    assert set(record["sets"]) == {"test", "test_all"}
    assert record["sets"]["test"]["scores"]["all"]["accuracy"] == 1
    assert record["sets"]["test_all"]["scores"]["all"]["table"]["fn"] == 1
    assert "test.row11.txt" in record["files"]["test"]


def test_device_option_of_evaluate(
    base: Path, sets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["--noisy", str(sets / "dev.noisy.txt"), "--gold", str(sets / "dev.gold.txt")]
    saved = barely_trained(base, "word")
    assert main(["evaluate", "--checkpoint", str(saved.path), *files, "--device", "cpu"]) == 0
    assert main(["evaluate", "--checkpoint", str(saved.path), *files, "--device", "x"]) == 2
    assert "--device x: no such kind of device" in capsys.readouterr().err
