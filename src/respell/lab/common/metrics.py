"""Score token-aligned predictions: precision, recall, F0.5, false alarms."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from respell.lab.common.tokens import check_aligned

IsWord = Callable[[str], bool]
"""Tells whether a token is a real word."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Counts by one rule and the scores computed from them; 0 / 0 is 0."""

    tp: int
    fp: int
    fn: int
    tn: int
    precision: float
    recall: float
    f05: float


@dataclass(frozen=True, slots=True)
class Part:
    """Scores of a group of tokens: all, the real words, or the non-words.

    `table` is the rule of the paper's Table 3: a misspelling changed to another wrong word is a
    false negative. `authors` is the rule of the authors' code: every wrong change is a false
    positive.
    """

    tokens: int
    errors: int
    accuracy: float
    table: Rule
    authors: Rule


@dataclass(frozen=True, slots=True)
class Pairs:
    """Misspellings whose (word, misspelling) pair is in the training lists, or is not."""

    count: int
    corrected: int
    share: float


@dataclass(frozen=True, slots=True)
class Scores:
    """All scores of one run; those that need a lexicon or a list are None without it.

    `false_alarms` counts correct tokens that were changed, `damaged_per_1000` is their rate.
    `lower_cased` has the same scores with tokens compared case-insensitively.
    """

    all: Part
    real_words: Part | None
    non_words: Part | None
    known: Pairs | None
    unknown: Pairs | None
    false_alarms: int
    damaged_per_1000: float
    lower_cased: "Scores | None" = None


class _Outcome(NamedTuple):
    """The outcome of one token; tokens with equal outcomes are counted together."""

    real: bool | None  # None without a lexicon
    known: bool | None  # None without a list
    misspelled: bool
    changed: bool
    right: bool


def score(
    noisy: Sequence[Sequence[str]],
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    *,
    is_word: IsWord | None = None,
    known: Iterable[tuple[str, str]] | None = None,
) -> Scores:
    """Score predictions; `is_word` tells real words, `known` are (gold, noisy) pairs of lists."""
    check_aligned(noisy, gold, "gold")
    check_aligned(noisy, predicted, "predictions")
    pairs = None if known is None else {(word.lower(), wrong.lower()) for word, wrong in known}
    exact: Counter[_Outcome] = Counter()
    folded: Counter[_Outcome] = Counter()
    for sentence in zip(noisy, gold, predicted, strict=True):
        for token, target, answer in zip(*sentence, strict=True):
            real = None if is_word is None else is_word(token)
            lower = token.lower(), target.lower(), answer.lower()
            listed = None if pairs is None else (lower[1], lower[0]) in pairs
            exact[_outcome(real, listed, token, target, answer)] += 1
            folded[_outcome(real, listed, *lower)] += 1
    return _scores(exact, lower_cased=_scores(folded))


def _outcome(
    real: bool | None, known: bool | None, token: str, target: str, answer: str
) -> _Outcome:
    return _Outcome(real, known, token != target, answer != token, answer == target)


def _scores(outcomes: Counter[_Outcome], *, lower_cased: Scores | None = None) -> Scores:
    part = _part(outcomes)
    split = all(outcome.real is not None for outcome in outcomes)
    listed = all(outcome.known is not None for outcome in outcomes)
    return Scores(
        all=part,
        real_words=_part(_where(outcomes, real=True)) if split else None,
        non_words=_part(_where(outcomes, real=False)) if split else None,
        known=_pairs(_where(outcomes, known=True)) if listed else None,
        unknown=_pairs(_where(outcomes, known=False)) if listed else None,
        false_alarms=part.table.fp,
        damaged_per_1000=1000 * ratio(part.table.fp, part.tokens - part.errors),
        lower_cased=lower_cased,
    )


def _where(outcomes: Counter[_Outcome], **wanted: bool) -> Counter[_Outcome]:
    """The outcomes whose fields have these values."""
    return Counter(
        {o: n for o, n in outcomes.items() if all(getattr(o, k) is v for k, v in wanted.items())}
    )


def _part(outcomes: Counter[_Outcome]) -> Part:
    def count(**wanted: bool) -> int:
        return _where(outcomes, **wanted).total()

    return Part(
        tokens=outcomes.total(),
        errors=count(misspelled=True),
        accuracy=ratio(count(right=True), outcomes.total()),
        table=_rule(
            tp=count(misspelled=True, right=True),
            fp=count(misspelled=False, right=False),
            fn=count(misspelled=True, right=False),
            tn=count(misspelled=False, right=True),
        ),
        authors=_rule(
            tp=count(changed=True, right=True),
            fp=count(changed=True, right=False),
            fn=count(changed=False, right=False),
            tn=count(changed=False, right=True),
        ),
    )


def _pairs(outcomes: Counter[_Outcome]) -> Pairs:
    count = _where(outcomes, misspelled=True).total()
    corrected = _where(outcomes, misspelled=True, right=True).total()
    return Pairs(count, corrected, ratio(corrected, count))


def _rule(*, tp: int, fp: int, fn: int, tn: int) -> Rule:
    precision, recall = ratio(tp, tp + fp), ratio(tp, tp + fn)
    return Rule(tp, fp, fn, tn, precision, recall, f_half(precision, recall))


def f_half(precision: float, recall: float) -> float:
    """F0.5, which weighs precision twice as much as recall."""
    return ratio(1.25 * precision * recall, 0.25 * precision + recall)


def ratio(part: float, whole: float) -> float:
    """`part / whole`, or 0 if `whole` is 0."""
    return part / whole if whole else 0.0
