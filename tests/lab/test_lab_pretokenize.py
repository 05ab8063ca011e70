"""Splitting raw text into benchmark and treebank tokens, and joining them again."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.common.text_files import read_lines
from respell.lab.data.pretokenize import detokenize, split, treebank

# Natural text, and the same text in the tokens of the benchmark.
SENTENCES = [
    (
        '"They didn\'t," she said, "and I can\'t."',
        '" They didn \'t , " she said , " and I can \'t . "',
    ),
    ("Bob's firm made $4.2 billion.", "Bob 's firm made $ 4.2 billion ."),
    ("A 17-year-old from the U.S. ran 1,500 m.", "A 17-year-old from the U.S. ran 1,500 m ."),
    ("He lives in the U.S.", "He lives in the U.S."),
    ("It is Dr. Who vs. No. 6, not No.", "It is Dr. Who vs. No. 6 , not No ."),
    ("Acme Inc. said so; Acme Inc. Said?", "Acme Inc. said so ; Acme Inc . Said ?"),
    ("Wright Jr., whose sermons", "Wright Jr . , whose sermons"),
    ("The players' union (all 50%) left...", "The players ' union ( all 50 % ) left ..."),
    ("We wait... and wait. ...", "We wait ... and wait . ..."),
    ("AT&T and Barnes & Noble and/or others", "AT & T and Barnes & Noble and / or others"),
    ("See http://www.example.org at 10:30", "See http : / / www.example.org at 10 : 30"),
    ("He said 'never mind' -- and left", "He said ' never mind ' -- and left"),
    ("In the '80s and the 1990's", "In the ' 80s and the 1990 's"),
    ("O'Neill hit .302, or 5,000 - 6,000", "O 'Neill hit .302 , or 5,000 - 6,000"),
    ("Write to me@example.org or call +44 20!", "Write to me @ example.org or call + 44 20 !"),
    ("Bob' s hat", "Bob ' s hat"),
]


@pytest.mark.parametrize(("text", "tokens"), SENTENCES)
def test_split_gives_benchmark_tokens(text: str, tokens: str) -> None:
    assert split(text) == tokens.split(" ")


@pytest.mark.parametrize(("text", "tokens"), SENTENCES)
def test_detokenize_gives_natural_text(text: str, tokens: str) -> None:
    assert detokenize(tokens.split(" ")) == text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("“Don’t”—he said…", '" Don \'t " -- he said ...'),
        ("1999–2003", "1999-2003"),
        ("``quoted''", '" quoted "'),
        ("", ""),
        (" \t ", ""),
        ("snake_case", "snake _ case"),
        ("a.", "a ."),
        ("B.", "B."),
    ],
)
def test_split_of_unusual_text(text: str, tokens: str) -> None:
    assert split(text) == tokens.split()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (
            '"I didn\'t," she said, "cannot go."',
            "`` I did n't , '' she said , `` can not go . ''",
        ),
        ("Bob's at 10:30, with $5,000.", "Bob 's at 10:30 , with $ 5,000 ."),
        ("We'll see Mr. Smith of the U.S.", "We 'll see Mr. Smith of the U.S."),
        ("The dogs' bowl, 'empty' (again)", "The dogs ' bowl , ` empty ' ( again )"),
        ("Wait... and/or go -- 50%!", "Wait ... and/or go -- 50 % !"),
        ("", ""),
    ],
)
def test_treebank_tokens(text: str, tokens: str) -> None:
    assert treebank(text) == tokens.split()


def test_detokenize_accepts_treebank_tokens() -> None:
    text = '"I didn\'t know Ivan Allen Jr."'
    tokens = "`` I did n't know Ivan Allen Jr. . ''"
    assert detokenize(tokens.split()) == text


def test_a_closing_quotation_mark_without_an_opening_one() -> None:
    assert detokenize('That is all . "'.split()) == 'That is all."'


@given(st.text(st.sampled_from("abC1 .,'\"-$%()/:;!?_é\n"), max_size=40))
def test_splitting_adds_only_spaces(text: str) -> None:
    letters = "".join(text.split()).replace("''", '"')
    assert "".join(split(text)).replace("''", '"') == letters
    assert all(token and not any(map(str.isspace, token)) for token in split(text))


@given(st.text(max_size=40))
def test_any_text_can_be_split_and_joined(text: str) -> None:
    for tokens in (split(text), treebank(text)):
        assert all(token and not any(map(str.isspace, token)) for token in tokens)
        joined = detokenize(tokens)
        assert joined == joined.strip()
        assert "  " not in joined


def test_the_benchmark_survives_a_round_trip() -> None:
    folder = os.environ.get("RESPELL_DATA")
    if not folder:
        pytest.skip("RESPELL_DATA is not set")
    lines = list(read_lines(Path(folder) / "corpora" / "lm1b_heldout_10_11.txt.xz"))
    same = sum(split(detokenize(line.split(" "))) == line.split(" ") for line in lines)
    assert same / len(lines) >= 0.999


def test_splitting_is_fast() -> None:
    text = " ".join(text for text, _ in SENTENCES)
    began = time.perf_counter()
    words = sum(len(split(text)) for _ in range(300))
    # An idle core reaches a million; the margin is for busy machines.
    assert words / (time.perf_counter() - began) > 100_000
