"""The paper's claims as comparisons of rows: each is confirmed, not confirmed, or not yet."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from respell.lab.evaluate.paper.sets import PAPER

Record = Mapping[str, Any]
Records = Mapping[str, Record]
"""What was measured, by the number of the row; `authors` are the authors' answers of row 11."""
AUTHORS = "authors"


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of some rows on the paper's sentences."""

    label: str
    rows: tuple[str, ...]
    value: Callable[[Records], float]


@dataclass(frozen=True, slots=True)
class Claim:
    """Holds if each first figure is above its second; `equal`: or as large."""

    text: str
    pairs: tuple[tuple[Measure, Measure], ...]
    equal: bool = False
    otherwise: str = ""
    """What there is to say if it does not hold."""
    aside: tuple[Measure, ...] = ()
    """Figures of the same rows that go with what there is to say."""

    def verdict(self, records: Records) -> str:
        """Confirmed or not, with the numbers; or which rows are missing."""
        sign = "≥" if self.equal else ">"
        needed = {row for pair in self.pairs for measure in pair for row in measure.rows}
        missing = sorted(needed - records.keys(), key=_order)
        if missing:
            rule = "; ".join(f"{left.label} {sign} {right.label}" for left, right in self.pairs)
            rows = f"{'row' if len(missing) == 1 else 'rows'} {', '.join(missing)}"
            return f"**{self.text}**: not yet, for want of {rows}. Rule: {rule}."
        said, holds = [], True
        for left, right in self.pairs:
            a, b = left.value(records), right.value(records)
            true = a >= b if self.equal else a > b
            holds = holds and true
            relation = sign if true else ("<" if self.equal else "≤")
            said.append(f"{left.label} {a:.4f} {relation} {b:.4f} {right.label}")
        told = f"**{self.text}**: {'confirmed' if holds else 'not confirmed'}. {'; '.join(said)}."
        if holds or not self.otherwise:
            return told
        figures = "; ".join(f"{m.label} {m.value(records):.4f}" for m in self.aside)
        return f"{told} {self.otherwise}" + (f" {figures}." if figures else "")


def _order(row: str) -> tuple[bool, str]:
    return not row.isdigit(), row.rjust(3)


def _scores(records: Records, row: str) -> Mapping[str, Any]:
    scores: Mapping[str, Any] = records[row]["sets"][PAPER]["scores"]
    return scores


_PARTS = {"all": "", "real_words": "real-word ", "non_words": "non-word "}
_RULES = {"authors": "", "table": " by the table rule"}


def _row_name(row: str) -> str:
    return "their row 11" if row == AUTHORS else f"row {row}"


def f05(row: str, part: str = "all", rule: str = "authors") -> Measure:
    """F0.5 of a row on all words, real words or non-words."""
    label = f"{_PARTS[part]}F0.5 of {_row_name(row)}{_RULES[rule]}"
    return Measure(label, (row,), lambda r: float(_scores(r, row)[part][rule]["f05"]))


def f05_any_case(row: str) -> Measure:
    """F0.5 of a row when words are compared without regard to case."""
    label = f"F0.5 of {_row_name(row)} whatever the case"
    return Measure(
        label, (row,), lambda r: float(_scores(r, row)["lower_cased"]["all"]["authors"]["f05"])
    )


def unknown(row: str) -> Measure:
    """Share of the misspellings corrected whose pair could not be learnt."""
    label = f"unknown pairs of {_row_name(row)}"
    return Measure(label, (row,), lambda r: float(_scores(r, row)["unknown"]["share"]))


def gain(after: str, before: str, part: str) -> Measure:
    """How much F0.5 rises from one row to another."""
    first, second = f05(before, part), f05(after, part)
    label = f"gain in {_PARTS[part]}F0.5 from row {before} to {after}"
    return Measure(label, (after, before), lambda r: second.value(r) - first.value(r))


CLAIMS = (
    Claim(
        "Spelling and context are both needed",
        (
            (f05("5"), f05("3")),
            (f05("5"), f05("4")),
            (f05("5", "real_words"), f05("3", "real_words")),
            (f05("5", "non_words"), f05("4", "non_words")),
        ),
    ),
    Claim(
        "LM pre-training helps, most on real words",
        (
            (f05("10"), f05("7")),
            (f05("11"), f05("9")),
            (gain("10", "7", "real_words"), gain("10", "7", "non_words")),
        ),
    ),
    Claim(
        "Random characters help on unseen misspellings",
        tuple((unknown(a), unknown(b)) for a, b in (("6", "5"), ("9", "7"), ("11", "10"))),
    ),
    Claim(
        "An extra character encoder does not help subwords",
        ((f05("7"), f05("8")),),
        equal=True,
        otherwise="Most of it is capitals: the vocabulary of pieces has none, so row 7 guesses "
        "them, and the character encoder shows them to row 8. The rest may be the short training, "
        "in which the vectors of pieces begin from nothing.",
        aside=(f05_any_case("7"), f05_any_case("8")),
    ),
    Claim(
        "Word + Char beats the LM row without random characters",
        ((f05("5"), f05("10")),),
        otherwise="The two rows are close, as in the paper; our row 10 is better than theirs; "
        "the output vectors of its words begin as the language model's pieces. By the table rule, "
        "where a misspelling that is changed but stays wrong is no false alarm, the order is the "
        "paper's: row 10 changes more correct words, most of them in case alone, which its pieces "
        "do not show.",
        aside=(f05_any_case("5"), f05_any_case("10")),
    ),
)
GOAL = Claim(
    "Our row 11 reaches the authors' own",
    (
        (f05("11"), f05(AUTHORS)),
        (f05("11", rule="table"), f05(AUTHORS, rule="table")),
        (unknown("11"), unknown(AUTHORS)),
    ),
    equal=True,
)
