"""Hide what rules match, and keep every offset."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

FILLER = "\ufffc"
"""Replaces every hidden character that is not white space."""
LINE = re.compile(r"[^\n]*\n|[^\n]+")
WHOLE = 1 << 20
"""As `Rule.keep`: all of the match stays visible."""
SOFT_BREAK = r"\n(?![ \t\r]*\n)"
"""A line end that does not end the paragraph."""
_VISIBLE = re.compile(r"\S")


def hide(text: str) -> str:
    """The text with FILLER for every visible character."""
    return _VISIBLE.sub(FILLER, text)


def blank_out(text: str) -> str:
    """The text as spaces: a sentence goes on across it."""
    return _VISIBLE.sub(" ", text)


def indent_of(line: str) -> int:
    """The width of the white space at the start of a line."""
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip(" "))


@dataclass(frozen=True, slots=True)
class Rule:
    """Hides what `opens` matches, and everything up to `closes` if that is given."""

    opens: str
    closes: str = ""
    keep: int = 0  # this many characters at the front stay visible
    word: bool = False  # also hide the letters around it: the rest of na&iuml;ve is not a word
    glue: str = ""  # characters that may come between it and these letters


class Scanner:
    """Hides what the rules match, from left to right, across the blocks of a file.

    Of rules that match at the same place the first counts. `first` is a set of characters, as in
    a regular expression, that a match can start with.
    """

    def __init__(self, rules: Mapping[str, Rule], first: str, *, ignore_case: bool = True) -> None:
        self._rules = rules
        self._flags = re.IGNORECASE if ignore_case else re.NOFLAG
        groups = "|".join(f"(?P<{name}>{rule.opens})" for name, rule in rules.items())
        # Most characters cannot start a match; testing that first makes the search fast.
        self._grammar = re.compile(f"(?=[{first}])(?:{groups})", self._flags)
        self._inside: Rule | None = None  # the rule that is still open

    def mask(self, text: str) -> str:
        """Hide the matches in the next block."""
        pieces: list[str] = []
        at = 0
        while at < len(text):
            inside = self._inside
            start, end = self._close(text, at, inside) if inside else self._open(text, at)
            pieces += (text[at:start], hide(text[start:end]))
            at = end
        return "".join(pieces)

    def _open(self, text: str, at: int) -> tuple[int, int]:
        match = self._grammar.search(text, at)
        if match is None:
            return len(text), len(text)
        rule = self._rules[str(match.lastgroup)]
        start, end = min(match.start() + rule.keep, match.end()), match.end()
        self._inside = rule if rule.closes else None
        while rule.word and start > at and _joins(text[start - 1], rule):
            start -= 1
        return start, _word_end(text, end, rule)

    def _close(self, text: str, at: int, rule: Rule) -> tuple[int, int]:
        match = re.compile(rule.closes, self._flags).search(text, at)
        if match is None:
            return at, len(text)
        self._inside = None
        return at, _word_end(text, match.end(), rule)


def _word_end(text: str, end: int, rule: Rule) -> int:
    while rule.word and end < len(text) and _joins(text[end], rule):
        end += 1
    return end


def _joins(character: str, rule: Rule) -> bool:
    return character.isalpha() or character in rule.glue
