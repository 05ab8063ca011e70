"""Hide everything that is not prose in a text of some format."""

from collections.abc import Callable

from respell.formats import html, latex, markdown, rst
from respell.formats.languages import language_named
from respell.formats.markdown import MarkdownLines
from respell.formats.pragmas import Pragmas
from respell.formats.rst import RstLines
from respell.formats.scanner import Scanner
from respell.formats.source import SYNTAXES, Comments

_Step = Callable[[str], str]


def _document_steps(format: str) -> list[_Step]:
    if format == "html":
        return [Scanner(html.RULES, html.FIRST).mask]
    if format == "latex":
        return [Scanner(latex.RULES, latex.FIRST, ignore_case=False).mask]
    if format in ("markdown", "mdx"):
        return [MarkdownLines().mask, Scanner(markdown.RULES, markdown.FIRST).mask]
    if format == "rst":
        return [RstLines().mask, Scanner(rst.RULES, rst.FIRST).mask]
    return []


class Masker:
    """Masks the blocks of one file, given one after the other."""

    def __init__(self, format: str = "plain") -> None:
        language = language_named(format)
        self._steps = _document_steps(format)
        if language.syntax is not None:
            self._steps.append(Comments(SYNTAXES[language.syntax]).mask)
        if format == "python":  # docstrings are parsed as reStructuredText
            self._steps.append(RstLines().mask)
        self._pragmas = Pragmas()

    def mask(self, block: str) -> str:
        """A text of the same length, with FILLER for every character that is not prose."""
        masked = " " + block[1:] if block.startswith("\ufeff") else block
        for step in self._steps:
            masked = step(masked)
        return self._pragmas.mask(block, masked)


def mask(text: str, format: str) -> str:
    """Mask a whole text. In plain text nothing is hidden, not even lines with pragmas."""
    return text if format == "plain" else Masker(format).mask(text)
