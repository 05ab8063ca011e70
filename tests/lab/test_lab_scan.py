"""Scans: the word codes of a corpus agree with the tokenizer of the runtime."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.data.corpus import Source, Style
from respell.lab.data.pretokenize import split, treebank
from respell.lab.data.scan import SHAPE_BITS, Scan, ScanOptions, line_hash, scan
from respell.model.encode import normalize
from respell.text.case import case_shape
from respell.text.tokenize import tokenize, tokenize_words
from respell.types import Error

EVERYTHING = ScanOptions(min_words=1, max_words=65_535)


def _scan(
    folder: Path, lines: list[str], style: Style = "raw", options: ScanOptions = EVERYTHING
) -> Scan:
    path = folder / "corpus.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return scan(path, Source(path.name, style=style), options, folder / "scan")


def _sentences(scanned: Scan) -> list[list[tuple[str, int]]]:
    """Forms and shapes of each sentence."""
    forms = scanned.forms()
    tokens = [(forms[c >> SHAPE_BITS], c % (1 << SHAPE_BITS)) for c in scanned.codes().tolist()]
    ends = scanned.lengths().astype(int).cumsum().tolist()
    return [tokens[a:b] for a, b in zip([0, *ends], ends, strict=False)]


pieces = st.sampled_from(
    "The the FBI's don't U.S. `code here` ` `` e.g. a_b 3.5% http://x.org/y; (well), it's—so "
    "'quoted' --flag /usr/bin naïve TRUECASE ALL OVER 10:30 café.py x() “Hi” &amp; ... #tag".split()
)
lines = st.lists(pieces, max_size=9).map(" ".join) | st.text(
    st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=20
)


@given(st.lists(lines, max_size=4))
def test_codes_are_the_tokens_of_the_runtime(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    scanned = _scan(tmp_path_factory.mktemp("scan"), texts)
    expected = [
        [(normalize(token.text, token.kind), case_shape(token.text)) for token in tokenize(text)]
        for text in texts
    ]
    assert _sentences(scanned) == [tokens for tokens in expected if tokens]
    assert scanned.lines == len(texts)


@pytest.mark.parametrize("style", ["1b", "treebank"])
def test_tokens_of_a_tokenized_corpus_stay_separate(style: Style, tmp_path: Path) -> None:
    line = "He said : `` Jr. did n't 've '' 5 % ."
    tokens = tokenize_words(line.split())
    expected = [(normalize(token.text, token.kind), case_shape(token.text)) for token in tokens]
    assert _sentences(_scan(tmp_path, [line], style)) == [expected]


def test_presplit_uses_both_token_styles(tmp_path: Path) -> None:
    texts = [f'No. {i}: "Bob didn\'t," she said.' for i in range(40)]
    scanned = _scan(tmp_path, texts, "raw", ScanOptions(presplit=1.0))
    got = [[form for form, _ in sentence] for sentence in _sentences(scanned)]
    ways = [
        [[normalize(t.text, t.kind) for t in tokenize_words(way(text))] for text in texts]
        for way in (split, treebank)
    ]
    chosen = [int(sentence == tree) for sentence, tree in zip(got, ways[1], strict=True)]
    assert got == [ways[way][i] for i, way in enumerate(chosen)]
    assert 5 < sum(chosen) < 35


def test_presplit_affects_its_share_of_the_lines(tmp_path: Path) -> None:
    texts = [f"We didn't see {i} of them" for i in range(400)]
    sentences = _sentences(_scan(tmp_path, texts, "raw", ScanOptions(presplit=0.25)))
    share = sum(("didn't", 0) not in sentence for sentence in sentences) / 400
    assert 0.15 < share < 0.35


def test_exact_forms_are_the_tokens_of_the_benchmark(tmp_path: Path) -> None:
    options = ScanOptions(casing="exact", min_words=1, max_words=6, longest=9)
    texts = [
        "Bob didn't.",
        "Seven words are too many for us",
        "Extraordinary words",
        "Extremely so",
    ]
    assert _sentences(_scan(tmp_path, texts, "raw", options)) == [
        [("Bob", 1), ("didn", 0), ("'t", 0), (".", 0)],
        [("Extremely", 1), ("so", 0)],
    ]


@pytest.mark.parametrize(
    ("style", "line"),
    [("1b", "Bob didn 't ."), ("treebank", "Bob did n't ."), ("raw", "Bob didn't.")],
)
def test_exact_forms_of_every_style(style: Style, line: str, tmp_path: Path) -> None:
    options = ScanOptions(casing="exact", min_words=1)
    forms = [form for form, _ in _sentences(_scan(tmp_path, [line], style, options))[0]]
    assert forms == ["Bob", "didn", "'t", "."]


def test_short_and_long_sentences_are_dropped(tmp_path: Path) -> None:
    options = ScanOptions(min_words=2, max_words=3)
    scanned = _scan(tmp_path, ["a", "a b", "a b c", "a b c d"], "raw", options)
    assert scanned.lengths().tolist() == [2, 3]
    assert scanned.hashes().tolist() == [line_hash("a b"), line_hash("a b c")]


def test_limit_stops_the_scan(tmp_path: Path) -> None:
    scanned = _scan(tmp_path, ["a b c"] * 10, "raw", ScanOptions(limit=7))
    assert scanned.lengths().tolist() == [3, 3, 3]


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_presplit_must_be_a_share(share: float) -> None:
    with pytest.raises(Error, match="presplit share"):
        ScanOptions(presplit=share)


@pytest.mark.parametrize(("least", "most"), [(0, 5), (6, 5), (1, 65_536)])
def test_invalid_sentence_lengths_are_errors(least: int, most: int) -> None:
    with pytest.raises(Error, match="1 <= min <= max"):
        ScanOptions(min_words=least, max_words=most)
