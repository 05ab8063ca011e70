"""The lists of a recipe: filters, weights, held-out pairs and valid words."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from respell.lab.misspellings.config import DataConfig
from respell.lab.misspellings.weighting import (
    read_listed_misspellings,
    read_noisy_lists,
    read_pairs,
    read_valid_words,
)
from respell.lab.misspellings.word_lists import write_tsv
from respell.model.lexicon import Lexicon
from respell.types import Error


def test_lists_are_filtered_and_merged(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    write_tsv(
        {"The": ["Teh", "the"], "of": ["cift"], "from": ["form", "frm"], "colour": ["color"]},
        folders[0] / "a.tsv",
    )
    write_tsv({"from": ["frm"]}, folders[1] / "b.tsv")
    lexicon = Lexicon(["the", "from", "form", "colour", "color"])
    tidy = DataConfig(lists=("a.tsv",), held_out=("b.tsv",))
    assert read_pairs(tidy, folders, lexicon=lexicon, casing="lower") == {
        "the": ["teh"],
        "from": ["form"],
    }
    plain = DataConfig(lists=("a.tsv", "b.tsv"), tidy=False)
    assert read_pairs(plain, folders, lexicon=lexicon, casing="exact") == {
        "The": ["Teh", "the"],
        "colour": ["color"],
        "from": ["form", "frm"],
        "of": ["cift"],
    }


def test_confusions_are_a_third_of_the_list_of_a_word(tmp_path: Path) -> None:
    write_tsv({"their": ["ther", "thier", "tehir", "thair"]}, tmp_path / "a.tsv")
    write_tsv({"their": ["there"], "its": ["it's"]}, tmp_path / "b.tsv")
    data = DataConfig(lists=("a.tsv",), confusions=("b.tsv",))
    lexicon = Lexicon(["there", "their", "its", "it's"])
    pairs = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")
    assert sorted(pairs["their"]) == ["tehir", "thair", "ther", "there", "there", "thier"]
    assert set(pairs["its"]) == {"it's"}


def test_a_rare_word_is_seldom_written_for_a_frequent_one(tmp_path: Path) -> None:
    lists = {"the": ["teh", "hte", "tne", "eth"], "their": ["thier", "ther", "tehir", "thair"]}
    write_tsv({**lists, "then": ["tehn", "hten", "than"]}, tmp_path / "a.tsv")
    write_tsv({"the": ["there", "then"], "their": ["there"]}, tmp_path / "b.tsv")
    data = DataConfig(lists=("a.tsv",), confusions=("b.tsv",))
    others = [f"word{i}" for i in range(50)]
    lexicon = Lexicon(["the", "a", "then", "than", *others, "their", "there"])
    pairs = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")
    counts = {word: Counter(spellings) for word, spellings in pairs.items()}
    assert counts["the"]["there"] == 0
    assert 0 < counts["the"]["then"] < counts["the"]["teh"]
    assert counts["their"]["there"] == pytest.approx(counts["their"].total() / 3, rel=0.1)
    assert counts["then"]["than"] / counts["then"]["tehn"] == pytest.approx(0.75, abs=0.06)


def test_weights_of_rare_confusions_and_of_listed_real_words(tmp_path: Path) -> None:
    typos = [f"t{letter}o" for letter in "bcdefghijk"]
    write_tsv({"two": [*typos, "to", "tow"]}, tmp_path / "a.tsv")
    write_tsv({"two": ["tow"]}, tmp_path / "b.tsv")
    write_tsv({"two": ["too"]}, tmp_path / "confusions.tsv")
    write_tsv({"two": ["toe", "too"]}, tmp_path / "rare.tsv")
    data = DataConfig(
        lists=("a.tsv", "b.tsv", "a.tsv", "a.tsv"),
        confusions=("confusions.tsv",),
        rare_confusions=("rare.tsv",),
    )
    lexicon = Lexicon(["too", "to", "toe", "tow", "two"])
    pairs = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")["two"]
    counts = Counter(pairs)
    assert counts["too"] > counts["tbo"] > counts["toe"] > 0
    assert counts["tow"] > counts["to"]
    alone = replace(data, lists=("a.tsv", "b.tsv", "b.tsv", "b.tsv", "b.tsv", "b.tsv"))
    assert "to" not in read_pairs(alone, [tmp_path], lexicon=lexicon, casing="lower")["two"]
    generated = DataConfig(lists=(), generated=("a.tsv",))
    assert read_pairs(generated, [tmp_path], lexicon=lexicon, casing="lower")["two"] == typos


def test_known_pairs_are_not_held_out_in_another_case(tmp_path: Path) -> None:
    write_tsv({"which": ["wich", "whcih", "wihch"], "The": ["Teh"]}, tmp_path / "known.tsv")
    write_tsv({"which": ["wich", "wihhc"], "their": ["thier"]}, tmp_path / "other.tsv")
    write_tsv({"their": ["there"]}, tmp_path / "confusions.tsv")
    held_out = {"Which": ["Wich", "Wihhc"], "their": ["there", "thier"]}
    write_tsv(held_out, tmp_path / "held_out.tsv")
    data = DataConfig(
        lists=("known.tsv", "other.tsv"),
        noisy=("known.tsv",),
        confusions=("confusions.tsv",),
        held_out=("held_out.tsv",),
        known=("known.tsv",),
    )
    lexicon = Lexicon(["the", "there", "their", "which"])
    pairs = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")
    assert pairs == {"the": ["teh"], "which": ["whcih", "wich", "wihch"], "their": ["there"]}
    assert "wich" in read_noisy_lists(data, [tmp_path], "lower")["which"]
    strict = replace(data, known=())
    assert "wich" not in read_pairs(strict, [tmp_path], lexicon=lexicon, casing="lower")["which"]
    assert "wich" not in read_noisy_lists(strict, [tmp_path], "lower")["which"]


def test_noisy_lists_keep_odd_capitals_and_punctuation(tmp_path: Path) -> None:
    listed = {"The": ["DE", "tThe", "Teh", "th?", "the."], "its": ["its'"], "ten": ["10", "TEN"]}
    write_tsv(listed, tmp_path / "noisy.tsv")
    data = DataConfig(lists=(), noisy=("noisy.tsv",))
    read = read_noisy_lists(data, [tmp_path], "lower")
    assert read == {"the": ["DE", "tThe", "teh", "th?"], "its": ["its'"], "ten": ["TEN"]}
    assert read_noisy_lists(data, [tmp_path], "exact")["The"] == sorted(listed["The"])


def test_valid_words_are_not_misspellings(tmp_path: Path) -> None:
    lexicon = Lexicon(("spring", "than", "then", "color", "colour", "can't"))
    pairs = {"spring": ["sprig", "sprnig"], "than": ["then"], "color": ["colour"]}
    pairs |= {"can't": ["cant"]}
    write_tsv(pairs, tmp_path / "list.tsv")
    (tmp_path / "valid.txt").write_text("sprig\n\nthen\ncant\n", encoding="utf-8")
    data = DataConfig(lists=("list.tsv",), valid_words=("valid.txt",))
    assert read_valid_words(data, [tmp_path], lexicon=lexicon) == {"sprig", "then"}
    kept = read_pairs(data, [tmp_path], lexicon=lexicon, casing="lower")
    assert kept == {"spring": ["sprnig"], "than": ["then"], "can't": ["cant"]}
    assert read_listed_misspellings(data, [tmp_path], lexicon=lexicon) == {"sprnig", "cant"}
    with pytest.raises(Error, match="no such list"):
        read_valid_words(replace(data, valid_words=("none.txt",)), [tmp_path], lexicon=lexicon)
