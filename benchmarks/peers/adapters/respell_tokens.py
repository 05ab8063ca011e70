"""respell, one thread, many sentences at a time as its command line does; $PRESET chooses."""

import functools
import os

import respell


@functools.cache
def _corrector() -> respell.Corrector:
    return respell.load(preset=os.environ["PRESET"], threads=1)


def correct_many(sentences: list[list[str]]) -> list[list[str]]:
    """The sentences, corrected."""
    return list(_corrector().correct_tokens_many(sentences))
