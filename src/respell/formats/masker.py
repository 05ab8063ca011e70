"""Hide everything that is not prose in a text of some format."""

from collections.abc import Callable, Mapping, Sequence

from respell.formats import asciidoc, html, latex, man, markdown, org, rdoc, rst
from respell.formats.asciidoc import AsciidocLines
from respell.formats.languages import language_named
from respell.formats.man import ManLines
from respell.formats.markdown import MarkdownLines
from respell.formats.mdx import MdxLines
from respell.formats.notebook import NotebookCells
from respell.formats.org import OrgLines
from respell.formats.pragmas import Pragmas
from respell.formats.rdoc import RdocLines
from respell.formats.rst import RstLines
from respell.formats.scanner import Scanner
from respell.formats.source import SYNTAXES, Comments

_Step = Callable[[str], str]


_DOCUMENTS: Mapping[str, Callable[[], Sequence[_Step]]] = {
    "html": lambda: [Scanner(html.RULES, html.FIRST).mask],
    "latex": lambda: [Scanner(latex.RULES, latex.FIRST, ignore_case=False).mask],
    "markdown": lambda: [MarkdownLines().mask, Scanner(markdown.RULES, markdown.FIRST).mask],
    "mdx": lambda: [
        MarkdownLines().mask,
        MdxLines().mask,
        Scanner(markdown.RULES, markdown.FIRST).mask,
    ],
    "rst": lambda: [RstLines().mask, Scanner(rst.RULES, rst.FIRST).mask],
    "asciidoc": lambda: [AsciidocLines().mask, Scanner(asciidoc.RULES, asciidoc.FIRST).mask],
    "org": lambda: [OrgLines().mask, Scanner(org.RULES, org.FIRST).mask],
    "man": lambda: [ManLines().mask, Scanner(man.RULES, man.FIRST, ignore_case=False).mask],
}
_COMMENTS: Mapping[str, Callable[[], Sequence[_Step]]] = {
    "python": lambda: [RstLines().mask],
    "ruby": lambda: [RdocLines().mask, Scanner(rdoc.RULES, rdoc.FIRST).mask],
}
"""The markup of comments and docstrings."""


class Masker:
    """Masks the blocks of one file, given one after the other.

    Maskers with the same `pragmas` mask parts of one document.
    """

    def __init__(self, format: str = "plain", *, pragmas: Pragmas | None = None) -> None:
        language = language_named(format)
        self._pragmas = pragmas = pragmas or Pragmas()
        self._steps = list(_DOCUMENTS[format]()) if format in _DOCUMENTS else []
        if language.syntax is not None:
            self._steps.append(Comments(SYNTAXES[language.syntax]).mask)
        if format in _COMMENTS:
            self._steps += _COMMENTS[format]()
        self._cells = format == "notebook"
        if self._cells:  # pragmas work in cells: a notebook may be a single line
            cells = NotebookCells(lambda: Masker("markdown", pragmas=pragmas).mask)
            self._steps.append(cells.mask)

    def mask(self, block: str) -> str:
        """A text of the same length, with FILLER for every character that is not prose."""
        masked = " " + block[1:] if block.startswith("\ufeff") else block
        for step in self._steps:
            masked = step(masked)
        return masked if self._cells else self._pragmas.mask(block, masked)


def mask(text: str, format: str) -> str:
    """Mask a whole text. In plain text nothing is hidden, not even lines with pragmas."""
    return text if format == "plain" else Masker(format).mask(text)
