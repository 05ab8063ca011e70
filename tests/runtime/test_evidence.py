"""Evidence from whole documents: recurring words and words of code are terms."""

from collections.abc import Iterable, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import respell
from respell.decision.evidence import (
    MAX_CONTEXTS,
    MAX_WORDS,
    Evidence,
    TermIndex,
    base,
    find_terms,
)
from respell.formats.masker import mask
from respell.model.lexicon import Lexicon
from respell.types import Correction, Suggestion


@pytest.fixture(scope="module")
def corrector() -> respell.Corrector:
    return respell.load()


def evidence_of(text: str, format: str = "plain", known: Sequence[str] = ()) -> Evidence:
    evidence = Evidence(Lexicon(known))
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
    evidence = evidence_of("the refspec and the end", known=("the", "and", "end"))
    assert list(evidence.contexts) == ["refspec"]
    assert "refspec" in evidence.contexts["refspec"]


@pytest.mark.parametrize(
    ("text", "rejected"),
    [
        ("One frobset here.", False),
        ("A frobset, a frobset, a frobset, a frobset, a frobset.", True),
        ("One frobset here, and `frobset` in code.", True),
    ],
)
def test_recurring_words_and_words_of_code_are_not_corrected(text: str, rejected: bool) -> None:
    found = correction("frobset", "forget", 0.7)
    assert evidence_of(text, "markdown").rejects(found, 0.54) == rejected


def test_words_of_the_vocabulary_need_strong_evidence() -> None:
    assert evidence_of("One gratin here.").rejects(correction("gratin", "grain", 0.7), 0.54)
    assert (
        evidence_of("One gratinn here.").rejects(correction("gratinn", "grain", 0.7), 0.54) is False
    )


def test_an_obvious_misspelling_is_kept_even_if_it_is_repeated() -> None:
    evidence = evidence_of("We recieve mail. They recieve mail. All receive mail.")
    assert not evidence.rejects(correction("recieve", "receive", 0.99), 0.54)


def test_known_words_in_the_wrong_place_are_not_affected() -> None:
    evidence = evidence_of("their their their `their`", "markdown")
    assert not evidence.rejects(correction("their", "there", 0.6, "realword"), 0.54)


@pytest.mark.parametrize(("word", "keyword"), [("SELECTs", True), ("ATTACHed", False)])
def test_keywords_in_capitals(word: str, keyword: bool) -> None:
    evidence = evidence_of("Use `SELECT` twice.", "markdown")
    assert evidence.rejects(correction(word, "x", 0.99, "realword"), 0.54) == keyword


def test_a_misspelled_term_is_corrected_to_the_term(corrector: respell.Corrector) -> None:
    text = (
        "The refspec maps refs. Each refspec has parts. A refspec is short. This refpsec is wrong."
    )
    plain = {c.original for c in corrector.check(text)}
    assert "refspec" in plain
    found = corrector.check_document(text)
    assert [(c.original, c.replacement) for c in found] == [("refpsec", "refspec")]
    assert text[found[0].start : found[0].end] == "refpsec"


def test_check_many_does_not_depend_on_other_texts(corrector: respell.Corrector) -> None:
    texts = ["The refspec maps refs."] * 5
    assert all(found for found in corrector.check_many(texts))


def test_a_document_without_terms_is_checked_as_always(corrector: respell.Corrector) -> None:
    text = "I recieve teh mail, and their going home tommorow."
    assert corrector.check_document(text) == corrector.check(text)


def test_terms_must_be_right_themselves() -> None:
    evidence = evidence_of("The teeh teeh teeh, and the frobset, a frobset, one frobset.")

    def check(texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            found = correction("teeh", "the", 1.0), correction("frobset", "forget", 0.7)
            yield [one for one in found if one.original in text]

    assert find_terms(evidence, check, 0.54) == ["frobset"]


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
