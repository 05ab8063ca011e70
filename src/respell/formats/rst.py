"""reStructuredText: hide literals, roles, directives, comments and doctests."""

import re

from respell.formats.scanner import LINE, SOFT_BREAK, WHOLE, Rule, hide, indent_of

RULES = {
    "escape": Rule(r"\\.", keep=WHOLE),
    "literal": Rule(rf"``(?:[^`\n]|`(?!`)|{SOFT_BREAK})+``"),
    "role": Rule(rf":[\w:+.-]{{1,60}}:`(?:[^`\n]|{SOFT_BREAK})+`"),
    "named": Rule(r"`(?=\S)[^`<\n]+`_", keep=WHOLE),
    "interpreted": Rule(r"`(?=\S)[^`<\n]+`(?!_)"),
    "target": Rule(r"<[^<>`\n]+>`__?"),
    "substitution": Rule(r"\|(?=\S)[^|\n]+(?<=\S)\|"),
    "footnote": Rule(r"\[[#*\d][\w-]{0,60}\]_"),
    "reference": Rule(r"(?<=[^\W_])__?(?!\w)", word=True, glue="-0123456789"),
}
FIRST = r"\\`:<|\[_"


class RstLines:
    """Hides literal and doctest blocks, comments, and directives without prose."""

    _DIRECTIVE = re.compile(r"\s*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w:+.-]+)::(?=\s)")
    _FOOTNOTE = re.compile(r"\s*\.\.[ \t]+\[[^\]\n]+\]")
    _FIELD = re.compile(r"\s*:[^:`\n]+:(?=\s)")
    _PROSE = frozenset(
        "note warning tip hint important caution danger error attention admonition seealso topic "
        "sidebar rubric epigraph highlights versionadded versionchanged deprecated".split()
    )
    _CODE = frozenset(
        "code code-block sourcecode math raw image toctree literalinclude include highlight "
        "parsed-literal doctest testcode testoutput graphviz mermaid prompt plot csv-table".split()
    )

    def __init__(self) -> None:
        self._hidden_below: int | None = None  # lines indented deeper than this are hidden
        self._options = False  # just after a directive: its options are not prose
        self._doctest = False  # in a doctest, which ends at a blank line

    def mask(self, text: str) -> str:
        """Hide such lines in the next block."""
        return "".join(map(self._line, LINE.findall(text)))

    def _line(self, line: str) -> str:
        bare, indent = line.strip(), indent_of(line)
        self._doctest = bool(bare) and (self._doctest or bare.startswith(">>>"))
        if not bare:
            return line
        if self._doctest or (self._hidden_below is not None and indent > self._hidden_below):
            return hide(line)
        self._hidden_below = None
        end = 0
        if bare == ".." or bare.startswith(".. "):
            end = self._explicit(line, indent)
        elif field := self._FIELD.match(line):
            end = len(line) if self._options else field.end()
        else:
            self._options = False
            if bare.endswith("::"):
                self._hidden_below = indent
        return hide(line[:end]) + line[end:]

    def _explicit(self, line: str, indent: int) -> int:
        """How many characters of a line that starts with two dots are hidden."""
        if footnote := self._FOOTNOTE.match(line):
            return footnote.end()
        directive = self._DIRECTIVE.match(line)
        self._options = directive is not None
        if directive is None or directive[1] in self._CODE:
            self._hidden_below = indent
        elif directive[1] in self._PROSE:
            return directive.end()
        return len(line)
