"""The protocol of LanguageTool's /v2/check: its form in, its JSON out."""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from respell import __version__
from respell.server.offsets import Utf16
from respell.text.sentences import sentences
from respell.text.tokenize import tokenize
from respell.types import Correction, Error

LANGUAGES = {
    "en": "English",
    "en-AU": "English (Australian)",
    "en-CA": "English (Canadian)",
    "en-GB": "English (GB)",
    "en-NZ": "English (New Zealand)",
    "en-US": "English (US)",
    "en-ZA": "English (South African)",
}
NON_WORD, REAL_WORD = "RESPELL_NON_WORD", "RESPELL_REAL_WORD"
CATEGORY = {"id": "TYPOS", "name": "Possible Typo"}
_CONTEXT = 40
_SENTENCE = 500  # a text without full stops must not come back once for every match
_WORDING = {
    NON_WORD: ("Possible spelling mistake found.", "Spelling mistake", "UnknownWord"),
    REAL_WORD: ("This word may be wrong here.", "Wrong word", "Other"),
}
_DESCRIPTION = {
    NON_WORD: "Words that the lexicon does not know",
    REAL_WORD: "Words that do not fit where they stand",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the plain text, and where in the original stands what it was made of."""

    start: int
    first: int
    last: int
    markup: bool


@dataclass(frozen=True, slots=True)
class Check:
    """A request: what the client shows, what is to be read, and which rules may speak."""

    original: str
    plain: str
    pieces: tuple[Piece, ...]
    language: str
    rules: frozenset[str]

    def within(self, start: int, end: int) -> tuple[Piece, ...]:
        """The pieces that a stretch of the plain text touches."""
        first = bisect_right(self.pieces, start, key=lambda piece: piece.start) - 1
        last = bisect_right(self.pieces, end - 1, key=lambda piece: piece.start)
        return self.pieces[first:last]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the plain text stands in the original."""
        pieces = self.within(start, end)
        a, b = pieces[0], pieces[-1]
        first = a.first if a.markup else a.first + start - a.start
        return first, b.last if b.markup else b.first + end - b.start


def languages() -> list[dict[str, str]]:
    """The answer of /v2/languages."""
    return [{"name": name, "code": "en", "longCode": code} for code, name in LANGUAGES.items()]


def parse(form: Mapping[str, str]) -> Check:
    """Read the form; what LanguageTool knows and we do not use is ignored."""
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
    for shown, read, markup in parts:
        if read:
            pieces.append(Piece(start, first, first + len(shown), markup))
        start, first = start + len(read), first + len(shown)
    return Check(
        original="".join(shown for shown, _, _ in parts),
        plain="".join(read for _, read, _ in parts),
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
    raise Error(
        f"{code[:20]!r} is not a language code known here. Supported codes are: {supported}"
    )


def _annotation(data: str) -> Iterator[tuple[str, str, bool]]:
    """Yield of each part what is shown, what is read, and whether it is mark-up."""
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
    """The rules left after switching on and off by rule and by category."""

    def listed(key: str) -> frozenset[str]:
        return frozenset(name.strip() for name in form.get(key, "").split(","))

    every = frozenset((NON_WORD, REAL_WORD))
    if form.get("enabledOnly", "").lower() in ("true", "yes"):
        return (
            every
            if CATEGORY["id"] in listed("enabledCategories")
            else (every & listed("enabledRules"))
        )
    if CATEGORY["id"] in listed("disabledCategories"):
        return every & listed("enabledRules")
    return every - listed("disabledRules")


def answer(
    check: Check, corrections: Sequence[Correction], is_word: Callable[[str], bool]
) -> bytes:
    """The answer of /v2/check, as JSON; offsets count UTF-16 units of the original."""
    tokens = tokenize(check.plain)
    spans = [(tokens[a].start, tokens[b - 1].end) for a, b in sentences(check.plain, tokens)]
    utf16 = Utf16(check.original)
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
        "sentenceRanges": [[utf16.units(first), utf16.units(last)] for first, last in ranges],
    }
    # Piece by piece: one long call would block every thread.
    matches = ", ".join(map(json.dumps, _matches(check, corrections, spans, utf16, is_word)))
    return f'{json.dumps(head)[:-1]}, "matches": [{matches}]}}'.encode("ascii")


def _matches(
    check: Check,
    corrections: Iterable[Correction],
    spans: Sequence[tuple[int, int]],
    utf16: Utf16,
    is_word: Callable[[str], bool],
) -> Iterator[dict[str, Any]]:
    for found in corrections:
        rule = REAL_WORD if is_word(found.original) else NON_WORD
        pieces = check.within(found.start, found.end)
        if rule not in check.rules or any(piece.markup for piece in pieces):
            continue  # what mark-up is read as is no text that somebody could change
        start, end = check.place(found.start, found.end)
        message, short, kind = _WORDING[rule]
        first, last = spans[bisect_right(spans, found.start, key=lambda span: span[0]) - 1]
        yield {
            "message": message,
            "shortMessage": short,
            "replacements": [{"value": s.text} for s in found.suggestions],
            "offset": utf16.units(start),
            "length": utf16.units(end) - utf16.units(start),
            "context": _context(check.original, start, end),
            "sentence": _around(check.plain, found, first, last),
            "type": {"typeName": kind},
            "rule": {
                "id": rule,
                "description": _DESCRIPTION[rule],
                "issueType": "misspelling",
                "category": CATEGORY,
            },
            "ignoreForIncompleteSentence": False,
            "contextForSureMatch": 0,
        }


def _around(text: str, found: Correction, first: int, last: int) -> str:
    """The sentence, or of a very long one what stands around the word."""
    return text[max(first, found.start - _SENTENCE) : min(last, found.end + _SENTENCE)]


def _context(text: str, start: int, end: int) -> dict[str, Any]:
    """The word with what stands around it, on one line."""
    first, last = max(0, start - _CONTEXT), min(len(text), end + _CONTEXT)
    before = ("..." if first else "") + text[first:start]
    after = text[end:last] + ("..." if last < len(text) else "")
    whole = (before + text[start:end] + after).replace("\n", " ").replace("\r", " ")
    utf16 = Utf16(whole)
    at = utf16.units(len(before))
    length = utf16.units(len(before) + end - start) - at
    return {"text": whole, "offset": at, "length": length}
