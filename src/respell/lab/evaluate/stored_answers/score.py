"""Score answers by the table rule: precision, recall, F0.5, and recall by type of error."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from respell.lab.common.metrics import IsWord, f_half, ratio
from respell.lab.evaluate.stored_answers.align import align, fold
from respell.lab.evaluate.stored_answers.error_types import ErrorType, error_type

Lines = Sequence[str]


def score(
    corrupt: Lines, correct: Lines, systems: Mapping[str, Lines], *, is_word: IsWord
) -> dict[str, Any]:
    """The scores of systems on aligned lines; `corrupt` and `correct` have the same words.

    A misspelling counts as corrected only if the answer is the right word. A right word counts as
    changed if its answer differs, also if it was dropped, split or joined. Added words are counted
    apart, because they change no word.
    """
    tallies = {name: Tally() for name in systems}
    types: Counter[ErrorType] = Counter()
    tokens = 0
    for number, (noisy, clean) in enumerate(zip(corrupt, correct, strict=True)):
        given, wanted = noisy.split(), clean.split()
        kinds = [_type(a, b, is_word) for a, b in zip(given, wanted, strict=True)]
        types.update(kind for kind in kinds if kind)
        tokens += len(given)
        targets = list(map(fold, wanted))
        for name, lines in systems.items():
            tallies[name].add(given, targets, kinds, lines[number].split())
    return {
        "lines": len(corrupt),
        "tokens": tokens,
        "errors": types.total(),
        "error_types": dict(types.most_common()),
        "systems": {name: tally.scores(types) for name, tally in tallies.items()},
    }


def _type(given: str, wanted: str, is_word: IsWord) -> ErrorType | None:
    """The type of an error; None for a right word."""
    return None if fold(given) == fold(wanted) else error_type(given, wanted, is_word)


class Tally:
    """The counts of one system."""

    def __init__(self) -> None:
        self.corrected: Counter[ErrorType] = Counter()
        self.alarms = self.added = self.other_length = 0

    def add(
        self,
        given: Sequence[str],
        targets: Sequence[str],
        kinds: Sequence[ErrorType | None],
        answer: Sequence[str],
    ) -> None:
        """Count one line."""
        aligned = align(given, answer)
        self.added += aligned.added
        self.other_length += len(given) != len(answer)
        for kind, target, word in zip(kinds, targets, aligned.words, strict=True):
            if kind is None:
                self.alarms += word != target
            elif word == target:
                self.corrected[kind] += 1

    def scores(self, types: Mapping[ErrorType, int]) -> dict[str, Any]:
        """Scores and counts as a JSON object."""
        right, errors = self.corrected.total(), sum(types.values())
        precision, recall = ratio(right, right + self.alarms), ratio(right, errors)
        return {
            "precision": round(precision, 5),
            "recall": round(recall, 5),
            "f05": round(f_half(precision, recall), 5),
            "corrected": right,
            "alarms": self.alarms,
            "added": self.added,
            "lines_of_other_length": self.other_length,
            "corrected_by_type": {kind: self.corrected[kind] for kind in types},
        }


def lines_with_text(lines: Lines, texts: Iterable[str]) -> list[int]:
    """The numbers of the lines whose letters and digits are those of a text, each text once."""
    remaining = Counter(map(_letters, texts))
    found = []
    for number, line in enumerate(lines):
        key = _letters(line)
        if remaining[key] > 0:
            remaining[key] -= 1
            found.append(number)
    return found


def _letters(line: str) -> str:
    return "".join(c for c in line.lower() if c.isalnum())
