"""What comes in and goes out at /v1: checked requests, and corrections as JSON."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from respell.server.batching import Options
from respell.server.offsets import Utf16
from respell.text.apply import apply, apply_to_tokens
from respell.types import Correction, Explanation, Suggestion


def _string(value: object) -> str:
    """Accept any string: half a surrogate pair, as JavaScript cuts them, comes back as it was."""
    if not isinstance(value, str):
        raise ValueError("must be a string")  # noqa: TRY004 - pydantic reports this class
    return value


def _strings(value: object) -> list[str]:
    """Accept a list of strings. Pydantic would report each wrong one, and a list may be long."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("must be a list of strings")
    return value


def _text(value: object) -> str | list[str]:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _strings(value)
    raise ValueError("must be a string or a list of strings")


def _tokens(value: object) -> list[str] | list[list[str]]:
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        return [_strings(sentence) for sentence in value]
    return _strings(value)


def _dictionary(value: object) -> list[str]:
    words = _strings(value)
    if len(words) > _MOST_WORDS:
        raise ValueError(f"must have at most {_MOST_WORDS} words")
    return words


_MOST_WORDS = 10_000
_STRING: dict[str, Any] = {"type": "string"}
_STRINGS: dict[str, Any] = {"type": "array", "items": _STRING}
_SENTENCES: dict[str, Any] = {"type": "array", "items": _STRINGS}
Text = Annotated[str, PlainValidator(_string), WithJsonSchema(_STRING)]
Texts = Annotated[
    str | list[str], PlainValidator(_text), WithJsonSchema({"anyOf": [_STRING, _STRINGS]})
]
Tokens = Annotated[
    list[str] | list[list[str]],
    PlainValidator(_tokens),
    WithJsonSchema({"anyOf": [_STRINGS, _SENTENCES]}),
]
Words = Annotated[
    list[str], PlainValidator(_dictionary), WithJsonSchema({**_STRINGS, "maxItems": _MOST_WORDS})
]
Units = Literal["codepoint", "utf16"]
Probability = Annotated[float, Field(ge=0, le=1)]


class Request(BaseModel):
    """A request: unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class CorrectRequest(Request):
    """Texts, or sentences split into tokens, and how to check them."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["text"]}, {"required": ["tokens"]}],
            "examples": [{"text": "I recieve teh mail"}],
        }
    )

    text: Texts = Field(default_factory=list)
    tokens: Tokens = Field(default_factory=list)
    threshold: Probability | None = None
    preset: str | None = None
    dictionary: Words = Field(default_factory=list)
    max_suggestions: int = Field(default=5, ge=1, le=100)
    offsets: Units = "codepoint"

    @model_validator(mode="after")
    def _one_of_both(self) -> "CorrectRequest":
        if ("text" in self.model_fields_set) == ("tokens" in self.model_fields_set):
            raise ValueError("give either text or tokens")
        return self

    def texts(self) -> list[str]:
        """The texts; none where tokens are given."""
        return [self.text] if isinstance(self.text, str) else list(self.text)

    def sentences(self) -> list[list[str]]:
        """The split sentences; none where text is given."""
        if all(isinstance(token, str) for token in self.tokens):
            alone = [str(token) for token in self.tokens]
            return [alone] if "tokens" in self.model_fields_set else []
        return [list(sentence) for sentence in self.tokens]

    def options(self) -> Options:
        """What is asked of the corrector."""
        return Options(
            preset=self.preset,
            threshold=self.threshold,
            dictionary=frozenset(self.dictionary),
            max_suggestions=self.max_suggestions,
        )


class ExplainRequest(Request):
    """A word of a text, by an offset inside it."""

    text: Text
    start: int = Field(ge=0, le=1 << 53)
    offsets: Units = "codepoint"
    max_candidates: int = Field(default=8, ge=1, le=100)


class SuggestionOut(BaseModel):
    """One replacement."""

    text: str
    probability: float


class CorrectionOut(BaseModel):
    """A misspelled word; with tokens, start and end count inside the token."""

    start: int
    end: int
    original: str
    suggestions: list[SuggestionOut]
    score: float
    token: int | None = Field(default=None, description="index of the token; only with tokens")


class ResultOut(BaseModel):
    """One text, or one split sentence, corrected."""

    text: str | None = None
    tokens: list[str] | None = None
    corrections: list[CorrectionOut]


class CorrectResponse(BaseModel):
    """As many results as texts, in the same order."""

    results: list[ResultOut]


class ExplainResponse(BaseModel):
    """What the model says of a word."""

    start: int
    end: int
    original: str
    keep: float = Field(description="probability that the word is right as it stands")
    candidates: list[SuggestionOut]


class PresetOut(BaseModel):
    """An operating point of the model."""

    threshold: float
    unlisted: float = Field(
        description="where lower, the threshold of words in small letters outside the lexicon"
    )
    restore_case: bool


class InfoResponse(BaseModel):
    """Which model answers."""

    name: str
    sha256: str
    presets: dict[str, PresetOut]
    lexicon: int
    version: str


class HealthResponse(BaseModel):
    """That the server lives."""

    status: str


class ErrorOut(BaseModel):
    """What went wrong, in one line."""

    error: str


def text_results(
    texts: Sequence[str], found: Sequence[Sequence[Correction]], units: Units
) -> bytes:
    """The answer for texts, as JSON."""
    return _results(
        ("text", apply(text, corrections), _in_text(text, corrections, units))
        for text, corrections in zip(texts, found, strict=True)
    )


def token_results(
    sentences: Sequence[Sequence[str]], found: Sequence[Sequence[Correction]], units: Units
) -> bytes:
    """The answer for split sentences, as JSON."""
    return _results(
        ("tokens", apply_to_tokens(tokens, corrections), _in_tokens(tokens, corrections, units))
        for tokens, corrections in zip(sentences, found, strict=True)
    )


def explanation(text: str, seen: Explanation, units: Units) -> dict[str, Any]:
    """The answer of /v1/explain."""
    utf16 = Utf16(text if units == "utf16" else "")
    return {
        "start": utf16.units(seen.start),
        "end": utf16.units(seen.start + len(seen.original)),
        "original": seen.original,
        "keep": seen.keep,
        "candidates": _suggestions(seen.candidates),
    }


def _results(results: Iterable[tuple[str, str | list[str], Iterable[dict[str, Any]]]]) -> bytes:
    """Write JSON in small pieces, since a long one at once would block every thread.

    It is ASCII: half a surrogate pair has an escape in JSON, but no bytes in UTF-8.
    """
    written = []
    for key, corrected, corrections in results:
        listed = ", ".join(map(json.dumps, corrections))
        written.append(f'{{"{key}": {json.dumps(corrected)}, "corrections": [{listed}]}}')
    return f'{{"results": [{", ".join(written)}]}}'.encode("ascii")


def _in_text(
    text: str, corrections: Iterable[Correction], units: Units
) -> Iterator[dict[str, Any]]:
    utf16 = Utf16(text if units == "utf16" else "")
    for found in corrections:
        yield _correction(found, utf16.units(found.start), utf16.units(found.end))


def _in_tokens(
    tokens: Sequence[str], corrections: Iterable[Correction], units: Units
) -> Iterator[dict[str, Any]]:
    starts = list(accumulate((len(token) + 1 for token in tokens), initial=0))
    for found in corrections:
        index = bisect_right(starts, found.start) - 1
        start = found.start - starts[index]
        utf16 = Utf16(tokens[index] if units == "utf16" else "")
        end = start + len(found.original)
        yield {"token": index, **_correction(found, utf16.units(start), utf16.units(end))}


def _correction(found: Correction, start: int, end: int) -> dict[str, Any]:
    return {
        "start": start,
        "end": end,
        "original": found.original,
        "suggestions": _suggestions(found.suggestions),
        "score": found.score,
    }


def _suggestions(suggestions: Iterable[Suggestion]) -> list[dict[str, Any]]:
    return [{"text": s.text, "probability": s.probability} for s in suggestions]
