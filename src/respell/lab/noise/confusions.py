"""Real words in place of other real words, on the training device."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from respell.lab.noise.synthetic import Dice
from respell.model.lexicon import Lexicon

MOST = 0.25
"""The largest share of the occurrences of a word that are replaced."""


@dataclass(frozen=True, slots=True)
class Choices:
    """For each word of a lexicon, how often it is changed and into what.

    The choices of all words lie one after the other. The key of a choice is the number of its word
    plus the share of the choices of this word up to it; so one search finds a random choice.
    """

    rates: Tensor  # [lexicon] share of the occurrences that are changed
    keys: Tensor  # [choices] float64, ascending
    values: Tensor  # [choices] int64

    @classmethod
    def build(cls, size: int, choices: Mapping[int, Sequence[tuple[int, float]]]) -> "Choices":
        """Choices from word -> (value, rate) pairs; the rates of a word add up to at most MOST."""
        rates, keys, values = torch.zeros(size), [], []
        for word in sorted(choices):
            total = sum(rate for _, rate in choices[word])
            if total <= 0:
                continue
            rates[word] = min(total, MOST)
            so_far = 0.0
            for value, rate in choices[word]:
                so_far += rate / total
                keys.append(word + min(so_far, 1.0))
                values.append(value)
        # One additional entry, so that the table is never empty.
        return cls(
            rates,
            torch.tensor([*keys, size + 1.0], dtype=torch.float64),
            torch.tensor([*values, 0], dtype=torch.int64),
        )

    def to(self, device: torch.device | str) -> "Choices":
        """The same table on a device."""
        return Choices(self.rates.to(device), self.keys.to(device), self.values.to(device))

    def draw(self, index: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
        """Which words to change, given their numbers in the lexicon, and a random choice of each.

        The choice of a word that is not to be changed may belong to another word.
        """
        changed = dice.uniform(index.shape) < self.rates[index]
        key = index.double() + dice.uniform(index.shape).double()
        place = torch.searchsorted(self.keys, key, right=True).clamp(max=len(self.keys) - 1)
        return changed, self.values[place]


def confusion_choices(
    table: Sequence[tuple[str, str, float]],
    lexicon: Lexicon,
    counts: Sequence[int],
    *,
    rate: float,
    balance: float,
    shares: Sequence[float],
) -> Choices:
    """The confusions of a table of (word, written, weight).

    A word of weight 1 is replaced by `rate`, times the `shares` of its rank. But a word is written
    for all others together at most `balance` times as often as it is right: if *there* replaced
    *the* as often as *their*, most occurrences of *there* would have to be read as *the*.
    """
    rates: dict[int, dict[int, float]] = {}
    for word, written, weight in table:
        first, second = lexicon.index(word), lexicon.index(written)
        if first is not None and second is not None and first != second:
            rates.setdefault(first, {})[second] = rate * shares[first] * weight
    wrong = [0.0] * len(lexicon)
    for first, others in rates.items():
        share = min(1.0, MOST / max(sum(others.values()), MOST))
        for second in others:
            others[second] *= share
            wrong[second] += counts[first] * others[second]
    choices = {
        first: [
            (second, wanted * min(1.0, balance * counts[second] / max(wrong[second], 1e-9)))
            for second, wanted in others.items()
        ]
        for first, others in rates.items()
    }
    return Choices.build(len(lexicon), choices)
