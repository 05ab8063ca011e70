"""Diagnostics and quick fixes, without a server."""

import pytest

pytest.importorskip("pygls", reason="needs the extra lsp")

from lsprotocol import types

from respell.formats.languages import LANGUAGES, Language, language_named
from respell.formats.masker import Masker
from respell.formats.scanner import FILLER
from respell.formats.source import SYNTAXES, Comments
from respell.lsp import actions
from respell.lsp.documents import Document
from respell.lsp.positions import Lines
from respell.types import Correction, CorrectionKind, Suggestion

COMMENTABLE = [language for language in LANGUAGES if language.ignore_comment]


def open_document(text: str, language: Language) -> Document:
    """A document in which every "teh" has been found."""
    document = Document(uri="file:///a", language=language, version=1, lines=Lines(text))
    start = -1
    while (start := text.find("teh", start + 1)) >= 0:
        document.found.append(correction(start))
    return document


def correction(
    start: int = 0, *, error_probability: float = 0.95, kind: CorrectionKind = "nonword"
) -> Correction:
    suggestions = (Suggestion("the", 0.9), Suggestion("ten", 0.05))
    return Correction(start, "teh", suggestions, 0.9, error_probability, kind)


def apply_ignore_line(document: Document) -> str | None:
    """The text after the first "Ignore this line", or None if there is no such action."""
    lines = document.lines
    found = actions.code_actions(
        document, lines.range(0, len(lines.text)), only=None, versioned=False
    )
    title = f"Ignore this {document.language.ignored} "
    action = next((action for action in found if action.title.startswith(title)), None)
    if action is None:
        return None
    assert action.edit is not None
    assert action.edit.changes is not None
    text = lines.text
    for edit in reversed(action.edit.changes[document.uri]):
        at = lines.offset(edit.range.start)
        assert edit.range == lines.range(at, at)
        text = text[:at] + edit.new_text + text[at:]
    return text


def sample(language: Language) -> str:
    """A line of prose, or of code with a comment, and another one."""
    assert language.comment is not None
    pattern = language.comment if language.syntax else "{}"
    code = "x = 1 " if language.syntax else ""
    sentences = (f"I like teh {animal}." for animal in ("dog", "cat"))
    return "".join(f"{code}{pattern.format(sentence)}  \r\n" for sentence in sentences)


@pytest.mark.parametrize("language", COMMENTABLE, ids=lambda language: language.name)
def test_ignore_line_hides_exactly_its_line(language: Language) -> None:
    text = sample(language)
    first, second = text.splitlines(keepends=True)
    masked = Masker(language.name).mask(text)
    assert masked.count("teh") == 2
    edited = apply_ignore_line(open_document(text, language))
    assert edited == f"{first.rstrip()} {language.ignore_comment}  \r\n{second}"
    shown, others = Masker(language.name).mask(edited).split("\n", 1)
    assert shown.replace(FILLER, "").strip() == ""
    assert others == masked[len(first) :]


@pytest.mark.parametrize(
    "language", [one for one in COMMENTABLE if one.syntax], ids=lambda language: language.name
)
def test_ignore_comment_is_a_comment_of_the_language(language: Language) -> None:
    assert language.syntax is not None
    masked = Comments(SYNTAXES[language.syntax]).mask(f"x = 1 {language.ignore_comment}\ny = 2\n")
    assert masked.replace(FILLER, " ").split() == ["respell:", "ignore"]


@pytest.mark.parametrize(
    ("name", "text", "edited"),
    [
        ("asciidoc", "a\nteh\nb\n", "a\n// respell: ignore-next-line\nteh\nb\n"),
        ("org", "- a\n  teh\n", "- a\n  # respell: ignore-next-line\n  teh\n"),
        ("ini", "  ; teh\n", "  ; respell: ignore-next-line\n  ; teh\n"),
        ("rst", "a\n\nb teh\nc\n\nd", "a\n\n.. respell: off\n\nb teh\nc\n\n.. respell: on\n\nd"),
        ("rst", "  teh\n  b\n", "  .. respell: off\n\n  teh\n  b\n\n  .. respell: on\n"),
        ("css", "/* teh,\n b. */\n", "/* teh, respell: ignore\n b. */\n"),
        ("css", "/* a\n teh. */\n", "/* a\n teh. */ /* respell: ignore */\n"),
        ("python", '"""Teh teh.\n\nb\n"""\n', '"""Teh teh. respell: ignore\n\nb\n"""\n'),
        ("python", 'x = {-1: "/*"}  # teh\n', 'x = {-1: "/*"}  # teh # respell: ignore\n'),
        ("html", "<p>teh<br>\n", "<p>teh<br> <!-- respell: ignore -->\n"),
        ("lisp", "(f) ; teh\n", "(f) ; teh ; respell: ignore\n"),
        ("sql", "SELECT 1 -- teh\n", "SELECT 1 -- teh -- respell: ignore\n"),
    ],
)
def test_ignore_line_fits_its_place(name: str, text: str, edited: str) -> None:
    assert apply_ignore_line(open_document(text, language_named(name))) == edited
    assert "teh" in Masker(name).mask(text)
    assert "teh" not in Masker(name).mask(edited)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", "teh\n"),
        ("notebook", '"teh"'),
        ("markdown", "teh <a\nhref='x'>b</a>\n"),
        ("c", "#define A /* teh */ \\\n  1\n"),
    ],
)
def test_a_comment_that_would_change_the_meaning_is_not_offered(name: str, text: str) -> None:
    assert apply_ignore_line(open_document(text, language_named(name))) is None


def test_every_language_with_comments_can_ignore() -> None:
    without = {one.name for one in LANGUAGES if not (one.comment or one.above)}
    assert without == {"plain", "notebook"}
    assert not any(one.comment and one.above for one in LANGUAGES)


def typed(text: str, *edits: tuple[int, int, str]) -> Document:
    """A document after one message with some edits, in which every "teh" has been found."""
    document = open_document(text, language_named("plain"))
    events = []
    for start, end, new in edits:
        lines = Lines(text)
        events.append(types.TextDocumentContentChangePartial(lines.range(start, end), new))
        text = text[:start] + new + text[end:]
    document.change(events, 2)
    assert document.lines.text == text
    document.found = open_document(text, language_named("plain")).found
    return document


@pytest.mark.parametrize(
    ("text", "edits", "shown"),
    [
        ("teh te", [(6, 6, "h")], [0]),
        ("teh te", [(6, 6, "h ")], [0, 4]),
        ("tehx a", [(3, 4, "")], []),
        ("teh", [(0, 0, "a b ")], [4]),
        ("ehteh", [(0, 2, "")], [0]),
        ("teh", [(3, 3, " more")], [0]),
        ("te te a", [(5, 5, "h"), (2, 2, "h")], []),
        ("te te a", [(2, 2, "h"), (6, 6, "h")], []),
        ("te\nteh\n", [(2, 2, "h")], [4]),
    ],
)
def test_a_word_that_is_being_typed_is_not_reported(
    text: str, edits: list[tuple[int, int, str]], shown: list[int]
) -> None:
    document = typed(text, *edits)
    assert [found.start for found in document.shown()] == shown
    held = len(document.corrections()) - len(shown)
    assert document.stop_typing() == (held > 0)
    assert document.shown() == document.corrections()
    assert not document.stop_typing()


def test_a_text_that_is_replaced_as_a_whole_is_reported() -> None:
    document = open_document("te", language_named("plain"))
    document.change([types.TextDocumentContentChangeWholeDocument("teh")], 2)
    document.found = [correction()]
    assert document.shown() == document.found


def test_a_word_that_is_being_typed_has_actions_only_when_they_are_asked_for() -> None:
    document = typed("teh te", (6, 6, "h"))
    cursor = document.lines.range(7, 7)

    def titles(*, typed: bool) -> list[str]:
        found = actions.code_actions(document, cursor, only=None, versioned=False, typed=typed)
        return [action.title for action in found]

    assert titles(typed=False) == ["Fix all misspellings in this file (1)"]
    assert titles(typed=True)[0] == "Replace “teh” with “the”"
    assert actions.touches_typing(document, cursor)
    assert not actions.touches_typing(document, document.lines.range(0, 2))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("nonword", "“teh” is an unknown word; suggestions: the, ten"),
        ("realword", "“teh” may be the wrong word; suggestions: the, ten"),
        ("split", "“teh” should be two words: the, ten"),
        ("join", "“teh” should be one word: the, ten"),
    ],
)
def test_diagnostic_says_what_is_wrong(kind: CorrectionKind, message: str) -> None:
    found = correction(3, kind=kind)
    diagnostic = actions.diagnostic(Lines("😀. teh"), found)
    assert diagnostic.message == message
    assert diagnostic.data == found.to_dict()
    assert diagnostic.range == types.Range(types.Position(0, 4), types.Position(0, 7))


@pytest.mark.parametrize(
    ("error_probability", "severity"),
    [(0.9, types.DiagnosticSeverity.Warning), (0.89, types.DiagnosticSeverity.Information)],
)
def test_severity_follows_the_error_probability(
    error_probability: float, severity: types.DiagnosticSeverity
) -> None:
    found = correction(error_probability=error_probability)
    assert actions.diagnostic(Lines("teh"), found).severity == severity
