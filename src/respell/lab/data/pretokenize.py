"""Split raw text into 1-Billion-Word or treebank tokens, and join such tokens into text.

The benchmark was tokenized with the rules of the Moses scripts: punctuation marks are separate
tokens, words are split before an apostrophe ("didn 't"), and a full stop stays with its word after
an abbreviation or before a lower-case word. All rules except the last depend only on the text
between two spaces, so the result for each piece of text is cached.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_ABBREVIATIONS = frozenset(
    "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z "
    "Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Drs Ens Gen Gov "
    "Hon Hr Hosp Insp Lt MM MR MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt "
    "Rep Reps Res Rev Rt Sen Sens Sfc Sgt Sr St Supt Surg v vs i.e rev e.g Nos Nr".split()
)
_BEFORE_NUMBERS = frozenset({"No", "Art", "pp"})
_TYPOGRAPHIC = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": " -- ", "…": "..."}
)
_CACHED = 1 << 18
_ALPHA = r"[^\W\d_]"
_OTHER = r"(?:[\W\d_])"
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"([^\w\s.'`,\-]|_)", r" \1 "),
        (r"(\.{2,})", r" \1 "),
        (r"(?<=\D),|,(?=\D)", " , "),
        (r"`", "'"),
        (r"''", ' " '),
        (rf"(?<={_OTHER})'(?={_OTHER})", " ' "),
        (rf"(?<=[^\w])'(?={_ALPHA})", " ' "),
        (rf"(?<={_ALPHA})'(?={_OTHER})", " ' "),
        (rf"(?<={_ALPHA})'(?={_ALPHA})", " '"),
        (r"(?<=\d)'(?=s)", " '"),
    )
)


def split(text: str) -> list[str]:
    """The tokens of a raw text, in the style of the 1-Billion-Word benchmark."""
    if not text.isascii():
        text = text.translate(_TYPOGRAPHIC)
    words: list[str] = []
    open_stop = False
    for chunk in text.split():
        pieces = _pieces(chunk)
        if open_stop and not _keeps_stop(words[-1], pieces[0]):
            words[-1:] = [words[-1][:-1], "."]
        words += pieces
        last = pieces[-1]
        open_stop = last[-1] == "." and last.strip(".") != ""
    if open_stop and not _keeps_stop(words[-1], ""):
        words[-1:] = [words[-1][:-1], "."]
    return words


@lru_cache(maxsize=_CACHED)
def _pieces(chunk: str) -> tuple[str, ...]:
    """Tokens of a text without spaces; a full stop at the end is not split off here."""
    if chunk.isalpha():
        return (chunk,)
    words = _spaced(chunk, _RULES).split()
    pieces: list[str] = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if following and word[-1] == "." and word.strip(".") and not _keeps_stop(word, following):
            pieces += (word[:-1], ".")
        else:
            pieces.append(word)
    return tuple(pieces)


def _spaced(chunk: str, rules: Iterable[tuple[re.Pattern[str], str]]) -> str:
    spaced = f" {chunk} "
    for pattern, replacement in rules:
        spaced = pattern.sub(replacement, spaced)
    return spaced


def _keeps_stop(word: str, following: str) -> bool:
    """Whether the full stop that ends `word` belongs to it."""
    stem = word[:-1]
    if stem in _ABBREVIATIONS or following[:1].islower():
        return True
    if stem in _BEFORE_NUMBERS:
        return following[:1].isdigit()
    return "." in stem and any(map(str.isalpha, stem))


_TREEBANK_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=[\s(\[{<])\"", " `` "),
        (r"\"", " '' "),
        (r"(\.{2,}|-{2,}|[][(){}<>;?!@#$£€%&])", r" \1 "),
        (r"(?<=\D)([,:])|([,:])(?=\D)", r" \1\2 "),
        (r"(?<=\s)'(?=\w\S)", " ` "),
        (r"(?i)(?<=\w)(n't|'(?:s|m|d|ll|re|ve))(?=\s)", r" \1"),
        (r"(?<=[^\s'])'(?=\s)", " '"),
        (r"(?i)(?<=\scan)(?=not\s)", " "),
    )
)


def treebank(text: str) -> list[str]:
    """The tokens of a raw text, in the style of the Penn Treebank ("did n't", `` and '')."""
    if not text.isascii():
        text = text.translate(_TYPOGRAPHIC)
    words: list[str] = []
    for chunk in text.split():
        words += _treebank_pieces(chunk)
    # Only the full stop that ends the sentence, perhaps inside a quotation, is a separate token.
    end = len(words) - 1
    while end > 0 and words[end] in _TREEBANK_CLOSERS:
        end -= 1
    last = words[end] if words else ""
    if last[-1:] == "." and last.strip(".") and "." not in last[:-1]:
        words[end : end + 1] = [last[:-1], "."]
    return words


_TREEBANK_CLOSERS = frozenset({"''", "'", ")", "]", "}"})


@lru_cache(maxsize=_CACHED)
def _treebank_pieces(chunk: str) -> tuple[str, ...]:
    if chunk.isalpha() and chunk.lower() != "cannot":
        return (chunk,)
    return tuple(_spaced(chunk, _TREEBANK_RULES).split())


_LEFT = frozenset(", . ; : ? ! ) ] } % ® ™ '' n't N'T".split())
_RIGHT = frozenset("( [ { $ £ € ¥ # `` `".split())
_QUOTES = {"``": '"', "''": '"', "`": "'"}


def detokenize(tokens: Sequence[str]) -> str:
    """Join tokens of either style into natural text; `split` restores benchmark tokens."""
    parts: list[str] = []
    is_open = {'"': False, "'": False}
    glued = True
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else ""
        after = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token == "." and before[-1:] == "." and before[:1].isalpha():
            continue  # treebanks have "Jr. ." where natural text has one full stop
        left, right = _sides(token, before, after, is_open)
        if not (glued or left):
            parts.append(" ")
        parts.append(_QUOTES.get(token, token))
        glued = right
    return "".join(parts)


def _sides(token: str, before: str, after: str, is_open: dict[str, bool]) -> tuple[bool, bool]:
    """Whether a token is written without a space before it and after it."""
    if token.isalnum():
        return False, False
    if token in is_open:
        return _quote_sides(token, before, after, is_open)
    if token in _RIGHT:
        is_open["'"] |= token == "`"
        return False, True
    if token[0] == "." and before[-1:] == ".":
        return False, False  # "the end. ...", "and . . ."
    if token in _LEFT:
        return True, token == ":" and _tight_colon(before, after)
    if token in _SIGNS:
        return _sign_sides(token, before, after)
    return token[0] == "'" or token[:2] == "..", False


def _tight_colon(before: str, after: str) -> bool:
    """Whether a colon is part of a time or an address: 10:30, http://."""
    return after == "/" or (before.isdigit() and after.isdigit())


_SIGNS = frozenset("/ & @ +".split())


def _sign_sides(token: str, before: str, after: str) -> tuple[bool, bool]:
    if token == "/":
        return True, True
    if token == "@":
        return before[:1].isalnum(), True
    if token == "&":
        short = all(side.isupper() and len(side) <= 2 for side in (before, after))
        return short, short
    return False, after[:1].isdigit() and not before[:1].isdigit()


_SUFFIXES = frozenset({"s", "t", "m", "d", "ll", "re", "ve"})
_ENDINGS = frozenset({"", ",", ".", ";", ":", "?", "!", ")", '"'})


def _quote_sides(
    token: str, before: str, after: str, is_open: dict[str, bool]
) -> tuple[bool, bool]:
    closes = is_open[token] or (after in _ENDINGS and before != "")
    if token == "'" and before[:1].isalnum() and not closes:
        # "players ' union", and a suffix that the benchmark has split off: "Bob ' s".
        if before[-1] in "sSzx" or after in _SUFFIXES:
            return True, False
        if before[-1].isdigit() and after[:1].isdigit():
            return True, True
    is_open[token] = not closes
    return closes, not closes
