"""Turn corrections into diagnostics, quick fixes and edits of the protocol."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from lsprotocol import types

from respell.lsp.documents import Document
from respell.lsp.ignoring import ignore_edits
from respell.lsp.positions import Lines
from respell.types import SPACING, Correction

ADD_WORD = "respell.addWord"
IGNORE_WORD = "respell.ignoreWord"
# Not a kind of source.fixAll: many editors apply those on save, and corrections need a review.
FIX_ALL = "source.respell.fixAll"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)
_MakeEdit = Callable[[Iterable[types.TextEdit]], types.WorkspaceEdit]
WARNING_PROBABILITY = 0.9
"""From this error probability on, a diagnostic is a warning; below it, an information."""
_PROBLEMS = {
    "nonword": "is an unknown word",
    "realword": "may be the wrong word",
    "variant": "is the other spelling variant",
    "split": "should be two words",
    "join": "should be one word",
}


def diagnostic(lines: Lines, correction: Correction) -> types.Diagnostic:
    """The diagnostic of one misspelling; its data is the correction as a JSON object."""
    likely = correction.error_probability >= WARNING_PROBABILITY
    severity = types.DiagnosticSeverity.Warning if likely else types.DiagnosticSeverity.Information
    suggestions = ", ".join(suggestion.text for suggestion in correction.suggestions)
    problem = f"“{correction.original}” {_PROBLEMS[correction.kind]}"
    lead = "" if correction.kind in SPACING else "; suggestions"
    return types.Diagnostic(
        range=lines.range(correction.start, correction.end),
        severity=severity,
        code="respell",
        source="respell",
        message=f"{problem}{lead}: {suggestions}",
        data=correction.to_dict(),
    )


def touches_typing(document: Document, chosen: types.Range) -> bool:
    """Whether a range touches a word that is still being typed."""
    start, end = document.lines.offset(chosen.start), document.lines.offset(chosen.end)
    held = filter(document.is_typed, document.corrections())
    return any(found.start <= end and start <= found.end for found in held)


def code_actions(
    document: Document,
    chosen: types.Range,
    *,
    only: Sequence[str] | None,
    versioned: bool,
    typed: bool = True,
) -> list[types.CodeAction]:
    """The actions for the misspellings in a range, and the action that fixes the whole file.

    If not `typed`, a word that is still being typed has none.
    """

    def edit(edits: Iterable[types.TextEdit]) -> types.WorkspaceEdit:
        return _edit(document, list(edits), versioned=versioned)

    lines = document.lines
    corrections = document.corrections() if typed else document.shown()
    start, end = lines.offset(chosen.start), lines.offset(chosen.end)
    actions: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix, only):
        for correction in corrections:
            if correction.start <= end and start <= correction.end:
                actions += _fixes(document, correction, edit)
    if corrections and _wanted(FIX_ALL, only):
        title = f"Fix all misspellings in this file ({len(corrections)})"
        everything = edit(_replace(lines, c, c.replacement) for c in corrections)
        actions.append(types.CodeAction(title=title, kind=FIX_ALL, edit=everything))
    return actions


def _wanted(kind: str, only: Sequence[str] | None) -> bool:
    return not only or any(kind == asked or kind.startswith(f"{asked}.") for asked in only)


def _fixes(
    document: Document, correction: Correction, edit: _MakeEdit
) -> Iterator[types.CodeAction]:
    lines, word = document.lines, correction.original
    diagnostics = [diagnostic(lines, correction)]
    for rank, suggestion in enumerate(correction.suggestions):
        yield types.CodeAction(
            title=f"Replace “{word}” with “{suggestion.text}”",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=diagnostics,
            is_preferred=rank == 0,
            edit=edit([_replace(lines, correction, suggestion.text)]),
        )
    add, ignore = f"Add “{word}” to the dictionary", f"Ignore “{word}” in this file for now"
    commands = [(add, ADD_WORD), (ignore, IGNORE_WORD)]
    if correction.kind == "join":  # two words are no word of a dictionary
        del commands[0]
    for title, command in commands:
        yield types.CodeAction(
            title=title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=diagnostics,
            command=types.Command(title=title, command=command, arguments=[document.uri, word]),
        )
    edits = ignore_edits(document, correction)
    if edits:
        yield types.CodeAction(
            title=f"Ignore this {document.language.ignored} (adds a comment)",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=diagnostics,
            edit=edit(edits),
        )


def _replace(lines: Lines, correction: Correction, text: str) -> types.TextEdit:
    return types.TextEdit(lines.range(correction.start, correction.end), text)


def _edit(
    document: Document, edits: list[types.TextEdit], *, versioned: bool
) -> types.WorkspaceEdit:
    """An edit of the document. Editors reject a versioned one if the text has changed since."""
    if not versioned:
        return types.WorkspaceEdit(changes={document.uri: edits})
    name = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(name, list(edits))])
