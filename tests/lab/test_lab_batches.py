"""The batches of a Batcher: noised words, and what a model should say of them."""

from collections.abc import Collection
from pathlib import Path

import pytest
import tiny
import torch
from torch import Tensor

from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.synthetic import QWERTY
from respell.lab.train import dataset
from respell.lab.train.dataset import Batcher, Corpus, Packed, Packer
from respell.lab.train.models.base import Batch, Targets
from respell.lab.train.models.layers import PACK
from respell.model.encode import (
    CHAR_PAD,
    FIRST_CHARACTER,
    NOISE_FLAG,
    WORD_OFFSET,
    WORD_PAD,
    WORD_UNKNOWN,
)
from respell.text.tokenize import is_single_word

CPU = torch.device("cpu")


def make_batch(
    corpus: Corpus, noise: NoiseConfig, *, exact: bool = False, spellings: float = 1.0
) -> tuple[Batcher, Packed, Batch, Targets]:
    packer = Packer(corpus, rows=8, length=40, device=CPU)
    packed = next(packer.epoch(1, 0))
    batcher = Batcher(
        corpus,
        tiny.MISSPELLINGS,
        noise,
        style="exact" if exact else "lower",
        length=40,
        spellings=spellings,
        device=CPU,
    )
    batch, targets = batcher(packed, torch.Generator().manual_seed(4))
    return batcher, packed, batch, targets


def spelled(batcher: Batcher, batch: Batch) -> list[list[str]]:
    """How every word of a batch is spelled."""
    letters = dict(enumerate(batcher.characters, start=FIRST_CHARACTER))
    rows = batch.spellings[batch.slots][..., 1:].tolist()
    return [["".join(letters.get(c, "?") for c in w if c != CHAR_PAD) for w in row] for row in rows]


def surfaces_of(corpus: Corpus, packed: Packed) -> list[list[str]]:
    words = [*corpus.lexicon.words, *corpus.surfaces, ""]
    return [[words[surface] for surface in row] for row in packed.surfaces.tolist()]


def flat(rows: list[list[str]] | Tensor) -> list[object]:
    return [x for row in (rows if isinstance(rows, list) else rows.tolist()) for x in row]


NATURAL = NoiseConfig(sigmas=(0.5,))
MIXED = NoiseConfig(sigmas=(0.5,), synthetic=0.5, mixed=True, mask=0.1, random_case=0.5)


@pytest.mark.parametrize("noise", [NATURAL, MIXED], ids=["natural", "mixed"])
def test_targets_tell_what_was_changed(noise: NoiseConfig, corpus: Corpus) -> None:
    batcher, packed, batch, targets = make_batch(corpus, noise)
    gold, written = surfaces_of(corpus, packed), spelled(batcher, batch)
    for i, row in enumerate(gold):
        for j, word in enumerate(row):
            index = corpus.lexicon.index(word)
            assert targets.labels[i, j] == (-1 if index is None else index)
            if not targets.masked[i, j]:
                clean = "".join(c if c in batcher.characters else "?" for c in word)
                assert bool(targets.wrong[i, j]) == (written[i][j] != clean)
            known = corpus.lexicon.index(written[i][j])
            if word and not targets.masked[i, j]:
                expected = WORD_UNKNOWN if known is None else known + WORD_OFFSET
                assert batch.words[i, j] == expected
    assert targets.wrong.any()
    assert bool(targets.masked.any()) == (noise is MIXED)
    assert torch.equal(targets.shapes, packed.shapes)


def test_natural_noise_comes_from_the_lists(corpus: Corpus) -> None:
    batcher, packed, batch, targets = make_batch(corpus, NATURAL)
    pairs = zip(
        flat(surfaces_of(corpus, packed)),
        flat(spelled(batcher, batch)),
        flat(targets.wrong),
        strict=True,
    )
    wrong = [(word, written) for word, written, changed in pairs if changed]
    assert len(wrong) > 20
    assert all(written in tiny.MISSPELLINGS[str(word)] for word, written in wrong)


def test_keyboard_slips_hit_neighbours(corpus: Corpus) -> None:
    noise = NoiseConfig(sigmas=(0.5,), synthetic=1.0, methods={"keyboard": 1})
    batcher, packed, batch, targets = make_batch(corpus, noise)
    triples = zip(
        flat(surfaces_of(corpus, packed)),
        flat(spelled(batcher, batch)),
        flat(targets.wrong),
        strict=True,
    )
    slips = [(str(word), str(written)) for word, written, changed in triples if changed]
    assert len(slips) > 20
    for word, written in slips:
        ((old, new),) = [pair for pair in zip(word, written, strict=True) if pair[0] != pair[1]]
        assert new in QWERTY[old]


def test_words_outside_the_lexicon_are_left_alone(corpus: Corpus) -> None:
    noise = NoiseConfig(sigmas=(9.0,), synthetic=1.0, mask=0.5)
    _, packed, batch, targets = make_batch(corpus, noise)
    outside = packed.surfaces >= len(corpus.lexicon)
    assert outside.any()
    assert not (targets.wrong | targets.masked)[outside].any()
    assert (targets.labels[outside] == -1).all()
    assert (batch.words[outside] == WORD_UNKNOWN).all()
    assert targets.judged[outside].all()  # a name may be wrong: the model learns to keep it


def test_marks_and_numbers_are_not_judged(corpus: Corpus) -> None:
    noise = NoiseConfig(sigmas=(9.0,), synthetic=1.0, mask=0.5)
    _, packed, batch, targets = make_batch(corpus, noise)
    words = flat(surfaces_of(corpus, packed))
    kinds = [bool(word) and is_single_word(str(word)) for word in words]
    assert flat(targets.judged) == kinds
    assert {".", ",", "0"} <= {word for word, kind in zip(words, kinds, strict=True) if not kind}
    assert not (targets.wrong | targets.masked)[~targets.judged].any()
    padding = packed.surfaces < 0
    assert padding.any()
    assert (batch.words[padding] == WORD_PAD).all()
    assert (targets.labels[padding] == -1).all()


def test_the_papers_models_judge_everything(base: Path) -> None:
    corpus = Corpus.read(tiny.build_folder(base, "exact"))
    noise = NoiseConfig(sigmas=(9.0,), synthetic=1.0)
    _, packed, _, targets = make_batch(corpus, noise, exact=True)
    assert torch.equal(targets.judged, packed.surfaces >= 0)
    marks = {i for i, word in enumerate(corpus.lexicon) if not is_single_word(word.lower())}
    noised = set(packed.surfaces[targets.wrong].tolist())
    assert noised & marks


def test_what_has_no_room_is_not_learnt(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, whole, reference = make_batch(corpus, MIXED)
    monkeypatch.setattr(dataset, "SMALL", 1)
    _, packed, batch, targets = make_batch(corpus, MIXED, spellings=0.05)
    assert len(batch.spellings) < int(packed.surfaces.numel() * 0.05) + 3 * PACK
    rows = batch.spellings[batch.slots]
    fits = (rows == whole.spellings[whole.slots]).all(-1)
    columns = torch.cat([torch.full((count,), width) for count, width in batch.buckets])
    fits &= (rows != CHAR_PAD).sum(-1) <= columns[batch.slots]
    assert 0 < int(fits.sum()) < fits.numel()
    assert torch.equal(targets.labels, reference.labels.where(fits, -1))
    assert torch.equal(targets.wrong, reference.wrong & fits)
    assert torch.equal(targets.judged, reference.judged & fits)


def test_a_model_can_be_told_of_wild_noise(corpus: Corpus) -> None:
    packed = next(Packer(corpus, rows=8, length=40, device=CPU).epoch(1, 0))
    pairs = {word: ["xyz"] for word in corpus.lexicon.words}
    shapes = {}
    for told in (False, True):
        batcher = Batcher(
            corpus,
            {},
            NoiseConfig(clean=1.0, noisy=0.5),
            style="lower",
            length=40,
            spellings=1.0,
            device=CPU,
            noisy=pairs,
            noise_flag=told,
        )
        batch, targets = batcher(packed, torch.Generator().manual_seed(4))
        shapes[told] = batch.shapes
    raised = shapes[True] - shapes[False]
    assert set(raised.flatten().tolist()) == {0, NOISE_FLAG}
    assert targets.wrong.any()
    assert (raised[targets.wrong] == NOISE_FLAG).all()
    for segment in range(1, int(packed.segments.max()) + 1):  # whole sentences are wild
        for row in range(len(raised)):
            assert len(set(raised[row][packed.segments[row] == segment].tolist())) <= 1


def test_typos_of_the_text_are_not_judged(corpus: Corpus) -> None:
    packed = next(Packer(corpus, rows=8, length=40, device=CPU).epoch(1, 0))
    outside = [s for s in corpus.surfaces if is_single_word(s)][:5]
    assert outside
    judged = []
    for doubtful in ((), frozenset([*outside, *corpus.lexicon.words[:50]])):
        batcher = Batcher(
            corpus,
            {},
            NoiseConfig(clean=1.0),
            style="lower",
            length=40,
            spellings=1.0,
            device=CPU,
            listed_misspellings=doubtful,
        )
        judged.append(batcher.judged)
        batcher(packed, torch.Generator().manual_seed(1))
    changed = (judged[0] != judged[1]).nonzero().flatten().tolist()
    words = [*corpus.lexicon.words, *corpus.surfaces]
    assert [words[i] for i in changed] == outside  # words of the lexicon are words


def test_noise_does_not_lead_to_other_right_words(corpus: Corpus) -> None:
    packed = next(Packer(corpus, rows=8, length=40, device=CPU).epoch(1, 0))
    noise = NoiseConfig(sigmas=(5.0,), synthetic=1.0, methods={"delete": 1})
    shortened = {w[:i] + w[i + 1 :] for w in corpus.lexicon.words for i in range(len(w))}
    right = shortened - set(corpus.lexicon.words)

    def changed(right: Collection[str]) -> set[str]:
        batcher = Batcher(
            corpus, {}, noise, style="lower", length=40, spellings=1.0, device=CPU, right=right
        )
        batch, targets = batcher(packed, torch.Generator().manual_seed(1))
        spelled = batch.spellings[batch.slots[targets.wrong]]
        letters = [
            "".join(batcher.characters[c - FIRST_CHARACTER] for c in row if c > 3)
            for row in spelled.tolist()
        ]
        return set(letters)

    assert changed(()) & right
    assert not changed(right) & right


def test_batches_repeat_by_their_seed(corpus: Corpus) -> None:
    *_, first, targets = make_batch(corpus, MIXED)
    *_, again, same = make_batch(corpus, MIXED)
    assert torch.equal(first.words, again.words)
    assert torch.equal(first.spellings, again.spellings)
    assert torch.equal(targets.wrong, same.wrong)
