"""The `train` command: checkpoints, resuming, budgets, several processes and errors."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tiny
import torch
from safetensors.torch import load_file

import respell
from respell.lab.__main__ import main
from respell.lab.common.tokens import write_tokens
from respell.lab.misspellings.weighting import read_pairs
from respell.lab.train.checkpoint import WEIGHTS, Checkpoint
from respell.lab.train.command import save
from respell.lab.train.dataset import Corpus
from respell.lab.train.recipe import read_recipe
from respell.lab.train.trainer import Budget, Process, Trainer
from respell.types import Error

CPU = Process(torch.device("cpu"))
CASE = "word_char_keep"
NO_PAIRS = tuple('--set data.noisy=["tiny.tsv"] --set data.held_out=["tiny.tsv"]'.split())
QUICK = ("--set", "train.rows=2", "--set", "model.dropout=0.1", "--set", "train.log_every=3")


def metrics(folder: Path) -> list[dict[str, float]]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def assert_same_weights(left: Path, right: Path) -> None:
    first, second = load_file(left), load_file(right)
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        torch.testing.assert_close(second[name], tensor, atol=1e-6, rtol=0)


def test_training_writes_a_checkpoint(base: Path) -> None:
    checkpoint = tiny.checkpoint(base, CASE)
    names = {path.name for path in checkpoint.path.iterdir()}
    assert names == {
        "recipe.toml",
        "lexicon.txt",
        "model.safetensors",
        "optimizer.safetensors",
        "facts.json",
        "metrics.jsonl",
        "curve.png",
    }
    data = tiny.build_folder(base, "lower")
    assert checkpoint.recipe == tiny.recipe(CASE)
    assert checkpoint.lexicon.words == Corpus.read(data).lexicon.words
    manifest = json.loads((data / "manifest.json").read_text(encoding="utf-8"))
    assert checkpoint.facts.data_hash == manifest["data_hash"]
    assert (checkpoint.facts.casing, checkpoint.facts.step) == ("lower", tiny.STEPS[CASE])
    assert (checkpoint.path / "curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("case", tiny.RAW_RECIPES)
def test_the_loss_falls(case: str, base: Path) -> None:
    rows = metrics(tiny.checkpoint(base, case).path)
    assert [row["step"] for row in rows] == list(range(20, tiny.STEPS[case] + 1, 20))
    assert rows[-1]["loss"] < rows[0]["loss"] / 3
    words = [row["words"] for row in rows]
    assert words == sorted(words)
    assert words[0] > 20 * 8 * 20  # rows of 40 words are more than half full
    rates = [row["lr"] for row in rows]
    assert rates[0] > rates[len(rates) // 2] > rates[-1]
    assert {"keep", "word", "case"} <= rows[0].keys() or not tiny.recipe(case).keep


@pytest.mark.parametrize("muon", [0.0, 0.2])
def test_a_resumed_run_equals_an_uninterrupted_run(base: Path, tmp_path: Path, muon: float) -> None:
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    quick = (*QUICK, "--set", f"train.muon={muon}")
    assert main(tiny.train_arguments(base, CASE, whole, "--steps", "6", *quick)) == 0
    # Stop half-way like a killed process, which leaves the last checkpoint.
    shutil.copytree(whole, resumed)
    recipe = read_recipe(whole / "recipe.toml")
    corpus = Corpus.read(tiny.build_folder(base, "lower"))
    lists = [tiny.lists_folder(base)]
    pairs = read_pairs(recipe.data, lists, lexicon=corpus.lexicon, casing="lower")
    trainer = Trainer(recipe, corpus, pairs, CPU)
    half = next(trainer.run(Budget(steps=6)))
    assert half.number == 3
    save(trainer, resumed, Checkpoint.read(whole).facts.data_hash)
    again = tiny.train_arguments(base, CASE, resumed, "--steps", "6", "--resume", *quick)
    assert main([*again, "--start", "none"]) == 0  # only a new run begins with other weights
    assert Checkpoint.read(resumed).facts.step == 6
    assert_same_weights(whole / "model.safetensors", resumed / "model.safetensors")
    assert_same_weights(whole / "optimizer.safetensors", resumed / "optimizer.safetensors")
    assert metrics(resumed)[-1]["loss"] == pytest.approx(metrics(whole)[-1]["loss"], abs=1e-5)
    assert metrics(resumed)[-1]["words"] == metrics(whole)[-1]["words"]


def test_resuming_a_finished_run_does_nothing(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = tiny.train_arguments(base, CASE, out, "--steps", "2", *QUICK)
    assert main(arguments) == 0
    before = load_file(out / "model.safetensors")
    capsys.readouterr()
    assert main([*arguments, "--resume"]) == 0
    assert re.search(r"out: nothing left to do after 2 steps.*\n$", capsys.readouterr().err)
    after = load_file(out / "model.safetensors")
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())
    assert len(metrics(out)) == 1


def test_the_seed_determines_a_run(base: Path, tmp_path: Path) -> None:
    for name, seed in (("first", 1), ("second", 1), ("other", 2)):
        out = tmp_path / name
        more = ("--steps", "2", *QUICK, "--set", f"train.seed={seed}")
        assert main(tiny.train_arguments(base, "scrnn", out, *more)) == 0
    assert_same_weights(
        tmp_path / "first" / "model.safetensors", tmp_path / "second" / "model.safetensors"
    )
    with pytest.raises(AssertionError, match="not close"):
        assert_same_weights(
            tmp_path / "first" / "model.safetensors", tmp_path / "other" / "model.safetensors"
        )


def test_a_run_ends_after_its_minutes(base: Path, tmp_path: Path) -> None:
    began = time.perf_counter()
    more = ("--minutes", "0.02", "--save-minutes", "0.001")
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 0
    assert time.perf_counter() - began < 1.2 + 10
    facts = Checkpoint.read(tmp_path / "out").facts
    assert 1.2 <= facts.seconds < 1.2 + 5
    assert facts.step > 0
    rows = metrics(tmp_path / "out")
    assert rows[-1]["step"] == facts.step


def test_dev_scores_are_logged(base: Path, tmp_path: Path) -> None:
    noisy, gold = (tmp_path / name for name in ("noisy.txt", "gold.txt"))
    for path, side in zip((noisy, gold), tiny.parity_sentences(8), strict=True):
        write_tokens(path, side)
    more = ("--steps", "6", "--save-minutes", "0", *QUICK, "--dev", str(noisy), str(gold))
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 0
    rows = metrics(tmp_path / "out")
    scored = [row for row in rows if "dev_f05" in row]
    assert [row["step"] for row in scored] == [3, 6, 6]
    assert all(0 <= row[key] <= 1 for row in scored for key in row if key.startswith("dev_"))
    assert [row["step"] for row in rows if "loss" in row] == [3, 6]
    # Scoring does not change the training.
    assert main(tiny.train_arguments(base, CASE, tmp_path / "plain", "--steps", "6", *QUICK)) == 0
    weights = (tmp_path / name / "model.safetensors" for name in ("out", "plain"))
    assert_same_weights(*weights)


DRIVER = """
import sys
from pathlib import Path
from respell.lab.__main__ import main
from respell.lab.train import command
from respell.lab.train.checkpoint import save_tensors

class Watched(command.Trainer):
    def run(self, budget):
        yield from super().run(budget)
        out = Path(sys.argv[sys.argv.index("--out") + 1])
        save_tensors(self.model.state_dict(), out / f"rank{self.process.rank}-{self.step}")

command.Trainer = Watched
sys.exit(main())
"""


@pytest.mark.parametrize(
    "budget",
    [
        pytest.param(("--minutes", "0.01"), id="time"),
        pytest.param(("--steps", "4"), id="steps", marks=pytest.mark.exhaustive),
    ],
)
def test_two_processes_train_one_model(budget: tuple[str, str], base: Path, tmp_path: Path) -> None:
    driver, out = tmp_path / "driver.py", tmp_path / "out"
    driver.write_text(DRIVER, encoding="utf-8")
    arguments = tiny.train_arguments(base, CASE, out, *budget, *QUICK)
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    source = str(Path(respell.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, *torchrun, str(driver), *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": source},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    facts = Checkpoint.read(out).facts
    first, second = sorted(out.glob("rank*"))
    assert [first.name, second.name] == [f"rank0-{facts.step}", f"rank1-{facts.step}"]
    assert_same_weights(first, second)
    assert_same_weights(first, out / "model.safetensors")
    assert [row["step"] for row in metrics(out)] == sorted({row["step"] for row in metrics(out)})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((), "give either --minutes or --steps"),
        (("--steps", "2", "--minutes", "1"), "give either --minutes or --steps"),
        (("--steps", "0"), "must be above 0"),
        (("--minutes", "0"), "must be above 0"),
        (("--minutes", "nan"), "must be above 0"),
        (("--steps", "2", "--set", "train.rows"), "write section.key=value"),
        (("--steps", "2", "--set", "train.length=2"), "no sentence of the corpus"),
        (("--steps", "2", "--set", 'data.lists=["none.tsv"]'), "none.tsv"),
        (("--steps", "2", "--set", "noise.noisy=0.5", *NO_PAIRS), "tiny.tsv: no pair is left for"),
        (("--steps", "2", "--data", "nowhere"), "nowhere"),
        (("--steps", "2", "--resume"), "not a checkpoint"),
    ],
)
def test_invalid_input_is_an_error_of_one_line(
    more: tuple[str, ...],
    message: str,
    base: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("respell.lab: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "out" / "metrics.jsonl").exists()


def test_a_checkpoint_is_not_overwritten(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shutil.copytree(tiny.checkpoint(base, CASE).path, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    arguments = tiny.train_arguments(base, CASE, out, "--steps", "1")
    capsys.readouterr()
    assert main(arguments) == 2
    assert "holds a checkpoint; use --resume, name another --out" in capsys.readouterr().err
    diverges = ("--set", "train.learning_rate=1e30", "--set", "train.log_every=1")
    longer = ("--steps", "999", "--resume")
    assert main([*arguments, *longer, *diverges]) == 2
    assert "training has diverged" in capsys.readouterr().err.splitlines()[-1]
    (out / "metrics.jsonl").write_bytes(before["metrics.jsonl"])  # only the log was continued
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.parametrize(
    "more",
    [("--dev", "none", "none"), ("--start", "none"), ("--start", "x", "--resume")],
    ids=["dev", "start", "both"],
)
def test_an_early_error_leaves_no_files(more: tuple[str, ...], base: Path, tmp_path: Path) -> None:
    arguments = tiny.train_arguments(base, CASE, tmp_path / "new" / "out", "--steps", "1", *more)
    assert main(arguments) == 2
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_not_finite_are_not_saved(corpus: Corpus, tmp_path: Path) -> None:
    trainer = Trainer(tiny.recipe(CASE), corpus, tiny.MISSPELLINGS, CPU)
    next(trainer.model.parameters()).data[0] = torch.nan
    with pytest.raises(Error, match="weights are not finite"):
        save(trainer, tmp_path / "out", "hash")
    assert list(tmp_path.iterdir()) == []


def test_a_build_folder_without_a_manifest_is_an_error(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = shutil.copytree(tiny.build_folder(base, "lower"), tmp_path / "data")
    (data / "manifest.json").unlink()
    more = ("--steps", "2", "--data", str(data))
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_runs_that_cannot_be_resumed(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shutil.copytree(tiny.checkpoint(base, CASE).path, tmp_path / "out")
    capsys.readouterr()

    def resume(*more: str) -> str:
        assert main(tiny.train_arguments(base, CASE, out, "--steps", "300", "--resume", *more)) == 2
        return capsys.readouterr().err

    assert "holds another model" in resume("--set", "model.layers=1")
    assert "trained with train.length = 40, it" in resume("--set", "train.length=30")
    assert "trained with train.muon = 0.0, it" in resume("--set", "train.muon=0.2")
    assert "trained with train.seed = 1, it" in resume("--set", "train.seed=2")
    assert "it cannot be resumed with 3" in resume("--set", "train.rows=3")
    facts = (out / "facts.json").read_text(encoding="utf-8")
    (out / "facts.json").write_text(re.sub(r'(?<="data_hash": ")\w', "-", facts), encoding="utf-8")
    assert "was trained on other data" in resume()
    (out / "facts.json").write_text(facts, encoding="utf-8")
    for line in ("{}", "3", "[]", '{"step": "1"}'):
        (out / "metrics.jsonl").write_text(line + "\n", encoding="utf-8")
        assert "metrics.jsonl:1: not " in resume()
    shutil.copyfile(tiny.checkpoint(base, "scrnn").path / WEIGHTS, out / WEIGHTS)
    assert "does not fit" in resume()
    shutil.copyfile(tiny.checkpoint(base, CASE).path / WEIGHTS, out / WEIGHTS)
    foreign = tiny.checkpoint(base, "scrnn").path / "optimizer.safetensors"
    for name in (foreign, out / WEIGHTS):
        shutil.copyfile(name, out / "optimizer.safetensors")
        assert "optimizer.safetensors: from another model" in resume()
    words = (out / "lexicon.txt").read_text(encoding="utf-8").split()
    (out / "lexicon.txt").write_text("\n".join(words[::-1]) + "\n", encoding="utf-8")
    assert "was trained on other data" in resume()
    (out / "lexicon.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (out / "optimizer.safetensors").unlink()
    assert "optimizer.safetensors is missing" in resume()


def test_too_few_batches_for_the_processes_are_an_error(corpus: Corpus, base: Path) -> None:
    recipe = read_recipe(tiny.checkpoint(base, CASE).path / "recipe.toml", ("train.rows=9999",))
    trainer = Trainer(recipe, corpus, {}, Process(torch.device("cpu"), 0, 2))
    with pytest.raises(Error, match="the data fill 1 batches, too few for 2"):
        next(trainer._epochs())


def test_processes_share_the_batches_of_an_epoch(corpus: Corpus) -> None:
    recipe = tiny.recipe(CASE)

    def batches(rank: int, world: int, count: int) -> list[torch.Tensor]:
        trainer = Trainer(recipe, corpus, {}, Process(torch.device("cpu"), rank, world))
        found = []
        for packed in trainer._epochs():
            found.append(packed.surfaces)
            trainer.step += 1
            if len(found) == count:
                break
        return found

    every = batches(0, 1, 6)
    zero, one = batches(0, 2, 3), batches(1, 2, 3)
    shared = [batch for pair in zip(one, zero, strict=True) for batch in pair]
    assert all(torch.equal(a, b) for a, b in zip(every, shared, strict=True))
