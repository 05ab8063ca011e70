"""Rules that find words which people confuse: inflections, apostrophes, slips and endings."""

from collections.abc import Collection, Iterable, Iterator
from itertools import permutations

Pair = tuple[str, str]

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
"""Letters of a keyboard; each row is half a key to the right of the one above."""
SUFFIXES = ("s", "ed", "ing", "er", "ers", "ly")
GRAMMAR = ("s", "es", "d", "ed", "ing", "'s", "s'")
"""Endings that are grammar: *walk*, *walks*, *walked*."""
ENDINGS = (("ance", "ence"), ("ances", "ences"), ("ant", "ent"), ("ants", "ents"), ("nts", "nce"),
           ("able", "ible"), ("ably", "ibly"), ("ary", "ery"), ("al", "le"), ("al", "el"),
           ("sion", "tion"), ("sions", "tions"))  # fmt: skip
"""Endings that writers mix up."""
PREFIXES = (("im", "in"), ("per", "pre"), ("per", "pro"), ("pre", "pro"), ("em", "im"),
            ("en", "in"), ("a", "e"), ("dis", "des"), ("ad", "a"))  # fmt: skip
"""Beginnings that writers mix up."""
CONTRACTED = frozenset("he here how it let she that there what when where who why".split())
"""Words whose *'s* is short for *is* or *us*."""
HABITS = ("your you're", "their there they're", "its it's", "whose who's", "were we're where",
          "theirs there's", "his he's", "then than", "to too two", "of off", "of have", "a an",
          "an and", "lets let's")  # fmt: skip
"""Function words that writers often mix up."""
_VOWELS = "aeiou"


def inflections(pairs: Iterable[Pair], words: Collection[str]) -> Iterator[Pair]:
    """(losing, loosing) for (lose, loose): both with the same suffix, and both in `words`."""
    for a, b in pairs:
        for suffix in SUFFIXES:
            for x in _inflected(a, suffix, words):
                for y in _inflected(b, suffix, words):
                    if x != y and {x, y} != {a, b}:
                        yield x, y


def _inflected(word: str, suffix: str, words: Collection[str]) -> list[str]:
    """The word with a suffix, by the usual spelling rules, if that is in `words`."""
    if len(word) < 3 or "'" in word:
        return []
    forms = [_stem(word, suffix) + ("es" if _is_hissing(word, suffix) else suffix)]
    if suffix[0] in "ei" and word[-1] not in "aeiouwxyhs" and word[-2] in _VOWELS:
        forms.insert(0, word + word[-1] + suffix)
    return [form for form in forms if form in words][:1]


def _stem(word: str, suffix: str) -> str:
    after_consonant = word[-2] not in _VOWELS
    if suffix[0] in "ei" and word[-1] == "e" and not (suffix == "ing" and word[-2] in "eo"):
        return word[:-1]
    if word[-1] == "y" and after_consonant and suffix not in ("ing", "ly"):
        return word[:-1] + ("ie" if suffix == "s" else "i")
    return word


def _is_hissing(word: str, suffix: str) -> bool:
    return suffix == "s" and word.endswith(("s", "x", "z", "ch", "sh"))


def habits() -> Iterator[Pair]:
    """Pairs of each group of `HABITS`, in both orders."""
    for group in HABITS:
        yield from permutations(group.split(), 2)


def apostrophes(words: Iterable[str], real: Collection[str]) -> Iterator[Pair]:
    """(word, written) for *can't* and *cant*; both ways if both are real words.

    The possessives of nouns are left to `possessives`.
    """
    known = set(words)
    for word in sorted(known & set(real)):
        bare = word.replace("'", "")
        if bare != word and bare in known and not _is_possessive(word):
            yield word, bare
            if bare in real:
                yield bare, word


def possessives(words: Collection[str]) -> Iterator[Pair]:
    """*boys* and *boy's*, both ways, if both are in `words`."""
    for word in sorted(words):
        bare = word.replace("'", "")
        if bare in words and _is_possessive(word):
            yield word, bare
            yield bare, word


def _is_possessive(word: str) -> bool:
    stem = word.removesuffix("'s")
    return stem != word and len(stem) > 1 and stem not in CONTRACTED


def slips(words: Iterable[str]) -> Iterator[Pair]:
    """Pairs that one slip of the fingers turns into each other, except for grammar.

    A slip swaps two letters, leaves one out, adds one or hits a neighbouring key.
    """
    known = set(words)
    for word in sorted(known):
        for other in sorted(_slips(word) & known - {word}):
            if not is_grammar(word, other):
                yield word, other


def _slips(word: str) -> set[str]:
    """Slips without added letters: those are the missing letters of another word."""
    near = _neighbours()
    swapped = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    missing = {word[:i] + word[i + 1 :] for i in range(len(word))}
    hit = {word[:i] + k + word[i + 1 :] for i, c in enumerate(word) for k in near.get(c, "")}
    return swapped | missing | hit


def _neighbours() -> dict[str, str]:
    places = {c: (y, x + y / 2) for y, row in enumerate(ROWS) for x, c in enumerate(row)}
    return {
        c: "".join(
            other
            for other, (y, x) in places.items()
            if other != c and abs(y - places[c][0]) <= 1 and abs(x - places[c][1]) <= 1
        )
        for c in places
    }


def is_grammar(a: str, b: str) -> bool:
    """Whether two words are one word with different endings: *walk*, *walks*, *walked*."""
    return bool(_stems(a) & _stems(b))


def _stems(word: str) -> set[str]:
    """What a word may be an inflection of."""
    found = {word}
    for ending in GRAMMAR:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            found |= {stem, stem + "e"}
            if len(stem) > 2 and stem[-1] == "i":
                found.add(stem[:-1] + "y")
            if len(stem) > 3 and stem[-1] == stem[-2]:
                found.add(stem[:-1])
    return found


def endings(words: Collection[str]) -> Iterator[Pair]:
    """*dependent* and *dependant*: pairs of words that differ in an ending of `ENDINGS`."""
    for one, other in ENDINGS:
        for word in sorted(words):
            stem = word.removesuffix(one)
            if stem != word and len(stem) > 2 and stem + other in words:
                yield word, stem + other


def beginnings(words: Collection[str]) -> Iterator[Pair]:
    """*perspective* and *prospective*: pairs that differ in a beginning of `PREFIXES`."""
    for one, other in PREFIXES:
        for word in sorted(words):
            stem = word.removeprefix(one)
            if stem != word and len(stem) > 4 and other + stem in words:
                yield word, other + stem
