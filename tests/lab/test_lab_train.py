import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import tiny
import torch
from safetensors.torch import load_file

import respell
from respell.lab.__main__ import main
from respell.lab.common.tokens import write_tokens
from respell.lab.misspellings.weighting import (
    DataConfig,
    read_listed_misspellings,
    read_noisy_lists,
    read_pairs,
    read_valid_words,
)
from respell.lab.misspellings.word_lists import write_tsv
from respell.lab.train.checkpoint import WEIGHTS, Checkpoint, build_model
from respell.lab.train.command import save
from respell.lab.train.dataset import Corpus
from respell.lab.train.init_from import init_from
from respell.lab.train.recipe import read_recipe
from respell.lab.train.trainer import Budget, Place, Trainer
from respell.model.encode import FIRST_CHARACTER, WIDTH
from respell.model.lexicon import Lexicon
from respell.types import Error

CASE = "word_char_keep"
NO_WILD = tuple('--set data.noisy=["tiny.tsv"] --set data.held_out=["tiny.tsv"]'.split())
QUICK = ("--set", "train.rows=2", "--set", "model.dropout=0.1", "--set", "train.log_every=3")


def metrics(folder: Path) -> list[dict[str, float]]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def assert_same_weights(left: Path, right: Path) -> None:
    first, second = load_file(left), load_file(right)
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        torch.testing.assert_close(second[name], tensor, atol=1e-6, rtol=0)


def test_training_leaves_a_checkpoint(base: Path) -> None:
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
    assert (checkpoint.facts.casing, checkpoint.facts.step) == ("lower", 240)
    assert (checkpoint.path / "curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("case", tiny.RAW_RECIPES)
def test_the_loss_falls(case: str, base: Path) -> None:
    rows = metrics(tiny.checkpoint(base, case).path)
    assert [row["step"] for row in rows] == list(range(20, 241, 20))
    assert rows[-1]["loss"] < rows[0]["loss"] / 3
    words = [row["words"] for row in rows]
    assert words == sorted(words)
    assert words[0] > 20 * 8 * 20  # rows of forty places are more than half full
    rates = [row["lr"] for row in rows]
    assert rates[0] > rates[5] > rates[-1]
    assert {"keep", "word", "case"} <= rows[0].keys() or not tiny.recipe(case).keep


@pytest.mark.parametrize("muon", [0.0, 0.2])
def test_a_resumed_run_goes_on_as_if_it_had_not_stopped(
    base: Path, tmp_path: Path, muon: float
) -> None:
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    quick = (*QUICK, "--set", f"train.muon={muon}")
    assert main(tiny.train_arguments(base, CASE, whole, "--steps", "6", *quick)) == 0
    # Stop half-way as a killed process does: what was saved last is all there is.
    shutil.copytree(whole, resumed)
    recipe = read_recipe(whole / "recipe.toml")
    corpus = Corpus.read(tiny.build_folder(base, "lower"))
    lists = [tiny.lists_folder(base)]
    pairs = read_pairs(recipe.data, lists, lexicon=corpus.lexicon, casing="lower")
    trainer = Trainer(recipe, corpus, pairs, Place(torch.device("cpu")))
    half = next(trainer.run(Budget(steps=6)))
    assert half.number == 3
    save(trainer, resumed, Checkpoint.read(whole).facts.data_hash)
    again = tiny.train_arguments(base, CASE, resumed, "--steps", "6", "--resume", *quick)
    assert main(again) == 0
    assert Checkpoint.read(resumed).facts.step == 6
    assert_same_weights(whole / "model.safetensors", resumed / "model.safetensors")
    assert_same_weights(whole / "optimizer.safetensors", resumed / "optimizer.safetensors")
    assert metrics(resumed)[-1]["loss"] == pytest.approx(metrics(whole)[-1]["loss"], abs=1e-5)
    assert metrics(resumed)[-1]["words"] == metrics(whole)[-1]["words"]


def test_a_finished_run_resumes_to_nothing(
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


def test_runs_repeat_by_their_seed(base: Path, tmp_path: Path) -> None:
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


def test_minutes_are_kept(base: Path, tmp_path: Path) -> None:
    began = time.perf_counter()
    more = ("--minutes", "0.02", "--save-minutes", "0.001")
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 0
    assert time.perf_counter() - began < 1.2 + 10
    facts = Checkpoint.read(tmp_path / "out").facts
    assert 1.2 <= facts.seconds < 1.2 + 5
    assert facts.step > 0
    rows = metrics(tmp_path / "out")
    assert rows[-1]["step"] == facts.step


def test_dev_scores_are_noted_and_drawn(base: Path, tmp_path: Path) -> None:
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
    # Scoring changes nothing in what is learnt.
    assert main(tiny.train_arguments(base, CASE, tmp_path / "plain", "--steps", "6", *QUICK)) == 0
    weights = (tmp_path / name / "model.safetensors" for name in ("out", "plain"))
    assert_same_weights(*weights)


DRIVER = """
import sys
from pathlib import Path
from respell.lab import train
from respell.lab.__main__ import main
from respell.lab.checkpoint import save_tensors

class Watched(train.Trainer):
    def run(self, budget):
        yield from super().run(budget)
        out = Path(sys.argv[sys.argv.index("--out") + 1])
        save_tensors(self.model.state_dict(), out / f"rank{self.place.rank}-{self.step}")

train.Trainer = Watched
sys.exit(main())
"""


@pytest.mark.parametrize("budget", [("--steps", "4"), ("--minutes", "0.01")], ids=["steps", "time"])
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
        (("--steps", "2", "--set", "noise.noisy=0.5", *NO_WILD), "tiny.tsv: no pair is left for"),
        (("--steps", "2", "--data", "nowhere"), "nowhere"),
        (("--steps", "2", "--resume"), "not a checkpoint"),
    ],
)
def test_bad_input_is_told_in_one_line(
    more: tuple[str, ...],
    message: str,
    base: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.startswith("respell.lab: ")
    assert told.count("\n") == 1
    assert not (tmp_path / "out" / "metrics.jsonl").exists()


def test_a_checkpoint_stays(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = shutil.copytree(tiny.checkpoint(base, CASE).path, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    arguments = tiny.train_arguments(base, CASE, out, "--steps", "1")
    capsys.readouterr()
    assert main(arguments) == 2
    assert "holds a checkpoint; go on with --resume, name another --out" in capsys.readouterr().err
    diverges = ("--set", "train.learning_rate=1e30", "--set", "train.log_every=1")
    longer = ("--steps", "999", "--resume")
    assert main([*arguments, *longer, *diverges]) == 2
    assert "training has diverged" in capsys.readouterr().err.splitlines()[-1]
    (out / "metrics.jsonl").write_bytes(before["metrics.jsonl"])  # it notes what it did
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.parametrize(
    "more",
    [("--dev", "none", "none"), ("--start", "none"), ("--start", "x", "--resume")],
    ids=["dev", "start", "both"],
)
def test_what_fails_at_once_leaves_nothing(
    more: tuple[str, ...], base: Path, tmp_path: Path
) -> None:
    arguments = tiny.train_arguments(base, CASE, tmp_path / "new" / "out", "--steps", "1", *more)
    assert main(arguments) == 2
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_no_numbers_are_not_saved(corpus: Corpus, tmp_path: Path) -> None:
    trainer = Trainer(tiny.recipe(CASE), corpus, tiny.MISSPELLINGS, Place(torch.device("cpu")))
    next(trainer.model.parameters()).data[0] = torch.nan  # as the last step may leave them
    with pytest.raises(Error, match="weights are not finite"):
        save(trainer, tmp_path / "out", "hash")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_manifest(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = shutil.copytree(tiny.build_folder(base, "lower"), tmp_path / "data")
    (data / "manifest.json").unlink()
    more = ("--steps", "2", "--data", str(data))
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_what_cannot_be_resumed(
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
        assert "optimizer.safetensors: is of another model" in resume()
    words = (out / "lexicon.txt").read_text(encoding="utf-8").split()
    (out / "lexicon.txt").write_text("\n".join(words[::-1]) + "\n", encoding="utf-8")
    assert "was trained on other data" in resume()
    (out / "lexicon.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (out / "optimizer.safetensors").unlink()
    assert "optimizer.safetensors is missing" in resume()


def test_too_little_data_for_the_processes(base: Path) -> None:
    corpus = Corpus.read(tiny.build_folder(base, "lower"))
    recipe = read_recipe(tiny.checkpoint(base, CASE).path / "recipe.toml", ("train.rows=9999",))
    trainer = Trainer(recipe, corpus, {}, Place(torch.device("cpu"), 0, 2))
    with pytest.raises(Error, match="the data fill 1 batches, too few for 2"):
        next(trainer._epochs())


def test_processes_share_the_batches_of_an_epoch(base: Path) -> None:
    corpus = Corpus.read(tiny.build_folder(base, "lower"))
    recipe = tiny.recipe(CASE)

    def batches(rank: int, world: int, count: int) -> list[torch.Tensor]:
        trainer = Trainer(recipe, corpus, {}, Place(torch.device("cpu"), rank, world))
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


def test_the_pairs_of_a_recipe(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    write_tsv(
        {"The": ["Teh", "the"], "of": ["cift"], "from": ["form", "frm"], "colour": ["color"]},
        folders[0] / "a.tsv",
    )
    write_tsv({"from": ["frm"]}, folders[1] / "b.tsv")
    lexicon = Lexicon(["the", "from", "form", "colour", "color"])
    tidy = DataConfig(lists=("a.tsv",), held_out=("b.tsv",))
    assert read_pairs(tidy, folders, lexicon=lexicon, casing="lower") == {
        "the": ["teh"],
        "from": ["form"],
    }
    plain = DataConfig(lists=("a.tsv", "b.tsv"), tidy=False)
    assert read_pairs(plain, folders, lexicon=lexicon, casing="exact") == {
        "The": ["Teh", "the"],
        "colour": ["color"],
        "from": ["form", "frm"],
        "of": ["cift"],
    }


def test_confusions_are_a_third_of_a_words_list(tmp_path: Path) -> None:
    write_tsv({"their": ["ther", "thier", "tehir", "thair"]}, tmp_path / "a.tsv")
    write_tsv({"their": ["there"], "its": ["it's"]}, tmp_path / "b.tsv")
    data = DataConfig(lists=("a.tsv",), confusions=("b.tsv",))
    lexicon = Lexicon(["there", "their", "its", "it's"])
    pairs = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")
    assert sorted(pairs["their"]) == ["tehir", "thair", "ther", "there", "there", "thier"]
    assert set(pairs["its"]) == {"it's"}


def test_a_word_is_written_for_another_at_most_as_often_as_for_itself(tmp_path: Path) -> None:
    lists = {"the": ["teh", "hte", "tne", "eth"], "their": ["thier", "ther", "tehir", "thair"]}
    write_tsv({**lists, "then": ["tehn", "hten", "than"]}, tmp_path / "a.tsv")
    write_tsv({"the": ["there", "then"], "their": ["there"]}, tmp_path / "b.tsv")
    data = DataConfig(lists=("a.tsv",), confusions=("b.tsv",))
    others = [f"word{i}" for i in range(50)]
    lexicon = Lexicon(["the", "a", "then", "than", *others, "their", "there"])
    pairs = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")
    drawn = {word: Counter(spellings) for word, spellings in pairs.items()}
    assert drawn["the"]["there"] == 0
    assert 0 < drawn["the"]["then"] < drawn["the"]["teh"]
    assert drawn["their"]["there"] == pytest.approx(drawn["their"].total() / 3, rel=0.1)
    assert drawn["then"]["than"] / drawn["then"]["tehn"] == pytest.approx(0.75, abs=0.06)


def test_real_words_slip_in_now_and_then(tmp_path: Path) -> None:
    typos = [f"t{letter}o" for letter in "bcdefghijk"]
    write_tsv({"two": [*typos, "to", "tow"]}, tmp_path / "a.tsv")
    write_tsv({"two": ["tow"]}, tmp_path / "b.tsv")
    write_tsv({"two": ["too"]}, tmp_path / "confusions.tsv")
    write_tsv({"two": ["toe", "too"]}, tmp_path / "slips.tsv")
    data = DataConfig(
        lists=("a.tsv", "b.tsv", "a.tsv", "a.tsv"),
        confusions=("confusions.tsv",),
        rare_confusions=("slips.tsv",),
    )
    lexicon = Lexicon(["too", "to", "toe", "tow", "two"])
    pairs = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")["two"]
    drawn = Counter(pairs)
    assert drawn["too"] > drawn["tbo"] > drawn["toe"] > 0
    assert drawn["tow"] > drawn["to"]
    alone = replace(data, lists=("a.tsv", "b.tsv", "b.tsv", "b.tsv", "b.tsv", "b.tsv"))
    assert "to" not in read_pairs(alone, [tmp_path], lexicon=lexicon, casing="lower")["two"]
    invented = DataConfig(lists=(), generated=("a.tsv",))
    assert read_pairs(invented, [tmp_path], lexicon=lexicon, casing="lower")["two"] == typos


def test_what_is_known_is_not_held_out_in_another_case(tmp_path: Path) -> None:
    write_tsv({"which": ["wich", "whcih", "wihch"], "The": ["Teh"]}, tmp_path / "known.tsv")
    write_tsv({"which": ["wich", "wihhc"], "their": ["thier"]}, tmp_path / "other.tsv")
    write_tsv({"their": ["there"]}, tmp_path / "confusions.tsv")
    held_out = {"Which": ["Wich", "Wihhc"], "their": ["there", "thier"]}
    write_tsv(held_out, tmp_path / "held_out.tsv")
    data = DataConfig(
        lists=("known.tsv", "other.tsv"),
        noisy=("known.tsv",),
        confusions=("confusions.tsv",),
        held_out=("held_out.tsv",),
        known=("known.tsv",),
    )
    lexicon = Lexicon(["the", "there", "their", "which"])
    pairs = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")
    assert pairs == {"the": ["teh"], "which": ["whcih", "wich", "wihch"], "their": ["there"]}
    assert "wich" in read_noisy_lists(data, [tmp_path], "lower")["which"]
    strict = replace(data, known=())
    assert "wich" not in read_pairs(strict, [tmp_path], lexicon=lexicon, casing="lower")["which"]
    assert "wich" not in read_noisy_lists(strict, [tmp_path], "lower")["which"]


def test_wild_lists_keep_odd_capitals_and_marks(tmp_path: Path) -> None:
    listed = {"The": ["DE", "tThe", "Teh", "th?", "the."], "its": ["its'"], "ten": ["10", "TEN"]}
    write_tsv(listed, tmp_path / "wild.tsv")
    data = DataConfig(lists=(), noisy=("wild.tsv",))
    read = read_noisy_lists(data, [tmp_path], "lower")
    assert read == {"the": ["DE", "tThe", "teh", "th?"], "its": ["its'"], "ten": ["TEN"]}
    assert read_noisy_lists(data, [tmp_path], "exact")["The"] == sorted(listed["The"])


def test_a_start_takes_over_the_words_that_both_know(base: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    assert main(tiny.train_arguments(base, CASE, first, "--steps", "2", *QUICK)) == 0
    saved = Checkpoint.read(first)
    words = [*saved.lexicon.words[:0:-1], "brandnew"]
    sizes = replace(saved.sizes, characters=saved.sizes.characters + 1)
    model = build_model(saved.recipe, sizes)
    made = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    init_from(saved, model, words, saved.facts.characters[::-1] + "\N{SNOWMAN}")
    old, new = load_file(first / "model.safetensors"), model.state_dict()
    place = words.index(saved.lexicon.words[5])
    assert torch.equal(new["words.weight"][3 + place], old["words.weight"][3 + 5])
    assert torch.equal(new["words.weight"][:3], old["words.weight"][:3])
    assert torch.equal(new["words.weight"][-1], made["words.weight"][-1])  # nobody knew it
    assert torch.equal(new["head.words.bias"][place], old["head.words.bias"][5])
    characters = "speller.characters.weight"
    assert torch.equal(new[characters][-2], old[characters][FIRST_CHARACTER])
    assert torch.equal(new[characters][-1], made[characters][-1])


@pytest.mark.parametrize("fused", [0, 2])
def test_new_layers_change_nothing_at_first(fused: int, base: Path) -> None:
    saved = tiny.checkpoint(base, "word_char")
    layers = saved.recipe.model.layers
    deeper = replace(saved.recipe.model, layers=layers + 2, fused=fused)
    model = build_model(replace(saved.recipe, model=deeper), saved.sizes)
    init_from(saved, model, saved.lexicon.words, saved.facts.characters)
    ids = torch.tensor([[4, 5, 6]])
    features = (ids, ids * 0, ids * 0, torch.full((1, WIDTH), 5))
    with torch.no_grad():
        old = saved.model().predict(*features, torch.tensor(0.0))
        new = model.eval().predict(*features, torch.tensor(0.0))
    torch.testing.assert_close(new.keep, old.keep)
    torch.testing.assert_close(new.probabilities, old.probabilities)


def test_a_start_from_other_sizes_is_refused(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = tiny.checkpoint(base, CASE)
    wider = ("--steps", "1", "--set", "model.width=24", "--set", "model.heads=2")
    more = (*wider, "--start", str(first.path))
    capsys.readouterr()
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 2
    assert "does not fit this recipe" in capsys.readouterr().err


def test_words_that_are_right_are_neither_taught_as_wrong_nor_doubted(tmp_path: Path) -> None:
    lexicon = Lexicon(("spring", "than", "then", "color", "colour", "can't"))
    pairs = {"spring": ["sprig", "sprnig"], "than": ["then"], "color": ["colour"]}
    pairs |= {"can't": ["cant"]}
    write_tsv(pairs, tmp_path / "list.tsv")
    (tmp_path / "right.txt").write_text("sprig\n\nthen\ncant\n", encoding="utf-8")
    data = DataConfig(lists=("list.tsv",), valid_words=("right.txt",))
    assert read_valid_words(data, [tmp_path], lexicon=lexicon) == {"sprig", "then"}
    taught = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")
    assert taught == {"spring": ["sprnig"], "than": ["then"], "can't": ["cant"]}
    assert read_listed_misspellings(data, [tmp_path], lexicon=lexicon) == {"sprnig", "cant"}
    with pytest.raises(Error, match="no such list"):
        read_valid_words(replace(data, valid_words=("none.txt",)), [tmp_path], lexicon=lexicon)
