"""Split a text into tokens with offsets."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from respell.text.noisy_tokens import Splitting, is_noisy_word
from respell.text.protected import PROTECTED
from respell.text.words import (
    APOSTROPHE,
    CLITICS,
    LETTER,
    fold_apostrophes,
    is_contraction_in_s,
    plain_letters,
)
from respell.types import Token, TokenKind

LONGEST_ACRONYM = 5
# Counts are bounded and runs possessive so that no text takes more than linear time.
_TOKEN = re.compile(
    rf"""
    # the common cases first, for speed
    (?P<plain>[A-Z]?[a-z]+(?=[\s,;!?)\]"\u201d\u2026\u2013\u2014]|[.:]?(?!\S)))
  | (?P<stop>[.,;:!?](?!\S))
  | (?P<initials>(?:[A-Za-z]\.)+[A-Za-z]\b\.?(?![\w@/]|\.\w))  # U.S., e.g., p.m
  | (?P<code>
{PROTECTED}
    )
  | (?P<name>
        [A-Z]{{1,5}}&[A-Z]{{1,5}}\b | [a-z]&[a-z]\b | [A-Z](?:\#|\+\+)(?!\w)   # AT&T, r&d, C++
      # clitics that were split off, or that follow a number or a name
      | (?:{APOSTROPHE}(?i:{CLITICS}|em|n|til|tis|twas)|[Nn]{APOSTROPHE}[Tt])
        (?![\w\u0300-\u036f])
    )
  | (?P<number>
        \d+(?:[.,:/]\d+)*\w*(?:%|°[CFK]\b)?(?:/(?:s|h|d|min|sec|hr|yr)\b)? | (?:{LETTER})+\d\w*
    )
  | (?P<word>(?:{LETTER})+(?:{APOSTROPHE}(?:{LETTER})+)*)
  | (?P<mark>(?P<sign>[^\w\s])(?P=sign)*|_+|\w+)
    """,
    re.VERBOSE,
)
_ENGLISH = re.compile("[A-Za-z\u00c0-\u024f'\u2019]+")
_ASCII = re.compile("[A-Za-z]")
_COMBINING = re.compile("[\u0300-\u036f]")
_ACRONYM = re.compile(rf"[A-Z]{{2,{LONGEST_ACRONYM}}}s?")
_HYPHENS = frozenset("-\u2010\u00ad")  # the last is the soft hyphen
_NEXT_LINE = re.compile(r"[^\S\n]*\n(?:[^\S\n]|>)*")  # the marks of a quotation do not count
_POSSESSIVE = re.compile(rf"(.+)({APOSTROPHE}[sS])")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_STEMS = frozenset(("ai", "ca", "sha", "wo"))


def tokenize(text: str) -> list[Token]:
    """Split a text into tokens, in order; each token is a slice of the text."""
    return _protect_hyphenation(_protect_names(list(_tokens(text, 0)), text), text)


def tokenize_words(words: Sequence[str], *, noisy: bool = False) -> list[Token]:
    """Tokens of words that the caller has split; offsets count in `" ".join(words)`.

    If `noisy`, tokens that would otherwise be code, numbers or markup may be misspelled words.
    """
    tokens: list[Token] = []
    start = 0
    splitting = Splitting.of(words) if noisy else None
    for word in words:
        if splitting and is_noisy_word(word, splitting):
            tokens.append(Token(start, word, "word"))
        else:
            tokens.extend(_tokens(word, start))
        start += len(word) + 1
    return _protect_names(tokens, " ".join(words))


def is_single_word(text: str) -> bool:
    """Whether a text is one token, and that token a word."""
    if text.isascii() and text.isalpha() and text.islower():
        return True  # the common case, for speed
    tokens = tokenize(text)
    return len(tokens) == 1 and tokens[0].kind == "word"


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


_KINDS: dict[str, TokenKind] = {
    "stop": "mark",
    "initials": "name",
    "code": "code",
    "name": "name",
    "number": "number",
    "mark": "mark",
}


def _word_tokens(at: int, piece: str) -> Iterator[Token]:
    """The tokens of a word: a possessive is split off; a word in another script is a name."""
    if not _ENGLISH.fullmatch(piece) and not _has_foreign_letters(piece):
        yield Token(at, piece, "name")
        return
    possessive = _POSSESSIVE.fullmatch(piece)
    if possessive and not is_contraction_in_s(piece):
        stem, clitic = possessive.groups()
        yield Token(at, stem, "word")
        yield Token(at + len(stem), clitic, "name")
    else:
        yield Token(at, piece, "word")


def _has_foreign_letters(piece: str) -> bool:
    """Whether a word is English but for some letters, as in *sựpported*."""
    if not _ASCII.search(piece) or _COMBINING.search(piece):
        return False
    return _ENGLISH.fullmatch(plain_letters(piece.lower())) is not None


def _protect_names(tokens: list[Token], text: str) -> list[Token]:
    """Mark acronyms as names, except in a line of capitals, and so the stem before a split n't."""
    end, shouting = -1, False
    for i, token in enumerate(tokens):
        if token.kind == "word" and len(token.text) > 1 and _ACRONYM.fullmatch(token.text):
            if token.start > end:
                line = text.rfind("\n", 0, token.start) + 1
                end = text.find("\n", token.start)
                end = end if end >= 0 else len(text)
                shouting = _shouts(text[line:end])
            if not shouting:
                tokens[i] = Token(token.start, token.text, "name")
        elif (
            token.kind == "name"
            and i > 0
            and fold_apostrophes(token.text.lower()) == "n't"
            and _is_stem(tokens[i - 1])
        ):
            tokens[i - 1] = Token(tokens[i - 1].start, tokens[i - 1].text, "name")
    return tokens


def _protect_hyphenation(tokens: list[Token], text: str) -> list[Token]:
    """Mark both halves of a word that is hyphenated at the end of a line as names."""
    for i in range(1, len(tokens) - 1):
        before, hyphen = tokens[i - 1], tokens[i]
        if hyphen.text not in _HYPHENS or before.kind == "mark" or before.end != hyphen.start:
            continue
        if line := _NEXT_LINE.match(text, hyphen.end):
            end = line.end()
            j = next((j for j in range(i + 1, len(tokens)) if tokens[j].start >= end), i)
            if tokens[j].start == end and tokens[j].text[0].islower():
                tokens[i - 1], tokens[j] = _unless_code(before), _unless_code(tokens[j])
    return tokens


def _unless_code(half: Token) -> Token:
    """Half a word as a name; half a piece of code, such as *sion2*, stays what it is."""
    return replace(half, kind="name") if half.kind == "word" else half


def _is_stem(token: Token) -> bool:
    """Whether the token is the first half of can't, won't, shan't or ain't."""
    return token.kind == "word" and token.text.lower() in _STEMS


def _shouts(line: str) -> bool:
    return line.upper() == line and len(_LETTERS.findall(line)) >= 3
