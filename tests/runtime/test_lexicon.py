from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.model.lexicon import Lexicon
from respell.types import Error


@given(st.lists(st.text(min_size=1), unique=True))
def test_a_word_is_found_at_its_place(words: list[str]) -> None:
    lexicon = Lexicon(words)
    assert list(lexicon) == words
    assert len(lexicon) == len(words)
    assert [lexicon.index(word) for word in words] == list(range(len(words)))
    assert all(word in lexicon for word in words)


def test_an_unknown_word_has_no_index() -> None:
    lexicon = Lexicon(["the"])
    assert lexicon.index("The") is None
    assert "The" not in lexicon
    assert 0 not in lexicon


@pytest.mark.parametrize("content", ["the\nof\ncafé\n", "the\nof\ncafé", "the\r\nof\r\ncafé\r\n"])
def test_read(content: str, tmp_path: Path) -> None:
    path = tmp_path / "lexicon.txt"
    path.write_bytes(content.encode())
    assert Lexicon.read(path).words == ("the", "of", "café")


def test_read_splits_at_line_ends_only(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.txt"
    path.write_bytes("a\u2028b\nc\x0cd\n".encode())
    assert Lexicon.read(path).words == ("a\u2028b", "c\x0cd")


def test_an_empty_file_holds_no_words(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.txt"
    path.write_bytes(b"")
    assert len(Lexicon.read(path)) == 0


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"the\nof\nthe\n", "a word is listed twice"),
        (b"the\n\nof\n", "a word is empty"),
        (b"the\n\xff\n", "not UTF-8 (byte 4)"),
        (None, "cannot be read"),
    ],
)
def test_bad_files_are_named(content: bytes | None, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "lexicon.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Error) as caught:
        Lexicon.read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
