"""A student learns from a teacher's answers."""

from dataclasses import replace
from pathlib import Path

import pytest
import tiny
import torch

from respell.lab.__main__ import main
from respell.lab.evaluate.paper.cost import read_metrics
from respell.lab.train.checkpoint import build_model
from respell.lab.train.models.base import Batch, Model, Targets
from respell.lab.train.models.heads import LESSON, OpenHead, SoftTargets

CASE = "word_char_keep"
PLAIN = ("--set", "model.noise_flag=false")  # as the teacher is


@pytest.fixture
def given(base: Path) -> tuple[Model, Batch, Targets]:
    torch.manual_seed(3)
    model = build_model(tiny.recipe(CASE), tiny.batcher(base, CASE).sizes)
    return model, *tiny.noise(base, CASE, tiny.packed_rows(base, CASE, rows=8))


def lesson_of(
    model: Model, batch: Batch, targets: Targets, weight: float, distill_top_n: int = 0
) -> SoftTargets:
    with torch.no_grad():
        return model.teach(batch, targets, weight, distill_top_n)


def test_a_lesson_without_weight_changes_nothing(given: tuple[Model, Batch, Targets]) -> None:
    model, batch, targets = given
    soft = lesson_of(model, batch, targets, 0.0)
    plain, taught = model(batch, targets), model(batch, replace(targets, soft=soft))
    assert all(torch.allclose(plain[name], taught[name]) for name in plain)


def test_a_model_has_nothing_to_learn_from_itself(given: tuple[Model, Batch, Targets]) -> None:
    model, batch, targets = given
    soft = lesson_of(model, batch, targets, 1.0)
    taught = model(batch, replace(targets, soft=soft))
    torch.autograd.backward(taught["keep"])
    assert isinstance(model.head, OpenHead)
    for parameter in model.head.keep.parameters():
        assert parameter.grad is not None
        assert parameter.grad.abs().max() < 1e-6


def test_the_loss_is_the_cross_entropy_with_the_lesson(given: tuple[Model, Batch, Targets]) -> None:
    model, batch, targets = given
    soft = lesson_of(model, batch, targets, 1.0)
    assert soft.ids.shape[1] == LESSON
    assert torch.allclose(soft.shares.sum(1), torch.ones(len(soft.shares)))
    names = torch.arange(LESSON).expand_as(soft.ids)
    shares = torch.zeros_like(soft.shares)
    shares[:, :2] = torch.tensor([0.75, 0.25])
    soft = replace(soft, ids=names, shares=shares)
    word = model(batch, replace(targets, soft=soft))["word"]
    vectors = model.encode(batch).flatten(0, 1)[soft.chosen]
    said = torch.log_softmax(model.head.words(vectors, model.output_table(batch)), -1)
    asked = (targets.wrong | targets.masked) & (targets.labels >= 0)
    counts = asked.flatten()[soft.chosen]
    by_hand = -(0.75 * said[:, 0] + 0.25 * said[:, 1])[counts].mean()
    torch.testing.assert_close(word, by_hand)


def test_of_rare_words_that_are_misspelled_a_teacher_is_silent(
    given: tuple[Model, Batch, Targets],
) -> None:
    model, batch, targets = given
    heard = int(targets.labels[targets.wrong].float().median())
    soft = lesson_of(model, batch, targets, 1.0, heard)
    silent = targets.wrong & (targets.labels >= distill_top_n)
    assert silent.any()
    assert (targets.wrong & ~silent).any()
    assert torch.equal(soft.weight == 0, silent.flatten())
    unlike = replace(
        soft,
        keep=torch.where(silent.flatten(), 0.9, soft.keep),
        shares=torch.where(silent.flatten()[soft.chosen, None], 1 / LESSON, soft.shares),
    )
    heard_of_all = torch.ones_like(soft.weight)
    for weight, same in ((soft.weight, True), (heard_of_all, False)):
        lessons = (replace(each, weight=weight) for each in (soft, unlike))
        losses = [model(batch, replace(targets, soft=each))["loss"] for each in lessons]
        assert torch.equal(*losses) is same


def test_a_student_comes_to_agree_with_its_teacher(base: Path, tmp_path: Path) -> None:
    teacher = tiny.checkpoint(base, "subword_keep")
    out = tmp_path / "student"
    settings = ("--steps", "60", "--set", "train.distill_weight=1.0", *PLAIN)
    line = tiny.train_arguments(base, CASE, out, *settings, "--teacher", str(teacher.path))
    assert main(line) == 0
    losses = [row["loss"] for row in read_metrics(out)]
    assert losses[-1] < 0.8 * losses[0]  # what is left is mostly what the teacher is unsure of


def test_training_hears_a_teacher_as_the_recipe_says(base: Path, tmp_path: Path) -> None:
    teacher = tiny.checkpoint(base, "subword_keep")
    losses = []
    for heard in (0, 1, 10**6):
        settings = (
            "--set",
            "train.distill_weight=1.0",
            "--set",
            f"train.distill_top_n={heard}",
            *PLAIN,
        )
        line = tiny.train_arguments(base, CASE, tmp_path / str(heard), "--steps", "1", *settings)
        assert main([*line, "--teacher", str(teacher.path)]) == 0
        losses.append(read_metrics(tmp_path / str(heard))[0]["loss"])
    everything, next_to_nothing, more_than_there_is = losses
    assert everything == more_than_there_is != next_to_nothing


@pytest.mark.parametrize(
    ("settings", "teacher", "message"),
    [
        (PLAIN, "word_char", "both need model.keep"),
        ((), "subword_keep", "must both be told"),
        ((*PLAIN, "--set", "train.length=50"), "subword_keep", "40 words at most, not 50"),
    ],
)
def test_teachers_that_do_not_fit(
    settings: tuple[str, ...],
    teacher: str,
    message: str,
    base: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tiny.checkpoint(base, teacher).path
    capsys.readouterr()
    more = ("--steps", "1", *settings, "--teacher", str(folder))
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 2
    assert message in capsys.readouterr().err
