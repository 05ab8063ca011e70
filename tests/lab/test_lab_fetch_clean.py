"""Cleaning of corpora."""

import random

import pytest

from respell.lab.data.fetch.clean import (
    MAX_WORDS,
    HeldOut,
    Seen,
    WordCheck,
    has_slip,
    is_prose,
    is_punctuated,
    letters_of,
    split_sentences,
    tidy,
    units,
)
from respell.lab.data.fetch.origin import Cleaning
from respell.lab.data.fetch.prose import HOLE

SENTENCES, PARAGRAPHS = Cleaning(), Cleaning(unit="paragraph")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  “It’s\u00a0late,”\n she\tsaid… ", '"It\'s late," she said...'),
        ("Salt &amp; <i>pepper</i> cost 3 < 4 coins", "Salt & pepper cost 3 < 4 coins"),
        ("soft\u00adhyphen and\u200b nothing", "softhyphen and nothing"),
        ("cafe\u0301", "café"),
        ("it\x92s \x96 late", "it's – late"),
    ],
)
def test_tidy(text: str, line: str) -> None:
    assert tidy(text) == line
    assert tidy(line) == line


def test_sentences_and_paragraphs() -> None:
    block = f"Dr. Low came at 3.5 p.m. on Monday. Type {HOLE} twice! Was it late?"
    assert list(units(block, SENTENCES)) == ["Dr. Low came at 3.5 p.m. on Monday.", "Was it late?"]
    assert list(units(block, PARAGRAPHS)) == ["Dr. Low came at 3.5 p.m. on Monday. Was it late?"]
    assert list(units(block, Cleaning(unit="as-is"))) == [block]


def test_a_stop_after_a_bracket_or_a_quotation_ends_a_sentence() -> None:
    parts = ["It was early (in 1940).", 'She sang "The Boat".', '"Why?" he asked.']
    assert split_sentences(" ".join(parts)) == parts


def test_long_paragraphs_are_cut_between_sentences() -> None:
    sentence = "The rain " + "fell and " * 40 + "stopped."
    block = " ".join([sentence] * 12 + ["Word " * (MAX_WORDS + 1) + "end.", "That was all."])
    parts = list(units(block, PARAGRAPHS))
    assert all(len(part.split()) <= MAX_WORDS for part in parts)
    assert " ".join(parts) == " ".join([sentence] * 12 + ["That was all."])


@pytest.mark.parametrize(
    "line",
    [
        "The kettle is on the stove.",
        '"Where is it?" she asked.',
        "She paid $4.50 for the 2 cups (and the lid).",
        "Naïve people visit the café in São Paulo.",
        "NASA and ESA launched it together.",
        "I never even said --",
    ],
)
def test_prose_is_kept(line: str) -> None:
    assert is_prose(line, SENTENCES)


@pytest.mark.parametrize(
    "line",
    [
        "Too short.",
        "See https://example.org for more of the same.",
        "Write to me at someone@example.org about it.",
        "Call the run() function of the object.",
        "This | is | a | table.",
        "See [[the link]] for the rest of it.",
        "THIS IS A HEADING OF THE BOOK.",
        "and then he walked into the",
        "12 4.5 33 (7) 19 in 2004 8 99 1.",
        "Der Hund und die Katze gehen heute zusammen nach Hause.",
        "Это предложение не по-английски.",
        "It isnâ€™t what it was before.",
        ", which is the rest of a sentence.",
        "word " * MAX_WORDS + "end.",
    ],
)
def test_other_lines_are_dropped(line: str) -> None:
    assert not is_prose(line, SENTENCES)


def test_lines_without_end_can_be_kept() -> None:
    line = "Website to track the drought"
    assert is_prose(line, Cleaning(ends=False))
    assert not is_prose(line, SENTENCES)


def test_slips() -> None:
    assert has_slip("I could of come earlier.")
    assert has_slip("Your welcome!")
    assert has_slip("Its a long way.")
    assert not has_slip("The dog ate its ancient bone, and you're welcome to it.")
    assert not has_slip("He could of course come.")


def test_captions_without_punctuation() -> None:
    assert is_punctuated("It rained. We stayed at home.\nWhy not?")
    assert not is_punctuated("so we went home and " * 60)


def test_letters() -> None:
    assert letters_of('"Don \'t go_there ," he said: 2 Cafés') == "dontgotherehesaid2cafés"


def test_seen_texts_are_remembered_in_a_fixed_size() -> None:
    seen = Seen(1 << 20)
    texts = [str(random.Random(i).random()) for i in range(20_000)]
    assert sum(seen.add(text) for text in texts) >= 19_990
    assert not any(seen.add(text) for text in texts)


def test_lines_that_hold_a_held_out_sentence() -> None:
    held_out = HeldOut(
        [
            "He did n't know where the old boat had gone . It was late .",
            "This one is short .",
            "Incomprehensibilities notwithstanding nobody cared .",
        ]
    )
    assert held_out.inside('Yes. "He didn\'t know where the OLD boat had gone!" she wrote.')
    assert not held_out.inside("He didn't know where the old boat had been.")
    assert not held_out.inside("This one is short.")  # fewer than eight words
    assert not held_out.inside("Incomprehensibilities notwithstanding nobody cared.")
    assert not HeldOut().inside("He didn't know where the old boat had gone.")
    assert len(held_out) == 2  # the sentence and the line


def words_check(capacity: int = 100) -> WordCheck:
    known = frozenset("the cat sat on a mat and it don't was".split())
    return WordCheck(known, frozenset({"thhe", "teh"}), capacity=capacity)


def test_unknown_words() -> None:
    check = words_check()
    assert check.unknown("The cat's mat wasn't on Zork, zork and a frobnitz") == [
        "zork",
        "frobnitz",
    ]
    assert check.share("the cat sat zork") == 0.25
    for _ in range(20):
        check.count("a zork sat")
    check.count("a frobnitz sat")
    assert check.accepts("a zork sat", 0)  # frequent
    assert not check.accepts("a frobnitz sat", 0)
    assert check.accepts("a frobnitz sat", 1)
    assert not check.accepts("thhe cat sat", 1)  # listed, so never accepted


def test_counts_of_unknown_words_are_bounded() -> None:
    check = words_check(capacity=10)
    for i in range(400):
        check.count(f"a zork sat on q{'x' * (i % 50)}")
    assert len(check._counts) <= 10
    assert check.accepts("a zork", 0)
