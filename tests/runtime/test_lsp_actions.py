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
    for action in found:
        if action.title.startswith("Ignore this line"):
            assert action.edit is not None
            assert action.edit.changes is not None
            (edit,) = action.edit.changes[document.uri]
            at = lines.offset(edit.range.start)
            assert edit.range == lines.range(at, at)
            return lines.text[:at] + edit.new_text + lines.text[at:]
    return None


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


@pytest.mark.parametrize("name", ["plain", "rst", "ini"])
def test_languages_without_comments_at_line_ends_cannot_ignore_a_line(name: str) -> None:
    assert apply_ignore_line(open_document("; I like teh dog.\n", language_named(name))) is None


def test_ignore_line_is_not_offered_if_it_would_end_a_block_comment() -> None:
    css = language_named("css")
    assert apply_ignore_line(open_document("/* I like teh dog,\n   and cats. */\n", css)) is None
    assert apply_ignore_line(open_document("/* I like\n   teh dog. */\n", css)) == (
        "/* I like\n   teh dog. */ /* respell: ignore */\n"
    )


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("nonword", "“teh” is an unknown word; suggestions: the, ten"),
        ("realword", "“teh” may be the wrong word; suggestions: the, ten"),
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
