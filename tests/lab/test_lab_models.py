"""Tests that every model must pass: loss, batching, ONNX and 8-bit weights."""

import math
from dataclasses import astuple, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respell.lab.train.checkpoint import build_model, torch_forward
from respell.lab.train.models import MODELS
from respell.lab.train.models.base import Batch, Model, Sizes
from respell.lab.train.models.layers import Speller
from respell.lab.train.models.scrnn import ScRNN, ScRNNConfig
from respell.lab.train.models.word_char import WordChar
from respell.model.encode import WIDTH, WORD_OFFSET, WORD_PAD, WORD_UNKNOWN
from respell.model.forward import Features, Forward, TopK
from respell.model.session import open_session

CASES = list(tiny.RAW_RECIPES)
FORMS = ("torch", "onnx", "int8")
EXPORTED = ("scrnn", "mude", "word_char", "word_char_keep")
"""Cases that are exported in every run of the tests; exporting the others takes long."""


def marks(case: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if case in EXPORTED else (pytest.mark.exhaustive,)


PAIRS = [
    pytest.param(case, form, marks=() if form == "torch" else marks(case))
    for case in CASES
    for form in FORMS
]
GRAPHS = [pytest.param(case, marks=marks(case)) for case in CASES]
NOISY = [*tiny.parity_sentences()[0][:8], ["teh"], ["letters", "frm", "Zorblux"]]


def fresh(base: Path, case: str) -> Model:
    torch.manual_seed(3)
    return build_model(tiny.recipe(case), tiny.batcher(base, case).sizes)


@cache
def forward_of(base: Path, case: str, form: str) -> Forward:
    if form == "torch":
        return torch_forward(tiny.checkpoint(base, case).model())
    return open_session(tiny.graphs(base, case)[form == "int8"], threads=1)


def encode(base: Path, case: str, form: str, sentences: list[list[str]]) -> Features:
    """Features for a form; only ONNX graphs have precomputed spellings of the lexicon."""
    folds = hasattr(MODELS[tiny.recipe(case).kind][0], "fold")
    encoder = tiny.checkpoint(base, case).bundle().encoder
    encoder = replace(encoder, spell_oov_only=folds and form != "torch")
    return encoder.encode([tiny.tokens(words) for words in sentences])


def answers(topk: TopK, row: int, words: int) -> list[tuple[float, int, list[float], int]]:
    """The output for each word of a sentence, if every word is a suspect."""
    length = topk.keep.shape[1]
    place = {int(position): i for i, position in enumerate(topk.positions)}
    found = []
    for j in range(words):
        i = place[row * length + j]
        best, case = int(topk.ids[i, 0]), int(topk.cases[i])
        found.append((float(topk.keep[row, j]), best, topk.probabilities[i].tolist(), case))
    return found


def assert_same(left: list[Any], right: list[Any], tolerance: float = 1e-4) -> None:
    for (keep, best, probabilities, case), other in zip(left, right, strict=True):
        assert case == other[3]
        assert best == other[1] or probabilities[0] - probabilities[1] < tolerance
        assert keep == pytest.approx(other[0], abs=tolerance)
        assert probabilities == pytest.approx(other[2], abs=tolerance)


def test_every_model_is_tested() -> None:
    assert {raw["kind"] for raw in tiny.RAW_RECIPES.values()} == set(MODELS)


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_builds_with_default_settings(kind: str) -> None:
    model_class, config_class = MODELS[kind]
    model = model_class(config_class(width=16), Sizes(lexicon=12, characters=30, length=8))
    assert sum(parameter.numel() for parameter in model.parameters()) > 0


@pytest.mark.parametrize("case", CASES)
def test_the_loss_is_finite_and_reaches_every_parameter(case: str, base: Path) -> None:
    model = fresh(base, case)
    losses = model(*tiny.noise(base, case, tiny.packed_rows(base, case, rows=8)))
    assert all(torch.isfinite(loss) for loss in losses.values())
    torch.autograd.backward(losses["loss"])
    untouched = [
        name
        for name, parameter in model.named_parameters()
        if parameter.grad is None or not parameter.grad.any()
    ]
    assert untouched == []
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


def test_the_loss_is_zero_without_targets(base: Path) -> None:
    case = "word_char_keep"
    batch, targets = tiny.noise(base, case, tiny.single_rows(base, case, rows=2))
    nothing = replace(
        targets,
        labels=torch.full_like(targets.labels, -1),
        checked=torch.zeros_like(targets.checked),
    )
    assert fresh(base, case)(batch, nothing)["loss"].item() == 0


@pytest.mark.parametrize("case", CASES)
def test_a_model_overfits_eight_sentences(case: str, base: Path) -> None:
    batch, targets = tiny.noise(base, case, tiny.single_rows(base, case, rows=8), seed=5)
    batch = replace(batch, composed_ids=None)  # words that are scored by their spelling only
    ranked = (targets.wrong | targets.masked) & (targets.labels >= 0)
    assert int(targets.wrong.sum()) >= 8
    model = fresh(base, case)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0)
    first = last = 0.0
    for step in range(120 if case == "word_char_suspects" else 80):
        loss = model(batch, targets)["loss"]
        first, last = (loss.item(), last) if step == 0 else (first, loss.item())
        torch.autograd.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    assert last < first / 10
    model.eval()
    inputs = (batch.words, batch.shapes, batch.slots, batch.spellings)
    with torch.no_grad():
        found = model.predict(*inputs, torch.tensor(0.0), classes=batch.classes)
    best = torch.full_like(targets.labels, -1).flatten()
    best[found.positions] = found.ids[:, 0]
    right = best.view_as(targets.labels) == targets.labels
    assert right[ranked].float().mean() > 0.95
    if tiny.recipe(case).keep:
        checked = targets.checked & ~targets.masked
        kept = found.keep > 0.5
        assert (kept == ~targets.wrong)[checked].float().mean() > 0.95


@pytest.mark.parametrize(("case", "form"), PAIRS)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    chosen=st.lists(st.sampled_from(range(len(NOISY))), min_size=1, max_size=6),
    padding=st.integers(0, 9),
)
def test_results_do_not_depend_on_the_batch(
    case: str, form: str, base: Path, chosen: list[int], padding: int
) -> None:
    forward = forward_of(base, case, form)
    sentences = [NOISY[i] for i in chosen]
    together = encode(base, case, form, sentences)
    padded = {
        name: np.pad(getattr(together, name), ((0, 0), (0, padding)), constant_values=fill)
        for name, fill in (("words", WORD_PAD), ("shapes", 0), ("slots", 0), ("classes", 0))
        if getattr(together, name).size
    }
    batched = forward(replace(together, **padded), 0.0)
    for row, sentence in enumerate(sentences):
        alone = forward(encode(base, case, form, [sentence]), 0.0)
        assert_same(answers(batched, row, len(sentence)), answers(alone, 0, len(sentence)))


@pytest.mark.parametrize("case", GRAPHS)
def test_onnx_agrees_with_torch(case: str, base: Path) -> None:
    in_torch = forward_of(base, case, "torch")(encode(base, case, "torch", NOISY), 0.0)
    in_onnx = forward_of(base, case, "onnx")(encode(base, case, "onnx", NOISY), 0.0)
    for row, words in enumerate(NOISY):
        left, right = (answers(found, row, len(words)) for found in (in_torch, in_onnx))
        assert_same(left, right)
    assert [array.dtype for array in astuple(in_torch)] == [
        array.dtype for array in astuple(in_onnx)
    ]


@pytest.mark.parametrize("case", GRAPHS)
def test_8_bit_weights_give_the_same_words(case: str, base: Path) -> None:
    noisy, _ = tiny.parity_sentences()
    in_torch = forward_of(base, case, "torch")(encode(base, case, "torch", noisy), 0.0)
    in_int8 = forward_of(base, case, "int8")(encode(base, case, "int8", noisy), 0.0)
    assert np.array_equal(in_torch.positions, in_int8.positions)
    assert (in_torch.ids[:, 0] == in_int8.ids[:, 0]).mean() > 0.98
    assert np.abs(in_torch.keep - in_int8.keep).mean() < 0.02


@pytest.mark.parametrize(("case", "form"), PAIRS)
def test_a_higher_gate_only_removes_suspects(case: str, form: str, base: Path) -> None:
    forward = forward_of(base, case, form)
    features = encode(base, case, form, NOISY)
    every = forward(features, 0.0)
    place = {int(position): i for i, position in enumerate(every.positions)}
    counts = []
    for gate in (0.1, 0.5, 0.9, 1.1):
        found = forward(features, gate)
        counts.append(len(found.positions))
        kept = [place[int(position)] for position in found.positions]
        assert np.array_equal(found.ids[:, 0], every.ids[kept, 0])
        assert np.array_equal(found.cases, every.cases[kept])
        error = np.where(features.words != WORD_PAD, 1 - every.keep, -1).reshape(-1)
        if len(found.positions) > 1:
            assert found.probabilities == pytest.approx(every.probabilities[kept], abs=1e-5)
        if getattr(tiny.recipe(case).model, "suspect_layers", 0):
            # Most words have another probability: they do not go through the last layers.
            assert (error[found.positions] >= np.float32(gate)).all() or len(found.positions) == 1
            missed = np.setdiff1d(np.flatnonzero(error >= np.float32(gate)), found.positions)
            assert len(missed) <= len(error) / 50
            continue
        assert found.keep == pytest.approx(every.keep, abs=1e-6)
        if tiny.recipe(case).keep:
            # The likeliest error is always ranked.
            suspects = (error >= np.float32(gate)) | (error == error.max())
            assert found.positions.tolist() == np.flatnonzero(suspects).tolist()
    if tiny.recipe(case).keep:
        assert len(place) > counts[0] >= counts[1] > counts[-1] == 1
    else:  # without KEEP every word is ranked
        assert set(counts) == {len(place)} == {sum(map(len, NOISY))}


@pytest.mark.parametrize(("case", "form"), PAIRS)
def test_the_shortest_and_the_longest_sentence(case: str, form: str, base: Path) -> None:
    forward = forward_of(base, case, form)
    longest = tiny.recipe(case).train.length
    for words in (["the"], ["teh"], ["school"] * longest):
        found = forward(encode(base, case, form, [words]), 0.0)
        assert found.keep.shape == (1, len(words))
        assert found.positions.tolist() == list(range(len(words)))


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("scrnn", "mude")])
def test_packed_sentences_are_independent(case: str, base: Path) -> None:
    """Not for ScRNN, whose state continues over the sentences of a row, as documented."""
    batch, _ = tiny.noise(base, case, tiny.packed_rows(base, case))
    model = fresh(base, case).eval()
    with torch.no_grad():
        packed = model.encode(batch)
        compared = 0
        for row in range(len(batch.words)):
            for number in range(1, int(batch.segments[row].max()) + 1):
                own = (batch.segments[row] == number).nonzero().squeeze(1)
                alone = Batch(
                    batch.words[row, own][None],
                    batch.shapes[row, own][None],
                    batch.slots[row, own][None],
                    batch.spellings,
                    torch.ones(1, len(own), dtype=torch.long),
                    torch.arange(len(own))[None],
                    classes=None if batch.classes is None else batch.classes[row, own][None],
                )
                torch.testing.assert_close(
                    model.encode(alone)[0], packed[row, own], atol=1e-5, rtol=1e-4
                )
                compared += 1
    assert compared > len(batch.words)


def test_buckets_do_not_change_the_spelling_vectors() -> None:
    torch.manual_seed(1)
    speller = Speller(9, 16, 3, 4, 0.0)
    lengths = torch.cat((torch.full((8,), WIDTH), torch.full((16,), 5)))
    rows = torch.randint(1, 9, (24, WIDTH))
    rows = rows.where(torch.arange(WIDTH) < lengths[:, None], 0)
    alone = speller(rows)
    assert torch.allclose(speller(rows, ((8, WIDTH), (16, 5))), alone, atol=1e-5)
    assert torch.allclose(speller(rows, ((8, WIDTH), (9, 7), (7, 6))), alone, atol=1e-5)


def test_composed_words_are_scored_by_their_spelling(base: Path) -> None:
    case = "word_char_keep"
    recipe = tiny.recipe(case)
    recipe = replace(recipe, model=replace(recipe.model, composed=0.1))
    batcher = tiny.batcher(base, case, composed=0.1)
    batch, targets = batcher(tiny.packed_rows(base, case), torch.Generator().manual_seed(1))
    ids, spellings = batch.composed_ids, batch.composed_spellings
    assert ids is not None
    assert spellings is not None
    assert len(ids) == math.ceil(0.1 * batcher.sizes.lexicon / 8) * 8
    model = build_model(recipe, batcher.sizes)
    assert isinstance(model, WordChar)
    torch.autograd.backward(model(batch, targets)["loss"])
    assert all(p.grad is not None and p.grad.any() for p in model.parameters())
    plain, mixed = model.words.weight[WORD_OFFSET:], model.output_table(batch)
    assert mixed is not None
    composed = torch.zeros(len(plain), dtype=torch.bool)
    composed[ids] = True
    assert torch.equal(mixed[~composed], plain[~composed])
    assert not torch.isclose(mixed[composed], plain[composed]).all(1).any()
    twin = replace(batch, composed_ids=ids.flip(0), composed_spellings=spellings.flip(0))
    again = model.output_table(twin)
    assert again is not None
    assert torch.allclose(again, mixed, atol=1e-6)  # the order does not matter
    vectors = torch.randn(3, recipe.model.width + recipe.model.char_width)
    scores = model.head.words(vectors, mixed, ids)
    model.head.words.bias.data[composed] = 7.0
    assert torch.equal(model.head.words(vectors, mixed, ids), scores)


@pytest.mark.parametrize("fused", [0, 1])
def test_fused_layers_read_the_spelling_of_neighbours(fused: int, base: Path) -> None:
    recipe = tiny.recipe("word_char_keep")
    recipe = replace(recipe, model=replace(recipe.model, fused=fused))
    model = build_model(recipe, tiny.batcher(base, "word_char_keep").sizes).eval()
    assert isinstance(model, WordChar)
    if model.join is not None:
        torch.nn.init.normal_(model.join.weight)
    words = torch.tensor([[4, WORD_UNKNOWN, 5]])
    rows = torch.full((3, WIDTH), 4)
    rows[1, 1:5] = torch.tensor([4, 5, 6, 7])
    rows[2, 1:5] = torch.tensor([7, 6, 5, 4])
    with torch.no_grad():
        found = [
            model.predict(words, words * 0, torch.tensor([[0, slot, 0]]), rows, torch.tensor(0.0))
            for slot in (1, 2)
        ]
    neighbours = [each.keep[0, [0, 2]] for each in found]
    assert torch.equal(*neighbours) == (not fused)


def test_semi_characters_of_scrnn() -> None:
    model = ScRNN(ScRNNConfig(width=8), Sizes(lexicon=10, characters=8, length=4))
    rows = torch.zeros(3, 21, dtype=torch.long)
    rows[:, 0] = 2  # START, which is ignored
    rows[0, 1:6] = torch.tensor([4, 5, 6, 5, 7])
    rows[1, 1:2] = torch.tensor([4])
    rows[2, 1:3] = torch.tensor([4, 5])
    first, middle, last = model.semi_characters(rows).view(3, 3, 8).unbind(1)
    assert first.argmax(1).tolist() == [4, 4, 4]
    assert last.argmax(1).tolist() == [7, 4, 5]
    assert middle.tolist() == [[0, 0, 0, 0, 0, 2, 1, 0], [0] * 8, [0] * 8]
