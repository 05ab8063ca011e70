"""Misspellings learnt from lists."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respell.lab.__main__ import main
from respell.lab.invent import Habits, edits
from respell.lab.misspellings import read_tsv
from respell.types import Error

LETTERS = st.text("abc", max_size=7)


def test_edits_are_the_stretches_that_differ() -> None:
    assert edits("receive", "recieve") == [(3, 5, "ie")]
    assert edits("phone", "fone") == [(0, 2, "f")]
    assert edits("occurred", "ocured") == [(1, 2, ""), (4, 5, "")]
    assert edits("the", "teh") == [(1, 3, "eh")]
    assert edits("same", "same") == []


@settings(max_examples=300)
@given(word=LETTERS, spelling=LETTERS)
def test_edits_made_give_the_spelling(word: str, spelling: str) -> None:
    written = word
    for start, end, new in reversed(edits(word, spelling)):
        written = written[:start] + new + written[end:]
    assert written == spelling


def test_habits_carry_over_to_other_words() -> None:
    habits = Habits({"phone": ["fone"], "phrase": ["frase"], "graph": ["graf"]})
    invented = habits.misspell("physics", 5, random.Random(1))
    assert "fysics" in invented
    assert "physics" not in invented
    assert habits.misspell("bottle", 5, random.Random(1)) == []


def test_an_edit_is_likelier_where_it_was_seen() -> None:
    habits = Habits({"believe": ["beleive"] * 9, "niece": ["niesse"], "piece": ["piesse"]})
    rates = {(o.start, o.new): o.rate for o in habits.options("relieve")}
    elsewhere = {(o.start, o.new): o.rate for o in habits.options("niece")}
    assert rates[3, "ei"] > elsewhere.get((1, "ei"), 0.0)


def test_no_pair_nothing_learnt() -> None:
    with pytest.raises(Error, match="no pair"):
        Habits({"word": ["word"]})


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "known.tsv").write_text("phone\tfone\nphrase\tfrase\ngraph\tgraf\n")
    (tmp_path / "held.tsv").write_text("Phoenix\tfoenix\n")
    (tmp_path / "lexicon.txt").write_text("phoenix\nphysics\nsphere\n")
    arguments = ["invent", "--lists", str(tmp_path / "known.tsv")]
    arguments += ["--held-out", str(tmp_path / "held.tsv")]
    arguments += ["--lexicon", str(tmp_path / "lexicon.txt"), "--out", str(tmp_path / "new.tsv")]
    assert main(arguments) == 0
    first = (tmp_path / "new.tsv").read_bytes()
    invented = read_tsv(tmp_path / "new.tsv")
    assert invented["physics"] == ["fysics"]
    assert invented["sphere"] == ["sfere"]
    assert "phoenix" not in invented  # its one misspelling is held out
    assert main(arguments) == 0
    assert (tmp_path / "new.tsv").read_bytes() == first
    assert main([*arguments, "--count", "0"]) == 2
