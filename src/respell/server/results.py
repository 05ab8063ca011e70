"""Write corrections and explanations as the JSON of /v1."""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from respell.server.offsets import Utf16Offsets
from respell.server.schemas import Units
from respell.text.apply import apply, apply_to_tokens, automatic
from respell.types import Correction, Explanation


def text_results(
    texts: Sequence[str], found: Sequence[Sequence[Correction]], units: Units
) -> bytes:
    """The response for texts."""
    return _results(
        ("text", apply(text, automatic(corrections)), _in_text(text, corrections, units))
        for text, corrections in zip(texts, found, strict=True)
    )


def token_results(
    sentences: Sequence[Sequence[str]], found: Sequence[Sequence[Correction]], units: Units
) -> bytes:
    """The response for split sentences."""
    return _results(
        (
            "tokens",
            apply_to_tokens(tokens, automatic(corrections)),
            _in_tokens(tokens, corrections, units),
        )
        for tokens, corrections in zip(sentences, found, strict=True)
    )


def explanation_result(text: str, explanation: Explanation, units: Units) -> dict[str, Any]:
    """The response of /v1/explain."""
    convert = _converter(text, units)
    return {
        "start": convert(explanation.start),
        "end": convert(explanation.start + len(explanation.original)),
        "original": explanation.original,
        "keep": explanation.keep,
        "candidates": [candidate.to_dict() for candidate in explanation.candidates],
    }


def _results(results: Iterable[tuple[str, str | list[str], Iterable[dict[str, Any]]]]) -> bytes:
    """Write JSON in small pieces, because one long call of json.dumps blocks all threads.

    The JSON is ASCII: half a surrogate pair has an escape in JSON, but no bytes in UTF-8.
    """
    parts = []
    for key, corrected, corrections in results:
        listed = ", ".join(map(json.dumps, corrections))
        parts.append(f'{{"{key}": {json.dumps(corrected)}, "corrections": [{listed}]}}')
    return f'{{"results": [{", ".join(parts)}]}}'.encode("ascii")


def _in_text(
    text: str, corrections: Iterable[Correction], units: Units
) -> Iterator[dict[str, Any]]:
    convert = _converter(text, units)
    for found in corrections:
        yield _json(found, convert(found.start), convert(found.end))


def _in_tokens(
    tokens: Sequence[str], corrections: Iterable[Correction], units: Units
) -> Iterator[dict[str, Any]]:
    starts = list(accumulate((len(token) + 1 for token in tokens), initial=0))
    for found in corrections:
        index = bisect_right(starts, found.start) - 1
        convert = _converter(tokens[index], units)
        start, end = found.start - starts[index], found.end - starts[index]
        yield {"token": index, **_json(found, convert(start), convert(end))}


def _json(found: Correction, start: int, end: int) -> dict[str, Any]:
    return {**found.to_dict(), "start": start, "end": end, "automatic": found.automatic}


def _converter(text: str, units: Units) -> Callable[[int], int]:
    """A function that converts an offset in the text to the wanted units."""
    return Utf16Offsets(text).to_utf16 if units == "utf16" else int
