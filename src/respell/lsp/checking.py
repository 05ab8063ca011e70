"""Checks documents again and again, but every sentence only once."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

from respell.corrector import Corrector
from respell.formats.masker import Masker
from respell.formats.scanner import FILLER
from respell.model.bundle import Bundle, default_path
from respell.model.forward import Forward
from respell.model.session import open_session
from respell.text.windows import Window
from respell.types import Correction, Token

GROUP_WORDS = 2048
"""Words that are checked before asking whether anybody still wants to know."""
_REMEMBERED = 1 << 14  # blocks, and as many sentences; some 10 MB
_CHECKERS = 4  # with different options: two folders and what they were before a change
_THREADS = 2  # the editor wants the other cores
# No sentence goes on after a blank line, so what stands between them can be checked alone.
_BLANK = re.compile(r"\n\s*\n")
Found = tuple[Correction, ...]
K = TypeVar("K")
V = TypeVar("V")


class StaleError(Exception):
    """Nobody wants to know any more: the text has changed."""


class Checks(Protocol):
    """What a checker needs of a corrector."""

    def split(self, text: str) -> list[Window]:
        """Cut a text into the windows that the model reads."""

    def check_windows(self, windows: Iterable[Window], owners: int) -> list[list[Correction]]:
        """Find the misspellings in windows, for each of so many owners."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything besides the text that an answer depends on."""

    model: Path | None = None
    preset: str = "default"
    threshold: float | None = None
    words: frozenset[str] = frozenset()
    max_suggestions: int = 5


class _Key(NamedTuple):
    """What tells a window from others: its text, its kinds of tokens, and which are judged."""

    text: str
    kinds: str
    first: int
    last: int


class _Recent(Generic[K, V]):
    """Remembers what was used last."""

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


class Checker:
    """Checks documents with one corrector and remembers what it said of their sentences."""

    def __init__(self, corrector: Checks, *, remembered: int = _REMEMBERED) -> None:
        self._corrector = corrector
        self._blocks: _Recent[str, Found] = _Recent(remembered)
        self._windows: _Recent[_Key, Found] = _Recent(remembered)

    def check(
        self, text: str, *, extension: str = "", stale: Callable[[], bool] = lambda: False
    ) -> list[Correction]:
        """The misspellings of a document; raises StaleError as soon as `stale` says so."""
        blocks = list(_blocks(Masker(extension).mask(text)))
        known = {block: self._blocks.get(block) for _, block in blocks}
        known |= self._check_blocks(
            [block for block, found in known.items() if found is None], stale
        )
        return list(_moved((start, known[block]) for start, block in blocks))

    def _check_blocks(self, blocks: Sequence[str], stale: Callable[[], bool]) -> dict[str, Found]:
        """Check blocks that have changed: only their new sentences go through the model."""
        parts: dict[str, list[tuple[int, _Key]]] = {}
        known: dict[_Key, Found | None] = {}
        new: dict[_Key, Window] = {}
        for block in blocks:
            _go_on(stale)
            parts[block] = []
            for window in self._corrector.split(block):
                key = _key(block, window)
                parts[block].append((window.tokens[0].start, key))
                if key not in known:
                    known[key] = self._windows.get(key)
                    if known[key] is None:
                        new[key] = window
        known |= self._check_windows(new, stale)
        found = {
            block: tuple(_moved((start, known[key]) for start, key in parts[block]))
            for block in blocks
        }
        for block in blocks:
            self._blocks.put(block, found[block])
        return found

    def _check_windows(
        self, new: Mapping[_Key, Window], stale: Callable[[], bool]
    ) -> dict[_Key, Found]:
        found: dict[_Key, Found] = {}
        for keys in _groups(new):
            _go_on(stale)
            windows = [_at_zero(i, new[key]) for i, key in enumerate(keys)]
            answers = self._corrector.check_windows(windows, len(windows))
            for key, corrections in zip(keys, answers, strict=True):
                found[key] = tuple(c for c in corrections if FILLER not in c.original)
                self._windows.put(key, found[key])
        return found


def _go_on(stale: Callable[[], bool]) -> None:
    if stale():
        raise StaleError


def _blocks(text: str) -> Iterator[tuple[int, str]]:
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


def _at_zero(owner: int, window: Window) -> Window:
    """The window of a text of its own."""
    start = window.tokens[0].start
    tokens = [Token(token.start - start, token.text, token.kind) for token in window.tokens]
    return Window(owner, tokens, window.first, window.last)


def _moved(parts: Iterable[tuple[int, Found | None]]) -> Iterator[Correction]:
    """Corrections of parts, counted from the start of the whole."""
    for start, found in parts:
        for correction in found or ():
            yield replace(correction, start=start + correction.start)


def _groups(windows: Mapping[_Key, Window]) -> Iterator[list[_Key]]:
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
    """Loads models when they are first needed and keeps a checker for each set of options."""

    def __init__(self) -> None:
        self._models: dict[Path, tuple[Bundle, Forward]] = {}
        self._checkers: _Recent[Options, Checker] = _Recent(_CHECKERS)

    def get(self, options: Options) -> Checker:
        """The checker for these options."""
        checker = self._checkers.get(options)
        if checker is None:
            bundle, forward = self._model(options.model or default_path())
            corrector = Corrector(
                bundle,
                forward,
                preset=options.preset,
                threshold=options.threshold,
                dictionary=options.words,
                max_suggestions=options.max_suggestions,
            )
            checker = Checker(corrector)
            self._checkers.put(options, checker)
        return checker

    def _model(self, path: Path) -> tuple[Bundle, Forward]:
        if path not in self._models:
            bundle = Bundle.read(path)
            self._models[path] = bundle, open_session(bundle.model, threads=_THREADS)
        return self._models[path]
