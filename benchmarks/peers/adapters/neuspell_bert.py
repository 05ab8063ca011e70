"""NeuSpell's BERT checker; its weights are downloaded at the first start."""

import functools

from neuspell import BertChecker


@functools.cache
def _checker() -> BertChecker:
    checker = BertChecker()
    checker.from_pretrained()
    return checker


def correct(tokens: list[str]) -> list[str]:
    """Correct the sentence; answers with another number of tokens are ignored."""
    answers = str(_checker().correct(" ".join(tokens))).split(" ")
    return answers if len(answers) == len(tokens) else tokens
