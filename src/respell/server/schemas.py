"""The requests and responses of /v1, as pydantic models."""

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from respell.formats.languages import FORMATS
from respell.model.presets import Mode, ThresholdOn
from respell.options import CorrectorOptions
from respell.types import CorrectionKind


def _string(value: object) -> str:
    """Accept any string. Pydantic's own type refuses half a surrogate pair, as in cut text."""
    if not isinstance(value, str):
        raise ValueError("must be a string")  # noqa: TRY004 - pydantic reports this class
    return value


def _strings(value: object) -> list[str]:
    """Accept a list of strings. Pydantic's own type reports every wrong item of a long list."""
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
    if len(words) > _MAX_WORDS:
        raise ValueError(f"must have at most {_MAX_WORDS} words")
    return words


def _format(value: object) -> str:
    if not isinstance(value, str) or value not in FORMATS:
        raise ValueError(f"must be one of {', '.join(FORMATS)}")
    return value


_MAX_WORDS = 10_000
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
    list[str], PlainValidator(_dictionary), WithJsonSchema({**_STRINGS, "maxItems": _MAX_WORDS})
]
Format = Annotated[str, PlainValidator(_format), WithJsonSchema({**_STRING, "enum": list(FORMATS)})]
Variant = Literal["auto", "en-GB", "en-US"]
Units = Literal["codepoint", "utf16"]
Probability = Annotated[float, Field(ge=0, le=1)]


class Request(BaseModel):
    """A request. Unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


class CorrectRequest(Request):
    """Texts, or sentences split into tokens, and the options for checking them."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["text"]}, {"required": ["tokens"]}],
            "examples": [{"text": "I recieve teh mail"}],
        }
    )

    text: Texts = Field(default_factory=list)
    tokens: Tokens = Field(default_factory=list)
    format: Format = Field(default="plain", description="markup to skip; only with text")
    threshold: Probability | None = None
    fix_threshold: Probability | None = Field(
        default=None, description="least score of a correction in the corrected text"
    )
    preset: str | None = None
    dictionary: Words = Field(default_factory=list)
    max_suggestions: int | None = Field(default=None, ge=1, le=100)
    variant: Variant | None = None
    document: bool = Field(
        default=False,
        description="whether the texts are one document: its terms are accepted; only with text",
    )
    spacing: bool | None = Field(
        default=None,
        description="find missing and extra spaces; only with text (default: if the model can)",
    )
    offsets: Units = "codepoint"

    @model_validator(mode="after")
    def _check_combination(self) -> "CorrectRequest":
        if ("text" in self.model_fields_set) == ("tokens" in self.model_fields_set):
            raise ValueError("give either text or tokens")
        if {"tokens", "format"} <= self.model_fields_set:
            raise ValueError("format works only with text, not with tokens")
        if "tokens" in self.model_fields_set and self.document:
            raise ValueError("document works only with text, not with tokens")
        if self.spacing and "tokens" in self.model_fields_set:
            raise ValueError("spacing works only with text, not with tokens")
        return self

    def texts(self) -> list[str]:
        """The texts; none if tokens are given."""
        return [self.text] if isinstance(self.text, str) else list(self.text)

    def sentences(self) -> list[list[str]]:
        """The split sentences; none if texts are given."""
        if all(isinstance(token, str) for token in self.tokens):
            only = [str(token) for token in self.tokens]
            return [only] if "tokens" in self.model_fields_set else []
        return [list(sentence) for sentence in self.tokens]

    def options(self) -> CorrectorOptions:
        """The options for the corrector."""
        return CorrectorOptions(
            preset=self.preset,
            threshold=self.threshold,
            fix_threshold=self.fix_threshold,
            dictionary=frozenset(self.dictionary),
            max_suggestions=self.max_suggestions,
            variant=self.variant,
            spacing=False if "tokens" in self.model_fields_set else self.spacing,
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
    """A misspelled word. With tokens, start and end count inside the token."""

    start: int
    end: int
    original: str
    replacement: str = Field(description="the first suggestion")
    suggestions: list[SuggestionOut]
    kind: CorrectionKind = Field(
        description="unknown word, known word in the wrong place, spelling of the other variant, "
        "two words run together (split), or one word pulled apart (join)"
    )
    error_probability: float = Field(description="probability that the original is wrong")
    score: float = Field(description="probability that the replacement is right")
    automatic: bool = Field(description="whether it is sure enough to be written without asking")
    token: int | None = Field(default=None, description="index of the token; only with tokens")


class ResultOut(BaseModel):
    """One corrected text or split sentence."""

    text: str | None = None
    tokens: list[str] | None = None
    corrections: list[CorrectionOut]


class CorrectResponse(BaseModel):
    """One result for each text or split sentence, in order."""

    results: list[ResultOut]


class ExplainResponse(BaseModel):
    """What the model says about a word."""

    start: int
    end: int
    original: str
    keep: float = Field(description="probability that the word is right")
    candidates: list[SuggestionOut]


class PresetOut(BaseModel):
    """An operating point of the model."""

    threshold: float = Field(description="least score or error probability of a correction")
    threshold_on: ThresholdOn = Field(description="which of the two the threshold is about")
    fix_threshold: float = Field(description="least score of an automatic correction")
    write_threshold: float = Field(
        description="least score of a correction that is written into a file without asking"
    )
    oov_threshold: float = Field(
        description="if lower, replaces threshold for lower-case words outside the lexicon"
    )
    name_threshold: float = Field(
        description="if higher, replaces threshold for capitalized words outside the lexicon"
    )
    spacing_threshold: float = Field(
        description="least score of a correction that adds or removes a space"
    )
    mode: Mode = Field(description="light, or noisy for heavily corrupted text")
    rewrite_threshold: float = Field(
        description="if above 0, corrections with this score are applied before a second reading"
    )
    dictionary_bias: float = Field(description="added to the logits of dictionary words")
    vocabulary_bias: float | None = Field(
        description="added to the logits of valid words outside the lexicon, if they are suggested"
    )


class InfoResponse(BaseModel):
    """The model and the version of the package."""

    name: str
    edition: int
    sha256: str = Field(description="hash of the model's config.json, which has all other hashes")
    presets: dict[str, PresetOut]
    lexicon: int = Field(description="number of words in the lexicon")
    spacing: bool = Field(description="whether the model finds missing and extra spaces")
    version: str


class HealthResponse(BaseModel):
    """The server is running."""

    status: Literal["ok"]
    version: str
    model: str
    edition: int
    sha256: str


class ErrorOut(BaseModel):
    """An error message of one line."""

    error: str
