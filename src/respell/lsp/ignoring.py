"""Comments that exclude a line, or a paragraph, from checking."""

import re

from lsprotocol import types

from respell.formats.languages import Language
from respell.formats.pragmas import IGNORE_LINE
from respell.formats.source import SYNTAXES, Comments
from respell.lsp.documents import Document
from respell.types import Correction

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")


def ignore_edits(document: Document, correction: Correction) -> list[types.TextEdit]:
    """The edits that add the comment; none where a comment would change the meaning."""
    lines, language = document.lines, document.language
    text = lines.text
    line = lines.position(correction.start).line
    end = lines.line_end(line)
    if language.comment is not None:
        comment = _comment(language, text[:end])
        return [types.TextEdit(lines.range(end, end), f" {comment}")] if comment else []
    if language.apart:
        return _around_paragraph(document, correction)
    start = lines.offset(types.Position(line, 0))
    indent = re.match(r"[ \t]*", text[start:end])
    margin = indent[0] if indent and language.name != "asciidoc" else ""
    return [
        types.TextEdit(lines.range(start, start), f"{margin}{comment}\n")
        for comment in language.comments_above
    ]


def _comment(language: Language, before: str) -> str | None:
    """The comment for the end of a line, given the text up to there."""
    if language.syntax is None:
        tag_is_open = before.rfind("<") > before.rfind(">")
        return None if "<" in (language.comment or "") and tag_is_open else language.ignore_comment
    comments = Comments(SYNTAXES[language.syntax])
    comments.mask(before)
    if comments.goes_on:
        return IGNORE_LINE  # another comment would end the one around it
    return None if before.endswith("\\") else language.ignore_comment


def _around_paragraph(document: Document, correction: Correction) -> list[types.TextEdit]:
    """Comments above and below the paragraph, as far to the right as its first line."""
    lines, text = document.lines, document.lines.text
    breaks = list(_BLANK_LINE.finditer(text))
    start = max((b.end() for b in breaks if b.end() <= correction.start), default=0)
    end = min((b.start() for b in breaks if b.start() >= correction.end), default=len(text))
    end = start + len(text[start:end].rstrip())
    indent = re.match(r"[ \t]*", text[start:end])
    margin = indent[0] if indent else ""
    above, below = (f"{margin}{comment}" for comment in document.language.comments_above)
    return [
        types.TextEdit(lines.range(start, start), f"{above}\n\n"),
        types.TextEdit(lines.range(end, end), f"\n\n{below}"),
    ]
