"""The words of a user's dictionary: which are accepted, and which can be suggested."""

from collections.abc import Iterable, Iterator
from itertools import islice

from respell.decision.vocabulary import plural
from respell.model.encode import LONGEST, Encoder, normalize
from respell.model.lexicon import Lexicon
from respell.text.case import LOWER, case_shape
from respell.text.tokenize import is_single_word, tokenize

MAX_SUGGESTED = 3000
"""Words of a dictionary that can be suggested: each costs a little at every unknown word."""


def accepted_words(dictionary: Iterable[str], lexicon: Lexicon) -> Iterator[str]:
    """The normalized words, the parts of compounds and possessives, and the plurals of all.

    A plural that the lexicon has is left to the model: *its* may be wrong, though *it* is listed.
    """
    for word in dictionary:
        for part in _parts(word):
            yield part
            if (plural_form := plural(part)) not in lexicon:
                yield plural_form


def _parts(word: str) -> Iterator[str]:
    yield normalize(word)
    if not word.isalpha():  # the common case needs no tokenizer
        yield from (normalize(token.text) for token in tokenize(word) if token.kind == "word")


def suggested_words(dictionary: Iterable[str], encoder: Encoder) -> dict[str, str]:
    """Words outside the lexicon that can be suggested: normalized -> as the user writes them.

    Of a larger dictionary, only the first `MAX_SUGGESTED` words (alphabetically) are used. The
    others are still accepted.
    """
    can_spell = frozenset(encoder.characters).issuperset
    fitting = (
        (normalized, word)
        for normalized, word in _as_written(dictionary).items()
        if len(normalized) <= LONGEST
        and can_spell(normalized)
        and normalized not in encoder.lexicon
        and is_single_word(normalized)
    )
    return dict(islice(fitting, MAX_SUGGESTED))


def user_casing(dictionary: Iterable[str], lexicon: Lexicon) -> dict[str, str]:
    """Words of the lexicon that the user writes with capitals: normalized -> as written."""
    return {
        normalized: word
        for normalized, word in _as_written(dictionary).items()
        if normalized in lexicon and case_shape(word) != LOWER
    }


def _as_written(dictionary: Iterable[str]) -> dict[str, str]:
    """Normalized -> as the user writes it, in an order that does not depend on the set.

    If a word is listed in several cases, the lower-case form wins: it fits everywhere.
    """
    return {normalize(word): word for word in sorted(dictionary)}
