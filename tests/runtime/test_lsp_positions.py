"""Offsets, positions and edits as editors count them."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("pygls", reason="needs the extra lsp")

from lsprotocol import types
from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

from respell.formats.languages import PLAIN
from respell.lsp.documents import Document
from respell.lsp.positions import Lines

# Everything that is counted differently somewhere: astral characters, combining marks, the line
# ends of the protocol, and characters that end lines for Python but not for an editor.
TEXTS = st.text(st.sampled_from("ab é\u0301ß€\u2028\x0c\x85😀🏳️‍🌈\r\n\n\r"), max_size=40) | st.text()
encodings = pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
_BYTES = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def lines_of(text: str, encoding: str) -> Lines:
    return Lines(text, PositionCodec(encoding))


def counted(text: str, offset: int, encoding: str) -> Position:
    """Count lines and code units the slow way: split the text and encode it."""
    before = re.split(r"\r\n|\r|\n", text[:offset])
    codec, width = _BYTES[encoding]
    return Position(len(before) - 1, len(before[-1].encode(codec, "surrogatepass")) // width)


def inside_line_end(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"


@encodings
@given(text=TEXTS, data=st.data())
def test_offsets_survive_the_round_trip(encoding: str, text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    lines = lines_of(text, encoding)
    if inside_line_end(text, offset):
        assert lines.position(offset) == lines.position(offset - 1)
    else:
        assert lines.position(offset) == counted(text, offset, encoding)
        assert lines.offset(lines.position(offset)) == offset


@encodings
@given(text=TEXTS, line=st.integers(0, 50), character=st.integers(0, 200))
def test_every_position_has_an_offset(encoding: str, text: str, line: int, character: int) -> None:
    lines = lines_of(text, encoding)
    offset = lines.offset(Position(line, character))
    assert 0 <= offset <= len(text)
    assert not inside_line_end(text, offset)
    assert lines.position(offset) <= Position(line, character)


@encodings
@given(TEXTS.map(lambda text: re.sub(r"[\r\n]", "", text)))
@example("a😀e\u0301")
def test_every_column_of_a_line(encoding: str, line: str) -> None:
    """A column inside a character, such as one between two surrogates, is before it."""
    codec, width = _BYTES[encoding]
    encoded = line.encode(codec)
    lines = lines_of(f"one\n{line}\r\nthree", encoding)
    for character in range(len(encoded) // width + 3):
        whole = encoded[: character * width].decode(codec, "ignore")
        assert lines.offset(Position(1, character)) == len("one\n") + len(whole)


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 8), ("utf-16", 5), ("utf-32", 4)])
def test_characters_before_a_word_are_counted(encoding: str, character: int) -> None:
    lines = lines_of("One.\r\né😀 teh", encoding)
    assert lines.position(9) == Position(1, character - 1)
    assert lines.offset(Position(1, character - 1)) == 9


def test_position_inside_a_character_is_before_it() -> None:
    assert lines_of("a😀b", "utf-16").offset(Position(0, 2)) == 1
    assert lines_of("a😀b", "utf-8").offset(Position(0, 4)) == 1


def test_position_after_the_end_is_the_end() -> None:
    lines = Lines("one\r\ntwö\r\n")
    assert lines.offset(Position(0, 99)) == 3
    assert lines.offset(Position(1, 99)) == 8
    assert lines.offset(Position(2, 99)) == lines.offset(Position(99, 0)) == 10


@pytest.mark.parametrize(("line", "end"), [(0, 3), (1, 6), (2, 9)])
def test_line_ends_before_trailing_spaces(line: int, end: int) -> None:
    assert Lines("one  \r\r\nx\t").line_end(line) == end


def open_document(text: str, encoding: str) -> Document:
    return Document(uri="", language=PLAIN, version=1, lines=lines_of(text, encoding))


@encodings
@given(data=st.data(), text=TEXTS, wanted=st.lists(TEXTS, max_size=4))
def test_edits_produce_the_text_of_the_editor(
    encoding: str, data: st.DataObject, text: str, wanted: list[str]
) -> None:
    document = open_document(text, encoding)
    changes: list[types.TextDocumentContentChangeEvent] = []
    for new in wanted:
        ends = [i for i in range(len(text) + 1) if not inside_line_end(text, i)]
        start, end = sorted(data.draw(st.tuples(st.sampled_from(ends), st.sampled_from(ends))))
        span = Range(counted(text, start, encoding), counted(text, end, encoding))
        changes.append(types.TextDocumentContentChangePartial(span, new))
        text = text[:start] + new + text[end:]
    document.change(changes, 2)
    assert (document.lines.text, document.version) == (text, 2)


def test_change_without_a_range_replaces_the_whole_text() -> None:
    document = open_document("old", "utf-8")
    whole = types.TextDocumentContentChangeWholeDocument("new 😀 x")
    part = types.TextDocumentContentChangePartial(Range(Position(0, 9), Position(0, 10)), "text")
    document.change([whole, part], 7)
    assert document.lines.text == "new 😀 text"
