"""Turn files of many formats into blocks of text, in steps named by the list of corpora.

A step takes a text and options and yields texts. `json:answer` yields the strings of the key
"answer"; `markdown` after it takes the prose out of each of them.
"""

import csv
import html
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from respell.lab.data.fetch.prose import attribute_values, html_blocks, markdown_blocks
from respell.lab.data.pretokenize import detokenize
from respell.types import Error

Step = Callable[[str, Sequence[str]], Iterable[str]]
BINARY = "rda"
"""The one step that takes a binary file, decoded as Latin-1."""
_SHORT = 55
"""A line of a wrapped text that is shorter than this, and ends a sentence, ends a paragraph."""


def extract(text: str, steps: Sequence[str]) -> Iterator[str]:
    """Apply the steps to a text, one after the other."""
    if not steps:
        yield text
        return
    name, _, options = steps[0].partition(":")
    for block in STEPS[name](text, options.split(",") if options else ()):
        yield from extract(block, steps[1:])


def decode(data: bytes, steps: Sequence[str]) -> str:
    """The text of a file: UTF-8, or else Windows-1252, which has all of Latin-1's letters."""
    if steps[0] == BINARY:
        return data.decode("latin-1")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _paragraphs(text: str, _: Sequence[str]) -> Iterator[str]:
    """Paragraphs between blank lines."""
    return (part for part in re.split(r"\n[ \t\r]*\n", text) if part.strip())


def _lines(text: str, _: Sequence[str]) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip())


def _split(text: str, marks: Sequence[str]) -> Iterator[str]:
    """The parts between marks."""
    return (part for part in re.split("|".join(map(re.escape, marks)), text) if part.strip())


_EBOOK = re.compile(
    r"(?:.*?\n\*\*\* ?START OF [^\n]*\n)?(.*?)(?:\n(?:\*\*\* ?|)END OF (?:THE|THIS) PROJECT.*)?\Z",
    re.DOTALL | re.IGNORECASE,
)


def _ebook(text: str, options: Sequence[str]) -> Iterator[str]:
    """Paragraphs of a wrapped text, such as one of Project Gutenberg, without its licence."""
    match = _EBOOK.match(text.replace("\r\n", "\n"))
    for part in _paragraphs(match[1] if match else text, options):
        paragraph: list[str] = []
        for line in part.split("\n"):
            if line.isupper() or line.startswith("[Illustration"):
                continue
            paragraph.append(line)
            if len(line) < _SHORT and re.search(r"[.!?][\"')]*\s*$", line):
                yield "\n".join(paragraph)
                paragraph.clear()
        yield "\n".join(paragraph)


_ARTICLE = re.compile(r"<doc\b[^>]*>\s*[^\n]*\n(.*?)</doc>", re.DOTALL)


def _wikiextractor(text: str, _: Sequence[str]) -> Iterator[str]:
    """Paragraphs of the articles that WikiExtractor writes, without their titles."""
    for article in _ARTICLE.finditer(text):
        for line in article[1].splitlines():
            if line.strip() and not line.startswith(("BULLET::::", "Section::::")):
                yield line


_MAIL_END = re.compile(r"^[ \t]*-{3,}[ \t]*(?:Original Message|Forwarded by).*", re.M | re.S | re.I)
_MAIL_LINE = re.compile(r"^(?:>.*|[ \t]*(?:from|to|cc|bcc|sent|date|subject|re):.*)$", re.M | re.I)


def _mail(text: str, options: Sequence[str]) -> Iterator[str]:
    """Paragraphs of an e-mail, without headers, quoted lines and forwarded messages."""
    _, _, body = text.replace("\r\n", "\n").partition("\n\n")
    return _paragraphs(_MAIL_LINE.sub("", _MAIL_END.sub("", body)), options)


def _json(text: str, keys: Sequence[str]) -> Iterator[str]:
    """The strings under these keys, at any depth, of JSON or of lines of JSON; or all strings."""
    try:
        values = [json.loads(text)]
    except json.JSONDecodeError:
        values = [
            _json_line(line, i) for i, line in enumerate(text.splitlines(), 1) if line.strip()
        ]
    for value in values:
        yield from _strings(value, frozenset(keys), not keys)


def _json_line(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise Error(f"line {number} is not JSON ({error})") from error


def _strings(value: Any, keys: frozenset[str], wanted: bool) -> Iterator[str]:
    match value:
        case str() if wanted:
            yield value
        case list():
            for item in value:
                yield from _strings(item, keys, wanted)
        case dict():
            for key, item in value.items():
                yield from _strings(item, keys, not keys or key in keys)


def _csv(text: str, columns: Sequence[str]) -> Iterator[str]:
    """The cells of these columns."""
    csv.field_size_limit(1 << 30)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    for column in columns:
        if column not in (reader.fieldnames or ()):
            raise Error(f"has no column {column!r}, but {', '.join(reader.fieldnames or ())}")
    for row in reader:
        yield from (row[column] for column in columns if row[column])


def _translations(text: str, options: Sequence[str]) -> Iterator[str]:
    """One language of lines with two language codes and two sentences, separated by tabs."""
    for line in text.splitlines():
        cells = line.split("\t")
        if len(cells) == 4 and options[0] in cells[:2]:
            yield cells[2 + cells.index(options[0])]


def _tagged(text: str, options: Sequence[str]) -> Iterator[str]:
    """Lines of words with tags, word/tag, without the tags."""
    for line in _lines(text, ()):
        yield " ".join(word.rpartition(options[0])[0] or word for word in line.split())


def _detokenize(text: str, _: Sequence[str]) -> Iterator[str]:
    """Text in tokens, written without the additional spaces."""
    # Typographic apostrophes are separate tokens in some corpora: it ’ s.
    yield detokenize(re.sub(r"(?<=\w) ’ (?=(?:s|t|m|d|ll|re|ve)\b)", "'", text).split())


def _unescape(text: str, _: Sequence[str]) -> Iterator[str]:
    yield html.unescape(text)


def _r_data(text: str, _: Sequence[str]) -> Iterator[str]:
    """Paragraphs of all strings in the data file of an R package."""
    try:
        import rdata
    except ImportError as error:
        raise Error("reading .rda files needs rdata; run: pip install rdata") from error
    for value in _r_strings(rdata.parser.parse_data(text.encode("latin-1")).object):
        yield from _paragraphs(value, ())


def _r_strings(value: Any) -> Iterator[str]:
    """The strings in an R object: in its values and, for factors and data frames, attributes."""
    match value:
        case bytes():
            yield value.decode("utf-8", errors="replace")
        case list() | tuple():
            for item in value:
                yield from _r_strings(item)
        case object(value=inner):
            yield from _r_strings(inner)
            yield from _r_strings(getattr(value, "attributes", None))


STEPS: Mapping[str, Step] = {
    "text": _paragraphs,
    "lines": _lines,
    "split": _split,
    "ebook": _ebook,
    "markdown": markdown_blocks,
    "html": html_blocks,
    "attribute": attribute_values,
    "wikiextractor": _wikiextractor,
    "mail": _mail,
    "json": _json,
    "csv": _csv,
    "translations": _translations,
    "tagged": _tagged,
    "detokenize": _detokenize,
    "unescape": _unescape,
    BINARY: _r_data,
}
"""Steps of `extract`, by name."""
NEED_OPTIONS = frozenset({"split", "attribute", "csv", "translations", "tagged"})
