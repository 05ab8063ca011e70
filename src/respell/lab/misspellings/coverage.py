"""How many misspellings that somebody made are among those that a program makes."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.provenance import write_json
from respell.lab.common.storage import read_json
from respell.lab.misspellings import word_lists

Maker = Callable[[Sequence[str], int], Iterable[tuple[str, list[str]]]]
"""Words, and how many to make, into each word with different misspellings, in order of drawing."""
AMONG = (12, 50, 200)
FARTHEST = 3
SPARE = 50
"""Made besides, for those that turn out to be known."""


def measure(
    make: Maker,
    held_out: word_lists.Pairs,
    *,
    known: word_lists.Pairs,
    real: Collection[str],
    among: Sequence[int] = AMONG,
) -> dict[str, dict[str, float]]:
    """The share of the held-out pairs among the first so many made that are not known.

    By kind: all, those so many edits apart, and those whose misspelling is a word. The words weigh
    as much as they have pairs.
    """
    places = _places(make, held_out, known, max(among))
    kinds: Counter[str] = Counter()
    found: Counter[tuple[str, int]] = Counter()
    for word, spellings in held_out.items():
        for spelling in spellings:
            apart = min(word_lists.distance(word, spelling), FARTHEST)
            for kind in ("all", f"distance {apart}", *(["a word"] if spelling in real else [])):
                kinds[kind] += 1
                for most in among:
                    found[kind, most] += places.get((word, spelling), most) < most
    return {
        kind: {"pairs": kinds[kind]}
        | {f"among {most}": round(found[kind, most] / kinds[kind], 4) for most in among}
        for kind in sorted(kinds)
    }


def _places(
    make: Maker, held_out: word_lists.Pairs, known: word_lists.Pairs, most: int
) -> dict[tuple[str, str], int]:
    """Where each pair stands among those made for its word."""
    places: dict[tuple[str, str], int] = {}
    for word, made in make(list(held_out), most + SPARE):
        listed = frozenset(known.get(word, ()))
        new = [spelling for spelling in made if spelling not in listed]
        places |= {(word, spelling): i for i, spelling in enumerate(new)}
    return places


def keep(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record among others in a file, in the place of an older one of the same settings."""
    settings = ("lists", "tidy", "imitate", "boldness", "share", "seed")
    others = read_json(path)["checks"] if path.exists() else []
    others = [o for o in others if any(o.get(key) != record.get(key) for key in settings)]
    write_json(path, {"checks": [*others, record]})
