"""Lists of misspellings: formats, merging, held-out pairs and filters."""

import functools
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.misspellings.word_lists import (
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
from respell.text.edits import count_edits
from respell.types import Error

words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1)
lists = st.dictionaries(words, st.lists(words, min_size=1, max_size=4), max_size=8)


def _file(folder: Path, text: str) -> Path:
    path = folder / "list"
    path.write_text(text, encoding="utf-8")
    return path


def test_birkbeck_format(tmp_path: Path) -> None:
    path = _file(tmp_path, "$about\nabuot\na_bout\n\n$Albert\nAb\n$about\nabot\nabuot\n")
    assert read_birkbeck(path) == {"Albert": ["Ab"], "about": ["a_bout", "abot", "abuot"]}


@pytest.mark.parametrize(("text", "line"), [("teh\n$the\n", 1), ("$the\nteh 3\n", 2), ("$\na", 1)])
def test_invalid_birkbeck_line_is_an_error(text: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(Error, match=f"list:{line}: "):
        read_birkbeck(_file(tmp_path, text))


def test_natural_format_uses_the_last_line_of_a_word(tmp_path: Path) -> None:
    path = _file(tmp_path, "the teh hte\ncan cna\nthe thee teh teh\n")
    assert read_natural(path) == {"can": ["cna"], "the": ["teh", "thee"]}


def test_invalid_natural_line_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Error, match="list:2: 'can' has no misspelling"):
        read_natural(_file(tmp_path, "the teh\ncan\n"))


@pytest.mark.parametrize("line", ["the", "the\t", "\tteh", "the\tteh\tx", ""])
def test_invalid_tsv_line_is_an_error(line: str, tmp_path: Path) -> None:
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
def test_invalid_pair_is_not_written(spelling: str, tmp_path: Path) -> None:
    with pytest.raises(Error, match="cannot write the pair"):
        write_tsv({"the": [spelling]}, tmp_path / "pairs.tsv")
    assert not list(tmp_path.iterdir())


def test_merge_sorts_and_drops_duplicates() -> None:
    merged = merge({"b": ["z", "y"]}, {"a": ["x"], "b": ["y", "A"]})
    assert merged == {"a": ["x"], "b": ["A", "y", "z"]}
    assert list(merged) == ["a", "b"]


@given(lists, st.floats(0, 1), st.integers(0, 9))
def test_known_and_unknown_pairs_are_a_partition(
    pairs: dict[str, list[str]], share: float, seed: int
) -> None:
    known, unknown = split_known(pairs, share=share, seed=seed)
    assert merge(known, unknown) == merge(pairs)
    assert not any(set(known.get(word, ())) & set(unknown[word]) for word in unknown)
    assert (known, unknown) == split_known(merge(pairs), share=share, seed=seed)


def test_share_of_known_pairs() -> None:
    pairs = {f"word{i}": ["a", "b"] for i in range(2000)}
    known, unknown = split_known(pairs, share=0.8, seed=1)
    assert 0.77 < sum(map(len, known.values())) / 4000 < 0.83
    assert split_known(pairs, share=0.8, seed=2)[0] != known
    # The pairs of a word are drawn separately.
    assert set(known) & set(unknown)


def test_more_pairs_do_not_change_the_split_of_others() -> None:
    pairs = {f"word{i}": ["a", "b"] for i in range(100)}
    known, _ = split_known(pairs)
    more, _ = split_known({**pairs, "aaa": ["x", "y", "z"]})
    assert {word: more[word] for word in known} == known


def test_invalid_share_is_an_error() -> None:
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
def test_tidy_drops_implausible_pairs(word: str, spelling: str) -> None:
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
def test_tidy_keeps_plausible_pairs(word: str, spelling: str) -> None:
    assert tidy({word: [spelling]}) == {word: [spelling]}


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [("", "", 0), ("", "ab", 2), ("the", "teh", 1), ("abc", "acx", 2), ("ca", "abc", 3)],
)
def test_distance(a: str, b: str, edits: int) -> None:
    assert count_edits(a, b) == edits


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_distance_is_symmetric_and_bounded(a: str, b: str) -> None:
    edits = count_edits(a, b)
    assert edits == count_edits(b, a)
    assert abs(len(a) - len(b)) <= edits <= max(len(a), len(b))
    assert (edits == 0) == (a == b)


@given(st.text("ab", max_size=3), st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_common_ends_do_not_change_the_distance(ends: str, a: str, b: str) -> None:
    assert count_edits(ends + a + ends, ends + b + ends) == _exhaustive_distance(a, b)


@functools.cache
def _exhaustive_distance(a: str, b: str) -> int:
    """The distance, found by trying all edits."""
    if not a or not b:
        return len(a) + len(b)
    ways = [
        _exhaustive_distance(a[1:], b) + 1,
        _exhaustive_distance(a, b[1:]) + 1,
        _exhaustive_distance(a[1:], b[1:]) + (a[0] != b[0]),
    ]
    if a[:2] == b[1::-1] and len(a) > 1 < len(b):
        ways.append(_exhaustive_distance(a[2:], b[2:]) + 1)
    return min(ways)


def test_limit_grows_with_the_word() -> None:
    assert [limit("x" * n) for n in (2, 3, 5, 6, 11)] == [1, 2, 2, 3, 5]


def test_the_parts_of_the_papers_list_are_complete() -> None:
    folder = os.environ.get("RESPELL_DATA")
    if not folder:
        pytest.skip("RESPELL_DATA is not set")
    lists = Path(folder) / "misspellings"
    whole, known, unknown = (
        read_tsv(lists / f"omega_{part}.tsv") for part in ("merged", "train80", "heldout20")
    )
    assert merge(known, unknown) == whole
    assert len(whole) == 15_622
    assert sum(map(len, whole.values())) == 79_439


def test_a_misspelling_is_assigned_to_the_nearest_words() -> None:
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
    counts = votes([{"letter": ["leter"]}, {"letter": ["leter"], "later": ["leter"]}])
    assert "later" not in nearest(lists, counts)
    payed = {"paid": ["payed"], "played": ["payed"]}
    assert nearest(payed) == {"played": ["payed"]}
    assert nearest(payed, votes([payed, {"paid": ["payed"]}])) == {"paid": ["payed"]}
