"""TODO respell.lab.tune.proposals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from respell.corrector import Corrector
from respell.decision.policy import is_lowercase_oov
from respell.lab.common.tokens import read_pair
from respell.text.apply import apply_to_tokens
from respell.types import Error

LOWEST = 0.05
Sentences = Sequence[list[str]]


class Outcome(NamedTuple):
    """What became of a change that a model proposed."""

    score: float
    error_probability: float
    error: bool
    """It was wrong."""
    right: bool
    """The change is right."""
    oov: bool = False
    """The token is in lower case and not in the lexicon."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Every change a model would make at the lowest threshold."""

    errors: int
    outcomes: tuple[Outcome, ...]

    def kept(self, threshold: float, oov_threshold: float = 1.0) -> list[Outcome]:
        """The changes made at a threshold, and at a lower one for words the lexicon lacks."""
        lowest = min(threshold, oov_threshold)
        return [o for o in self.outcomes if o.score >= (lowest if o.oov else threshold)]

    def at(self, threshold: float, oov_threshold: float = 1.0) -> tuple[float, float, float]:
        """Precision, recall and F0.5 by the table rule."""
        kept = self.kept(threshold, oov_threshold)
        right = sum(outcome.right for outcome in kept)
        damaged = sum(not outcome.error for outcome in kept)
        precision = right / (right + damaged) if right else 0.0
        recall = right / self.errors if self.errors else 0.0
        divisor = 0.25 * precision + recall
        return precision, recall, 1.25 * precision * recall / divisor if divisor else 0.0

    @property
    def judged(self) -> list[tuple[float, bool]]:
        """The score of each change and whether it is right."""
        return [(outcome.score, outcome.right) for outcome in self.outcomes]


def propose(corrector: Corrector, noisy: Sentences, gold: Sentences) -> Proposals:
    """Collect the changes of a corrector that was given the lowest threshold."""
    outcomes: list[Outcome] = []
    errors = 0
    found = corrector.check_tokens_many(noisy)
    for words, right, corrections in zip(noisy, gold, found, strict=True):
        errors += sum(a != b for a, b in zip(words, right, strict=True))
        changed = apply_to_tokens(words, corrections)
        start = 0
        for word, wanted, said in zip(words, right, changed, strict=True):
            end = start + len(word)
            said_of = [c for c in corrections if start <= c.start < end]
            if said_of:
                least = min(said_of, key=lambda c: c.score)
                oov = is_lowercase_oov(least.original, corrector.bundle.lexicon)
                outcomes.append(
                    Outcome(
                        least.score, least.error_probability, word != wanted, said == wanted, oov
                    )
                )
            start = end + 1
    return Proposals(errors, tuple(outcomes))


def read_errors(noisy: Path, gold: Path) -> tuple[Sentences, Sentences]:
    """A set to choose on; one without errors tells nothing about a threshold."""
    wrong, right = read_pair(noisy, gold)
    if wrong == right:
        raise Error(f"{noisy}: no errors; it has the same tokens as {gold}")
    return wrong, right


def dilute(
    noisy: Sentences, gold: Sentences, clean: Sentences, rate: float, *, name: object = "--clean"
) -> tuple[Sentences, Sentences]:
    """Add clean sentences, of a file `name`, until errors are no more than `rate` of the tokens."""
    errors = sum(
        a != b for n, g in zip(noisy, gold, strict=True) for a, b in zip(n, g, strict=True)
    )
    tokens = sum(map(len, noisy))
    added: list[list[str]] = []
    rest = iter(clean)
    while errors > rate * tokens:
        sentence = next(rest, None)
        if sentence is None:
            needed, there = math.ceil(errors / rate) - sum(map(len, noisy)), sum(map(len, clean))
            raise Error(
                f"{name}: too few clean sentences for an error rate of {rate:.1%}: {needed:,} "
                f"words are needed and {there:,} are there; give more, or a higher --rate"
            )
        added.append(sentence)
        tokens += len(sentence)
    return [*noisy, *added], [*gold, *added]
