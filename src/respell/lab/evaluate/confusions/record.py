"""Measure a model on confused words and make the record of the results."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.storage import sha256
from respell.lab.data.corpus import read_sources
from respell.lab.evaluate.confusions.measure import (
    WANTED_PRECISION,
    Counts,
    answer,
    at_lowest_threshold,
    best_point,
    count,
    curve,
    summarize,
)
from respell.lab.evaluate.confusions.pairs import FILE, read_directions
from respell.lab.evaluate.confusions.sentences import (
    MIN_SENTENCES,
    PER_WORD,
    Part,
    find_places,
    read_heldout,
    texts_of,
)
from respell.lab.evaluate.systems import Model

OFTEN = 12
"""Directions with at least so many sentences are also summarized on their own."""


def measure(model: Model, part: Part, *, data: Path, corpora: Path) -> dict[str, Any]:
    """The scores of a model on one part; without sentences, because of their copyright."""
    pairs, folder = data / FILE, data / "corpora"
    directions = read_directions(pairs)
    sources = texts_of(part, read_sources(corpora))
    places = find_places(read_heldout(folder, sources), {d.meant for d in directions})
    enough = [d for d in directions if len(places.get(d.meant, ())) >= MIN_SENTENCES]
    answers, _ = answer(model.corrector, enough, places)
    counts = [count(each) for each in answers]
    lowest = at_lowest_threshold(model.corrector, model.description["preset"])
    points = curve(*answer(lowest, enough, places))
    best = best_point(points)
    return {
        "part": part,
        "per_word": PER_WORD,
        "left_out": len(directions) - len(enough),
        "scores": rounded(summarize(counts)),
        "often": {"at_least": OFTEN, **rounded(summarize(_often(counts)))},
        "wanted_precision": WANTED_PRECISION,
        "best_point": best and best._asdict(),
        "curve": points,
        "directions": [each.to_dict() for each in counts],
        "pairs": {"file": pairs.name, "sha256": sha256(pairs)},
        "texts": {
            source.file.split(".")[0]: {
                "part": source.heldout,
                "sha256": sha256(folder / source.file),
            }
            for source in sources
        },
        "system": dict(model.description),
    }


def _often(counts: Sequence[Counts]) -> list[Counts]:
    return [each for each in counts if each.sentences >= OFTEN]


def rounded(scores: dict[str, Any]) -> dict[str, Any]:
    """The scores with five decimals."""
    return {
        key: rounded(value)
        if isinstance(value, dict)
        else round(value, 5)
        if isinstance(value, float)
        else value
        for key, value in scores.items()
    }
