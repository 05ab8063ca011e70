"""Missing and extra blanks: what holds for any text, with the option on and off."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import respell
from fakes import fake_bundle
from respell.corrector import Corrector
from respell.formats.languages import FORMATS
from respell.lsp.checking import Checker
from respell.model.bundle import Bundle, default_path
from respell.model.encode import WORD_OFFSET, WORD_PAD, WORD_UNKNOWN
from respell.model.forward import JOIN, KINDS, REPLACE, SPLIT, Features, TopK
from respell.model.presets import ThresholdOn
from respell.options import CorrectorOptions
from respell.types import SPACING, Error

LEXICON = (
    *("a", "i", "lot", "no", "one", "in", "to", "into", "together", "fact", "every", "day"),
    *("everyday", "the", "their", "colour", "color"),
)
PULLED_APART = ("to gether", "toge ther", "in to", "every day", "col our", "fa ct")
RUN_TOGETHER = ("alot", "noone", "infact", "everyday", "into", "tothe", "aday", "Alot", "NOONE")
OTHER = ("teh", "their", "Fact", "xyzzy", "https://a.b", "3", "NASA", "don't", "`", "*", "#", "//")
ODD_GAPS = ("  ", "\n", "\r\n", "\n\n", "\t", "\u00a0", "\u2003", " \u200b", "-", "/", ", ", ". ")
TEXTS = st.lists(
    st.tuples(
        st.sampled_from([*PULLED_APART, *RUN_TOGETHER, *OTHER]).map(str)
        | st.lists(st.sampled_from("a i n o t e gether".split()), min_size=1).map(" ".join),
        st.just(" ") | st.sampled_from(ODD_GAPS),
    ),
    max_size=16,
).map(lambda pieces: "".join(word + gap for word, gap in pieces))
MANY = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
K = 6
PRESETS = ("default", "noisy")


def doubt_many(features: Features, gate: float) -> TopK:
    """Doubt most unknown words and some known ones, by their spellings alone, with all kinds."""
    spelled = features.spellings[features.slots]  # [batch, length, width]
    keys = (spelled * np.arange(1, spelled.shape[-1] + 1)).sum(-1) * 31 + features.words * 17
    known = features.words >= WORD_OFFSET
    doubted = (keys % 4 == 0) | ~known
    doubted &= features.words != WORD_PAD
    positions = np.flatnonzero(doubted)  # [suspects]
    chosen = keys.ravel()[positions]
    ids = (chosen[:, None] // 2 + np.arange(K) * 5) % len(LEXICON)
    kinds = np.full((len(positions), KINDS), 0.02, np.float32)
    kinds[np.arange(len(positions)), chosen // 3 % KINDS] = 0.96
    ranks = np.array([0.6, 0.2, 0.1, 0.05, 0.01, 0.01], np.float32)
    return TopK(
        keep=np.where(doubted, 0.03, 1.0).astype(np.float32),
        positions=positions,
        ids=ids,
        probabilities=np.tile(ranks, (len(positions), 1)),
        cases=chosen % 4,
        kinds=kinds,
    )


def spacing_bundle(*, length: int = 12) -> Bundle:
    made = fake_bundle(words=LEXICON, length=length)
    noisy = replace(made.config.presets["noisy"], rewrite_threshold=0.3)
    presets = {**made.config.presets, "noisy": noisy}
    return replace(made, config=replace(made.config, spacing=True, presets=presets))


@cache
def corrector(preset: str = "default", *, spacing: bool = True, variant: str = "auto") -> Corrector:
    return Corrector(spacing_bundle(), doubt_many, preset=preset, spacing=spacing, variant=variant)


def has_blank(text: str) -> bool:
    return any(character.isspace() for character in text)


@given(
    text=TEXTS,
    preset=st.sampled_from(PRESETS),
    format=st.sampled_from(("plain", *FORMATS)),
    variant=st.sampled_from(("auto", "en-US")),
)
@settings(MANY, max_examples=1500)
def test_corrections_fit_the_text_and_never_overlap(
    text: str, preset: str, format: str, variant: str
) -> None:
    chosen = corrector(preset, variant=variant)
    corrections = chosen.check(text, format=format)
    for c in corrections:
        assert text[c.start : c.end] == c.original
        assert c.replacement != c.original
        if has_blank(c.original):
            assert c.kind == "join"
            first, second = c.original.split(" ")
            assert not has_blank(first + second)
            assert not any(has_blank(s.text) for s in c.suggestions)
        if any(has_blank(s.text) for s in c.suggestions):
            assert c.kind == "split"
            assert all(len(s.text.split(" ")) == 2 for s in c.suggestions)
    assert all(before.end <= after.start for before, after in pairwise(corrections))
    pieces, at = [], 0
    for c in corrections:
        pieces += [text[at : c.start], c.replacement]
        at = c.end
    corrected = "".join([*pieces, text[at:]])
    assert corrected == chosen.correct(text, format=format) == respell.apply(text, corrections)


@given(text=TEXTS, preset=st.sampled_from(PRESETS))
@settings(MANY, max_examples=500)
def test_without_the_option_no_blank_is_added_or_removed(text: str, preset: str) -> None:
    for c in corrector(preset, spacing=False).check(text):
        assert c.kind not in SPACING
        assert not any(map(has_blank, (c.original, *(s.text for s in c.suggestions))))
    blanks = [i for i in text if i.isspace()]
    assert [i for i in corrector(preset, spacing=False).correct(text) if i.isspace()] == blanks


@given(text=TEXTS, preset=st.sampled_from(PRESETS), spacing=st.booleans())
@settings(MANY, max_examples=500)
def test_tokens_stay_as_many(text: str, preset: str, spacing: bool) -> None:
    tokens = text.split(" ")
    corrected = corrector(preset, spacing=spacing).correct_tokens(tokens)
    assert len(corrected) == len(tokens)
    assert corrected == corrector(preset, spacing=not spacing).correct_tokens(tokens)
    for old, new in zip(tokens, corrected, strict=True):
        assert [c for c in old if c.isspace()] == [c for c in new if c.isspace()]


@given(text=TEXTS, before=TEXTS)
@settings(MANY, max_examples=150)
def test_an_editor_is_told_the_same(text: str, before: str) -> None:
    # The cache of the language server shifts every sentence to the start of a text.
    found = Checker(corrector(), evidence=False).check(f"{before}\n\n{text}")
    assert found == sorted(corrector().check(f"{before}\n\n{text}"), key=lambda c: c.start)


def test_the_fake_model_adds_and_removes_blanks() -> None:
    pieces = [*PULLED_APART, *RUN_TOGETHER]
    texts = [f"{one} {other}" for one in pieces for other in pieces]
    kinds = [c.kind for found in corrector().check_many(texts) for c in found]
    assert kinds.count("split") >= 20
    assert kinds.count("join") >= 20


class Sure:
    """Means one kind of error at the words of a list, and ranks the same words everywhere."""

    def __init__(
        self, wrong: Sequence[str], kinds: Sequence[float], ranked: dict[str, float]
    ) -> None:
        self.wrong, self.kinds, self.ranked = wrong, kinds, ranked

    def __call__(self, features: Features, gate: float) -> TopK:
        # The words are told apart by their lengths; tests use words of different lengths.
        lengths = (features.spellings[features.slots] != 0).sum(-1) - 1
        known = {len(word) for word in self.wrong}
        flags = np.isin(lengths, list(known)) & (features.words != WORD_PAD)
        positions = np.flatnonzero(flags)
        error = min(sum(self.ranked.values()), 1.0)
        return TopK(
            keep=np.where(flags, 1 - error, 1.0).astype(np.float32),
            positions=positions,
            ids=np.tile([LEXICON.index(word) for word in self.ranked], (len(positions), 1)),
            probabilities=np.tile(
                np.array(list(self.ranked.values()), np.float32), (len(positions), 1)
            ),
            cases=np.zeros(len(positions), np.int64),
            kinds=np.tile(np.array(self.kinds, np.float32), (len(positions), 1)),
        )


def certain(
    wrong: Sequence[str],
    kind: int,
    ranked: dict[str, float],
    *,
    spacing: bool | str = True,
    share: float = 0.98,
    dictionary: Sequence[str] = (),
) -> Corrector:
    kinds = [(1 - share) / 2] * KINDS
    kinds[kind] = share
    forward = Sure(wrong, kinds, ranked)
    return Corrector(
        spacing_bundle(length=64),
        forward,
        spacing=spacing,  # type: ignore[arg-type]
        dictionary=dictionary,
    )


@pytest.mark.parametrize("gap", ODD_GAPS)
def test_only_one_blank_is_removed(gap: str) -> None:
    chosen = certain(["toget"], JOIN, {"together": 0.99})
    assert [c.original for c in chosen.check("we are toget her now")] == ["toget her"]
    assert chosen.correct("we are toget her now") == "we are together now"
    assert chosen.check(f"we are toget{gap}her now") == []


def test_a_word_of_the_user_is_not_joined() -> None:
    assert (
        certain(["toget"], JOIN, {"together": 0.99}, dictionary=["her"]).check("x toget her y")
        == []
    )
    assert (
        certain(["toget"], JOIN, {"together": 0.99}, dictionary=["toget"]).check("toget her") == []
    )


@pytest.mark.parametrize(
    ("word", "corrected"), [("noone", "no one"), ("Noone", "No one"), ("NOONE", "NO ONE")]
)
def test_a_missing_blank_is_added_in_the_same_case(word: str, corrected: str) -> None:
    text = f"i saw {word} in the day"
    text = text.upper() if word.isupper() else text
    (found,) = certain(["noone"], SPLIT, {"no": 0.99}).check(text)
    assert (found.original, found.replacement, found.kind) == (word, corrected, "split")
    assert found.score == pytest.approx(0.99, rel=1e-5)  # if the two words are surely right


@pytest.mark.parametrize(
    ("word", "written"),
    [("everydya", "every day"), ("Everydya", "Every day"), ("evryday", "every day")],
)
def test_one_of_two_words_may_be_misspelled_too(word: str, written: str) -> None:
    def read(features: Features, gate: float) -> TopK:
        first = certain([word], SPLIT, {"every": 0.98}).forward(features, gate)
        if len(first.positions):
            return first
        rest = ["dya"] if (features.words == WORD_UNKNOWN).sum() > 1 else []  # *saw* is unknown
        return certain(rest, REPLACE, {"day": 0.95}).forward(features, gate)

    chosen = Corrector(spacing_bundle(length=64), read, spacing=True)
    (found,) = chosen.check(f"i saw {word} in the fact")
    assert (found.original, found.replacement, found.kind) == (word, written, "split")
    assert found.score == pytest.approx(0.98 * (0.95 if "dya" in word else 1), abs=0.03)


@pytest.mark.parametrize("word", ["everyxyz", "evyrday", "dya", "evry"])
def test_a_word_is_not_cut_where_no_two_words_fit(word: str) -> None:
    chosen = certain([word], SPLIT, {"every": 0.98})
    assert chosen.check(f"i saw {word} in a colour") == []


@pytest.mark.parametrize("threshold_on", ["score", "error_probability"])
@given(share=st.floats(0.5, 1, exclude_min=True), replacement=st.floats(0.02, 1))
@settings(MANY, max_examples=200)
def test_words_run_together_are_not_changed_into_another_word(
    threshold_on: ThresholdOn, share: float, replacement: float
) -> None:
    chosen = certain(["noone"], SPLIT, {"the": replacement}, spacing=False, share=share)
    chosen.policy = replace(chosen.policy, threshold_on=threshold_on)
    left = 0.5 * (1 - share) * replacement
    assert left < chosen.policy.threshold
    assert chosen.check("i saw noone in the day") == []


@pytest.mark.parametrize(("share", "changed"), [(0.9, True), (0.4, False)])
def test_another_word_is_meant_with_the_rest_of_the_probability(
    share: float, changed: bool
) -> None:
    chosen = certain(["noone"], REPLACE, {"the": 0.99}, spacing=False, share=share)
    assert bool(chosen.check("i saw noone in the day")) is changed


@pytest.mark.parametrize(
    ("text", "two"),
    [
        ("There was noone at home.", "no one"),
        ("I like it alot.", "a lot"),
        ("It was infact true.", "in fact"),
        ("This is a common usecase of it.", "use case"),
        ("It starts at bootup of the machine.", "boot up"),
    ],
)
def test_the_shipped_model_does_not_change_run_together_words_into_others(
    text: str, two: str
) -> None:
    if not Bundle.read(default_path()).config.spacing:
        pytest.skip("the shipped model does not know about blanks yet")
    assert respell.load().check(text) == []
    assert {c.replacement for c in respell.load(spacing=True).check(text)} <= {two}


def test_the_option_needs_a_model_that_knows_about_blanks() -> None:
    without = fake_bundle(words=LEXICON)
    with pytest.raises(Error, match="does not find missing or extra spaces; turn the option"):
        Corrector(without, doubt_many, spacing=True)
    assert not Corrector(without, doubt_many, spacing="auto").policy.spacing
    assert Corrector(spacing_bundle(), doubt_many, spacing="auto").policy.spacing
    assert not Corrector(spacing_bundle(), doubt_many).policy.spacing


@pytest.mark.parametrize("value", ["yes", 1, 0.5, "Auto"])
def test_an_unknown_value_is_refused(value: object) -> None:
    with pytest.raises(Error, match="spacing must be true, false or 'auto', not"):
        CorrectorOptions(spacing=value)  # type: ignore[arg-type]


def test_a_threshold_counts_for_blanks_too() -> None:
    bundle = spacing_bundle()
    assert Corrector(bundle, doubt_many, spacing=True).policy.spacing_threshold == 0.5
    assert Corrector(bundle, doubt_many, spacing=True, threshold=0.9).policy.lowest_threshold == 0.9


def test_the_likeliest_way_stays_however_unlikely_it_is() -> None:
    class Doubtful(Sure):
        """Doubts the new words, too."""

        def __call__(self, features: Features, gate: float) -> TopK:
            topk = super().__call__(features, gate)
            return replace(topk, keep=np.minimum(topk.keep, np.float32(0.004)))

    forward = Doubtful(["alot"], [0.0, 1.0, 0.0], {"a": 0.99})
    checked = Corrector(spacing_bundle(), forward, spacing=True, threshold=0.0)
    (found,) = checked.check("in alot")
    assert (found.original, found.replacement, found.kind) == ("alot", "a lot", "split")
    assert found.score < checked.policy.min_probability


def test_a_pipeline_refuses_the_option() -> None:
    from respell.integrations import check_options

    with pytest.raises(Error, match="spacing cannot be on here"):
        check_options(spacing=True)  # type: ignore[call-arg]
