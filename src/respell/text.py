"""Text in, tokens with offsets out; case shapes; corrections put back into the text."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from respell.types import Correction, Error, Kind, Token

LOWER, TITLE, UPPER, MIXED = range(4)
"""Case shapes of a word; what has no letters is LOWER."""

LONGEST_ACRONYM = 5

# Words in 's that are contractions of a verb, not possessives: they stay whole, so that
# it's/its and who's/whose can be told apart. From any other word the 's is split off.
_WHOLE_IN_S = frozenset(
    "it's that's he's she's who's what's there's here's let's where's how's when's why's this's "
    "everyone's everybody's someone's somebody's nobody's nothing's something's one's".split()
)
_EXTENSIONS = (
    "bash|bat|bib|bz2|c|cc|cfg|cpp|cs|css|csv|dll|doc|docx|dylib|exe|gif|go|gz|h|hpp|htm|html|ini|"
    "ipynb|jar|java|jpeg|jpg|js|json|jsonl|jsx|lock|log|md|mp3|mp4|onnx|pdf|php|png|ppt|pptx|ps1|"
    "py|pyi|pyx|rb|rs|rst|scss|sh|so|sql|svg|tar|tex|tgz|toml|ts|tsv|tsx|txt|wav|whl|xls|xlsx|xml|"
    "xz|yaml|yml|zip|zst"
)
_DOMAINS = "ai|app|au|ca|ch|co|com|de|dev|edu|eu|fr|gov|info|int|io|mil|net|nl|nz|org|uk|us"
_LETTER = r"[^\W\d_][\u0300-\u036f]*"
_APOSTROPHE = "['\u2019]"

_TOKEN = re.compile(
    rf"""
    (?P<plain>[A-Z]?[a-z]+(?=[\s,;!?)"]|\.?(?:\s|$)))   # the common case first, for speed
  | (?P<code>
        (?<!`)`[^`\n]+`(?!`) | (?<!`)``[^`\n]+``(?!`)    # inline code
      | \ufffc+                                          # what a masker hid
      | (?i:https?|ftp|file|git|ssh)://[^\s<>"]*[\w/&=\#-] | (?i:www)\.[^\s<>"]*[\w/] | mailto:\S+\w
      | [\w.+-]{{1,64}}@[\w-]{{1,64}}(?:\.[\w-]{{1,64}}){{1,8}}                     # e-mail
      | [@\#]\w+(?:[.-]\w+)*                             # handle, tag
      | [A-Za-z]:\\[^\s"<>|]* | \\\\[^\s"<>|]+           # Windows path
      | (?<![\w)])(?:~|\.{{1,2}})?/[\w.@+-]+(?:/[\w.@+-]*)* | ~/  # Unix path
      | (?:[\w.+-]{{1,64}}/){{1,16}}[\w.+-]{{0,64}}\.(?:{_EXTENSIONS})\b
      | (?:[\w-]{{1,64}}\.){{1,8}}(?:{_EXTENSIONS})\b(?![\w(])
      | (?:[A-Za-z0-9-]{{1,64}}\.){{1,8}}(?:{_DOMAINS})\b(?:/[^\s<>"]*[\w/])?
      | (?<![\w-])(?:--[A-Za-z][\w-]*\w(?:=[^\s,;]+)?|-[A-Za-z]\b(?!['\u2019-]))  # option
      | &\#?\w+;                                         # entity
      | \w{{1,64}}(?:(?:\.|::|->)\w{{1,64}}){{0,8}}\(\)  # call
      | \w{{1,64}}(?:::\w{{1,64}}){{1,8}}                # qualified name
      | [A-Za-z]\w{{1,64}}(?:\.\w{{2,64}}){{2,8}}                  # dotted name
      | \w*[^\W_]_\w+ | _+\w+                            # snake_case
      | [a-z]+\d*[A-Z]\w* | (?:[A-Z][a-z0-9]+){{2,}}[A-Z]?\w*  # camelCase
    )
  | (?P<name>
        (?:[A-Za-z]\.){{2,}} | [A-Za-z]&[A-Za-z]\b       # U.S., e.g., R&D
      | (?<![^\W_]){_APOSTROPHE}(?i:s|t|re|ve|ll|d|m)(?![\w\u0300-\u036f])  # split clitics
    )
  | (?P<number>\d+(?:[.,:/]\d+)*\w*%? | (?:{_LETTER})+\d\w*)
  | (?P<word>(?:{_LETTER})+(?:{_APOSTROPHE}(?:{_LETTER})+)*)
  | (?P<mark>(?P<sign>[^\w\s])(?P=sign)*|_+|\w+)
    """,
    re.VERBOSE,
)
_ENGLISH = re.compile("[A-Za-z\u00c0-\u024f'\u2019]+")
_ACRONYM = re.compile(rf"[A-Z]{{2,{LONGEST_ACRONYM}}}s?")
_POSSESSIVE = re.compile(rf"(.+)({_APOSTROPHE}[sS])")
_SENTENCE_END = re.compile(r"[.!?\u2026]+")
_CLOSING = frozenset("\"')]}\u2019\u201d")
_TITLES = frozenset(
    "mr mrs ms dr st jr sr prof gen col lt sgt capt rev hon gov sen rep vs no inc ltd co corp "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)


def tokenize(text: str) -> list[Token]:
    """All tokens of a text, in order; each is a slice of it."""
    return _keep_acronyms(list(_tokens(text, 0)), text)


def tokenize_words(words: Sequence[str]) -> list[Token]:
    """Tokens of words the caller has split; offsets count in `" ".join(words)`."""
    tokens: list[Token] = []
    start = 0
    for word in words:
        tokens.extend(_tokens(word, start))
        start += len(word) + 1
    return _keep_acronyms(tokens, " ".join(words))


def _tokens(text: str, start: int) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        piece, at = match.group(), start + match.start()
        if kind == "plain":
            yield Token(at, piece, "word")
        elif kind == "word":
            yield from _word_tokens(at, piece)
        else:
            yield Token(at, piece, _KINDS[str(kind)])


_KINDS: dict[str, Kind] = {"code": "code", "name": "name", "number": "number", "mark": "mark"}


def _word_tokens(at: int, piece: str) -> Iterator[Token]:
    """A word with what it carries: possessives are split, other scripts are kept as names."""
    if not _ENGLISH.fullmatch(piece):
        yield Token(at, piece, "name")
        return
    possessive = _POSSESSIVE.fullmatch(piece)
    if possessive and piece.lower().replace("\u2019", "'") not in _WHOLE_IN_S:
        stem, clitic = possessive.groups()
        yield Token(at, stem, "word")
        yield Token(at + len(stem), clitic, "name")
    else:
        yield Token(at, piece, "word")


def _keep_acronyms(tokens: list[Token], text: str) -> list[Token]:
    """Acronyms become names, except in a line of capitals."""
    shouting: dict[int, bool] = {}
    for i, token in enumerate(tokens):
        if token.kind == "word" and len(token.text) > 1 and _ACRONYM.fullmatch(token.text):
            line = text.rfind("\n", 0, token.start) + 1
            if line not in shouting:
                end = text.find("\n", line)
                shouting[line] = _shouts(text[line : end if end >= 0 else len(text)])
            if not shouting[line]:
                tokens[i] = Token(token.start, token.text, "name")
    return tokens


def _shouts(line: str) -> bool:
    return line.upper() == line and len(re.findall(r"[^\W\d_]{2,}", line)) >= 3


def sentences(text: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Cut tokens into sentences: index ranges that cover them all, in order."""
    cuts = [0]
    for i in range(1, len(tokens)):
        if _starts_sentence(text, tokens, i):
            cuts.append(i)
    cuts.append(len(tokens))
    return [(a, b) for a, b in itertools.pairwise(cuts) if a < b]


def _starts_sentence(text: str, tokens: Sequence[Token], i: int) -> bool:
    gap = text[tokens[i - 1].end : tokens[i].start]
    if not gap:
        return False
    if "\n" in gap and (gap.count("\n") > 1 or not tokens[i].text[0].isalpha()):
        return True
    if tokens[i].text[0].islower():
        return False
    j = i - 1
    while j > 0 and tokens[j].text in _CLOSING:
        j -= 1
    if not _SENTENCE_END.fullmatch(tokens[j].text):
        return False
    before = tokens[j - 1].text if j > 0 else ""
    abbreviated = tokens[j].text == "." and (before.lower() in _TITLES or len(before) == 1)
    return not abbreviated


def shape(word: str) -> int:
    """LOWER, TITLE, UPPER or MIXED; one capital letter alone is TITLE."""
    if word.islower() or word.lower() == word:
        return LOWER
    if word[0].isupper() and word[1:].lower() == word[1:]:
        return TITLE
    return UPPER if word.upper() == word else MIXED


def reshape(word: str, wanted: int) -> str:
    """Write a lower-case word in a shape; MIXED leaves it as it is."""
    if wanted == TITLE:
        return word[:1].upper() + word[1:]
    return word.upper() if wanted == UPPER else word


def transfer_case(original: str, word: str) -> str:
    """Write `word` in the case of `original`; a mixed original counts by its first letter."""
    wanted = shape(original)
    if wanted == MIXED:
        wanted = TITLE if original[0].isupper() else LOWER
    return reshape(word, wanted)


def apply(text: str, corrections: Iterable[Correction]) -> str:
    """The text with every correction's first suggestion; raises if one does not fit."""
    pieces: list[str] = []
    done = 0
    for correction in sorted(corrections, key=lambda c: c.start):
        start, end = correction.start, correction.end
        if start < done or text[start:end] != correction.original:
            raise Error(f"correction of {correction.original!r} at {start} does not fit the text")
        if not correction.suggestions:
            raise Error(f"correction of {correction.original!r} at {start} suggests nothing")
        pieces += (text[done:start], correction.suggestions[0].text)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)
