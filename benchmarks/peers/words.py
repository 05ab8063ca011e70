"""Which tokens a corrector of single words is asked about, and in what case its answer is put."""

import re
from collections.abc import Callable

WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_CLITICS = ("'", "\u2019", "n't", "n\u2019t", "N'T")


def is_word(tokens: list[str], index: int) -> bool:
    """Whether the token at `index` is made of letters and no half of a split contraction.

    Text that was split by others says `didn 't` or `did n't`: no dictionary knows the halves, so
    asking about them would count against peers what is not theirs.
    """
    following = tokens[index + 1] if index + 1 < len(tokens) else ""
    whole = WORD.fullmatch(tokens[index]) is not None and tokens[index] not in _CLITICS
    return whole and not following.startswith(("'t", "\u2019t", "n't", "n\u2019t"))


def each(correct: Callable[[str], str | None]) -> Callable[[list[str]], list[str]]:
    """A corrector of token lists out of one of words; None, or more than a word, keeps the word."""

    def correct_tokens(tokens: list[str]) -> list[str]:
        answers = list(tokens)
        for index, token in enumerate(tokens):
            if is_word(tokens, index):
                answers[index] = single(correct(token)) or token
        return answers

    return correct_tokens


def single(answer: str | None) -> str | None:
    """An answer that is one token, or None."""
    return answer if answer and not any(map(str.isspace, answer)) else None


def first_single(answers: list[str]) -> str | None:
    """The first answer that is one token."""
    return next((answer for answer in answers if single(answer)), None)


def like(word: str, answer: str) -> str:
    """An answer in lower case, in the case of the word."""
    if len(word) > 1 and word.isupper():
        return answer.upper()
    if word[:1].isupper():
        return answer[:1].upper() + answer[1:]
    return answer
