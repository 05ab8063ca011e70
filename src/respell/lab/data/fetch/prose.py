"""Take the text out of HTML, XML and Markdown, block by block.

Inline code, formulas and the like become HOLE, so that their sentences can be dropped.
"""

import html
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

from respell.formats.markdown import MarkdownLines
from respell.formats.scanner import FILLER

HOLE = FILLER
"""Stands for what is not prose inside a sentence."""

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_INLINE = frozenset(
    "a abbr acronym app b bdi bdo big cite data del dfn em emphasis font foreign gui guiseq i "
    "input ins key keyseq link mark output q s small span strike strong sub sup sys term time u "
    "wbr".split()
)
"""Elements that do not end a block: those of HTML, CNXML and Mallard."""
_HOLES = frozenset("code kbd samp tt var cmd file math m:math".split())
_HIDDEN = frozenset(
    "script style pre code-block svg table figure nav header footer head button select form "
    "equation metadata info media screen synopsis".split()
)


class _Blocks(HTMLParser):
    """Collects the text of blocks; with selectors, only inside the elements they name."""

    def __init__(self, selectors: Sequence[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self._tags = {name.lower() for name in selectors if not name.startswith(".")}
        self._classes = {name[1:] for name in selectors if name.startswith(".")}
        self._text: list[str] = []
        # Open elements with the name of the outermost selected or hidden element, and that name.
        self._selected = (0, "")
        self._hidden = (0, "")
        self._everything = not selectors

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        depth, name = self._hidden
        if depth:
            self._hidden = depth + (tag == name), name
            return
        depth, name = self._selected
        if depth:
            self._selected = depth + (tag == name), name
        elif tag not in _VOID and self._is_selected(tag, dict(attrs).get("class") or ""):
            self.flush()
            self._selected = 1, tag
        if tag in _HOLES or tag in _HIDDEN:
            self._text.append(f" {HOLE} " if tag in _HOLES else "\n\n")
            self._hidden = 1, tag
        elif tag not in _INLINE:
            self.flush()

    def handle_endtag(self, tag: str) -> None:
        depth, name = self._hidden
        if depth:
            self._hidden = depth - (tag == name), name
            return
        if tag not in _INLINE:
            self.flush()
        depth, name = self._selected
        if depth and tag == name:
            if depth == 1:
                self.flush()
            self._selected = depth - 1, name

    def handle_data(self, data: str) -> None:
        if not self._hidden[0] and (self._everything or self._selected[0]):
            self._text.append(data)

    def flush(self) -> None:
        text = "".join(self._text)
        self._text.clear()
        # Texts selected by a class are shown with their line breaks.
        self.blocks += text.split("\n") if self._classes else re.split(r"\n\s*\n", text)

    def _is_selected(self, tag: str, classes: str) -> bool:
        return tag in self._tags or not self._classes.isdisjoint(classes.split())


def html_blocks(text: str, selectors: Sequence[str]) -> Iterator[str]:
    """Blocks of an HTML or XML text, or of its elements with these names or `.CLASS`es."""
    parser = _Blocks(selectors)
    parser.feed(text)
    parser.close()
    parser.flush()
    yield from filter(str.strip, parser.blocks)


class _Attributes(HTMLParser):
    def __init__(self, tag: str, names: Sequence[str]) -> None:
        super().__init__()
        self.values: list[str] = []
        self._tag, self._names = tag.lower(), [name.lower() for name in names]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == self._tag:
            found = dict(attrs)
            self.values += filter(None, (found.get(name) for name in self._names))


def attribute_values(text: str, options: Sequence[str]) -> Iterator[str]:
    """The values of some attributes of an element: the options are its name and theirs."""
    parser = _Attributes(options[0], options[1:])
    for line in text.splitlines():  # so that large files need no second copy
        parser.feed(line + "\n")
        yield from parser.values
        parser.values.clear()


# Repetitions are bounded, so that strange files take no time that grows with their square.
_MARKDOWN = tuple(
    (re.compile(pattern, re.DOTALL | re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"<!--.*?(?:-->|\Z)", ""),
        (
            r"(?<!`)(`{1,9})(?!`).{1,999}?(?<!`)\1(?!`)|\{\{.{0,999}?\}\}|\{%.{0,999}?%\}"
            r"|\$[^\s$][^$]{0,999}\$(?!\d)",
            f" {HOLE} ",
        ),
        (r"<(code|kbd|samp|tt|var)\b[^>]*>.{0,999}?</\1>", f" {HOLE} "),
        (r"!\[[^\]]{0,999}\](?:\([^)]{0,999}\)|\[[^\]]{0,999}\])", ""),
        (r"\[\^[^\]]{0,99}\]", ""),
        (r"\[\[(?:[^\]|]{0,499}\|)?([^\]|]{0,499})\]\]", r"\1"),
        (r"\[([^\]]{0,999})\]\((?:[^()]|\([^()]{0,999}\)){0,999}\)", r"\1"),
        (r"\[([^\]]{0,999})\]\[[^\]]{0,999}\]", r"\1"),
        (r"\{[:#.][^{}\n]*\}", ""),
        (r"</?[a-z][^<>]{0,999}>", ""),
        (r"\*{1,3}(?=\S)(.{1,999}?)(?<=\S)\*{1,3}", r"\1"),
        (r"(?<!\w)_{1,3}(?=\S)(.{1,999}?)(?<=\S)_{1,3}(?!\w)", r"\1"),
        (r"~~(.{1,999}?)~~", r"\1"),
        (r"\\([!-/:-@\[-`{-~])", r"\1"),
    )
)
_NO_PROSE = re.compile(
    r"\s*(?:#{1,6}\s|\||:{3}|[-=*_]{3,}\s*$|\{\{|\{%|<[a-z!/][^<>]*>\s*$|import\s)"
)
_ITEM = re.compile(r"\s*(?:>\s?|(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?)")
_UNDERLINE = re.compile(r"\s*(?:=+|-+)\s*")


def markdown_blocks(text: str, options: Sequence[str] = ()) -> Iterator[str]:
    """Paragraphs and list items of a Markdown text, without headings, tables and code."""
    block: list[str] = []
    masked = MarkdownLines().mask(text.replace("\r\n", "\n"))
    for line in masked.split("\n"):
        if _UNDERLINE.fullmatch(line):  # of a heading, or a rule
            block.clear()
        if not line.strip() or set(line.split()[0]) == {HOLE} or _NO_PROSE.match(line):
            yield from _paragraph(block)
            continue
        if item := _ITEM.match(line):
            if not (line.lstrip().startswith(">") and block):
                yield from _paragraph(block)
            line = line[item.end() :]
            while item := _ITEM.match(line):
                line = line[item.end() :]
        block.append(line)
    yield from _paragraph(block)


def _paragraph(block: list[str]) -> Iterator[str]:
    """The text of the lines; they are taken out of the list."""
    text = "\n".join(block)
    block.clear()
    for pattern, replacement in _MARKDOWN:
        text = pattern.sub(replacement, text)
    if text.strip():
        yield html.unescape(text)
