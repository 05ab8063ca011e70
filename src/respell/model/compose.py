"""Rank the user's own words beside the lexicon, with output vectors composed from spellings."""

from collections.abc import Callable

import numpy as np

from respell.model.forward import Features, Floats, Forward, Ints, TopK

CHUNK = 512
"""Words that are composed at once."""
CACHED = 1 << 14
"""Composed words that are kept in memory, about 20 MB."""


class UserWordScorer:
    """A Forward that can also rank words outside the lexicon."""

    def __init__(self, forward: Forward, compose: Callable[[Ints], Floats]) -> None:
        self._forward, self._compose = forward, compose
        self._cache: dict[bytes, Floats] = {}

    def __call__(self, features: Features, gate: float) -> TopK:
        """Rank the words of the lexicon and those of `features.new_words`."""
        return self._forward(features, gate)

    def compose(self, spellings: Ints) -> Floats:
        """Output vectors and biases of spelled words: [words, width + 1].

        Results are cached: dictionaries grow word by word, and requests share words.
        """
        keys = [row.tobytes() for row in spellings]
        found = {key: self._cache[key] for key in keys if key in self._cache}
        new = {key: i for i, key in enumerate(keys) if key not in found}
        places = list(new.values())
        for start in range(0, len(places), CHUNK):
            rows = self._compose(spellings[places[start : start + CHUNK]])
            chunk = list(new)[start : start + CHUNK]
            # Copies, because a view of one row would keep the whole chunk alive.
            found |= zip(chunk, (row.copy() for row in rows), strict=True)
        together = self._cache | found
        self._cache = together if len(together) <= CACHED else found
        return np.stack([found[key] for key in keys])
