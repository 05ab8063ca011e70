"""The case in which a replacement is written."""

from respell.decision.policy import Policy
from respell.model.encode import PRONOUN, normalize
from respell.text.case import LOWER, MIXED, TITLE, UPPER, apply_shape, case_shape, transfer_case
from respell.text.words import fold_apostrophes


def write(original: str, word: str, policy: Policy, *, shape: int, uncased: bool) -> str:
    """The word as it should be written in place of `original`.

    `shape` is the case shape that the model prefers; `uncased` means that the sentence has no
    capitals.
    """
    if policy.casing == "exact":
        return word
    written = _in_case(fold_apostrophes(original), word, policy, shape=shape, uncased=uncased)
    return written.replace("'", "\u2019") if "\u2019" in original else written


def _in_case(original: str, word: str, policy: Policy, *, shape: int, uncased: bool) -> str:
    own = policy.user_casing.get(word) or policy.user_words.get(word, word)
    if case_shape(own) != LOWER:  # the user's own capitals
        return own.upper() if case_shape(original) == UPPER else own
    if word in PRONOUN:
        return apply_shape(word, UPPER if case_shape(original) == UPPER else TITLE)
    only_case_wrong = case_shape(original) == MIXED and word == normalize(original)
    if (policy.mode == "noisy" or only_case_wrong) and shape != case_shape(original):
        written = apply_shape(word, shape)
    else:
        written = transfer_case(original, word)
    usual = policy.truecase.get(word)
    if usual is None:
        return written
    return restore_truecase(original, written, usual, shape=shape, uncased=uncased)


def restore_truecase(original: str, written: str, usual: str, *, shape: int, uncased: bool) -> str:
    """Choose between `written`, in the case of its place, and the word in its usual case.

    A word in capitals stays so. For a lower-case original, a name gets its capital unless the
    sentence is `uncased`; another word gets its capitals where the model wants one. Nothing is
    corrected for its capitals alone.
    """
    if written == original or case_shape(written) == UPPER:
        return written
    if case_shape(original) != LOWER:
        return usual
    stays_lower = uncased if case_shape(usual) == TITLE else shape == LOWER
    return written if stays_lower else usual
