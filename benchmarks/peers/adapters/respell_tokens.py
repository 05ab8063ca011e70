"""respell with one thread, many sentences at once as in its command line; $PRESET is the preset."""

import functools
import os

import respell


@functools.cache
def _corrector() -> respell.Corrector:
    return respell.load(preset=os.environ["PRESET"], threads=1)


def correct_many(sentences: list[list[str]]) -> list[list[str]]:
    """Correct the sentences."""
    return list(_corrector().correct_tokens_many(sentences))
