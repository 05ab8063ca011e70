"""AsciiDoc: hide code, attributes, macros, link targets and comments."""

import re

from respell.formats import markdown
from respell.formats.html import ENTITIES, splitting_word
from respell.formats.scanner import LINE, SOFT_BREAK, WHOLE, Rule, hide

RULES = {
    "escape": Rule(r"\\[`'+{*_#<\[(^~]", keep=WHOLE),
    "passthrough": Rule(r"(?P<pluses>\+{2,3})(?=[^\s+])[^\n]{1,500}?(?P=pluses)|\$\$[^$\n]+\$\$"),
    # "`a quotation`" has typographic quotes, but one word in them is code.
    "quotation": Rule(r"[\"']`(?=\w[^`\n$=<>{}()|\\/_;]{0,300}`[\"'])(?=[^\s`]{1,60}\s)"),
    "quotation_end": Rule(r"(?<=[\w.,:;!?)])`[\"'](?!\w)"),
    "literal": Rule(rf"(?<![\w`])``(?=[^\s`])(?:[^`'\n]|{SOFT_BREAK}|'(?!')|`(?!`))*+``"),
    "monospace": Rule(rf"(?<![\w`])`(?=[^\s`])(?:[^`\n]|{SOFT_BREAK})++(?<=\S)`", word=True),
    "plus": Rule(r"(?<![\w+])\+(?=[^\s+])[^+\n]{1,200}(?<=\S)\+(?![\w+])"),
    # 'text' is emphasis in old AsciiDoc. One word, a command and an option are not prose.
    "emphasised": Rule(
        rf"(?<![\w'])'(?:[^\s'\"]{{1,99}}|(?:git\s|-|<)(?:[^'\n]|{SOFT_BREAK}){{1,199}}(?<=\S))'(?!\w)"
    ),
    "attribute": Rule(r"\{\w[^{}\n]{0,80}\}", word=True),
    "text_macro": Rule(
        r"\b(?:(?:link|xref|mailto|footnote(?:ref)?):|(?:https?|ftp|irc)://)[^\s\[\]<>]{0,999}\["
    ),
    "macro": Rule(
        r"(?<=[a-z\d]):(?![:\s])[^\s\[\]]{0,300}\[[^\]\n]{0,300}\]", word=True, glue="0123456789"
    ),
    "cross_reference": Rule(r"<<[^<>,\n]{1,200}(?:,|>>)"),
    "callout": Rule(r"<(?:\d{1,2}|\.)>"),
    "placeholder": Rule(r"<[a-z][\w .,:|=/@+-]{0,60}>", word=True, glue="-"),
    "anchor": Rule(r"\[{2,3}[^\[\]\n]{1,200}\]{2,3}"),
    "role": Rule(r"\[[.#%\w][^\[\]\n]{0,60}\](?=[#*_`])"),
    "options": Rule(r"(?<![\w-])--?\[no-\][\w-]*"),
    # The options of a link: link:target[text,window=_blank] and link:target[text^]
    "named": Rule(r",[ \t]?[a-z]+=(?:\"[^\"\n]{0,99}\"|[^\s\],]{1,99})(?=[,\]])|\^(?=\])"),
    "script": Rule(r"(?<=\w)(?P<mark>[~^])[^\s~^]{1,20}(?P=mark)", word=True),
    "cutting": splitting_word(r"\*{1,2}|__|##|``"),
    "emphasis": markdown.RULES["emphasis"],
    "underscores": markdown.RULES["underscores"],
    "marked": Rule(r"(?<!\w)#{1,2}(?=\w[^#\n]{0,300}#)|(?<=[\w.,:;!?)])(?<![CFJ])#{1,2}(?!\w)"),
    "index": Rule(r"\({3}[^()\n]{0,200}\){3}"),
    "page": Rule(r"(?<=\w)\(\d[a-z]{0,3}\)(?!\w)", word=True, glue="-._+0123456789"),
    "sign": ENTITIES["sign"],
    "letter": ENTITIES["letter"],
}
FIRST = r"\\`'\"+${:<\[\-,*_#~\^(&lxmfhi"


class AsciidocLines:
    """Hides blocks of code, comments, attributes, block macros and literal paragraphs."""

    _DELIMITER = re.compile(r"(-{2}|-{4,}|\.{4,}|\+{4,}|/{4,}|={4,}|\*{4,}|_{4,}|[|,:!]={3,})\Z")
    _FENCE = re.compile(r"(```)[^`]*\Z")
    _CONTINUATION = re.compile(r"\+\Z|'{3,}\Z|<{3,}\Z|-{3}\Z|\*{3}\Z")
    _ATTRIBUTE = re.compile(r":!?\w[\w-]*!?:(?:\s|\Z)")
    _BLOCK_ATTRIBUTES = re.compile(r"\[(,|[\w-]*)(?:[^\[\]\"]|\"[^\"]*\")*+\]\Z|\[\[[^\[\]]*\]\]\Z")
    _CODE = frozenset(
        ", source listing literal pass stem latexmath asciimath comment synopsis ditaa plantuml "
        "graphviz mermaid".split()
    )
    _COMMENT = re.compile("//(?!/)")
    _MACRO = re.compile(r"ifn?def::[^\s\[]*\[\]?|[a-z]\w*::[^\s\[]*\[[^\]]*\]\Z")
    _TITLE = re.compile(r"(?:={1,6}|#{1,6})[ \t]+(\S.*)")
    _ITEM = re.compile(r"[ \t]*(?:[*.-]{1,6}|\d+\.|[a-zA-Z]\.)[ \t]")
    _TERM = re.compile(r"[ \t]*(\S.*?)(?::{2,4}|;;)(?=\s|\Z)")
    # Terms that are not prose: options, commands, settings, and words in lower case.
    _CODE_TERM = re.compile(
        r"[-'`<$({]|git[ -]|[a-z][\w:./-]*\Z|\S*[\w-][._=<:/$*\[]\S|.*<[\w -]+>"
    )
    _NAME = re.compile(r"[\w.+-]+(?:, [\w.+-]+)* - ")
    _CELL = re.compile(r"(?<!\S)(?:[\d.]{1,6}[+*])?[<^>.]{0,4}[adehlmsv]?\|")

    def __init__(self) -> None:
        self._end: str | None = None  # what ends the open block of code
        self._code = False  # the next block is code, by its attributes
        self._hidden = False  # in a paragraph of code
        self._gap = True  # at the start of a paragraph
        self._term = False  # the last line was a term whose text follows
        self._title = ""  # the last line, if it may be a title
        self._section = ""
        self._continued = False  # the last line was an attribute that goes on here
        self._table = False

    def mask(self, text: str) -> str:
        """Hide such lines in the next block."""
        return "".join(map(self._line, LINE.findall(text)))

    def _line(self, line: str) -> str:
        bare = line.rstrip()
        if self._end is not None:
            self._end = None if bare == self._end else self._end
            return hide(line)
        title, self._title = self._title, ""
        if not bare or self._CONTINUATION.match(bare):
            self._gap, self._hidden = True, False
            self._term = self._term and not bare
            return hide(line)
        if self._hidden:
            return hide(line)
        if self._is_underline(bare, title) or self._is_delimiter(bare) or self._is_markup(bare):
            return hide(line)
        return self._paragraph(line, bare)

    def _is_underline(self, bare: str, title: str) -> bool:
        """Whether the line underlines a title; dashes of another length open a block of code."""
        if bare[0] not in "=-~^+" or bare.strip(bare[0]) or abs(len(bare) - len(title)) > 1:
            return False
        if len(bare) < 3 or title.endswith(":"):
            return False
        self._section, self._gap = title, True
        return True

    def _is_delimiter(self, bare: str) -> bool:
        """Whether the line delimits a block. A block of code is hidden up to its end."""
        delimiter = self._DELIMITER.match(bare) or self._FENCE.match(bare)
        if delimiter is None:
            return False
        if self._code or bare[0] in ".+/`" or bare.startswith("----"):
            self._end = delimiter[1]
        elif bare[0] in "|,:!":
            self._table = not self._table
        self._code, self._gap, self._term = False, True, False
        return True

    def _is_markup(self, bare: str) -> bool:
        """Whether the line is an attribute or a comment."""
        if self._continued or self._ATTRIBUTE.match(bare):
            self._continued = bare.endswith(" \\")
            return True
        if attributes := self._BLOCK_ATTRIBUTES.match(bare):
            self._code = self._code or attributes[1] in self._CODE
            self._gap = True
            return True
        return self._COMMENT.match(bare) is not None

    def _paragraph(self, line: str, bare: str) -> str:
        if macro := self._MACRO.match(bare):
            return hide(line[: macro.end()]) + line[macro.end() :]
        if title := self._TITLE.match(bare):
            self._section, self._gap, self._term = title[1], True, False
            return line
        term = None if self._table else self._TERM.match(line)
        if self._gap:
            self._hidden = self._code or (not term and self._is_literal(line))
            self._title = bare
        self._gap = self._code = False
        self._term = term is not None and term.end() == len(bare)
        if self._hidden or self._section == "SYNOPSIS":
            return hide(line)
        return self._prose(line, term)

    def _is_literal(self, line: str) -> bool:
        """Whether a paragraph is code because its first line is indented."""
        return line[0] in " \t" and not (self._term or self._table or self._ITEM.match(line))

    def _prose(self, line: str, term: re.Match[str] | None) -> str:
        if self._table:
            return self._CELL.sub(lambda cell: hide(cell[0]), line)
        if term and self._CODE_TERM.match(term[1]):
            return hide(line[: term.end()]) + line[term.end() :]
        name = self._NAME.match(line) if self._section == "NAME" else None
        end = name.end() if name else 0
        return hide(line[:end]) + line[end:]
