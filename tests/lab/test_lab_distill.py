"""Distillation: a student learns from the soft targets of a teacher."""

from dataclasses import replace
from pathlib import Path

import pytest
import tiny
import torch

from respell.lab.__main__ import main
from respell.lab.evaluate.paper.cost import read_metrics
from respell.lab.train.checkpoint import build_model
from respell.lab.train.models.base import Batch, Model, Targets
from respell.lab.train.models.heads import TEACHER_WORDS, OpenHead, SoftTargets
from respell.lab.train.models.subword import Subword

CASE = "word_char_keep"
NO_FLAG = ("--set", "model.noise_flag=false")  # as in the recipe of the teacher


@pytest.fixture
def teacher(base: Path) -> str:
    """The folder of a teacher of another kind than the student."""
    return str(tiny.checkpoint(base, "subword_keep").path)


@pytest.fixture
def given(base: Path) -> tuple[Model, Batch, Targets]:
    torch.manual_seed(3)
    model = build_model(tiny.recipe(CASE), tiny.batcher(base, CASE).sizes)
    return model, *tiny.noise(base, CASE, tiny.packed_rows(base, CASE, rows=8))


def soft_targets(
    model: Model, batch: Batch, targets: Targets, weight: float, distill_top_n: int = 0
) -> SoftTargets:
    with torch.no_grad():
        return model.soft_targets(batch, targets, weight, distill_top_n)


def test_soft_targets_of_weight_zero_have_no_effect(given: tuple[Model, Batch, Targets]) -> None:
    model, batch, targets = given
    soft = soft_targets(model, batch, targets, 0.0)
    plain, distilled = model(batch, targets), model(batch, replace(targets, soft=soft))
    assert all(torch.allclose(plain[name], distilled[name]) for name in plain)


def test_a_model_learns_nothing_from_its_own_keep(given: tuple[Model, Batch, Targets]) -> None:
    model, batch, targets = given
    soft = soft_targets(model, batch, targets, 1.0)
    losses = model(batch, replace(targets, soft=soft))
    torch.autograd.backward(losses["keep"])
    assert isinstance(model.head, OpenHead)
    for parameter in model.head.keep.parameters():
        assert parameter.grad is not None
        assert parameter.grad.abs().max() < 1e-6


def test_the_loss_is_the_cross_entropy_with_soft_targets(
    given: tuple[Model, Batch, Targets],
) -> None:
    model, batch, targets = given
    soft = soft_targets(model, batch, targets, 1.0)
    assert soft.ids.shape[1] == TEACHER_WORDS
    assert torch.allclose(soft.probabilities.sum(1), torch.ones(len(soft.probabilities)))
    ids = torch.arange(TEACHER_WORDS).expand_as(soft.ids)
    probabilities = torch.zeros_like(soft.probabilities)
    probabilities[:, :2] = torch.tensor([0.75, 0.25])
    soft = replace(soft, ids=ids, probabilities=probabilities)
    word = model(batch, replace(targets, soft=soft))["word"]
    vectors = model.encode(batch).flatten(0, 1)[soft.chosen]
    logs = torch.log_softmax(model.head.words(vectors, model.output_table(batch)), -1)
    ranked = (targets.wrong | targets.masked) & (targets.labels >= 0)
    counts = ranked.flatten()[soft.chosen]
    expected = -(0.75 * logs[:, 0] + 0.25 * logs[:, 1])[counts].mean()
    torch.testing.assert_close(word, expected)


def test_a_teacher_has_no_weight_for_misspelled_rare_words(
    given: tuple[Model, Batch, Targets],
) -> None:
    model, batch, targets = given
    top_n = int(targets.labels[targets.wrong].float().median())
    soft = soft_targets(model, batch, targets, 1.0, top_n)
    rare = targets.wrong & (targets.labels >= top_n)
    assert rare.any()
    assert (targets.wrong & ~rare).any()
    assert torch.equal(soft.weight == 0, rare.flatten())
    equal = torch.full_like(soft.probabilities, 1 / TEACHER_WORDS)
    different = replace(
        soft,
        keep=torch.where(rare.flatten(), 0.9, soft.keep),
        probabilities=torch.where(rare.flatten()[soft.chosen, None], equal, soft.probabilities),
    )
    everywhere = torch.ones_like(soft.weight)
    for weight, same in ((soft.weight, True), (everywhere, False)):
        teachers = (replace(each, weight=weight) for each in (soft, different))
        losses = [model(batch, replace(targets, soft=each))["loss"] for each in teachers]
        assert torch.equal(*losses) is same


def test_a_teacher_has_no_weight_for_words_that_it_cuts_off(base: Path) -> None:
    case = "subword_keep"
    batch, targets = tiny.noise(base, case, tiny.packed_rows(base, case, rows=8))
    made = tiny.recipe(case)
    made = replace(made, model=replace(made.model, factor=1.0))  # less room than pieces
    model = build_model(made, tiny.batcher(base, case).sizes).train()
    assert isinstance(model, Subword)
    cut = ~model.lay_out(batch).fits & (batch.segments > 0)
    assert cut.any()
    soft = soft_targets(model, batch, targets, 0.5)
    assert torch.equal(soft.weight == 0, (cut | (batch.segments == 0)).flatten())


def test_a_student_learns_to_agree_with_its_teacher(
    base: Path, teacher: str, tmp_path: Path
) -> None:
    out = tmp_path / "student"
    settings = ("--steps", "60", "--set", "train.distill_weight=1.0", *NO_FLAG)
    assert main(tiny.train_arguments(base, CASE, out, *settings, "--teacher", teacher)) == 0
    losses = [row["loss"] for row in read_metrics(out)]
    assert losses[-1] < 0.8 * losses[0]  # the rest is mostly the entropy of the teacher


def test_training_uses_distill_top_n(base: Path, teacher: str, tmp_path: Path) -> None:
    losses = []
    for top_n in (0, 1, 10**6):
        settings = ("--set", "train.distill_weight=1.0", "--set", f"train.distill_top_n={top_n}")
        more = ("--steps", "1", *settings, *NO_FLAG, "--teacher", teacher)
        assert main(tiny.train_arguments(base, CASE, tmp_path / str(top_n), *more)) == 0
        losses.append(read_metrics(tmp_path / str(top_n))[0]["loss"])
    unlimited, only_one, more_than_the_lexicon = losses
    assert unlimited == more_than_the_lexicon != only_one


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((*NO_FLAG, "--set", "model.keep=false"), "both need model.keep"),
        ((), "need the same model.noise_flag"),
        ((*NO_FLAG, "--set", "model.spacing=true"), "need the same model.spacing"),
        ((*NO_FLAG, "--set", "train.length=50"), "40 words at most, not 50"),
    ],
)
def test_a_teacher_that_does_not_fit_is_an_error(
    settings: tuple[str, ...],
    message: str,
    base: Path,
    teacher: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    more = ("--steps", "1", *settings, "--teacher", teacher)
    capsys.readouterr()
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 2
    assert message in capsys.readouterr().err
