"""Put corrections into a text or into a list of tokens."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from respell.types import Correction, Error


def apply(text: str, corrections: Iterable[Correction]) -> str:
    """Replace every corrected word by its first suggestion.

    Raises an Error if a correction does not fit the text.
    """
    pieces: list[str] = []
    done = 0
    for correction in sorted(corrections, key=lambda c: c.start):
        start, end = correction.start, correction.end
        if start < done or text[start:end] != correction.original:
            raise Error(f"correction of {correction.original!r} at {start} does not fit the text")
        if not correction.suggestions:
            raise Error(f"correction of {correction.original!r} at {start} has no suggestion")
        pieces += (text[done:start], correction.replacement)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def automatic(corrections: Iterable[Correction]) -> list[Correction]:
    """The corrections that are sure enough to be made without asking."""
    return [correction for correction in corrections if correction.automatic]


def apply_to_tokens(tokens: Sequence[str], corrections: Iterable[Correction]) -> list[str]:
    """Correct tokens, given the corrections of `" ".join(tokens)` in order."""
    corrected: list[str] = []
    start = 0
    remaining = iter(corrections)
    current = next(remaining, None)
    for token in tokens:
        inside: list[Correction] = []
        while current is not None and current.end <= start + len(token):
            inside.append(replace(current, start=current.start - start))
            current = next(remaining, None)
        corrected.append(apply(token, inside))
        start += len(token) + 1
    return corrected
