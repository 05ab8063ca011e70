"""Check the paper's claims, written as comparisons of rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from respell.lab.evaluate.paper.sets import PAPER

Record = Mapping[str, Any]
Records = Mapping[str, Record]
"""Results by the number of the row; `authors` is the authors' own output of row 11."""
AUTHORS = "authors"


@dataclass(frozen=True, slots=True)
class Measure:
    """A number computed from some rows, on the paper's sentences."""

    label: str
    rows: tuple[str, ...]
    value: Callable[[Records], float]


@dataclass(frozen=True, slots=True)
class Claim:
    """Holds if the first number of each pair is larger than the second, or equal if `equal`."""

    text: str
    pairs: tuple[tuple[Measure, Measure], ...]
    equal: bool = False
    comment: str = ""
    """A comment for the page if it does not hold."""
    more: tuple[Measure, ...] = ()
    """Numbers to show after the comment."""

    def verdict(self, records: Records) -> str:
        """Whether it holds, with the numbers; or the rows that are missing."""
        sign = "≥" if self.equal else ">"
        needed = {row for pair in self.pairs for measure in pair for row in measure.rows}
        missing = sorted(needed - records.keys(), key=_order)
        if missing:
            rule = "; ".join(f"{left.label} {sign} {right.label}" for left, right in self.pairs)
            rows = f"{'row' if len(missing) == 1 else 'rows'} {', '.join(missing)}"
            return f"**{self.text}**: not yet known, {rows} missing. Rule: {rule}."
        comparisons, holds = [], True
        for left, right in self.pairs:
            a, b = left.value(records), right.value(records)
            true = a >= b if self.equal else a > b
            holds = holds and true
            relation = sign if true else ("<" if self.equal else "≤")
            comparisons.append(f"{left.label} {a:.4f} {relation} {b:.4f} {right.label}")
        verdict = "confirmed" if holds else "not confirmed"
        text = f"**{self.text}**: {verdict}. {'; '.join(comparisons)}."
        if holds or not self.comment:
            return text
        more = "; ".join(f"{m.label} {m.value(records):.4f}" for m in self.more)
        return f"{text} {self.comment}" + (f" {more}." if more else "")


def _order(row: str) -> tuple[bool, str]:
    return not row.isdigit(), row.rjust(3)


def _scores(records: Records, row: str) -> Mapping[str, Any]:
    scores: Mapping[str, Any] = records[row]["sets"][PAPER]["scores"]
    return scores


_PARTS = {"all": "", "real_words": "real-word ", "non_words": "non-word "}
_RULES = {"authors": "", "table": " by the table rule"}


def _row_name(row: str) -> str:
    return "the authors' row 11" if row == AUTHORS else f"row {row}"


def f05(row: str, part: str = "all", rule: str = "authors") -> Measure:
    """F0.5 of a row on all words, on real words or on non-words."""
    label = f"{_PARTS[part]}F0.5 of {_row_name(row)}{_RULES[rule]}"
    return Measure(label, (row,), lambda r: float(_scores(r, row)[part][rule]["f05"]))


def f05_any_case(row: str) -> Measure:
    """F0.5 of a row with words compared case-insensitively."""
    label = f"case-insensitive F0.5 of {_row_name(row)}"
    return Measure(
        label, (row,), lambda r: float(_scores(r, row)["lower_cased"]["all"]["authors"]["f05"])
    )


def unknown(row: str) -> Measure:
    """The share of corrected misspellings, of those that are not in the training list."""
    label = f"unknown pairs of {_row_name(row)}"
    return Measure(label, (row,), lambda r: float(_scores(r, row)["unknown"]["share"]))


def gain(after: str, before: str, part: str) -> Measure:
    """The difference in F0.5 between two rows."""
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
        comment="Most of the difference is due to capitals: the subword vocabulary has none, so "
        "row 7 has to guess them, while row 8 sees them in the characters. The rest may be due to "
        "the short training, in which the subword vectors start from random values.",
        more=(f05_any_case("7"), f05_any_case("8")),
    ),
    Claim(
        "Word + Char beats the LM row without random characters",
        ((f05("5"), f05("10")),),
        comment="The two rows are close, as in the paper. Our row 10 is better than the paper's; "
        "its output vectors are initialized from the language model's subwords. By the table rule, "
        "by which a misspelling that is changed but stays wrong is not a false alarm, the order is "
        "that of the paper: row 10 changes more correct words, most of them only in case, which "
        "its subwords do not show.",
        more=(f05_any_case("5"), f05_any_case("10")),
    ),
)
GOAL = Claim(
    "Our row 11 is at least as good as the authors' row 11",
    (
        (f05("11"), f05(AUTHORS)),
        (f05("11", rule="table"), f05(AUTHORS, rule="table")),
        (unknown("11"), unknown(AUTHORS)),
    ),
    equal=True,
)
