"""The spaCy component "respell": `doc._.corrections`, `doc._.corrected`, `token._.correction`."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from itertools import islice
from typing import Any

from respell.integrations import Options, open_corrector
from respell.text.apply import apply, automatic
from respell.types import Correction, Error, Suggestion

try:
    from spacy.language import Language
    from spacy.tokens import Doc, Token
except ModuleNotFoundError as error:
    raise Error(f"{error.name} is missing: pip install '.[spacy]' in a checkout") from error

# spaCy stores the data of a token under such keys: (mark, name, offset of the token, None). It
# updates the offsets when documents are joined or sliced.
_KEY = ("._.", "correction")


class Respell:
    """Finds misspellings in documents. It holds only options, so it can be pickled and saved."""

    def __init__(self, options: Options) -> None:
        self._options = options
        open_corrector(**options)  # raises now if an option is invalid, not at the first document
        _register()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        _register()

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 1000) -> Iterator[Doc]:
        """Annotate a stream of documents, `batch_size` at a time."""
        corrector = open_corrector(**self._options)
        waiting = iter(stream)
        while docs := list(islice(waiting, batch_size)):
            found = corrector.check_many(doc.text for doc in docs)
            for doc, corrections in zip(docs, found, strict=True):
                _annotate(doc, corrections)
                yield doc


def make_respell(
    nlp: Language,
    name: str,
    model: str | None,
    preset: str,
    threshold: float | None,
    fix_threshold: float | None,
    variant: str,
    dictionary: list[str],
    max_suggestions: int,
) -> Respell:
    """Create the component; spaCy calls this for `nlp.add_pipe("respell", config={...})`."""
    return Respell(
        {
            "model": model,
            "preset": preset,
            "threshold": threshold,
            "fix_threshold": fix_threshold,
            "variant": variant,
            "dictionary": dictionary,
            "max_suggestions": max_suggestions,
        }
    )


Language.factory(
    "respell",
    default_config={
        "model": None,
        "preset": "default",
        "threshold": None,
        "fix_threshold": None,
        "variant": "auto",
        "dictionary": [],
        "max_suggestions": 5,
    },
    assigns=["doc._.corrections", "doc._.corrected", "token._.correction"],
    func=make_respell,
)


def _register() -> None:
    wanted: tuple[tuple[Any, str, Any], ...] = (
        (Doc, "corrections", _corrections),
        (Doc, "corrected", _corrected),
        (Token, "correction", _correction),
    )
    for kind, name, getter in wanted:
        if not kind.has_extension(name):
            kind.set_extension(name, getter=getter)
        elif kind.get_extension(name)[2] is not getter:
            taken = f"{kind.__name__}._.{name}"
            raise Error(f"{taken} is used by another component; respell needs this name")


def _annotate(doc: Doc, corrections: Sequence[Correction]) -> None:
    data: MutableMapping[Any, Any] = doc.user_data
    for key in [key for key in data if _is_ours(key)]:
        del data[key]
    starts = [token.idx for token in doc]
    for found in corrections:
        first = bisect_right(starts, found.start) - 1
        for start in starts[first : bisect_right(starts, found.end - 1)]:
            data.setdefault((*_KEY, start, None), []).append(_pack(found, start))


def _is_ours(key: object) -> bool:
    return isinstance(key, tuple) and key[:2] == _KEY


def _pack(correction: Correction, token_start: int) -> list[Any]:
    """The correction as plain values, which `Doc.to_bytes` and `DocBin` can store."""
    return [
        correction.start - token_start,
        correction.original,
        [[s.text, s.probability] for s in correction.suggestions],
        correction.score,
        correction.error_probability,
        correction.kind,
        correction.automatic,
    ]


def _unpack(packed: Sequence[Any], token_start: int) -> Correction:
    start, original, suggestions, *others = packed
    ranked = tuple(Suggestion(text, probability) for text, probability in suggestions)
    return Correction(token_start + start, original, ranked, *others)


def _correction(token: Token) -> Correction | None:
    """The first correction that overlaps this token, or None."""
    data: MutableMapping[Any, Any] = token.doc.user_data
    packed = data.get((*_KEY, token.idx, None))
    return _unpack(packed[0], token.idx) if packed else None


def _corrections(doc: Doc) -> list[Correction]:
    """All corrections, in order. A slice of a document has those that lie entirely in it."""
    text: str = doc.text
    data: MutableMapping[Any, Any] = doc.user_data
    found: dict[int, Correction] = {}
    for key, entries in data.items():
        if _is_ours(key):
            for packed in entries:
                correction = _unpack(packed, key[2])
                found[correction.start] = correction
    inside = (found[start] for start in sorted(found) if start >= 0)
    return [c for c in inside if text[c.start : c.end] == c.original]


def _corrected(doc: Doc) -> str:
    return apply(doc.text, automatic(_corrections(doc)))
