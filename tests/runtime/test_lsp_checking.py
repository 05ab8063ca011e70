"""Documents are checked repeatedly, but every sentence only once."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import ALWAYS, Fake, fake_bundle
from respell.corrector import Corrector
from respell.formats.masker import Masker
from respell.formats.scanner import FILLER
from respell.lsp import checking
from respell.lsp.checking import Checker, Checkers, StaleError
from respell.model.bundle import Bundle, default_path
from respell.options import CorrectorOptions
from respell.text.windows import Window
from respell.types import Correction, Error

SPACES = (" ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\n \t\n")
MARKS = ("`x y`", "`", '"', ")", ".", "😀", FILLER)
WORDS = ("teh", "Teh", "NASA", "NASA IS HERE", "wo", "n't", "U.S.", "a.b.c", "x_y", "Bob's")
PIECES = st.sampled_from((*SPACES, *MARKS, *WORDS))
DOCUMENT = "One apple. Two apples.\n\nThree teh apples.\nFour.\n \nFive apples!\n"


class Counting(Corrector):
    """A corrector that records what goes through its model."""

    def __init__(self) -> None:
        super().__init__(fake_bundle(length=8), Fake({"teh": (("the", 0.9),)}))
        self.calls: list[list[str]] = []

    def check_windows(self, windows: Iterable[Window], owners: int) -> list[list[Correction]]:
        windows = list(windows)
        self.calls.append([" ".join(token.text for token in w.tokens) for w in windows])
        return super().check_windows(windows, owners)


@pytest.fixture
def corrector() -> Counting:
    return Counting()


def test_sentence_is_checked_once(corrector: Counting) -> None:
    checker = Checker(corrector, evidence=False)
    (found,) = checker.check(DOCUMENT)
    assert (found.start, found.original) == (DOCUMENT.index("teh"), "teh")
    assert checker.check(DOCUMENT) == [found]
    assert len(corrector.calls) == 1


def test_after_an_edit_only_new_sentences_are_checked(corrector: Counting) -> None:
    checker = Checker(corrector, evidence=False)
    checker.check(DOCUMENT)
    first, second = checker.check("So! " + DOCUMENT.replace("Two", "Teh"))
    assert corrector.calls[1:] == [["So !", "Teh apples ."]]
    assert (first.start, second.start) == (15, DOCUMENT.index("teh") + 4)


def test_long_block_is_cached_by_sentences(corrector: Counting) -> None:
    checker = Checker(corrector, evidence=False)
    text = " ".join(f"Apple {'x' * i} is here." for i in range(1, 400))
    checker.check(text)
    checker.check(text.replace("xxx is", "teh is", 1))
    assert sum(map(len, corrector.calls[1:])) == 1


def test_document_larger_than_the_cache(corrector: Counting) -> None:
    text = "\n\n".join(f"Teh {'x' * i}." for i in range(1, 50))
    assert len(Checker(corrector, cached=3, evidence=False).check(text)) == 49


@given(st.lists(PIECES).map("".join))
def test_blocks_get_the_answers_of_the_corrector(text: str) -> None:
    corrector = Corrector(fake_bundle(length=8), Fake(otherwise=ALWAYS))
    checker = Checker(corrector, evidence=False)
    wanted: list[Correction] = []
    start = 0
    masked = Masker("markdown").mask(text)
    for block in checking._BLANK.split(masked):
        start = masked.index(block, start)
        wanted += [replace(c, start=c.start + start) for c in corrector.check(block)]
        start += len(block)
    assert not any(FILLER in c.original for c in wanted)
    for _ in range(2):
        found = checker.check(text, format="markdown")
        assert [c.to_dict() for c in found] == [c.to_dict() for c in wanted]


def test_markup_and_pragmas_are_skipped(corrector: Counting) -> None:
    text = "`teh` teh\n\n    teh\n\nteh <!-- respell: ignore -->\n"
    assert [
        found.start for found in Checker(corrector, evidence=False).check(text, format="markdown")
    ] == [6]
    assert len(Checker(corrector, evidence=False).check(text)) == 2


def test_stale_check_stops_but_keeps_its_answers(
    corrector: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "GROUP_WORDS", 6)
    checker = Checker(corrector, evidence=False)
    with pytest.raises(StaleError):
        checker.check(DOCUMENT, stale=lambda: len(corrector.calls) == 1)
    assert corrector.calls == [["One apple .", "Two apples ."]]
    checker.check(DOCUMENT)
    assert "One apple ." not in chain.from_iterable(corrector.calls[1:])


def test_checkers_load_a_model_once_and_use_the_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[Path] = []

    def read(path: Path) -> Bundle:
        loaded.append(path)
        return fake_bundle()

    monkeypatch.setattr(Bundle, "read", read)
    answers = {"teh": (("the", 0.9),), "recieve": (("receive", 0.9), ("apple", 0.05))}
    monkeypatch.setattr(checking, "open_session", lambda *_, **__: Fake(answers))
    checkers = Checkers()
    plain = checkers.get(CorrectorOptions())
    assert checkers.get(CorrectorOptions()) is plain
    options = CorrectorOptions(dictionary=frozenset({"Teh"}), max_suggestions=1)
    with_words = checkers.get(options)
    assert [c.original for c in plain.check("teh recieve")] == ["teh", "recieve"]
    assert [len(c.suggestions) for c in with_words.check("teh recieve")] == [1]
    assert checkers.get(CorrectorOptions(threshold=0.95)).check("teh recieve") == []
    assert loaded == [default_path()]
    with pytest.raises(Error, match="no preset 'bold'"):
        checkers.get(CorrectorOptions(preset="bold"))
