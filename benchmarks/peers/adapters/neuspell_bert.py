"""NeuSpell's BERT checker; its weights are fetched at the first start."""

import functools

from neuspell import BertChecker


@functools.cache
def _checker() -> BertChecker:
    checker = BertChecker()
    checker.from_pretrained()
    return checker


def correct(tokens: list[str]) -> list[str]:
    """The sentence as NeuSpell writes it, unless it comes back in another number of tokens."""
    answers = str(_checker().correct(" ".join(tokens))).split(" ")
    return answers if len(answers) == len(tokens) else tokens
