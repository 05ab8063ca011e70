"""The terms of a document: unknown words that recur, and that can be suggested."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from respell.decision.adjust import rejects
from respell.decision.evidence import Evidence, base
from respell.decision.policy import Policy
from respell.types import Correction

MAX_TERMS = 300
"""Terms that can be suggested, the most frequent first."""
MIN_COUNT, MIN_LENGTH = 3, 4
"""How often a term occurs, and how many letters it has, at least to be suggested."""

Check = Callable[[Iterable[str]], Iterator[list[Correction]]]
"""The `check_many` of a corrector."""


def find_terms(evidence: Evidence, check: Check, policy: Policy) -> list[str]:
    """Terms that can be suggested: frequent unknown words that the evidence shows to be right."""
    words = frequent(evidence)
    return confirmed(evidence, words, check(evidence.contexts[word] for word in words), policy)


def confirmed(
    evidence: Evidence, words: Sequence[str], found: Iterable[list[Correction]], policy: Policy
) -> list[str]:
    """The words that the evidence shows to be right, given what was found in their contexts."""
    terms = []
    for word, corrections in zip(words, found, strict=True):
        own = [c for c in corrections if base(c.original) == word]
        if not own or rejects(evidence, evidence.contexts[word], own[0], policy):
            terms.append(word)
    return terms


def frequent(evidence: Evidence) -> list[str]:
    """Unknown words that occur often enough to be suggested, the most frequent first."""
    counts = evidence.words
    words = (w for w in evidence.contexts if counts[w] >= MIN_COUNT and len(w) >= MIN_LENGTH)
    return sorted(words, key=lambda word: (-counts[word], word))[:MAX_TERMS]


class TermIndex:
    """Finds out quickly whether a word is spelled almost like one of some terms."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._forms = {form for term in terms for form in _deletions(term)}

    def near(self, word: str) -> bool:
        """Whether a word and a term are equal after at most one deletion in each."""
        return not self._forms.isdisjoint(_deletions(base(word)))


def _deletions(word: str) -> Iterator[str]:
    yield word
    if len(word) > MIN_LENGTH:
        yield from (word[:i] + word[i + 1 :] for i in range(len(word)))
