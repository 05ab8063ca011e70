"""Measure how many real misspellings are among the generated ones."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.provenance import write_json
from respell.lab.common.storage import read_json
from respell.lab.misspellings import word_lists
from respell.text.edits import count_edits

Generate = Callable[[Sequence[str], int], Iterable[tuple[str, list[str]]]]
"""(words, count) -> each word with up to `count` different misspellings, in order of drawing."""
AMONG = (12, 50, 200)
FARTHEST = 3
EXTRA = 50
"""Additional misspellings to generate, since known ones do not count."""


def measure(
    generate: Generate,
    held_out: word_lists.Pairs,
    *,
    known: word_lists.Pairs,
    real: Collection[str],
    among: Sequence[int] = AMONG,
) -> dict[str, dict[str, float]]:
    """The share of the held-out pairs among the first generated misspellings that are not known.

    Reported for all pairs, by edit distance, and for pairs whose misspelling is a real word. Every
    pair has the same weight.
    """
    ranks = _ranks(generate, held_out, known, max(among))
    kinds: Counter[str] = Counter()
    found: Counter[tuple[str, int]] = Counter()
    for word, spellings in held_out.items():
        for spelling in spellings:
            apart = min(count_edits(word, spelling), FARTHEST)
            for kind in ("all", f"distance {apart}", *(["a word"] if spelling in real else [])):
                kinds[kind] += 1
                for most in among:
                    found[kind, most] += ranks.get((word, spelling), most) < most
    return {
        kind: {"pairs": kinds[kind]}
        | {f"among {most}": round(found[kind, most] / kinds[kind], 4) for most in among}
        for kind in sorted(kinds)
    }


def _ranks(
    generate: Generate, held_out: word_lists.Pairs, known: word_lists.Pairs, most: int
) -> dict[tuple[str, str], int]:
    """The rank of each pair among those generated for its word."""
    ranks: dict[tuple[str, str], int] = {}
    for word, generated in generate(list(held_out), most + EXTRA):
        listed = frozenset(known.get(word, ()))
        new = [spelling for spelling in generated if spelling not in listed]
        ranks |= {(word, spelling): i for i, spelling in enumerate(new)}
    return ranks


def save_record(path: Path, record: Mapping[str, Any]) -> None:
    """Add a record to a JSON file; it replaces an older record with the same settings."""
    settings = ("lists", "tidy", "network", "temperature", "share", "seed")
    others = read_json(path)["checks"] if path.exists() else []
    others = [o for o in others if any(o.get(key) != record.get(key) for key in settings)]
    write_json(path, {"checks": [*others, record]})
