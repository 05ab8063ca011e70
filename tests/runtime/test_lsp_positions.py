"""Offsets and places in texts as editors count them; edits as editors send them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.lsp.documents import Document
from respell.lsp.positions import Encoding, Lines, Place

# All that is counted differently somewhere: astral and combining signs, line ends of the
# protocol, and signs that end lines for Python but not for an editor.
TEXTS = st.text(st.sampled_from("ab é\u0301ß€\u2028\x0c\x85😀🏳️‍🌈\r\n\n\r"), max_size=40) | st.text()
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
encodings = pytest.mark.parametrize("encoding", ENCODINGS)
_BYTES = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def counted(text: str, offset: int, encoding: Encoding) -> Place:
    """Count lines and code units the slow way: by cutting the text and by encoding it."""
    before = re.split(r"\r\n|\r|\n", text[:offset])
    codec, width = _BYTES[encoding]
    return Place(len(before) - 1, len(before[-1].encode(codec, "surrogatepass")) // width)


def inside_line_end(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"


@encodings
@given(text=TEXTS, data=st.data())
def test_offsets_and_places_round_trip(encoding: Encoding, text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    lines = Lines(text, encoding)
    if inside_line_end(text, offset):
        assert lines.place(offset) == lines.place(offset - 1)
    else:
        assert lines.place(offset) == counted(text, offset, encoding)
        assert lines.offset(lines.place(offset)) == offset


@encodings
@given(text=TEXTS, line=st.integers(0, 50), character=st.integers(0, 200))
def test_any_place_is_somewhere(encoding: Encoding, text: str, line: int, character: int) -> None:
    lines = Lines(text, encoding)
    offset = lines.offset(Place(line, character))
    assert 0 <= offset <= len(text)
    assert not inside_line_end(text, offset)
    assert lines.place(offset) <= Place(line, character)


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 8), ("utf-16", 5), ("utf-32", 4)])
def test_what_stands_before_a_word_counts(encoding: Encoding, character: int) -> None:
    lines = Lines("One.\r\né😀 teh", encoding)
    assert lines.place(9) == Place(1, character - 1)
    assert lines.offset(Place(1, character - 1)) == 9


def test_a_place_inside_a_character_is_before_it() -> None:
    assert Lines("a😀b", "utf-16").offset(Place(0, 2)) == 1
    assert Lines("a😀b", "utf-8").offset(Place(0, 4)) == 1


def test_a_place_after_the_end_is_the_end() -> None:
    lines = Lines("one\r\ntwo\r\n")
    assert lines.offset(Place(0, 99)) == 3
    assert lines.offset(Place(2, 99)) == lines.offset(Place(99, 0)) == 10


@pytest.mark.parametrize(("line", "end"), [(0, 3), (1, 6), (2, 9)])
def test_a_line_ends_before_its_blanks(line: int, end: int) -> None:
    assert Lines("one  \r\r\nx\t").line_end(line) == end


@encodings
@given(data=st.data(), text=TEXTS, wanted=st.lists(TEXTS, max_size=4))
def test_edits_give_the_text_of_the_editor(
    encoding: Encoding, data: st.DataObject, text: str, wanted: list[str]
) -> None:
    document = Document(uri="", extension="", version=1, lines=Lines(text, encoding))
    changes = []
    for new in wanted:
        ends = [i for i in range(len(text) + 1) if not inside_line_end(text, i)]
        start, end = sorted(data.draw(st.tuples(st.sampled_from(ends), st.sampled_from(ends))))
        changes.append(((counted(text, start, encoding), counted(text, end, encoding)), new))
        text = text[:start] + new + text[end:]
    document.change(changes, 2)
    assert (document.lines.text, document.version) == (text, 2)


def test_a_change_without_a_range_is_the_whole_text() -> None:
    document = Document(uri="", extension="", version=1, lines=Lines("old", "utf-8"))
    document.change([(None, "new 😀 x"), ((Place(0, 9), Place(0, 10)), "text")], 7)
    assert document.lines.text == "new 😀 text"
