"""Case shapes of words."""

LOWER, TITLE, UPPER, MIXED = range(4)
"""Case shapes; a word without letters is LOWER."""


def case_shape(word: str) -> int:
    """LOWER, TITLE, UPPER or MIXED; a single capital letter is TITLE."""
    if word.islower() or word.lower() == word:
        return LOWER
    if word[0].isupper() and word[1:].lower() == word[1:]:
        return TITLE
    return UPPER if word.upper() == word else MIXED


def apply_shape(word: str, shape: int) -> str:
    """Write a lower-case word in a case shape; MIXED leaves it as it is."""
    if shape == TITLE:
        return word[:1].upper() + word[1:]
    return word.upper() if shape == UPPER else word


def transfer_case(original: str, word: str) -> str:
    """Write `word` in the case of `original`; a mixed original counts by its first letter."""
    shape = case_shape(original)
    if shape == MIXED:
        shape = TITLE if original[0].isupper() else LOWER
    return apply_shape(word, shape)
