"""contextualSpellCheck in a spaCy pipeline; its weights are fetched at the first start."""

import functools
from typing import Any

import contextualSpellCheck
import spacy
from spacy.tokens import Doc
from words import single


@functools.cache
def _pipeline() -> Any:
    # With the model it knows names and leaves them alone; it is fetched by `spacy download`.
    found = spacy.util.is_package("en_core_web_sm")
    pipeline = spacy.load("en_core_web_sm") if found else spacy.blank("en")
    contextualSpellCheck.add_to_pipe(pipeline)
    return pipeline


def correct(tokens: list[str]) -> list[str]:
    """The tokens with its suggestions put in."""
    pipeline = _pipeline()
    found = pipeline(Doc(pipeline.vocab, words=tokens))._.suggestions_spellCheck
    answers = list(tokens)
    for token, suggestion in found.items():
        answers[token.i] = single(suggestion) or tokens[token.i]
    return answers
