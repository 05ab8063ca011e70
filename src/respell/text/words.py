"""What a word is made of: letters, apostrophes, and contractions that stay whole."""

import re
import unicodedata

APOSTROPHE = "['\u2019]"
# Accents and invisible characters, such as soft hyphens, belong to the letter before them.
LETTER = r"[^\W\d_](?:[\u0300-\u036f]|[\u00ad\u200b\u200c\u200d\u2060\ufeff](?=[^\W\d_]))*"
CLITICS = "s|t|re|ve|ll|d|m"
# In these words 's is a verb, not a possessive. They stay whole, so that the model can choose
# between it's and its, or who's and whose. From any other word the 's is split off.
_CONTRACTIONS_IN_S = frozenset(
    "it's that's he's she's who's what's there's here's let's where's how's when's why's this's "
    "everyone's everybody's someone's somebody's nobody's nothing's something's one's".split()
)


def fold_apostrophes(text: str) -> str:
    """Replace typographic apostrophes by straight ones."""
    return text.replace("\u2019", "'")


def is_contraction_in_s(word: str) -> bool:
    """Whether 's is part of the word, as in *it's*, and not a possessive."""
    return fold_apostrophes(word.lower()) in _CONTRACTIONS_IN_S


# Letters that Unicode does not decompose, and Cyrillic and Greek letters that look like Latin ones.
_LOOKALIKES = (
    dict(zip("łøđıħŧŋþðœæß", "l o d i h t n th d oe ae ss".split(), strict=True))
    | dict(zip("аеорсухіјѕԁӏкмтнвгѵԝ", "aeopcyxijsdlkmthbrvw", strict=True))
    | dict(zip("αβγεικνορτυχω", "abyeikvoptuxw", strict=True))
)
_TO_PLAIN = str.maketrans(_LOOKALIKES)
_DIGITS_INSIDE = re.compile(r"(?=(?:\d*[a-z]){3})[a-z]+(?:\d+[a-z]+)+")  # not a11y
_DIGITS = {"0": "o", "1": "l", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b"}


def plain_letters(word: str) -> str:
    """A lower-case word, its foreign letters and digits replaced by the letters they look like."""
    if not word.isascii():
        decomposed = unicodedata.normalize("NFKD", word).translate(_TO_PLAIN)
        word = "".join(c for c in decomposed if not unicodedata.combining(c))
    inside = _DIGITS_INSIDE.fullmatch(word)
    return "".join(_DIGITS.get(c, c) for c in word) if inside else word
