"""Collect the changes that a model proposes on a dev set, and score them at any threshold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from respell.corrector import Corrector
from respell.decision.policy import is_capitalized_oov, is_lowercase_oov
from respell.lab.common.metrics import f_half, ratio
from respell.lab.common.tokens import read_pair
from respell.text.apply import apply_to_tokens
from respell.types import Error

LOWEST = 0.05
"""The threshold at which changes are collected."""
Sentences = Sequence[list[str]]


class Outcome(NamedTuple):
    """A proposed change and whether it is right."""

    score: float
    error: bool
    """The token was misspelled."""
    right: bool
    """The change gives the right word."""
    oov: bool = False
    """The token is in lower case and not in the lexicon."""
    error_probability: float = 1.0
    name: bool = False
    """The token has a capital and is not in the lexicon."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Every change that a model makes on a set at the lowest threshold."""

    errors: int
    outcomes: tuple[Outcome, ...]

    def kept(self, threshold: float, oov_threshold: float = 1.0) -> list[Outcome]:
        """The changes made at a threshold, and at a lower one for words outside the lexicon."""
        lowest = min(threshold, oov_threshold)
        return [o for o in self.outcomes if o.score >= (lowest if o.oov else threshold)]

    def at(self, threshold: float, oov_threshold: float = 1.0) -> tuple[float, float, float]:
        """Precision, recall and F0.5 by the table rule."""
        kept = self.kept(threshold, oov_threshold)
        right = sum(outcome.right for outcome in kept)
        damaged = sum(not outcome.error for outcome in kept)
        precision, recall = ratio(right, right + damaged), ratio(right, self.errors)
        return precision, recall, f_half(precision, recall)

    @property
    def scored(self) -> list[tuple[float, bool]]:
        """The score of each change and whether it is right."""
        return [(outcome.score, outcome.right) for outcome in self.outcomes]


def propose(corrector: Corrector, noisy: Sentences, gold: Sentences) -> Proposals:
    """Collect the changes of a corrector that was loaded with the lowest threshold."""
    outcomes: list[Outcome] = []
    errors = 0
    found = corrector.check_tokens_many(noisy)
    for words, targets, corrections in zip(noisy, gold, found, strict=True):
        errors += sum(a != b for a, b in zip(words, targets, strict=True))
        changed = apply_to_tokens(words, corrections)
        start = 0
        for word, target, answer in zip(words, targets, changed, strict=True):
            end = start + len(word)
            inside = [c for c in corrections if start <= c.start < end]
            if inside:
                least = min(inside, key=lambda c: c.score)
                lexicon = corrector.bundle.lexicon
                outcomes.append(
                    Outcome(
                        least.score,
                        word != target,
                        answer == target,
                        is_lowercase_oov(least.original, lexicon),
                        least.error_probability,
                        is_capitalized_oov(least.original, lexicon),
                    )
                )
            start = end + 1
    return Proposals(errors, tuple(outcomes))


def read_errors(noisy: Path, gold: Path) -> tuple[Sentences, Sentences]:
    """Read a dev set; one without errors is refused, because no threshold can be chosen on it."""
    noisy_tokens, gold_tokens = read_pair(noisy, gold)
    if noisy_tokens == gold_tokens:
        raise Error(f"{noisy}: no errors; it has the same tokens as {gold}")
    return noisy_tokens, gold_tokens


def mix(files: Sequence[Sentences]) -> list[list[str]]:
    """The sentences of some files in turn."""
    return [one for row in zip_longest(*files) for one in row if one is not None]


def repeat(
    noisy: Sentences, gold: Sentences, clean: Sentences, rate: float
) -> tuple[Sentences, Sentences]:
    """A dev set as many times as there are clean sentences to dilute it with.

    With more clean sentences, the number of false alarms is known more exactly.
    """
    needed = count_errors(noisy, gold) / rate - sum(map(len, noisy))
    times = max(1, int(sum(map(len, clean)) / needed)) if needed > 0 else 1
    return [*noisy] * times, [*gold] * times


def dilute(
    noisy: Sentences, gold: Sentences, clean: Sentences, rate: float, *, name: object = "--clean"
) -> tuple[Sentences, Sentences]:
    """Add clean sentences until at most `rate` of the tokens are errors.

    `name` is the file of the clean sentences, for the error if there are too few.
    """
    errors = count_errors(noisy, gold)
    tokens = sum(map(len, noisy))
    added: list[list[str]] = []
    rest = iter(clean)
    while errors > rate * tokens:
        sentence = next(rest, None)
        if sentence is None:
            needed, present = math.ceil(errors / rate) - sum(map(len, noisy)), sum(map(len, clean))
            raise Error(
                f"{name}: too few clean sentences for an error rate of {rate:.1%}: it has "
                f"{present:,} of {needed:,} words; give more, or a higher --rate"
            )
        added.append(sentence)
        tokens += len(sentence)
    return [*noisy, *added], [*gold, *added]


def count_errors(noisy: Sentences, gold: Sentences) -> int:
    """How many tokens differ."""
    return sum(a != b for n, g in zip(noisy, gold, strict=True) for a, b in zip(n, g, strict=True))
