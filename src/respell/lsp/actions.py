"""Corrections as the protocol has them: diagnostics, quick fixes and edits."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from lsprotocol import types

from respell.lsp.documents import Document
from respell.lsp.positions import Lines, Place
from respell.lsp.settings import ignore_comment
from respell.types import Correction

ADD_WORD = "respell.addWord"
IGNORE_WORD = "respell.ignoreWord"
# Not below source.fixAll: that is for fixes beyond doubt, and many editors apply those on saving.
FIX_ALL = "source.respell.fixAll"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)
_MakeEdit = Callable[[Iterable[types.TextEdit]], types.WorkspaceEdit]
SURE = 0.9
"""A word that is this likely wrong gets a warning, others an information."""


def span(lines: Lines, start: int, end: int) -> types.Range:
    """Two offsets as a range of the protocol."""
    return types.Range(
        types.Position(*lines.place(start)),
        types.Position(*lines.place(end)),
    )


def place(position: types.Position) -> Place:
    """A position of the protocol as a place."""
    return Place(position.line, position.character)


def diagnostic(lines: Lines, correction: Correction) -> types.Diagnostic:
    """One misspelling, with its suggestions for clients that want to show them their own way."""
    sure = correction.wrong >= SURE
    suggestions = ", ".join(suggestion.text for suggestion in correction.suggestions)
    return types.Diagnostic(
        range=span(lines, correction.start, correction.end),
        severity=types.DiagnosticSeverity.Warning if sure else types.DiagnosticSeverity.Information,
        code="respell",
        source="respell",
        message=f"“{correction.original}” looks misspelled; suggestions: {suggestions}",
        data={
            "suggestions": [
                {"text": s.text, "probability": s.probability} for s in correction.suggestions
            ],
            "score": correction.score,
        },
    )


def code_actions(
    document: Document, chosen: types.Range, *, only: Sequence[str] | None, versioned: bool
) -> list[types.CodeAction]:
    """What can be done about the misspellings in a range, and about all of them."""

    def edit(edits: Iterable[types.TextEdit]) -> types.WorkspaceEdit:
        return _edit(document, list(edits), versioned=versioned)

    lines, corrections = document.lines, document.corrections()
    start, end = lines.offset(place(chosen.start)), lines.offset(place(chosen.end))
    actions: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix, only):
        for correction in corrections:
            if correction.start <= end and start <= correction.end:
                actions += _fixes(document, correction, edit)
    if corrections and _wanted(FIX_ALL, only):
        title = f"Fix all spelling in this file ({len(corrections)})"
        everything = edit(_replace(lines, c, c.suggestions[0].text) for c in corrections)
        actions.append(types.CodeAction(title=title, kind=FIX_ALL, edit=everything))
    return actions


def _wanted(kind: str, only: Sequence[str] | None) -> bool:
    return not only or any(kind == asked or kind.startswith(f"{asked}.") for asked in only)


def _fixes(
    document: Document, correction: Correction, edit: _MakeEdit
) -> Iterator[types.CodeAction]:
    lines, word = document.lines, correction.original
    found = [diagnostic(lines, correction)]
    for rank, suggestion in enumerate(correction.suggestions):
        yield types.CodeAction(
            title=f"Replace “{word}” by “{suggestion.text}”",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=found,
            is_preferred=rank == 0,
            edit=edit([_replace(lines, correction, suggestion.text)]),
        )
    add, ignore = f"Add “{word}” to the dictionary", f"Ignore “{word}” in this file for now"
    for title, command in ((add, ADD_WORD), (ignore, IGNORE_WORD)):
        yield types.CodeAction(
            title=title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=found,
            command=types.Command(title=title, command=command, arguments=[document.uri, word]),
        )
    comment = ignore_comment(document.extension)
    if comment:
        at = lines.line_end(lines.place(correction.start).line)
        yield types.CodeAction(
            title="Ignore this line (adds a comment)",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=found,
            edit=edit([types.TextEdit(span(lines, at, at), f" {comment}")]),
        )


def _replace(lines: Lines, correction: Correction, text: str) -> types.TextEdit:
    return types.TextEdit(span(lines, correction.start, correction.end), text)


def _edit(
    document: Document, edits: list[types.TextEdit], *, versioned: bool
) -> types.WorkspaceEdit:
    """An edit of the document; a versioned one cannot hit a text that has changed since."""
    if not versioned:
        return types.WorkspaceEdit(changes={document.uri: edits})
    name = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(name, list(edits))])
