"""Evidence from whole documents: recurring words and words of code are terms."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import respell
from fakes import Fake, fake_bundle
from respell.corrector import Corrector
from respell.decision.adjust import (
    DOUBT,
    WEIGHTS,
    adjust,
    adjusted_measure,
    doubt_in,
    find_features,
    rejects,
)
from respell.decision.evidence import MAX_CONTEXTS, MAX_WORDS, Evidence, PairCounts, base
from respell.decision.policy import Policy
from respell.decision.terms import TermIndex, find_terms
from respell.formats.masker import mask
from respell.model.bundle import Bundle, default_path
from respell.model.lexicon import Lexicon
from respell.model.presets import Preset
from respell.text.windows import Window
from respell.types import Correction, Suggestion


@pytest.fixture(scope="module")
def corrector() -> Corrector:
    return respell.load()


LEXICON = Bundle.read(default_path()).lexicon


def evidence_of(text: str, format: str = "plain", known: Lexicon = LEXICON) -> Evidence:
    evidence = Evidence(known)
    evidence.add(text, mask(text, format))
    return evidence


def correction(word: str, replacement: str, score: float, kind: str = "nonword") -> Correction:
    suggestions = (Suggestion(replacement, score),)
    return Correction(0, word, suggestions, score, score, kind)  # type: ignore[arg-type]


def test_words_are_counted_without_case_and_possessive() -> None:
    evidence = evidence_of("A Refspec. The refspec's name, refspec’s too: REFSPEC")
    assert evidence.words["refspec"] == 4


def test_words_of_code_are_collected() -> None:
    text = "Call `parseRefspec(oid)` or src/my_ptrmap.c with FooBar=1, then `SELECT`."
    evidence = evidence_of(text, "markdown")
    assert {"refspec", "oid", "ptrmap", "SELECT"} <= evidence.code
    assert "then" not in evidence.code


def test_contexts_are_kept_for_unknown_words_only() -> None:
    evidence = evidence_of("the refspec and the end", known=Lexicon(("the", "and", "end")))
    assert list(evidence.contexts) == ["refspec"]
    assert "refspec" in evidence.contexts["refspec"]


def policy(**changes: Any) -> Policy:
    """The policy of a preset."""
    bundle = fake_bundle()
    presets = {"default": Preset(**{"threshold": 0.54, **changes})}
    bundle = replace(bundle, config=replace(bundle.config, presets=presets))
    return Corrector(bundle, Fake()).policy


@pytest.mark.parametrize(
    ("changes", "score", "error", "expected"),
    [
        ({}, 0.6, 0.99, False),
        ({}, 0.4, 0.99, True),
        ({"threshold_on": "error_probability"}, 0.4, 0.99, False),
        ({"threshold_on": "error_probability"}, 0.4, 0.5, True),
        ({"oov_threshold": 0.2}, 0.4, 0.99, False),
    ],
)
def test_the_threshold_of_the_preset_decides(
    changes: dict[str, Any], score: float, error: float, expected: bool
) -> None:
    text = "We saw the grainn there."
    found = Correction(11, "grainn", (Suggestion("grain", score),), score, error, "nonword", True)
    assert rejects(evidence_of(text), text, found, policy(**changes)) == expected


def rejected(text: str, found: Correction) -> bool:
    """Whether a correction is rejected in a Markdown text; its place is where the word is."""
    masked = mask(text, "markdown")
    placed = replace(found, start=masked.index(found.original))
    return rejects(evidence_of(text, "markdown"), masked, placed, policy())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One frobset here.", False),
        ("A frobset, a frobset, a frobset, a frobset, a frobset.", True),
        ("One frobset here, and `frobset` in code.", True),
    ],
)
def test_recurring_words_and_words_of_code_are_not_corrected(text: str, expected: bool) -> None:
    assert rejected(text, correction("frobset", "forbset", 0.7)) == expected


def test_words_of_the_vocabulary_need_strong_evidence() -> None:
    assert rejected("One gratin here.", correction("gratin", "grain", 0.7))
    assert not rejected("One grainn here.", correction("grainn", "grain", 0.7))


def test_an_obvious_misspelling_is_kept_even_if_it_is_repeated() -> None:
    text = "We recieve mail. They recieve mail. All receive mail."
    assert not rejected(text, correction("recieve", "receive", 0.99))


def test_a_known_word_that_recurs_in_a_pair_is_not_corrected() -> None:
    manual = "Read the man page. " * 40
    found = correction("man", "main", 0.6, "realword")
    assert rejected(manual, found)
    assert not rejected("Read the man page.", replace(found, score=0.9, error_probability=0.9))
    assert not rejected(manual + "On the main page. " * 40, found)


def test_the_pair_itself_is_no_evidence_for_a_known_word() -> None:
    text = "Their going home. They like their dog, their cat and their home."
    assert not rejected(text, correction("Their", "They're", 0.6, "realword"))


@pytest.mark.parametrize(("word", "expected"), [("SELECTs", True), ("Selects", False)])
def test_known_words_with_capitals_inside(word: str, expected: bool) -> None:
    assert rejected(f"{word} the rows.", correction(word, "Select", 0.99, "realword")) == expected


def test_rare_known_words_that_recur() -> None:
    found = correction("iff", "if", 0.95, "realword")
    assert rejected("It is true iff it works. " + "Some other iff is here. " * 8, found)
    assert not rejected("It is true iff it works.", found)


def test_known_words_in_a_chain() -> None:
    assert rejected("On the their/path branch.", correction("their", "there", 0.8, "realword"))
    assert not rejected("On the their path branch.", correction("their", "there", 0.8, "realword"))


def test_run_together_words_may_be_terms() -> None:
    corrections = [correction("gitweb", "git web", 0.9, kind) for kind in ("split", "nonword")]
    for found in corrections:
        assert not rejected("One gitweb here.", found)
        assert rejected("A gitweb, a gitweb, a gitweb, a gitweb and a gitweb.", found)
        assert rejected("One gitweb here, and `gitweb` in code.", found)
    # A score that is listed anyway needs no evidence; doubt does not change that.
    split = replace(correction("gitweb", "git web", 0.51, "split"), error_probability=0.99)
    assert not rejected("One gitweb here." + " The git web is here." * 2_000, split)
    # The evidence says nothing about two known words, or about a known one.
    for kind, original, new in (("join", "git web", "gitweb"), ("split", "into", "in to")):
        assert not rejected(f"We {original} " * 9, correction(original, new, 0.9, kind))


def test_another_language_is_not_corrected() -> None:
    italian = "Tale compilazione richiede questo formato della libreria."
    assert rejected(italian, correction("formato", "format", 0.7))
    assert not rejected(
        "All of it is in the formato which the server wants.", correction("formato", "format", 0.7)
    )


def test_a_letter_before_a_known_word() -> None:
    assert rejected("The bnext command is here.", correction("bnext", "next", 0.9))
    assert not rejected("The nexxt command is here.", correction("nexxt", "next", 0.9))


@pytest.mark.parametrize(("score", "bars"), [(0.53, 0), (0.55, 1), (0.85, 1), (0.99, 2)])
def test_a_strict_threshold_is_stricter_in_documents(score: float, bars: int) -> None:
    adjusted = adjust(score, score, 0.0, DOUBT, 0.54)
    assert sum(adjusted >= bar for bar in (0.54, 0.8)) == bars


@pytest.mark.parametrize(("preset", "even"), [("default", 0.9), ("careful", 0.9), ("noisy", 0.4)])
def test_doubt_changes_nothing_at_the_threshold_of_the_default_preset(
    preset: str, even: float
) -> None:
    presets = {
        "default": Preset(threshold=0.9, threshold_on="error_probability"),
        "careful": Preset(threshold=0.99, threshold_on="error_probability"),
        "noisy": Preset(threshold=0.4, mode="noisy"),  # about the score
    }
    bundle = fake_bundle()
    bundle = replace(bundle, config=replace(bundle.config, presets=presets))
    assert Corrector(bundle, Fake(), preset=preset).policy.default_threshold == even
    assert Corrector(bundle, Fake(), preset=preset, threshold=0.1).policy.default_threshold == even
    assert adjust(even, even, 0.0, DOUBT, even) == pytest.approx(even)


def test_there_is_less_doubt_in_a_short_text() -> None:
    words = ["word", "other"]
    texts = [" ".join(words * count) for count in (1, 2500, 5000, 10_000)]
    doubts = [doubt_in(evidence_of(text)) for text in texts]
    assert doubts == sorted(doubts)
    assert 1 < doubts[0] < 1.001
    assert doubts[1] == pytest.approx((1 + DOUBT) / 2)
    assert doubts[2] == doubts[3] == DOUBT


def test_careful_finds_clear_errors_in_a_letter() -> None:
    letter = (
        "Dear Ann, we hope to see you tommorow. Their are to many peple in the town, so we could "
        "of taken the train. I recieve your mail every day."
    )
    careful = respell.load(preset="careful")
    alone = {found.original for found in careful.check(letter)}
    together = {found.original for found in careful.check_document(letter)}
    assert "tommorow" in alone
    assert len(alone - together) <= 1


def test_a_replacement_that_the_document_has_is_likelier() -> None:
    found = replace(correction("grainn", "grain", 0.8), start=4)

    def score(grains: int) -> float:
        text = "One grainn is here." + " A grain is here." * grains
        text += " A thing is here." * (9 - grains)
        return adjusted_measure(evidence_of(text), text, found, policy())

    assert score(0) < score(1) < score(3) == score(9)


def test_a_large_document_without_the_replacement_is_evidence() -> None:
    found = replace(correction("grainn", "grain", 0.7), start=4)
    assert not rejected("One grainn is here.", found)
    assert rejected("One grainn is here." + " Some other words are here." * 2_000, found)


def test_recurrence_says_less_about_a_long_word() -> None:
    def repeated(word: str, replacement: str) -> float:
        text = f"The {word} is like a {word}."
        found = replace(correction(word, replacement, 0.9), start=4)
        return find_features(evidence_of(text), text, found)["repeated"]

    assert 0 < repeated("commitees", "committees") < repeated("teh", "the")


def test_every_feature_has_a_weight() -> None:
    for kind in WEIGHTS:
        found = correction("frobset", "forbset", 0.7, kind)
        assert (
            find_features(evidence_of("frobset"), "frobset", found).keys() == WEIGHTS[kind].keys()
        )


def test_pairs_are_counted_in_one_direction_and_at_most_255_times() -> None:
    pairs = PairCounts()
    pairs.add(["man", "page"] * 300)
    assert pairs.count("man", "page") == 255
    assert pairs.count("main", "page") == 0


def test_the_context_of_a_word_has_the_word_itself() -> None:
    text = f"A frobsetter comes first. {'Some text. ' * 20}The frobset is here, and a frobset."
    assert evidence_of(text).contexts["frobset"].endswith("The frobset is here, and a frobset.")


def test_a_long_token_takes_no_longer_than_short_ones() -> None:
    start = process_time()
    evidence_of("abcdefghij" * 20_000)
    assert process_time() - start < 5


def test_a_misspelled_term_is_corrected_to_the_term(corrector: Corrector) -> None:
    text = (
        "The refspec maps refs. Each refspec has parts. A refspec is short. This refpsec is wrong."
    )
    plain = {c.original for c in corrector.check(text)}
    assert "refspec" in plain
    found = corrector.check_document(text)
    assert [(c.original, c.replacement) for c in found] == [("refpsec", "refspec")]
    assert text[found[0].start : found[0].end] == "refpsec"


def test_only_misspelled_terms_are_read_by_a_corrector_that_suggests_terms(
    corrector: Corrector, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapted = corrector.with_terms(evidence_of("The refspec maps refs."), ["refspec"])
    suggester = adapted._suggester
    assert suggester is not None
    asked: list[int] = []

    def count(windows: list[Window], owners: int) -> list[list[Correction]]:
        asked.append(len(windows))
        return Corrector.check_windows(suggester, windows, owners)

    monkeypatch.setattr(suggester, "check_windows", count)
    for text, suggests, found in (
        ("This refspec is short.", False, []),
        ("All refspecs are short.", False, []),
        ("Teh refspec is short.", False, ["Teh"]),
        ("This refpsec is a refspec.", True, ["refpsec"]),
    ):
        asked.clear()
        assert [c.original for c in adapted.check(text)] == found
        assert asked == [1] * suggests
    assert "refspec" in {c.original for c in corrector.check("This refspec is short.")}


def test_check_many_does_not_depend_on_other_texts(corrector: Corrector) -> None:
    texts = ["The refspec maps refs."] * 5
    assert all(found for found in corrector.check_many(texts))


def test_a_document_without_terms_is_checked_as_always(corrector: Corrector) -> None:
    text = "I recieve teh mail, and their going home tommorow."
    assert corrector.check_document(text) == corrector.check(text)


def test_terms_must_be_right_themselves() -> None:
    evidence = evidence_of("The teeh teeh teeh, and the frobset, a frobset, one frobset.")

    def check(texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            found = correction("teeh", "the", 1.0), correction("frobset", "forbset", 0.7)
            yield [one for one in found if one.original in text]

    assert find_terms(evidence, check, policy()) == ["frobset"]


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("refpsec", True),
        ("refspec", True),
        ("refsec", True),
        ("refspecs", True),
        ("aspect", False),
    ],
)
def test_words_spelled_like_a_term(word: str, near: bool) -> None:
    assert TermIndex(["refspec"]).near(word) == near


def test_memory_is_bounded() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [a + b + c + d for a in letters for b in letters for c in letters for d in letters]
    evidence = Evidence(Lexicon(()))
    for start in range(0, len(words), 50_000):
        text = " ".join(words[start : start + 50_000])
        evidence.add(text, text)
        evidence.add_code(text)
    assert len(evidence.words) <= MAX_WORDS
    assert len(evidence.contexts) <= MAX_CONTEXTS
    assert len(evidence.code) < 2 * MAX_WORDS


@given(st.text())
def test_any_text_can_be_counted(text: str) -> None:
    evidence = evidence_of(text, "markdown")
    assert all(count > 0 for count in evidence.words.values())
    assert all(base(word) == word for word in evidence.contexts)


@pytest.mark.parametrize(
    "text",
    [
        "I like it alot.",
        "It was infact true.",
        "This is a common usecase of it.",
        "The bootup takes long.",
    ],
)
def test_run_together_words_are_not_changed_into_other_words(
    corrector: Corrector, text: str
) -> None:
    assert corrector.check_document(text) == []
