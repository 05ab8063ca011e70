"""Shorthand and rare contractions that are always accepted in the light mode."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def shorthand() -> frozenset[str]:
    """Shorthand and spoken forms, from shorthand.txt, and contractions."""
    lines = (Path(__file__).parent / "shorthand.txt").read_text(encoding="utf-8").split("\n")
    words = (word for line in lines if not line.startswith("#") for word in line.split())
    return frozenset(words) | frozenset(_contractions())


def _contractions() -> Iterator[str]:
    """Regular contractions that are too rare for a model to know.

    Common ones are not listed: there the model chooses, as between *were* and *we're*.
    """
    people = "i you he she we they".split()
    things = "it that this these those there who what where when why how".split()
    yield from (f"{who}{verb}'ve" for who in people + things for verb in ("'d", "'ll"))
    yield from (f"{what}{verb}" for what in things for verb in ("'d", "'ll"))
    plural = "these those there who what where how".split()
    yield from (f"{what}{verb}" for what in plural for verb in ("'re", "'ve"))
    yield from (f"{verb}n't've" for verb in "could would should might must".split())
