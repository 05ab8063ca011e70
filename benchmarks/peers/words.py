"""Helpers for peers that correct single words: which tokens they get, and the case of answers."""

import re
from collections.abc import Callable

WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_CLITICS = ("'", "\u2019", "n't", "n\u2019t", "N'T")


def is_word(tokens: list[str], index: int) -> bool:
    """Whether the token at `index` consists of letters and is not half of a contraction.

    Tokenized text has `didn 't` or `did n't`. No dictionary has these halves, and it would be
    unfair to count them against a peer.
    """
    following = tokens[index + 1] if index + 1 < len(tokens) else ""
    whole = WORD.fullmatch(tokens[index]) is not None and tokens[index] not in _CLITICS
    return whole and not following.startswith(("'t", "\u2019t", "n't", "n\u2019t"))


def each(correct: Callable[[str], str | None]) -> Callable[[list[str]], list[str]]:
    """Make a corrector of tokens from one of words. None or several words keep the token."""

    def correct_tokens(tokens: list[str]) -> list[str]:
        answers = list(tokens)
        for index, token in enumerate(tokens):
            if is_word(tokens, index):
                answers[index] = single(correct(token)) or token
        return answers

    return correct_tokens


def single(answer: str | None) -> str | None:
    """The answer if it is one token, else None."""
    return answer if answer and not any(map(str.isspace, answer)) else None


def first_single(answers: list[str]) -> str | None:
    """The first answer that is one token."""
    return next((answer for answer in answers if single(answer)), None)


def like(word: str, answer: str) -> str:
    """Give a lower-case answer the case of the word."""
    if len(word) > 1 and word.isupper():
        return answer.upper()
    if word[:1].isupper():
        return answer[:1].upper() + answer[1:]
    return answer
