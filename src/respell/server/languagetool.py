"""The HTTP API of LanguageTool: parse the form of /v2/check, and write its JSON."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from respell import __version__
from respell.server.offsets import Utf16Offsets
from respell.text.sentences import sentences
from respell.text.tokenize import tokenize
from respell.types import Correction, CorrectionKind, Error

LANGUAGES = {
    "en": "English",
    "en-AU": "English (Australian)",
    "en-CA": "English (Canadian)",
    "en-GB": "English (GB)",
    "en-NZ": "English (New Zealand)",
    "en-US": "English (US)",
    "en-ZA": "English (South African)",
}
NON_WORD, REAL_WORD, VARIANT = "RESPELL_NON_WORD", "RESPELL_REAL_WORD", "RESPELL_VARIANT"
TWO_WORDS, ONE_WORD = "RESPELL_TWO_WORDS", "RESPELL_ONE_WORD"
CATEGORY = {"id": "TYPOS", "name": "Possible Typo"}
_CONTEXT = 40  # characters on each side of a match
_SENTENCE = 500  # same; a text without full stops must not be repeated in full in every match


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule, with the texts that clients show for it."""

    id: str
    description: str
    message: str
    short_message: str
    type_name: str


_RULES: dict[CorrectionKind, _Rule] = {
    "nonword": _Rule(
        id=NON_WORD,
        description="Unknown words",
        message="Possible spelling mistake found.",
        short_message="Spelling mistake",
        type_name="UnknownWord",
    ),
    "realword": _Rule(
        id=REAL_WORD,
        description="Known words in the wrong place",
        message="This may be the wrong word.",
        short_message="Wrong word",
        type_name="Other",
    ),
    "variant": _Rule(
        id=VARIANT,
        description="Spellings of the other variant of English",
        message="This is the spelling of the other variant of English.",
        short_message="Spelling variant",
        type_name="Other",
    ),
    "split": _Rule(
        id=TWO_WORDS,
        description="Two words that are run together",
        message="These should be two words.",
        short_message="Missing space",
        type_name="UnknownWord",
    ),
    "join": _Rule(
        id=ONE_WORD,
        description="One word that is written as two",
        message="This should be one word.",
        short_message="Extra space",
        type_name="Other",
    ),
}
RULES = ", ".join(rule.id for rule in _RULES.values())
"""The ids of all rules, as the documentation of the API lists them."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the plain text that starts at `start`, and its span in the original."""

    start: int
    first: int
    last: int
    markup: bool


@dataclass(frozen=True, slots=True)
class Check:
    """A request.

    `original` is what the client shows, with its markup; `plain` is the text to check.
    """

    original: str
    plain: str
    pieces: tuple[Piece, ...]
    language: str
    rules: frozenset[str]

    def within(self, start: int, end: int) -> tuple[Piece, ...]:
        """The pieces that contain a span of the plain text."""
        first = bisect_right(self.pieces, start, key=lambda piece: piece.start) - 1
        last = bisect_right(self.pieces, end - 1, key=lambda piece: piece.start)
        return self.pieces[first:last]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original of a span of the plain text."""
        pieces = self.within(start, end)
        a, b = pieces[0], pieces[-1]
        first = a.first if a.markup else a.first + start - a.start
        return first, b.last if b.markup else b.first + end - b.start


def languages() -> list[dict[str, str]]:
    """The response of /v2/languages."""
    return [{"name": name, "code": "en", "longCode": code} for code, name in LANGUAGES.items()]


def parse(form: Mapping[str, str]) -> Check:
    """Parse the form. Parameters of LanguageTool that have no meaning here are ignored."""
    if "language" not in form:
        raise Error("Missing 'language' parameter, e.g. 'language=en-US'")
    language = _language(form["language"])
    if ("text" in form) == ("data" in form):
        raise Error("Set either the 'text' or the 'data' parameter")
    if "text" in form:
        parts = [(form["text"], form["text"], False)]
    else:
        parts = list(_annotation(form["data"]))
    pieces: list[Piece] = []
    start = first = 0
    for original, plain, markup in parts:
        if plain:
            pieces.append(Piece(start, first, first + len(original), markup))
        start, first = start + len(plain), first + len(original)
    return Check(
        original="".join(original for original, _, _ in parts),
        plain="".join(plain for _, plain, _ in parts),
        pieces=tuple(pieces),
        language=language,
        rules=_rules(form),
    )


def _language(code: str) -> str:
    if code == "auto":
        return "en-US"
    asked = code.lower().replace("_", "-")
    for known in LANGUAGES:
        if known.lower() == asked:
            return known
    if asked.startswith("en-"):
        return "en"
    supported = ", ".join(LANGUAGES)
    raise Error(f"{code[:20]!r} is not a supported language code. Supported codes are: {supported}")


def _annotation(data: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each part as original and plain text, and whether it is markup."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Error("'data' is not valid JSON") from error
    if not isinstance(value, dict):
        raise Error("'data' must be an object with 'annotation' or 'text'")
    parts = [{"text": value["text"]}] if "text" in value else value.get("annotation")
    if not isinstance(parts, list):
        raise Error("'annotation' must be a list")
    for part in parts:
        yield _part(part)


def _part(part: object) -> tuple[str, str, bool]:
    if isinstance(part, dict) and all(isinstance(value, str) for value in part.values()):
        if "text" in part and "markup" not in part:
            return part["text"], part["text"], False
        if "markup" in part and "text" not in part:
            return part["markup"], part.get("interpretAs", ""), True
    raise Error("each annotation needs either 'text' or 'markup', as strings")


def _rules(form: Mapping[str, str]) -> frozenset[str]:
    """The rules that are enabled."""

    def listed(key: str) -> frozenset[str]:
        return frozenset(name.strip() for name in form.get(key, "").split(","))

    every = frozenset(rule.id for rule in _RULES.values())
    if form.get("enabledOnly", "").lower() in ("true", "yes"):
        whole_category = CATEGORY["id"] in listed("enabledCategories")
        return every if whole_category else every & listed("enabledRules")
    if CATEGORY["id"] in listed("disabledCategories"):
        return every & listed("enabledRules")
    return every - listed("disabledRules")


def response(check: Check, corrections: Iterable[Correction]) -> bytes:
    """The response of /v2/check, as JSON; offsets count UTF-16 units of the original."""
    tokens = tokenize(check.plain)
    spans = [(tokens[a].start, tokens[b - 1].end) for a, b in sentences(check.plain, tokens)]
    utf16 = Utf16Offsets(check.original)
    ranges = (check.place(*span) for span in spans)
    name = LANGUAGES[check.language]
    detected = {"name": name, "code": check.language, "confidence": 1.0, "source": "respell"}
    head = {
        "software": {
            "name": "respell",
            "version": __version__,
            "buildDate": "",
            "apiVersion": 1,
            "premium": False,
            "premiumHint": "",
            "status": "",
        },
        "warnings": {"incompleteResults": False},
        "language": {"name": name, "code": check.language, "detectedLanguage": detected},
        "sentenceRanges": [[utf16.to_utf16(first), utf16.to_utf16(last)] for first, last in ranges],
    }
    # Match by match, because one long call of json.dumps blocks all threads.
    matches = ", ".join(map(json.dumps, _matches(check, corrections, spans, utf16)))
    return f'{json.dumps(head)[:-1]}, "matches": [{matches}]}}'.encode("ascii")


def _matches(
    check: Check,
    corrections: Iterable[Correction],
    spans: Sequence[tuple[int, int]],
    utf16: Utf16Offsets,
) -> Iterator[dict[str, Any]]:
    for found in corrections:
        rule = _RULES[found.kind]
        pieces = check.within(found.start, found.end)
        if rule.id not in check.rules or any(piece.markup for piece in pieces):
            continue  # the user cannot edit the text that stands for markup
        start, end = check.place(found.start, found.end)
        first, last = spans[bisect_right(spans, found.start, key=lambda span: span[0]) - 1]
        yield {
            "message": rule.message,
            "shortMessage": rule.short_message,
            "replacements": [{"value": s.text} for s in found.suggestions],
            "offset": utf16.to_utf16(start),
            "length": utf16.to_utf16(end) - utf16.to_utf16(start),
            "context": _context(check.original, start, end),
            "sentence": _sentence(check.plain, found, first, last),
            "type": {"typeName": rule.type_name},
            "rule": {
                "id": rule.id,
                "description": rule.description,
                "issueType": "misspelling",
                "category": CATEGORY,
            },
            "ignoreForIncompleteSentence": False,
            "contextForSureMatch": 0,
        }


def _sentence(text: str, found: Correction, first: int, last: int) -> str:
    """The sentence from `first` to `last`; of a very long one, the part around the word."""
    return text[max(first, found.start - _SENTENCE) : min(last, found.end + _SENTENCE)]


def _context(text: str, start: int, end: int) -> dict[str, Any]:
    """The word with the text around it, on one line."""
    first, last = max(0, start - _CONTEXT), min(len(text), end + _CONTEXT)
    before = ("..." if first else "") + text[first:start]
    after = text[end:last] + ("..." if last < len(text) else "")
    whole = (before + text[start:end] + after).replace("\n", " ").replace("\r", " ")
    utf16 = Utf16Offsets(whole)
    offset = utf16.to_utf16(len(before))
    length = utf16.to_utf16(len(before) + end - start) - offset
    return {"text": whole, "offset": offset, "length": length}
