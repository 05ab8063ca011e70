"""Check documents repeatedly; only sentences that are new go through the model."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from respell.corrector import Corrector
from respell.decision.adjust import agreeing
from respell.decision.evidence import Evidence
from respell.decision.terms import confirmed, frequent
from respell.formats.masker import Masker
from respell.model.bundle import Bundle, default_path
from respell.model.forward import Forward
from respell.model.session import open_session
from respell.options import CorrectorOptions
from respell.text.windows import Window
from respell.types import Correction

GROUP_WORDS = 2048
"""Words that are checked before the next test whether the check is stale."""
_CACHED = 1 << 14  # blocks, and as many windows: about 10 MB
_CHECKERS = 4  # two folders with options of their own, and their options before a change
_DOCUMENTS = 4  # whose terms are kept
_THREADS = 2  # leaves the other cores to the editor
# No sentence crosses a blank line, so the blocks between them can be checked on their own.
_BLANK = re.compile(r"\n\s*\n")
Found = tuple[Correction, ...]
K = TypeVar("K")
V = TypeVar("V")


class StaleError(Exception):
    """The text has changed since the check began."""


class _Key(NamedTuple):
    """What the answer for a window depends on."""

    text: str
    kinds: str
    first: int
    last: int


class _Cache(Generic[K, V]):
    """Keeps the values that were used last."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        value = self._values.pop(key, None)
        if value is not None:
            self._values[key] = value
        return value

    def put(self, key: K, value: V) -> None:
        self._values[key] = value
        if len(self._values) > self._size:
            del self._values[next(iter(self._values))]


class _Reader:
    """Reads blocks of text with one corrector and caches the answers for their sentences.

    With `others`, only sentences with a word that is spelled like a term are read by the
    corrector; the others are left to that reader, which does not know the terms.
    """

    def __init__(self, corrector: Corrector, cached: int, others: "_Reader | None" = None) -> None:
        self._corrector = corrector
        self._others = others
        self._blocks: _Cache[str, Found] = _Cache(cached)
        self._windows: _Cache[_Key, Found] = _Cache(cached)

    def read(self, blocks: Sequence[str], stale: Callable[[], bool]) -> dict[str, Found]:
        """The misspellings in blocks. Only new sentences of new blocks go through the model."""
        known = {block: self._blocks.get(block) for block in blocks}
        new = self._read_new([block for block, found in known.items() if found is None], stale)
        return {block: new[block] if found is None else found for block, found in known.items()}

    def _read_new(self, blocks: Sequence[str], stale: Callable[[], bool]) -> dict[str, Found]:
        parts: dict[str, list[tuple[int, _Key]]] = {}
        windows: dict[_Key, Window] = {}
        for block in blocks:
            _stop_if(stale)
            parts[block] = []
            for window in self._corrector.split(block):
                key = _key(block, window)
                parts[block].append((window.tokens[0].start, key))
                windows.setdefault(key, window)
        known = self._read_windows(windows, stale)
        found = {
            block: tuple(_shifted((start, known[key]) for start, key in parts[block]))
            for block in blocks
        }
        for block in blocks:
            self._blocks.put(block, found[block])
        return found

    def _read_windows(
        self, windows: Mapping[_Key, Window], stale: Callable[[], bool]
    ) -> dict[_Key, Found]:
        if self._others is not None:
            near = self._corrector.has_word_like_a_term
            plain = {key: window for key, window in windows.items() if not near(window)}
            found = self._others._read_windows(plain, stale)
            windows = {key: window for key, window in windows.items() if key not in plain}
        else:
            found = {}
        new: dict[_Key, Window] = {}
        for key, window in windows.items():
            known = self._windows.get(key)
            if known is None:
                new[key] = window
            else:
                found[key] = known
        for keys in _groups(new):
            _stop_if(stale)
            moved = [_from_zero(i, new[key]) for i, key in enumerate(keys)]
            answers = self._corrector.check_windows(moved, len(moved))
            for key, corrections in zip(keys, answers, strict=True):
                found[key] = tuple(corrections)
                self._windows.put(key, found[key])
        return found


class Checker:
    """Checks documents with one corrector, as its `check_document` does."""

    def __init__(
        self, corrector: Corrector, *, cached: int = _CACHED, evidence: bool = True
    ) -> None:
        self._corrector = corrector
        self._use_evidence = evidence
        self._reader = _Reader(corrector, cached)
        self._readers: _Cache[tuple[str, ...], _Reader] = _Cache(_DOCUMENTS)
        """By terms."""
        self._cached = cached

    def check(
        self, text: str, *, format: str = "plain", stale: Callable[[], bool] = lambda: False
    ) -> list[Correction]:
        """The misspellings of a document. Raises StaleError as soon as `stale` returns True."""
        masked = Masker(format).mask(text)
        if not self._use_evidence:
            return _read_text(self._reader, masked, stale)
        evidence = Evidence(self._corrector.bundle.lexicon)
        evidence.add(text, masked)
        reader = self._reader_with(self._terms(evidence, stale), evidence)
        found = _read_text(reader, masked, stale)
        return agreeing(evidence, masked, found, self._corrector.policy)

    def _terms(self, evidence: Evidence, stale: Callable[[], bool]) -> tuple[str, ...]:
        words = frequent(evidence)
        contexts = [evidence.contexts[word] for word in words]
        known = self._reader.read(contexts, stale)
        found = [list(known[context]) for context in contexts]
        return tuple(confirmed(evidence, words, found, self._corrector.policy))

    def _reader_with(self, terms: tuple[str, ...], evidence: Evidence) -> _Reader:
        if not terms:
            return self._reader
        reader = self._readers.get(terms)
        if reader is None:
            adapted = self._corrector.with_terms(evidence, terms)
            reader = _Reader(adapted, self._cached, self._reader)
            self._readers.put(terms, reader)
        return reader


def _read_text(reader: _Reader, masked: str, stale: Callable[[], bool]) -> list[Correction]:
    blocks = list(_blocks(masked))
    found = reader.read([block for _, block in blocks], stale)
    return list(_shifted((start, found[block]) for start, block in blocks))


def _stop_if(stale: Callable[[], bool]) -> None:
    if stale():
        raise StaleError


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The blocks between blank lines, with their offsets."""
    start = 0
    for blank in _BLANK.finditer(text):
        if blank.start() > start:
            yield start, text[start : blank.start()]
        start = blank.end()
    if start < len(text):
        yield start, text[start:]


def _key(block: str, window: Window) -> _Key:
    tokens = window.tokens
    text = block[tokens[0].start : tokens[-1].end]
    kinds = "".join(token.kind[:2] for token in tokens)
    return _Key(text, kinds, window.first, window.last)


def _from_zero(owner: int, window: Window) -> Window:
    """The window as if its first token began the text."""
    start = window.tokens[0].start
    tokens = [replace(token, start=token.start - start) for token in window.tokens]
    text = None if window.text is None else window.text[start : window.tokens[-1].end]
    return replace(window, owner=owner, tokens=tokens, text=text)


def _shifted(parts: Iterable[tuple[int, Found | None]]) -> Iterator[Correction]:
    """The corrections of parts, with offsets in the whole."""
    for start, found in parts:
        for correction in found or ():
            yield replace(correction, start=start + correction.start)


def _groups(windows: Mapping[_Key, Window]) -> Iterator[list[_Key]]:
    """The keys in groups of about GROUP_WORDS words."""
    group: list[_Key] = []
    words = 0
    for key, window in windows.items():
        group.append(key)
        words += len(window.tokens)
        if words >= GROUP_WORDS:
            yield group
            group, words = [], 0
    if group:
        yield group


class Checkers:
    """Loads models when they are first needed, and keeps one checker per set of options."""

    def __init__(self) -> None:
        self._models: dict[Path, tuple[Bundle, Forward]] = {}
        self._checkers: _Cache[CorrectorOptions, Checker] = _Cache(_CHECKERS)

    def get(self, options: CorrectorOptions) -> Checker:
        """The checker for these options."""
        checker = self._checkers.get(options)
        if checker is None:
            bundle, forward = self._model(options.model or default_path())
            corrector = Corrector(bundle, forward, **options.for_reading().arguments())
            checker = Checker(corrector)
            self._checkers.put(options, checker)
        return checker

    def _model(self, path: Path) -> tuple[Bundle, Forward]:
        if path not in self._models:
            bundle = Bundle.read(path)
            self._models[path] = bundle, open_session(bundle.model, threads=_THREADS)
        return self._models[path]
