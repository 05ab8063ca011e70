"""Layers that only suspicious words go through."""

from dataclasses import replace

import pytest
import torch

from respell.lab.train.models import word_char
from respell.lab.train.models.base import Batch, Sizes, Targets
from respell.lab.train.models.heads import OpenHead
from respell.lab.train.models.word_char import WordChar, WordCharConfig
from respell.model.encode import WIDTH
from respell.types import Error

SIZES = Sizes(lexicon=30, characters=12, length=8)
CONFIG = WordCharConfig(
    width=16,
    layers=1,
    heads=2,
    fused=1,
    char_width=8,
    char_layers=1,
    char_heads=2,
    dropout=0.0,
    keep=True,
    tied=True,
    composed=0.1,
    suspect_layers=2,
    suspect_width=24,
    suspect_share=1.0,
    classes=True,
    spacing=True,
)


def model(config: WordCharConfig = CONFIG) -> WordChar:
    torch.manual_seed(3)
    made = WordChar(config, SIZES)
    for parameter in made.parameters():  # new weights are so small that nothing depends on them
        torch.nn.init.normal_(parameter, std=0.4)
    return made.eval()


def batch(*, seed: int = 0, rows: int = 3) -> Batch:
    generator = torch.Generator().manual_seed(seed)
    shape = (rows, SIZES.length)
    words = torch.randint(3, 33, shape, generator=generator)
    segments = torch.ones_like(words)
    for row in range(1, rows):  # padding at the end of all rows but the first
        words[row, -row:] = segments[row, -row:] = 0
    return Batch(
        words=words,
        shapes=torch.randint(0, 4, shape, generator=generator),
        slots=torch.randint(0, 5, shape, generator=generator),
        spellings=torch.randint(2, 12, (5, WIDTH), generator=generator),
        segments=segments,
        places=torch.arange(SIZES.length).expand(shape),
        classes=torch.randint(0, 24, shape, generator=generator),
    )


def targets(given: Batch) -> Targets:
    real = given.segments > 0
    wrong = real & (given.words % 3 == 0)
    return Targets(
        labels=(given.words - 3).clamp(min=0).where(real, -1),
        wrong=wrong,
        masked=real & (given.words % 7 == 1) & ~wrong,
        checked=real,
        shapes=given.shapes,
        kinds=given.words % 3,
    )


def test_words_one_by_one_get_the_same_vectors_as_all_together() -> None:
    made, given = model(), batch()
    assert made.suspects is not None
    read, _ = made._encode(given)
    assert read is not None
    every = torch.arange(SIZES.length).expand(3, -1)
    together = made.suspects(read, every, given.segments)
    positions = torch.nonzero((given.segments > 0).flatten()).squeeze(-1)
    alone = made.suspects.one_by_one(read, positions, given.segments > 0)
    torch.testing.assert_close(together.flatten(0, 1)[positions], alone)


def test_an_answer_does_not_depend_on_the_other_sentences() -> None:
    made, given = model(), batch()
    gate = torch.tensor(0.0)
    keep, positions, ids, _, _, kinds = made.rank(given, gate, 4)
    for row in range(3):
        one = slice(row, row + 1)
        alone = replace(
            given,
            words=given.words[one],
            shapes=given.shapes[one],
            slots=given.slots[one],
            segments=given.segments[one],
            places=given.places[one],
            classes=None if given.classes is None else given.classes[one],
        )
        found = made.rank(alone, gate, 4)
        inside = positions // SIZES.length == row
        assert (positions[inside] % SIZES.length).tolist() == found[1].tolist()
        assert ids[inside].tolist() == found[2].tolist()
        torch.testing.assert_close(keep[one], found[0])
        assert kinds is not None
        assert found[5] is not None
        torch.testing.assert_close(kinds[inside], found[5])


def test_a_word_below_the_bound_keeps_its_early_probability_in_every_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, given = model(), batch()
    assert made.early is not None
    read, _ = made._encode(given)
    early = torch.sigmoid(made.early(read).squeeze(-1)).detach()
    # No word reaches the bound, so only the likeliest error of the batch is read further.
    monkeypatch.setattr(word_char, "EARLY_BOUND", float(early.max()) * 1.01)
    gate = torch.tensor(0.999999)
    keep, positions, *_ = made.rank(given, gate, 4)
    assert positions.shape == (1,)
    torch.testing.assert_close(keep, 1 - early)
    # Below the gate, but above the bound, the last layers decide.
    monkeypatch.setattr(word_char, "EARLY_BOUND", bound := float(early.median()))
    keep = made.rank(given, gate, 4)[0]
    decided = (early >= bound) & (given.segments > 0)
    assert decided.any()
    assert not torch.isclose(keep, 1 - early)[decided].all()


def test_with_all_words_the_loss_is_that_of_all_words() -> None:
    made, given = model(), batch()
    expected = targets(given)
    losses = made(given, expected)
    assert isinstance(made.head, OpenHead)
    every = made.head.loss(made.encode(given), made.output_table(given), given, expected)
    for name in ("keep", "word", "case", "kind"):
        torch.testing.assert_close(losses[name], every[name])
    assert losses["loss"] > every["loss"]  # with the early loss


def test_wrong_and_masked_words_are_always_among_the_chosen() -> None:
    few = model(replace(CONFIG, suspect_share=0.75))
    given = batch()
    expected = targets(given)
    needed = int((expected.wrong | expected.masked).sum(1).max())
    assert needed <= int(SIZES.length * 0.75)
    for name in ("word", "case", "kind"):
        torch.testing.assert_close(few(given, expected)[name], model()(given, expected)[name])


def test_a_gate_that_no_word_reaches_leaves_one_word() -> None:
    keep, positions, ids, probabilities, _, _ = model().rank(batch(), torch.tensor(0.999999), 4)
    assert keep.shape == (3, SIZES.length)
    assert positions.shape == (1,)
    assert ids.shape == probabilities.shape == (1, 4)


@pytest.mark.parametrize(
    "config", [{"suspect_layers": 1}, {"classes": True}, {"spacing": True}, {"suspect_share": 0.0}]
)
def test_settings_that_need_keep(config: dict[str, float]) -> None:
    with pytest.raises(Error, match="model"):
        WordCharConfig(**config)  # type: ignore[arg-type]


def test_answers_do_not_depend_on_a_gate_above_the_bound() -> None:
    made, given = model(), batch()
    low, high = (made.rank(given, torch.tensor(gate), 4) for gate in (word_char.EARLY_BOUND, 0.999))
    torch.testing.assert_close(low[0], high[0])
