"""contextualSpellCheck in a spaCy pipeline; its weights are downloaded at the first start."""

import functools
from typing import Any

import contextualSpellCheck
import spacy
from spacy.tokens import Doc
from words import single


@functools.cache
def _pipeline() -> Any:
    # With this model it recognizes names and skips them. `spacy download` installs it.
    found = spacy.util.is_package("en_core_web_sm")
    pipeline = spacy.load("en_core_web_sm") if found else spacy.blank("en")
    contextualSpellCheck.add_to_pipe(pipeline)
    return pipeline


def correct(tokens: list[str]) -> list[str]:
    """Apply its suggestions to the tokens."""
    pipeline = _pipeline()
    found = pipeline(Doc(pipeline.vocab, words=tokens))._.suggestions_spellCheck
    answers = list(tokens)
    for token, suggestion in found.items():
        answers[token.i] = single(suggestion) or tokens[token.i]
    return answers
