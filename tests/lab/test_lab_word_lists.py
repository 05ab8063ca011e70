import functools
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.misspellings.word_lists import (
    distance,
    limit,
    merge,
    nearest,
    read_birkbeck,
    read_natural,
    read_tsv,
    split_known,
    tidy,
    votes,
    without,
    write_tsv,
)
from respell.types import Error

words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1)
lists = st.dictionaries(words, st.lists(words, min_size=1, max_size=4), max_size=8)


def _file(folder: Path, text: str) -> Path:
    path = folder / "list"
    path.write_text(text, encoding="utf-8")
    return path


def test_reads_birkbeck(tmp_path: Path) -> None:
    path = _file(tmp_path, "$about\nabuot\na_bout\n\n$Albert\nAb\n$about\nabot\nabuot\n")
    assert read_birkbeck(path) == {"Albert": ["Ab"], "about": ["a_bout", "abot", "abuot"]}


@pytest.mark.parametrize(("text", "line"), [("teh\n$the\n", 1), ("$the\nteh 3\n", 2), ("$\na", 1)])
def test_bad_birkbeck_lines(text: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(Error, match=f"list:{line}: "):
        read_birkbeck(_file(tmp_path, text))


def test_reads_natural_and_the_last_line_of_a_word_counts(tmp_path: Path) -> None:
    path = _file(tmp_path, "the teh hte\ncan cna\nthe thee teh teh\n")
    assert read_natural(path) == {"can": ["cna"], "the": ["teh", "thee"]}


def test_bad_natural_line(tmp_path: Path) -> None:
    with pytest.raises(Error, match="list:2: 'can' has no misspelling"):
        read_natural(_file(tmp_path, "the teh\ncan\n"))


@pytest.mark.parametrize("line", ["the", "the\t", "\tteh", "the\tteh\tx", ""])
def test_bad_tsv_line(line: str, tmp_path: Path) -> None:
    with pytest.raises(Error, match="list:2: expected"):
        read_tsv(_file(tmp_path, f"a\tb\n{line}\n"))


@given(lists)
def test_tsv_round_trip(
    tmp_path_factory: pytest.TempPathFactory, pairs: dict[str, list[str]]
) -> None:
    path = tmp_path_factory.mktemp("lists") / "pairs.tsv"
    write_tsv(pairs, path)
    assert read_tsv(path) == merge(pairs)
    assert [p.name for p in path.parent.iterdir()] == ["pairs.tsv"]


@pytest.mark.parametrize("spelling", ["", "a\tb", "a\nb"])
def test_what_no_line_can_hold_is_not_written(spelling: str, tmp_path: Path) -> None:
    with pytest.raises(Error, match="cannot write the pair"):
        write_tsv({"the": [spelling]}, tmp_path / "pairs.tsv")
    assert not list(tmp_path.iterdir())


def test_merge_sorts_and_drops_repeats() -> None:
    merged = merge({"b": ["z", "y"]}, {"a": ["x"], "b": ["y", "A"]})
    assert merged == {"a": ["x"], "b": ["A", "y", "z"]}
    assert list(merged) == ["a", "b"]


@given(lists, st.floats(0, 1), st.integers(0, 9))
def test_known_and_unknown_make_the_whole(
    pairs: dict[str, list[str]], share: float, seed: int
) -> None:
    known, unknown = split_known(pairs, share=share, seed=seed)
    assert merge(known, unknown) == merge(pairs)
    assert not any(set(known.get(word, ())) & set(unknown[word]) for word in unknown)
    assert (known, unknown) == split_known(merge(pairs), share=share, seed=seed)


def test_the_share_of_known_pairs() -> None:
    pairs = {f"word{i}": ["a", "b"] for i in range(2000)}
    known, unknown = split_known(pairs, share=0.8, seed=1)
    assert 0.77 < sum(map(len, known.values())) / 4000 < 0.83
    assert split_known(pairs, share=0.8, seed=2)[0] != known
    # Pairs are drawn one by one, not word by word.
    assert set(known) & set(unknown)


def test_the_draw_of_a_pair_depends_on_no_other() -> None:
    pairs = {f"word{i}": ["a", "b"] for i in range(100)}
    known, _ = split_known(pairs)
    more, _ = split_known({**pairs, "aaa": ["x", "y", "z"]})
    assert {word: more[word] for word in known} == known


def test_a_share_is_a_probability() -> None:
    with pytest.raises(Error, match="from 0 to 1"):
        split_known({}, share=80)


def test_without_ignores_case() -> None:
    pairs = {"The": ["Teh", "Hte"], "can": ["cna"]}
    assert without(pairs, {"the": ["teh"], "CAN": ["CNA"]}) == {"The": ["Hte"]}


@pytest.mark.parametrize(
    ("word", "spelling"),
    [
        ("the", "The"),
        ("the", "the"),
        ("of", "cift"),
        ("the", "I"),
        ("a", "an"),
        ("and", "0"),
        ("about", "a_bout"),
        ("alot", "a lot"),
        ("14th", "14st"),
        ("although", "[[allthough"),
        ("something", "some-thing"),
        ("$", "DOLARES"),
        ("beneath", "bmos"),
    ],
)
def test_tidy_drops(word: str, spelling: str) -> None:
    assert tidy({word: [spelling]}) == {}


@pytest.mark.parametrize(
    ("word", "spelling"),
    [
        ("the", "teh"),
        ("of", "off"),
        ("don't", "dont"),
        ("I'm", "Im"),
        ("America", "amercia"),
        ("café", "caffe"),
        ("Cinderella", "Cinderrella"),
        ("accommodate", "acomidate"),
    ],
)
def test_tidy_keeps(word: str, spelling: str) -> None:
    assert tidy({word: [spelling]}) == {word: [spelling]}


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [("", "", 0), ("", "ab", 2), ("the", "teh", 1), ("abc", "acx", 2), ("ca", "abc", 3)],
)
def test_distance(a: str, b: str, edits: int) -> None:
    assert distance(a, b) == edits


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_distance_is_a_symmetric_count(a: str, b: str) -> None:
    edits = distance(a, b)
    assert edits == distance(b, a)
    assert abs(len(a) - len(b)) <= edits <= max(len(a), len(b))
    assert (edits == 0) == (a == b)


@given(st.text("ab", max_size=3), st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_distance_is_that_of_what_differs(ends: str, a: str, b: str) -> None:
    assert distance(ends + a + ends, ends + b + ends) == _fewest(a, b)


@functools.cache
def _fewest(a: str, b: str) -> int:
    """By trying everything."""
    if not a or not b:
        return len(a) + len(b)
    ways = [_fewest(a[1:], b) + 1, _fewest(a, b[1:]) + 1, _fewest(a[1:], b[1:]) + (a[0] != b[0])]
    if a[:2] == b[1::-1] and len(a) > 1 < len(b):
        ways.append(_fewest(a[2:], b[2:]) + 1)
    return min(ways)


def test_limit_grows_with_the_word() -> None:
    assert [limit("x" * n) for n in (2, 3, 5, 6, 11)] == [1, 2, 2, 3, 5]


def test_the_paper_s_list_is_its_two_parts() -> None:
    folder = os.environ.get("RESPELL_DATA")
    if not folder:
        pytest.skip("RESPELL_DATA names no data folder")
    lists = Path(folder) / "misspellings"
    whole, known, unknown = (
        read_tsv(lists / f"omega_{part}.tsv") for part in ("merged", "train80", "heldout20")
    )
    assert merge(known, unknown) == whole
    assert len(whole) == 15_622
    assert sum(map(len, whole.values())) == 79_439


def test_a_misspelling_belongs_to_the_words_it_is_nearest_to() -> None:
    lists = {
        "receive": ["recieve", "receve"],
        "received": ["recieve", "receeved"],
        "letter": ["leter"],
        "later": ["leter"],
        "letters": ["leter"],
    }
    assert nearest(lists) == {
        "receive": ["receve", "recieve"],
        "received": ["receeved"],
        "letter": ["leter"],
        "later": ["leter"],
    }
    named = votes([{"letter": ["leter"]}, {"letter": ["leter"], "later": ["leter"]}])
    assert "later" not in nearest(lists, named)
    slips = {"paid": ["payed"], "played": ["payed"]}
    assert nearest(slips) == {"played": ["payed"]}
    assert nearest(slips, votes([slips, {"paid": ["payed"]}])) == {"paid": ["payed"]}
