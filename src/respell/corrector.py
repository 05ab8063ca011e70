"""Load a model, find the misspellings of texts, correct them."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path

import numpy as np

from respell.blend import blend
from respell.bundle import Bundle, default_path
from respell.decode import IDENTITY, Calibration, Policy, decode
from respell.dictionary import Composing, known_forms, listed_capitals, new_words, shorthand
from respell.features import NO_WORDS, WILD, Features, Floats, Forward, TopK, form
from respell.frame import BEFORE, BEHIND, LENGTH, lone_word, uncapitalize
from respell.session import open_session
from respell.text import apply, sentences, tokenize, tokenize_words
from respell.types import Correction, Error, Suggestion, Token

BATCH_WORDS = 768
"""Words, padding included, that go through the model at once."""
LOOK_AHEAD_WORDS = 16_384
"""Words read ahead, so that sentences of one length can share a batch."""
FAINT = 0.25
"""How much of the threshold must be seen in a word for it to be in any doubt."""


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens the model reads together; only those from `first` to `last` are judged here."""

    owner: int
    tokens: Sequence[Token]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the model says of one word: how likely it is right, and what else it may be."""

    start: int
    original: str
    keep: float
    candidates: tuple[Suggestion, ...]


class Corrector:
    """Finds and corrects misspellings, one token in, one token out."""

    def __init__(
        self,
        bundle: Bundle,
        forward: Forward,
        *,
        preset: str = "default",
        threshold: float | None = None,
        dictionary: Iterable[str] = (),
        max_suggestions: int = 5,
    ) -> None:
        if threshold is not None and not (_is_number(threshold) and 0 <= threshold <= 1):
            raise Error(f"threshold must be a number between 0 and 1, not {threshold!r}")
        if not _is_count(max_suggestions):
            raise Error(
                f"max_suggestions must be at least 1, a whole number, not {max_suggestions!r}"
            )
        chosen = bundle.preset(preset)
        words = _words(dictionary)
        as_people_write = bundle.config.style == "lower" and not chosen.restore_case
        self.bundle = bundle
        self._encoder = replace(bundle.encoder, wild=chosen.wild)
        self.policy = Policy(
            threshold=chosen.threshold if threshold is None else threshold,
            unlisted=chosen.unlisted if threshold is None else 1.0,
            restore_case=chosen.restore_case,
            max_suggestions=max_suggestions,
            dictionary=frozenset(known_forms(words)) | (shorthand() if as_people_write else set()),
            style=bundle.config.style,
            calibration=Calibration(slope=chosen.slope, shift=chosen.shift),
            sure=chosen.sure,
            told=chosen.told if chosen.wild else 1.0,
            new_words=new_words(words, self._encoder) if isinstance(forward, Composing) else {},
            listed=listed_capitals(words, bundle.lexicon),
            capitals=bundle.capitals,
            stretches=as_people_write,
        )
        self.forward = forward
        self._bias = chosen.dictionary_bias

    def check(self, text: str) -> list[Correction]:
        """The misspellings of a text, in order, with what to write instead."""
        return next(self.check_many((text,)))

    def correct(self, text: str) -> str:
        """The text with every misspelling replaced by its first suggestion."""
        return apply(text, self.check(text))

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        """The misspellings of each text, in order; reads ahead to fill batches."""
        if isinstance(texts, str):
            raise Error("check_many wants several texts, not one; check takes one")
        return self._check_all(map(self._split_text, texts))

    def correct_tokens(self, tokens: Sequence[str]) -> list[str]:
        """Correct a sentence the caller has split: as many tokens come back as went in."""
        return next(self.correct_tokens_many((tokens,)))

    def correct_tokens_many(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """Correct many split sentences, in order; reads ahead to fill batches."""
        waiting: deque[Sequence[str]] = deque()

        def remembered() -> Iterator[Sequence[str]]:
            for words in sentences:
                waiting.append(words if isinstance(words, str) else list(words))
                yield waiting[-1]

        for corrections in self.check_tokens_many(remembered()):
            yield apply_to_words(waiting.popleft(), corrections)

    def check_tokens_many(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[Correction]]:
        """The misspellings of split sentences; offsets count in `" ".join(tokens)`."""
        return self._check_all([self._split_words(words)] for words in sentences)

    def explain(self, text: str, start: int, *, max_candidates: int = 8) -> Explanation:
        """What is said of the word at an offset, be it right, doubtful or wrong."""
        if not _is_count(max_candidates):
            raise Error(
                f"max_candidates must be at least 1, a whole number, not {max_candidates!r}"
            )
        open_minded = copy(self)
        open_minded.policy = replace(
            self.policy,
            threshold=0.0,
            dictionary=frozenset(),
            stretches=False,
            max_suggestions=max_candidates,
            calibration=IDENTITY,  # what is said of KEEP is not calibrated either
        )
        for window in map(self._framed, open_minded.split(text)):
            for j in range(window.first, window.last):
                token = window.tokens[j]
                if token.start <= start < token.end and token.kind == "word":
                    return open_minded._explain(window.tokens, j)
        raise Error(f"no word at {start}")

    def _explain(self, tokens: Sequence[Token], j: int) -> Explanation:
        topk = self._rank([tokens], 0.0)
        rows = np.flatnonzero(topk.positions == j)
        spelling = form(tokens[j].text, style=self.policy.style)
        itself = topk.ids[rows] == self._index(spelling)  # [0 or 1, k]
        others = ~itself.any(axis=0)
        # Naming the word itself is another way to keep it, and no candidate.
        keep = float(topk.keep[0, j]) + float(topk.probabilities[rows][itself].sum())
        rows = rows if others.any() else rows[:0]
        rest = TopK(
            keep=topk.keep,
            positions=topk.positions[rows],
            ids=topk.ids[rows][:, others],
            probabilities=topk.probabilities[rows][:, others],
            cases=topk.cases[rows],
        )
        (found,) = self._decode([tokens], rest)
        candidates = found[0].suggestions if found else ()
        return Explanation(tokens[j].start, tokens[j].text, keep, candidates)

    def _index(self, spelling: str) -> int | None:
        """How the model numbers a word of its lexicon or a new one."""
        index = self.bundle.lexicon.index(spelling)
        if index is None and spelling in self.policy.new_words:
            return len(self.bundle.lexicon) + list(self.policy.new_words).index(spelling)
        return index

    def _encode(self, windows: Sequence[Sequence[Token]]) -> Features:
        features = replace(self._encoder.encode(windows), new_words=self._new_rows)
        uncapitalize(windows, features.shapes)
        return features

    @cached_property
    def _new_rows(self) -> Floats:
        """What the model composes of the new words, when it is first asked: [new, width + 1]."""
        if not self.policy.new_words or not isinstance(self.forward, Composing):
            return NO_WORDS
        rows = self.forward.compose(self._encoder.spell(list(self.policy.new_words)))
        rows[:, -1] += self._bias
        return rows

    def split(self, text: str, *, owner: int = 0) -> list[Window]:
        """Cut a text into windows, for callers that schedule the work themselves."""
        return [w for part in self._split_text(text) for w in self._windows(owner, part)]

    def split_tokens(self, tokens: Sequence[str], *, owner: int = 0) -> list[Window]:
        """Cut a split sentence into windows; offsets count in `" ".join(tokens)`."""
        return list(self._windows(owner, self._split_words(tokens)))

    def _split_text(self, text: str) -> list[Sequence[Token]]:
        tokens = tokenize(text)
        return [tokens[a:b] for a, b in sentences(text, tokens)]

    def _split_words(self, words: Sequence[str]) -> Sequence[Token]:
        if isinstance(words, str):
            raise Error("tokens must be a list of words, not one string")
        if self.policy.style == "lower":
            return tokenize_words(words, mangled=self._encoder.wild)
        tokens: list[Token] = []
        start = 0
        for word in words:
            if word:
                tokens.append(Token(start, word))
            start += len(word) + 1
        return tokens

    def _check_all(self, texts: Iterable[list[Sequence[Token]]]) -> Iterator[list[Correction]]:
        """Check texts given as token sentences, a group at a time."""
        group: list[Window] = []
        owners = words = 0
        for text in texts:
            for sentence in text:
                group.extend(self._windows(owners, sentence))
                words += len(sentence)
            owners += 1
            if words + owners >= LOOK_AHEAD_WORDS:
                yield from self.check_windows(group, owners)
                group, owners, words = [], 0, 0
        yield from self.check_windows(group, owners)

    def _windows(self, owner: int, tokens: Sequence[Token]) -> Iterator[Window]:
        """A sentence, or, if it is too long, windows that overlap by a quarter."""
        if not any(map(self._in_question, tokens)):
            return
        length = self.bundle.config.length
        margin = length // 8
        start = 0
        while True:
            end = min(start + length, len(tokens))
            first = margin if start else 0
            last = length - margin if end < len(tokens) else end - start
            yield Window(owner, tokens[start:end], first, last)
            if end == len(tokens):
                return
            start += max(1, length - 2 * margin)

    def _in_question(self, token: Token) -> bool:
        return token.kind == "word" and not self.policy.knows(token.text)

    def check_windows(self, windows: Iterable[Window], owners: int) -> list[list[Correction]]:
        """The misspellings in windows of many texts, for each of the owners 0 to `owners` - 1."""
        found: list[list[Correction]] = [[] for _ in range(owners)]
        framed = map(self._framed, windows)
        for batch in _batches(sorted(framed, key=lambda w: len(w.tokens))):
            found_here = self._read([window.tokens for window in batch])
            for window, corrections in zip(batch, found_here, strict=True):
                judged = {token.start for token in window.tokens[window.first : window.last]}
                found[window.owner].extend(c for c in corrections if c.start in judged)
        for corrections in found:
            corrections.sort(key=lambda c: c.start)
        return found

    def _framed(self, window: Window) -> Window:
        """A word that stands alone, but for marks, without them in a frame."""
        if self.policy.style != "lower" or self.bundle.config.length < LENGTH:
            return window
        word = lone_word(window.tokens)
        if word is None or word not in window.tokens[window.first : window.last]:
            return window
        place = len(BEFORE)
        return Window(window.owner, (*BEFORE, word, *BEHIND), place, place + 1)

    def _read(self, batch: Sequence[Sequence[Token]]) -> list[list[Correction]]:
        """The misspellings of sentences that make a batch.

        Where misspellings stand side by side, those that are plain make the others plainer.
        """
        topk = self._rank(batch, self._gate())
        found = self._decode(batch, topk)
        if not self.policy.sure:
            return found
        sure = [[c for c in each if c.score >= self.policy.sure] for each in found]
        doubted = topk.keep < 1 - self._gate() * FAINT
        again = [
            i
            for i, tokens in enumerate(batch)
            if 0 < len(sure[i]) < np.count_nonzero(doubted[i, : len(tokens)])
        ]
        if again:
            written = [_written(batch[i], sure[i]) for i in again]
            rest = self._decode(written, self._rank(written, self._gate()))
            for i, others in zip(again, rest, strict=True):
                settled = {c.start for c in sure[i]}
                found[i] = sure[i] + [c for c in others if c.start not in settled]
        return found

    def _decode(self, batch: Sequence[Sequence[Token]], topk: TopK) -> list[list[Correction]]:
        return decode(batch, topk, self.bundle.lexicon, self.policy)

    def _rank(self, batch: Sequence[Sequence[Token]], gate: float) -> TopK:
        """What the model says, of heavily corrupted text perhaps in two readings."""
        features = self._encode(batch)
        if self.policy.told == 1:
            return self.forward(features, gate)
        plain = replace(features, shapes=features.shapes % WILD)
        # A suspect of one reading needs what the other says, though that may be little.
        gate *= FAINT
        return blend(self.forward(features, gate), self.forward(plain, gate), self.policy.told)

    def _gate(self) -> float:
        """No word of the lexicon is likelier than a mistake is, so this bound changes no answer."""
        return self.policy.calibration.undo(self.policy.lowest) * 0.999


def load(
    path: str | Path | None = None,
    *,
    preset: str = "default",
    threshold: float | None = None,
    dictionary: Iterable[str] = (),
    max_suggestions: int = 5,
    threads: int = 0,
) -> Corrector:
    """Load the model inside the package, or the one in a folder; `threads` 0 is every core."""
    bundle = Bundle.read(default_path() if path is None else Path(path))
    return Corrector(
        bundle,
        open_session(bundle.model, threads=threads),
        preset=preset,
        threshold=threshold,
        dictionary=dictionary,
        max_suggestions=max_suggestions,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _words(dictionary: Iterable[str]) -> frozenset[str]:
    """The words of a dictionary, each of them a string."""
    if isinstance(dictionary, str) or not isinstance(dictionary, Iterable):
        raise Error(f"dictionary must be words, not {type(dictionary).__name__}: give a list")
    words = frozenset(dictionary)
    if wrong := [word for word in words if not isinstance(word, str)]:
        raise Error(f"dictionary must be words, not {type(wrong[0]).__name__}: {wrong[0]!r}")
    return words


def _written(tokens: Sequence[Token], corrections: Iterable[Correction]) -> list[Token]:
    """The tokens with corrections in their places; where they start stays as it was."""
    written = {c.start: c.suggestions[0].text for c in corrections}
    return [replace(t, text=written[t.start]) if t.start in written else t for t in tokens]


def _batches(windows: Iterable[Window]) -> Iterator[list[Window]]:
    """Windows, sorted by length, in batches of about BATCH_WORDS words."""
    batch: list[Window] = []
    for window in windows:
        if batch and (len(batch) + 1) * len(window.tokens) > BATCH_WORDS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def apply_to_words(words: Sequence[str], corrections: Iterable[Correction]) -> list[str]:
    """Correct words given corrections of `" ".join(words)`, in order."""
    corrected: list[str] = []
    start = 0
    remaining = iter(corrections)
    current = next(remaining, None)
    for word in words:
        inside: list[Correction] = []
        while current is not None and current.end <= start + len(word):
            inside.append(replace(current, start=current.start - start))
            current = next(remaining, None)
        corrected.append(apply(word, inside))
        start += len(word) + 1
    return corrected
