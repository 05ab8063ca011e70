"""Noise in batches: amounts, kinds, masking, case, and agreement with the reference."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

import noise_reference as reference
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from noise_reference import ALPHABET, SAMPLES, differ, read, seeded, spell
from torch import Tensor

from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.sampler import NOISY_CASE, NOISY_LOWERED, Noised, Noiser
from respell.lab.noise.surfaces import Pairs, SurfaceTable, extend
from respell.lab.noise.synthetic import METHODS
from respell.model.encode import (
    CHAR_MASK,
    CHAR_START,
    WORD_MASK,
    WORD_OFFSET,
    WORD_PAD,
    WORD_UNKNOWN,
)
from respell.text.case import LOWER, MIXED, TITLE, UPPER
from respell.types import Error

OPTIONAL = {"segments", "gold_shapes", "kinds", "classes"}
"""What only the channels of test_lab_noise_channels.py change."""
LEXICON = ["from", "form", "there", "their", "quick", "water", "little", ".", "Paris", "naps"]
LISTS = {
    "from": ["form", "frm", "fomr", "from"],
    "there": ["their", "thier", "ther"],
    "their": ["there", "thier"],
    "water": ["watter", "wter", "wahter"],
    "little": ["litle", "littel"],
    "elsewhere": ["elswhere"],
}
SURFACES = extend([*LEXICON, "Zorblax", "42"], LISTS)
INDEX = {word: i for i, word in enumerate(SURFACES)}
SENTENCE = ["there", "quick", "from", "Paris", ".", "little", "naps", "water", "Zorblax"]
OTHER = ["little", "water", "."]


TABLE = SurfaceTable.build(spell(SURFACES), lexicon_size=len(LEXICON))


def noiser(
    *,
    eligible: Iterable[str] = SURFACES,
    capacity: float = 1.0,
    lists: Mapping[str, list[str]] = MappingProxyType({}),
    **config: Any,
) -> Noiser:
    allowed = set(eligible)
    return Noiser(
        TABLE,
        Pairs.from_lists(LISTS, INDEX, LEXICON),
        NoiseConfig(**config),
        alphabet=ALPHABET,
        eligible=torch.tensor([word in allowed for word in SURFACES]),
        capacity=capacity,
        noisy=Pairs.from_lists(lists, INDEX, LEXICON) if lists else None,
    )


Batch = tuple[Tensor, Tensor, Tensor]


def batch(sentences: list[list[str]], *, rows: int, padding: int = 2) -> Batch:
    """Equal rows with these sentences one after the other: surfaces, segments, shapes."""
    surfaces = [INDEX[word] for sentence in sentences for word in sentence] + [-1] * padding
    segments = [i for i, sentence in enumerate(sentences) for _ in sentence] + [-1] * padding
    packed = torch.tensor([surfaces, segments])[:, None].repeat(1, rows, 1)
    return packed[0], packed[1], torch.full((rows, len(surfaces)), 3, dtype=torch.uint8)


def changes(noised: Noised, start: int, stop: int) -> Counter[tuple[bool, ...]]:
    return Counter(map(tuple, noised.changed[:, start:stop].tolist()))


def listed(word: str, rng: Random) -> str:
    return rng.choice(LISTS[word])


def expected_changes(
    sentence: list[str], method: reference.Method, *, every: bool = False, **options: Any
) -> Counter[tuple[bool, ...]]:
    rng = Random(3)
    usable = [every or word in LISTS for word in sentence]
    noised = (reference.noise(sentence, usable, method, rng, **options) for _ in range(SAMPLES))
    return Counter(tuple(map(str.__ne__, words, sentence)) for words in noised)


@given(st.text(ALPHABET, max_size=20) | st.sampled_from(SURFACES))
def test_look_up_finds_words_of_the_lexicon(word: str) -> None:
    found = TABLE.look_up(spell([word]))
    index = LEXICON.index(word) + WORD_OFFSET if word in LEXICON else WORD_UNKNOWN
    assert found.tolist() == [index]


def test_extend_adds_the_misspellings() -> None:
    assert SURFACES[:12] == [*LEXICON, "Zorblax", "42"]
    assert len(set(SURFACES)) == len(SURFACES)
    assert "elswhere" not in SURFACES
    with pytest.raises(Error, match="not a surface"):
        Pairs.from_lists({"form": ["fxrm"]}, INDEX, LEXICON)


@pytest.mark.parametrize("at_least_one", [True, False])
def test_natural_noise_agrees_with_reference(at_least_one: bool) -> None:
    options: dict[str, Any] = {"sigma": 0.3, "at_least_one": at_least_one}
    expected = expected_changes(SENTENCE, listed, **options)
    noise = noiser(sigmas=(0.3,), at_least_one=at_least_one)
    alone = noise(*batch([SENTENCE], rows=SAMPLES), generator=seeded(4))
    assert not differ(changes(alone, 0, 9), expected)
    packed = noise(*batch([OTHER, SENTENCE, OTHER], rows=SAMPLES), generator=seeded(5))
    assert not differ(changes(packed, 3, 12), expected)
    for start in (0, 12):
        seen = changes(packed, start, start + 3)
        assert not differ(seen, expected_changes(OTHER, listed, **options))
    assert differ(changes(alone, 0, 9), expected_changes(SENTENCE, listed, sigma=0.25))
    spellings = Counter(read(alone.characters[alone.changed[:, 2], 2]))
    assert not differ(spellings, dict.fromkeys(["form", "frm", "fomr"], spellings.total() / 3))


def test_packed_sentences_are_independent() -> None:
    noised = noiser(sigmas=(0.5,))(*batch([OTHER, OTHER], rows=SAMPLES), generator=seeded(6))
    both = Counter(map(tuple, noised.changed[:, :6].tolist()))
    one, two = changes(noised, 0, 3), changes(noised, 3, 6)
    product = {(*a, *b): one[a] * two[b] / SAMPLES for a in one for b in two}
    statistic = sum((both[key] - mean) ** 2 / mean for key, mean in product.items())
    assert statistic < len(product) + 6 * math.sqrt(2 * len(product))


def test_synthetic_noise_agrees_with_reference() -> None:
    words = ["there", "quick", "Paris", "naps", "Zorblax", "their"]
    noise = noiser(synthetic=1.0, methods={"delete": 1.0}, sigmas=(0.4,))
    seen = changes(noise(*batch([words], rows=SAMPLES), generator=seeded(7)), 0, 6)
    assert not differ(seen, expected_changes(words, reference.delete, every=True, sigma=0.4))
    assert differ(seen, expected_changes(words, reference.delete, every=True, sigma=0.36))


def test_each_sentence_draws_its_sigma() -> None:
    noise = noiser(sigmas=(0.0, 1e9, 1e9), at_least_one=False)
    noised = noise(*batch([["water", "little"]], rows=SAMPLES), generator=seeded(14))
    outcomes = Counter(map(tuple, noised.changed[:, :2].tolist()))
    assert not differ(outcomes, {(True, True): SAMPLES * 2 / 3, (False, False): SAMPLES / 3})


def test_half_of_the_sentences_get_synthetic_noise() -> None:
    noise = noiser(synthetic=0.5, methods={"repeat": 1.0}, sigmas=(1e9,))
    noised = noise(*batch([["quick", "their"]], rows=SAMPLES), generator=seeded(8))
    outcomes = Counter(noised.changed[:, 0].tolist())
    assert not differ(outcomes, {True: SAMPLES // 2, False: SAMPLES // 2})
    natural = read(noised.characters[~noised.changed[:, 0], 1])
    assert set(natural) <= {"there", "thier", "their"}


def test_mixed_noise_draws_for_each_token() -> None:
    noise = noiser(synthetic=0.25, mixed=True, methods={"delete": 1.0}, sigmas=(99.0,), clean=0.5)
    noised = noise(*batch([["quick", "water", "little"]], rows=SAMPLES), generator=seeded(9))
    whole = noised.changed.sum(1)
    assert abs((whole == 0).double().mean().item() - 0.5) < 0.02
    dirty = noised.characters[noised.changed[:, 0]]
    assert all(len(word) == 4 for word in read(dirty[:, 0]))
    doubled = sum(word in ("watter", "wahter") for word in read(dirty[:, 1])) / len(dirty)
    assert abs(doubled - 0.75 * 2 / 3) < 0.03


def test_word_ids_match_the_spelling() -> None:
    noise = noiser(synthetic=0.5, methods={"swap": 1.0, "insert": 1.0}, sigmas=(0.5,))
    surfaces, segments, shapes = batch([SENTENCE, ["form", "from"]], rows=500)
    noised = noise(surfaces, segments, shapes, generator=seeded(10))
    real = surfaces >= 0
    assert torch.equal(noised.words[real], TABLE.look_up(noised.characters)[real])
    assert torch.equal(
        noised.changed[real], (noised.characters != TABLE.characters[surfaces])[real].any(-1)
    )
    assert (noised.words[:, 9] == WORD_OFFSET + INDEX["from"]).any()
    assert (noised.words[~real] == WORD_PAD).all()
    assert (noised.characters[~real] == spell([""])).all()
    assert not noised.changed[~real].any()
    assert torch.equal(noised.shapes, shapes)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(SURFACES), min_size=1, max_size=6), min_size=1, max_size=4),
    st.sets(st.sampled_from(SURFACES)),
    st.booleans(),
    st.integers(0, 99),
)
def test_ineligible_words_stay_unchanged(
    sentences: list[list[str]], eligible: set[str], mixed: bool, seed: int
) -> None:
    noise = noiser(eligible=eligible, synthetic=0.5, mixed=mixed, sigmas=(1.0, 9.0), mask=0.3)
    surfaces, segments, shapes = batch(sentences, rows=8, padding=1)
    noised = noise(surfaces, segments, shapes, generator=seeded(seed))
    fixed = torch.tensor([word not in eligible for row in sentences for word in row])
    before, after = surfaces[:, :-1][:, fixed], noised.characters[:, :-1][:, fixed]
    assert torch.equal(after, TABLE.characters[before])
    assert torch.equal(noised.words[:, :-1][:, fixed], TABLE.words[before])
    assert not (noised.masked & (surfaces >= len(LEXICON))).any()


def test_masked_words() -> None:
    noised = noiser(mask=0.25, sigmas=(9.0,))(
        *batch([SENTENCE], rows=SAMPLES), generator=seeded(11)
    )
    assert abs(noised.masked[:, :8].double().mean().item() - 0.25) < 0.01
    assert not noised.masked[:, 8:].any()
    assert not (noised.masked & noised.changed).any()
    assert torch.equal(noised.words == WORD_MASK, noised.masked)
    row = torch.tensor([CHAR_START, CHAR_MASK] + [0] * 19, dtype=torch.uint8)
    assert torch.equal((noised.characters == row).all(-1), noised.masked)


def test_random_case() -> None:
    noised = noiser(random_case=0.5)(*batch([SENTENCE], rows=SAMPLES), generator=seeded(12))
    assert (noised.shapes[~noised.changed] == 3).all()
    shapes = Counter(noised.shapes[noised.changed].tolist())
    total = shapes.total()
    for shape, share in {0: 1 / 6, 1: 1 / 6, 2: 1 / 6, 3: 1 / 2}.items():
        assert abs(shapes[shape] / total - share) < 0.02


def test_noisy_sentences_have_their_own_lists_and_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("respell.lab.noise.sampler.NOISY_CASE", 0.0)
    lists = {"there": ["quick"], "naps": ["quick"]}
    noise = noiser(clean=1.0, synthetic=1.0, mixed=True, noisy=0.5, lists=lists)
    rows = 2000
    surfaces, segments, shapes = batch([SENTENCE, OTHER], rows=rows)
    noised = noise(surfaces, segments, shapes, torch.Generator().manual_seed(1))
    changed = noised.changed.any(0).nonzero().flatten().tolist()
    assert [([*SENTENCE, *OTHER])[i] for i in changed] == ["there", "naps"]  # OTHER has no list
    share = noised.changed.any(1).float().mean()
    assert abs(float(share) - 0.5) < 0.05  # at least one word of a noisy sentence
    place = SENTENCE.index("naps")
    spelled = noised.characters[noised.changed[:, place], place]
    assert (spelled == TABLE.characters[INDEX["quick"]]).all()
    lowered = noised.shapes[noised.changed] == 0
    assert abs(float(lowered.float().mean()) - NOISY_LOWERED) < 0.05


def test_a_misspelling_with_odd_capitals_keeps_them() -> None:
    noisy = Pairs.from_lists({"naps": ["QUICK", "NAPS"]}, INDEX, LEXICON, casing="lower")
    assert noisy.shapes.tolist() == [UPPER, UPPER]
    noise = Noiser(
        TABLE,
        Pairs.from_lists({}, INDEX, LEXICON),
        NoiseConfig(clean=1.0, noisy=1.0, mask=0.2),
        alphabet=ALPHABET,
        eligible=torch.tensor([word == "naps" for word in SURFACES]),
        noisy=noisy,
    )
    surfaces, segments, shapes = batch([["naps", "water"]], rows=4000)
    shapes[:] = LOWER
    noised = noise(surfaces, segments, shapes, seeded(8))
    assert not noised.changed[:, 1].any()
    changed, masked = noised.changed[:, 0], noised.masked[:, 0]
    assert (changed == ~masked).all()
    assert (noised.shapes[:, 0][changed] == UPPER).all()
    assert (noised.shapes[:, 0][masked] == LOWER).all()
    same = (noised.characters[:, 0] == TABLE.characters[INDEX["naps"]]).all(-1)
    assert abs(float(same[changed].float().mean()) - 0.5) < 0.05


def test_noisy_sentences_lose_capitals() -> None:
    noise = noiser(clean=1.0, noisy=0.5, mask=0.1, lists={"naps": ["quick"]})
    surfaces, segments, shapes = batch([["naps", "water", "Paris"]], rows=20_000)
    shapes[:, 1] = 0
    noised = noise(surfaces, segments, shapes, seeded(6))
    changed = noised.changed[:, 1:3]
    assert not changed[:, 0].any()  # it has no capital
    errors = changed[:, 1]
    assert abs(float(errors[noised.noisy[:, 2]].float().mean()) - 0.9 * NOISY_CASE) < 0.005
    assert not errors[~noised.noisy[:, 2]].any()
    assert (noised.shapes[:, 2][errors] == 0).all()
    assert (noised.characters[:, 2][errors] == TABLE.characters[INDEX["Paris"]]).all()


def test_case_noise_mixes_the_case_and_draws_any_shape_in_noisy_sentences() -> None:
    noise = noiser(clean=1.0, noisy=0.5, case_noise=0.2, lists={"naps": ["quick"]})
    surfaces, segments, shapes = batch([["naps", "water", "Zorblax"]], rows=20_000)
    shapes[:, 1:] = TITLE
    noised = noise(surfaces, segments, shapes, seeded(7))
    errors, noisy = noised.shapes[:, 1] != TITLE, noised.noisy[:, 1]
    assert (errors == noised.changed[:, 1]).all()
    assert set(noised.shapes[:, 1][errors & ~noisy].tolist()) == {MIXED}
    assert set(noised.shapes[:, 1][errors & noisy].tolist()) == {LOWER, UPPER, MIXED}
    assert abs(float(errors[~noisy].float().mean()) - 0.2) < 0.02
    assert (noised.characters[:, 1] == TABLE.characters[INDEX["water"]]).all()
    assert not noised.changed[:, 2][~noisy].any()  # not in the lexicon
    surfaces, segments, shapes = batch([["."]], rows=2000)
    assert not noise(surfaces, segments, shapes * 0, seeded(8)).changed.any()  # one letter


def test_noisy_sentences_have_light_noise_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("respell.lab.noise.sampler.NOISY_CASE", 0.0)
    lists = {"naps": ["quick"]}
    noise = noiser(clean=1.0, synthetic=0.5, mixed=True, noisy=1.0, light_in_noisy=0.5, lists=lists)
    noised = noise(*batch([["naps", "water", "Paris"]], rows=4000), generator=seeded(5))
    rows = zip(SURFACES, TABLE.characters.tolist(), strict=True)
    known = {tuple(row): word for word, row in rows}
    naps, water, paris = (
        Counter(
            known.get(tuple(row), "?")
            for row in noised.characters[noised.changed[:, place], place].tolist()
        )
        for place in range(3)
    )
    assert 0.4 < naps["quick"] / naps.total() < 0.6  # from its noisy list; else synthetic
    assert water["watter"] + water["wter"] + water["wahter"] > 0.4 * water.total() > 0
    assert paris["?"] > 0  # not in any list


def test_uncased_sentences_have_no_capitals() -> None:
    noise = noiser(clean=1.0, uncased=0.5)
    surfaces, segments, shapes = batch([SENTENCE, OTHER], rows=1000)
    noise.pronoun[INDEX["from"]] = True
    noised = noise(surfaces, segments, shapes, seeded(3))
    uncased = noised.shapes == 0
    first = [0, len(SENTENCE)]
    assert not uncased[:, [*first, SENTENCE.index("from")]].any()
    others = uncased[:, [1, 3, 4]]
    assert torch.equal(others.any(1), others.all(1))  # all words of a sentence or none
    assert abs(float(others.float().mean()) - 0.5) < 0.05
    assert not torch.equal(uncased[:, 1], uncased[:, len(SENTENCE) + 1])


@pytest.mark.parametrize("noisy", [0.0, 1.0])
def test_frequent_words_get_less_light_noise(noisy: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("respell.lab.noise.sampler.FREQUENT", len(LEXICON))
    config: dict[str, Any] = {"sigmas": (0.3,), "synthetic": 1.0, "mixed": True, "noisy": noisy}
    words = ["there", "quick", "water"]  # ranks 3, 5 and 6 of 10
    packed = batch([words], rows=SAMPLES)
    shares = []
    for exponent in (0.0, 2.0):
        noised = noiser(frequency_exponent=exponent, lists=LISTS, **config)(*packed, seeded(3))
        shares.append(noised.changed[:, : len(words)].float().mean(0))
    ratios = (shares[1] / shares[0]).tolist()
    if noisy:
        assert ratios[0] == pytest.approx(1, abs=0.1)
    else:
        assert ratios[0] < 0.5 < ratios[2]
        assert ratios[0] < ratios[1] < ratios[2]


def test_inserted_words_are_misspelled_words_of_the_lexicon() -> None:
    packed = batch([SENTENCE, OTHER], rows=400)
    config: dict[str, Any] = {"sigmas": (0.0,), "at_least_one": False, "mask": 0.3}
    config |= {"synthetic": 0.5, "mixed": True, "inserted_rare_words": 0.3}
    eligible = set(LEXICON) - {"."}
    noised = noiser(eligible=eligible, **config)(*packed, seeded(4))
    right = noised.surfaces
    assert torch.equal(right < 0, packed[0] < 0)
    other = right != packed[0]
    assert {SURFACES[i] for i in right[other].tolist()} == {w for w in eligible if len(w) >= 5}
    assert not other[packed[0] == INDEX["Zorblax"]].any()
    assert (noised.words[other] == WORD_UNKNOWN).all()
    assert noised.changed[other].all()
    assert not noised.masked[other].any()
    # Where nothing was inserted, or the insertion failed, the text is unchanged.
    still = (packed[0] >= 0) & ~other & ~noised.masked & ~noised.changed
    assert torch.equal(noised.words[still], TABLE.words[right[still]])
    assert torch.equal(noised.characters[still], TABLE.characters[right[still]])
    again = noised.changed & ~other  # a word inserted in its own place
    assert again.sum() < 0.2 * other.sum()
    assert 0.15 < float(other[packed[0] == INDEX["water"]].float().mean()) < 0.3


@pytest.mark.parametrize(
    ("config", "eligible", "message"),
    [
        ({"inserted_rare_words": 0.1}, LEXICON, "needs noise.mixed"),
        ({"inserted_rare_words": 1.5}, LEXICON, "noise.inserted_rare_words = 1.5"),
        ({"inserted_rare_words": 0.1, "mixed": True, "synthetic": 0.5}, ["from"], "5 letters"),
    ],
)
def test_invalid_insertion_is_an_error(
    config: dict[str, Any], eligible: list[str], message: str
) -> None:
    with pytest.raises(Error, match=message):
        noiser(eligible=eligible, **config)


def test_noisy_sentences_need_lists() -> None:
    with pytest.raises(Error, match=r"data\.noisy"):
        noiser(noisy=0.5)


def test_tokens_beyond_the_capacity_stay_clean_at_random() -> None:
    noise = noiser(synthetic=1.0, methods={"delete": 1.0}, sigmas=(1e9,), capacity=0.25)
    words = ["there", "quick", "Paris", "naps"]
    noised = noise(*batch([words], rows=3001, padding=0), generator=seeded(13))
    assert noised.changed.sum() == 3001
    quarters = noised.changed[:3000].view(4, -1).sum(1)
    assert ((quarters - 750).abs() < 100).all()


def test_the_generator_determines_the_noise() -> None:
    mixed: dict[str, Any] = {"synthetic": 0.5, "mixed": True, "inserted_rare_words": 0.1}
    noise = noiser(mask=0.1, random_case=0.5, noisy=0.5, lists=LISTS, **mixed)
    inputs = batch([SENTENCE, OTHER], rows=50)
    state = torch.get_rng_state()
    one, same, other = (noise(*inputs, generator=seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), state)
    for name in set(Noised.__slots__) - OPTIONAL:
        assert torch.equal(getattr(one, name), getattr(same, name))
        assert not torch.equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("dynamic", [False, True])
def test_noise_compiles_to_one_graph(dynamic: bool) -> None:
    """No value is copied back to the host, and no shape depends on data."""
    noise = noiser(synthetic=0.5, mixed=dynamic, methods=dict.fromkeys(METHODS, 1.0), mask=0.1)
    inputs = batch([SENTENCE, OTHER], rows=20)
    torch.manual_seed(1)
    plain = noise(*inputs)
    torch.manual_seed(1)
    compiled = torch.compile(noise, fullgraph=True, backend="eager", dynamic=dynamic)(*inputs)
    for name in set(Noised.__slots__) - OPTIONAL:
        assert torch.equal(getattr(plain, name), getattr(compiled, name))


@pytest.mark.gpu
def test_noise_does_not_synchronise_with_the_device() -> None:
    noise = noiser(synthetic=0.5, mask=0.1, random_case=0.1, methods=dict.fromkeys(METHODS, 1.0))
    pairs = Pairs.from_lists(LISTS, INDEX, LEXICON)
    noise = Noiser(
        TABLE.to("cuda"), pairs, noise.config, alphabet=ALPHABET, eligible=noise.eligible
    )
    surfaces, segments, shapes = (part.cuda() for part in batch([SENTENCE] * 14, rows=256))
    noise(surfaces, segments, shapes)
    torch.cuda.set_sync_debug_mode("error")
    try:
        noised = noise(surfaces, segments, shapes)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert noised.changed.any()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"mask": 1.5}, "noise.mask"),
        ({"clean": -0.1}, "noise.clean"),
        ({"sigmas": ()}, "noise.sigmas"),
        ({"mixed": True}, "noise.mixed"),
        ({"methods": {"jumble": 1.0}}, "noise.methods.jumble"),
        ({"methods": {}}, "noise.methods"),
        ({"capacity": 0.0}, "capacity"),
    ],
)
def test_invalid_config_is_an_error(config: dict[str, Any], message: str) -> None:
    with pytest.raises(Error, match=message):
        noiser(**config)
