"""Load a model, find the misspellings of texts, and correct them."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

import numpy as np

from respell.decision.adjust import agreeing
from respell.decision.decode import decode
from respell.decision.evidence import Evidence
from respell.decision.policy import Policy, is_lowercase_oov
from respell.decision.shorthand import shorthand
from respell.decision.spacing import Proposal, best_apart, decide, propose
from respell.decision.terms import TermIndex, find_terms
from respell.decision.user_words import accepted_words, suggested_words, user_casing
from respell.decision.valid_words import similar_words
from respell.decision.variants import Variant, in_variant, other_variant
from respell.formats.masker import mask
from respell.model.bundle import Bundle, default_path
from respell.model.compose import UserWordScorer
from respell.model.encode import normalize
from respell.model.forward import NO_WORDS, Features, Floats, Forward, TopK
from respell.model.hidden_words import is_hidden_word
from respell.model.presets import Preset
from respell.model.session import open_session
from respell.options import MAX_SUGGESTIONS, CorrectorOptions, Spacing, check_count
from respell.text.apply import apply, apply_to_tokens, automatic
from respell.text.sentences import sentences
from respell.text.tokenize import tokenize, tokenize_words
from respell.text.windows import (
    BATCH_WORDS,
    CARRIER_LENGTH,
    Window,
    batches,
    cut,
    in_carrier_sentence,
    partition,
)
from respell.types import SPACING, Correction, Error, Explanation, Token

T = TypeVar("T")
LOOK_AHEAD_WORDS = 16_384
"""Words read ahead, so that sentences of one length can share a batch."""
NOTHING_RANKED = 2.0
"""A gate that no error reaches, if only the probabilities of errors are wanted."""
SUSPECT_SHARE = 0.25
"""A word is suspect if its error probability reaches this share of the threshold."""


class Corrector:
    """Finds and corrects misspellings.

    One token in, one token out: only with `spacing` may a correction of a text add or remove a
    blank. With "auto" it may if the model knows about blanks; with True such a model is needed.
    """

    def __init__(
        self,
        bundle: Bundle,
        forward: Forward,
        *,
        preset: str = "default",
        threshold: float | None = None,
        fix_threshold: float | None = None,
        strict_fixes: bool = False,
        dictionary: Iterable[str] = (),
        max_suggestions: int = MAX_SUGGESTIONS,
        variant: str = "auto",
        spacing: Spacing = False,
    ) -> None:
        check_count("max_suggestions", max_suggestions)
        options = CorrectorOptions(
            preset=preset,
            threshold=threshold,
            fix_threshold=fix_threshold,
            strict_fixes=strict_fixes,
            dictionary=dictionary,  # type: ignore[arg-type]
            max_suggestions=max_suggestions,
            variant=variant,
            spacing=spacing,
        )
        if spacing is True and not bundle.config.spacing:
            raise Error(
                "this model does not find missing or extra spaces; turn the option spacing off"
            )
        self.options = options
        self.bundle = bundle
        self.forward = forward
        self._evidence: Evidence | None = None
        self._suggester: Corrector | None = None
        self._terms = TermIndex(())
        chosen = bundle.preset(preset)
        self._bias = chosen.dictionary_bias
        self._encoder = replace(
            bundle.encoder, noisy=chosen.mode == "noisy" and bundle.config.noise_flag
        )
        ranks_words = isinstance(forward, UserWordScorer)
        self.policy = replace(
            _policy(options, chosen, bundle),
            vocabulary_bias=chosen.vocabulary_bias if ranks_words else None,
            user_words=suggested_words(options.dictionary, self._encoder) if ranks_words else {},
        )

    def check(self, text: str, *, format: str = "plain") -> list[Correction]:
        """The misspellings of a text, in order.

        `format` names the markup to skip, such as "markdown" or "python".
        """
        return next(self.check_many((text,), format=format))

    def check_many(
        self, texts: Iterable[str], *, format: str = "plain"
    ) -> Iterator[list[Correction]]:
        """The misspellings of each text, in order. Reads ahead to fill batches."""
        if isinstance(texts, str):
            raise Error("check_many takes several texts; use check for one")
        return self._check_many(mask(text, format) for text in texts)

    def _check_many(self, masked: Iterable[str]) -> Iterator[list[Correction]]:
        waiting: deque[str] = deque()
        split = (self._split(text) for text in _remember(masked, waiting))
        for found in self._check_all(split):
            yield self.agreeing(waiting.popleft(), found)

    def agreeing(self, text: str, corrections: Iterable[Correction]) -> list[Correction]:
        """The corrections of a masked text that agree with the evidence, if there is any.

        For callers that use `check_windows`, which does not ask the evidence.
        """
        if self._evidence is None:
            return list(corrections)
        return agreeing(self._evidence, text, corrections, self.policy)

    def correct(self, text: str, *, format: str = "plain") -> str:
        """The text with every automatic correction."""
        return apply(text, automatic(self.check(text, format=format)))

    def correct_many(self, texts: Iterable[str], *, format: str = "plain") -> Iterator[str]:
        """Each text corrected, in order. Reads ahead to fill batches."""
        if isinstance(texts, str):
            raise Error("correct_many takes several texts; use correct for one")
        waiting: deque[str] = deque()
        for corrections in self.check_many(_remember(texts, waiting), format=format):
            yield apply(waiting.popleft(), automatic(corrections))

    def check_tokens(self, tokens: Sequence[str]) -> list[Correction]:
        """The misspellings of a split sentence; offsets count in `" ".join(tokens)`."""
        return next(self.check_tokens_many((tokens,)))

    def check_tokens_many(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[Correction]]:
        """The misspellings of many split sentences, in order."""
        return self._check_all((None, [self._split_words(words)]) for words in sentences)

    def correct_tokens(self, tokens: Sequence[str]) -> list[str]:
        """Correct a split sentence. The result has as many tokens."""
        return next(self.correct_tokens_many((tokens,)))

    def correct_tokens_many(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """Correct many split sentences, in order. Reads ahead to fill batches."""
        waiting: deque[Sequence[str]] = deque()
        listed = (words if isinstance(words, str) else list(words) for words in sentences)
        for corrections in self.check_tokens_many(_remember(listed, waiting)):
            yield apply_to_tokens(waiting.popleft(), automatic(corrections))

    def check_document(self, text: str, *, format: str = "plain") -> list[Correction]:
        """The misspellings of a document, given the evidence of the whole text.

        Words that recur or occur in code are terms: they are not flagged, and their misspellings
        are corrected to them.
        """
        evidence = Evidence(self.bundle.lexicon)
        evidence.add(text, mask(text, format))
        return self.with_evidence(evidence).check(text, format=format)

    def with_evidence(self, evidence: Evidence) -> "Corrector":
        """A corrector for the documents that the evidence comes from."""
        terms = find_terms(evidence, self.check_many, self.policy)
        return self.with_terms(evidence, terms)

    def with_terms(self, evidence: Evidence, terms: Sequence[str]) -> "Corrector":
        """As `with_evidence`, for callers that have found the terms themselves."""
        adapted = copy(self)
        adapted._evidence = evidence
        # Ranking more words costs time at every unknown word. So terms are accepted, and only
        # sentences with a word that is spelled almost like a term are read by a corrector that can
        # suggest terms.
        adapted._suggester = suggester = self.with_dictionary(terms)
        adapted.policy = replace(self.policy, dictionary=suggester.policy.dictionary)
        adapted._terms = TermIndex(terms)
        return adapted

    def with_dictionary(self, words: Iterable[str]) -> "Corrector":
        """The same corrector with more words in its dictionary; it shares the model."""
        options = CorrectorOptions(dictionary=frozenset(words)).over(self.options)
        if options == self.options:
            return self
        return Corrector(self.bundle, self.forward, **options.arguments())

    def explain(self, text: str, start: int, *, max_candidates: int = 8) -> Explanation:
        """What the model says about the word at an offset, whether or not it is right."""
        check_count("max_candidates", max_candidates)
        undecided = copy(self)
        undecided.policy = replace(
            self.policy,
            threshold=0.0,
            dictionary=frozenset(),
            keep_elongated=False,
            max_suggestions=max_candidates,
            min_probability=0.0,
        )
        for window in map(undecided._in_context, undecided.split(text)):
            for j in range(window.first, window.last):
                token = window.tokens[j]
                if token.start <= start < token.end and token.kind == "word":
                    return undecided._explain(window, j)
        raise Error(f"no word at {start}")

    def _explain(self, window: Window, j: int) -> Explanation:
        topk = self._rank([window], 0.0)
        token = window.tokens[j]
        rows = np.flatnonzero(topk.positions == j)
        itself = topk.ids[rows] == self._index(normalize(token.text, casing=self.policy.casing))
        others = ~itself.any(axis=0)  # [k]
        # A model may also keep a word by naming it; that is not a candidate.
        keep = float(topk.keep[0, j]) + float(topk.probabilities[rows][itself].sum())
        rows = rows if others.any() else rows[:0]
        rest = TopK(
            keep=topk.keep,
            positions=topk.positions[rows],
            ids=topk.ids[rows][:, others],
            probabilities=topk.probabilities[rows][:, others],
            cases=topk.cases[rows],
        )
        (found,) = self._decode([window], rest)
        return Explanation(token.start, token.text, keep, found[0].suggestions if found else ())

    def _index(self, normalized: str) -> int | None:
        """The model's number of a word of its lexicon or of the user's."""
        index = self.bundle.lexicon.index(normalized)
        if index is None and normalized in self.policy.user_words:
            return len(self.bundle.lexicon) + list(self.policy.user_words).index(normalized)
        return index

    @cached_property
    def _user_vectors(self) -> Floats:
        """Output vectors and biases of the user's words: [new, width + 1]."""
        if not self.policy.user_words or not isinstance(self.forward, UserWordScorer):
            return NO_WORDS
        rows = self.forward.compose(self._encoder.spell(list(self.policy.user_words)))
        rows[:, -1] += self._bias
        return rows

    def split(self, text: str, *, owner: int = 0) -> list[Window]:
        """Cut a text into windows, for callers that schedule the work themselves."""
        return [w for part in self._split_text(text) for w in self._windows(owner, part, text)]

    def split_tokens(self, tokens: Sequence[str], *, owner: int = 0) -> list[Window]:
        """Cut a split sentence into windows; offsets count in `" ".join(tokens)`."""
        return list(self._windows(owner, self._split_words(tokens)))

    def _split(self, text: str) -> tuple[str | None, list[Sequence[Token]]]:
        return text, self._split_text(text)

    def _split_text(self, text: str) -> list[Sequence[Token]]:
        tokens = self._with_hidden_words(tokenize(text))
        return [tokens[a:b] for a, b in sentences(text, tokens)]

    def _with_hidden_words(self, tokens: list[Token]) -> list[Token]:
        """The tokens with words such as *he11o*, if the model has learnt to read them."""
        if self.bundle.vocabulary is None:
            return tokens
        lexicon, noisy = self.bundle.lexicon, self.policy.mode == "noisy"
        return [
            replace(token, kind="word") if is_hidden_word(token, lexicon, noisy=noisy) else token
            for token in tokens
        ]

    def _split_words(self, words: Sequence[str]) -> Sequence[Token]:
        if isinstance(words, str):
            raise Error("tokens must be a list of words, not one string")
        if self.policy.casing == "lower":
            noisy = self.policy.mode == "noisy"
            return self._with_hidden_words(tokenize_words(words, noisy=noisy))
        tokens: list[Token] = []
        start = 0
        for word in words:
            if word:
                tokens.append(Token(start, word))
            start += len(word) + 1
        return tokens

    def _check_all(
        self, texts: Iterable[tuple[str | None, list[Sequence[Token]]]]
    ) -> Iterator[list[Correction]]:
        """Check texts given with their tokenized sentences, a group at a time.

        The text is None if the caller has split it into tokens, whose number stays the same.
        """
        group: list[Window] = []
        owners = words = 0
        for text, split in texts:
            for sentence in split:
                group.extend(self._windows(owners, sentence, text))
                words += len(sentence)
            owners += 1
            if words + owners >= LOOK_AHEAD_WORDS:
                yield from self.check_windows(group, owners)
                group, owners, words = [], 0, 0
        yield from self.check_windows(group, owners)

    def _windows(
        self, owner: int, tokens: Sequence[Token], text: str | None = None
    ) -> Iterable[Window]:
        """The windows of a sentence; none if it has no word to check."""
        if not any(t.kind == "word" and not self.policy.accepts(t.text) for t in tokens):
            return ()
        return cut(owner, tokens, self.bundle.config.length, text=text)

    def check_windows(self, windows: Iterable[Window], owners: int) -> list[list[Correction]]:
        """The misspellings in windows of many texts, for each of the owners 0 to `owners` - 1."""
        found: list[list[Correction]] = [[] for _ in range(owners)]
        if self._suggester is not None:
            windows, near = partition(windows, self._may_have_a_misspelled_term)
            found = self._suggester.check_windows(near, owners) if near else found
        in_context = map(self._in_context, windows)
        for batch in batches(in_context):
            for window, corrections in zip(batch, self._read(batch), strict=True):
                judged = {token.start for token in window.tokens[window.first : window.last]}
                inside = (c for c in corrections if c.start in judged)
                found[window.owner].extend(self._variants(window, inside))
        for corrections in found:
            corrections.sort(key=lambda c: c.start)
        return found

    def _variants(self, window: Window, found: Iterable[Correction]) -> Iterator[Correction]:
        """Corrections in the wanted variant, and words in the spelling of the other variant."""
        variant = self.policy.variant
        if variant is None:
            yield from found
            return
        flagged: set[int] = set()
        for correction in found:
            flagged.update(range(correction.start, correction.end))
            if written := in_variant(correction, variant):
                yield written
        for token in window.tokens[window.first : window.last]:
            if token.kind != "word" or token.start in flagged:
                continue
            if not self.policy.accepts(token.text):
                yield from other_variant(token, variant)

    def has_word_like_a_term(self, window: Window) -> bool:
        """Whether a window has a term, or an unknown word that is spelled almost like one."""
        return any(map(self._is_like_a_term, window.tokens[window.first : window.last]))

    def _may_have_a_misspelled_term(self, window: Window) -> bool:
        return any(
            self._is_like_a_term(token) and not self.policy.accepts(token.text)
            for token in window.tokens[window.first : window.last]
        )

    def _is_like_a_term(self, token: Token) -> bool:
        return (
            token.kind == "word"
            and normalize(token.text) not in self.bundle.lexicon
            and self._terms.near(token.text)
        )

    def _in_context(self, window: Window) -> Window:
        """Put a lone word into a carrier sentence, if the model reads text and has room for it."""
        if self.policy.casing != "lower" or self.bundle.config.length < CARRIER_LENGTH:
            return window
        return in_carrier_sentence(window)

    def _read(self, batch: Sequence[Window]) -> list[list[Correction]]:
        """The misspellings of a batch of windows.

        With a rewrite threshold, clear corrections are put into the text and the rest of the
        sentence is read again: where misspellings stand side by side, that makes the others clear.
        Corrections of blanks are not put into the text; they stay as they are.
        """
        gate = self._gate()
        topk = self._rank(batch, gate)
        found = self._decide(batch, topk)
        if self.policy.spacing:
            found = self._with_blanks(batch, topk, found)
        if not self.policy.rewrite_threshold:
            return found
        spaced = [[c for c in each if c.kind in SPACING] for each in found]
        clear = [
            [c for c in each if c.score >= self.policy.rewrite_threshold and c.kind not in SPACING]
            for each in found
        ]
        suspect = topk.keep < 1 - gate * SUSPECT_SHARE  # [batch, length]
        again = [
            i
            for i, window in enumerate(batch)
            if 0 < len(clear[i]) < np.count_nonzero(suspect[i, : len(window.tokens)])
        ]
        if again:
            rewritten = [_rewrite(batch[i], clear[i]) for i in again]
            rest = self._decide(rewritten, self._rank(rewritten, gate))
            for i, others in zip(again, rest, strict=True):
                settled = clear[i] + spaced[i]
                taken = {at for c in settled for at in range(c.start, c.end)}
                found[i] = settled + [c for c in others if c.start not in taken]
        return found

    def _with_blanks(
        self, batch: Sequence[Window], topk: TopK, found: Sequence[list[Correction]]
    ) -> list[list[Correction]]:
        """The corrections found, and those of blanks that fit when the sentence is read again."""
        length = self.bundle.config.length
        proposals = list(propose(batch, topk, self.bundle.lexicon, self.policy, length))
        exact = [one for one in proposals if not one.misspelled]
        misspelled = [one for one in proposals if one.misspelled]
        fitting = [*self._fitting(exact), *self._fitting_corrected(misspelled)]
        fitting.sort(key=lambda each: each[0][:3])
        spaced = decide(fitting, self.policy)
        return [best_apart([*each, *spaced.get(i, ())]) for i, each in enumerate(found)]

    def _fitting(self, proposals: Sequence[Proposal]) -> Iterator[tuple[Proposal, float]]:
        """The probabilities that all new words are right."""
        for some in _in_batches(proposals):
            keep = self._rank([one.reading for one in some], NOTHING_RANKED).keep
            for i, one in enumerate(some):
                yield one, float(keep[i, one.places].min())

    def _fitting_corrected(self, proposals: Sequence[Proposal]) -> Iterator[tuple[Proposal, float]]:
        """The same after the last new word has been corrected too."""
        for some in _in_batches(proposals):
            readings = [one.reading for one in some]
            topk = self._rank(readings, self._gate())
            for i, (one, found) in enumerate(zip(some, self._decode(readings, topk), strict=True)):
                start = one.reading.tokens[one.places][-1].start
                others = topk.keep[i, one.places][:-1]
                for correction in found:
                    if correction.start == start:
                        fit = min(float(others.min()), correction.score)
                        yield one.corrected(correction.replacement), fit

    def _decide(self, batch: Sequence[Window], topk: TopK) -> list[list[Correction]]:
        """The misspellings, also of valid words outside the lexicon."""
        found = self._decode(batch, topk)
        if self.policy.vocabulary_bias is None:
            return found
        for i, window in enumerate(batch):
            similar = self._similar_words(window, topk.keep[i])
            if similar:
                reader = self._with_words(sorted(set().union(*similar.values())))
                (again,) = reader._decode([window], reader._rank([window], self._gate()))
                found[i] = [c for c in found[i] if c.start not in similar]
                found[i] += [c for c in again if c.start in similar]
                found[i].sort(key=lambda c: c.start)
        return found

    def _similar_words(self, window: Window, keep: Floats) -> dict[int, list[str]]:
        """Valid words outside the lexicon that suspect words may be misspellings of, by offset."""
        lowest = 1 - self._gate() * SUSPECT_SHARE
        judged = range(window.first, window.last)
        similar = {
            token.start: similar_words(token.text, self.bundle.lexicon)
            for token, kept in ((window.tokens[j], float(keep[j])) for j in judged)
            if kept < lowest
            and token.kind == "word"
            and is_lowercase_oov(token.text, self.bundle.lexicon)
            and not self.policy.accepts(token.text)
        }
        return {start: words for start, words in similar.items() if words}

    def _with_words(self, words: Sequence[str]) -> "Corrector":
        """The same corrector with words that are ranked beside those of the user.

        Each sentence is read alone: its answer must not depend on the words of others.
        """
        adapted = copy(self)
        added = {word: word for word in words if word not in self.policy.user_words}
        adapted.policy = replace(self.policy, user_words={**self.policy.user_words, **added})
        if added and isinstance(self.forward, UserWordScorer):
            rows = self.forward.compose(self._encoder.spell(list(added)))
            rows[:, -1] += self.policy.vocabulary_bias or 0.0
            own = self._user_vectors
            adapted._user_vectors = np.concatenate([own, rows]) if own.size else rows
        return adapted

    def _decode(self, batch: Sequence[Window], topk: TopK) -> list[list[Correction]]:
        return decode(batch, topk, self.bundle.lexicon, self.policy)

    def _rank(self, batch: Sequence[Window], gate: float) -> TopK:
        return self.forward(self._encode(batch), gate)

    def _encode(self, batch: Sequence[Window]) -> Features:
        return replace(self._encoder.encode_windows(batch), new_words=self._user_vectors)

    def _gate(self) -> float:
        """The least error probability of interest.

        No suggestion is likelier than the error itself, so this bound changes no answer.
        """
        return self.policy.lowest_threshold * 0.999


def load(
    path: str | Path | None = None,
    *,
    preset: str = "default",
    threshold: float | None = None,
    fix_threshold: float | None = None,
    strict_fixes: bool = False,
    dictionary: Iterable[str] = (),
    max_suggestions: int = MAX_SUGGESTIONS,
    variant: str = "auto",
    spacing: Spacing = False,
    threads: int = 0,
) -> Corrector:
    """Load the model inside the package, or the one in a folder; 0 threads means all cores."""
    bundle = Bundle.read(default_path() if path is None else Path(path))
    return Corrector(
        bundle,
        open_session(bundle.model, threads=threads),
        preset=preset,
        threshold=threshold,
        fix_threshold=fix_threshold,
        strict_fixes=strict_fixes,
        dictionary=dictionary,
        max_suggestions=max_suggestions,
        variant=variant,
        spacing=spacing,
    )


def _policy(options: CorrectorOptions, preset: Preset, bundle: Bundle) -> Policy:
    """The settings of a preset, changed by options, without words that the model has to rank."""
    threshold, variant = options.threshold, options.variant
    fixes = max(preset.fix_threshold, preset.write_threshold if options.strict_fixes else 0.0)
    default = bundle.preset("default")
    comparable = default if default.threshold_on == preset.threshold_on else preset
    policy = Policy(
        threshold=preset.threshold if threshold is None else threshold,
        threshold_on=preset.threshold_on,
        default_threshold=comparable.threshold,
        fix_threshold=fixes if options.fix_threshold is None else options.fix_threshold,
        oov_threshold=preset.oov_threshold if threshold is None else 1.0,
        name_threshold=preset.name_threshold if threshold is None else 0.0,
        spacing_threshold=preset.spacing_threshold if threshold is None else threshold,
        spacing=bool(options.spacing) and bundle.config.spacing,
        mode=preset.mode,
        max_suggestions=options.max_suggestions or MAX_SUGGESTIONS,
        dictionary=frozenset(accepted_words(options.dictionary, bundle.lexicon)),
        casing=bundle.config.casing,
        rewrite_threshold=preset.rewrite_threshold,
        user_casing=user_casing(options.dictionary, bundle.lexicon),
        truecase=bundle.truecase,
        variant=None if variant == "auto" else cast(Variant, variant),
    )
    if not policy.light:
        return policy
    return replace(policy, dictionary=policy.dictionary | shorthand(), keep_elongated=True)


def _remember(items: Iterable[T], waiting: deque[T]) -> Iterator[T]:
    """Pass items on and keep them until their answers come."""
    for item in items:
        waiting.append(item)
        yield item


def _in_batches(proposals: Sequence[Proposal]) -> Iterator[Sequence[Proposal]]:
    longest = max((len(one.reading.tokens) for one in proposals), default=1)
    size = max(1, BATCH_WORDS // longest)
    for first in range(0, len(proposals), size):
        yield proposals[first : first + size]


def _rewrite(window: Window, corrections: Iterable[Correction]) -> Window:
    """The window with corrections in their places; offsets stay as they were.

    The words no longer stand so in the text, so the blanks between them are not judged again.
    """
    written = {c.start: c.replacement for c in corrections}
    tokens = [replace(t, text=written[t.start]) if t.start in written else t for t in window.tokens]
    return replace(window, tokens=tokens, text=None)
