"""Corrections that add or remove a blank: *alot* -> *a lot*, *to gether* -> *together*.

The model says where a word may be two words, or a part of one. Each way to write it is then put
into the sentence, which is read again: if the new words fit, the correction is as likely as the
error. If one of the two words is misspelled too (*verymcuh*), the first reading says what the first
word is, and the second reading what the second one is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from respell.decision.policy import NEGLIGIBLE, Policy
from respell.model.encode import normalize
from respell.model.forward import JOIN, SPLIT, TopK
from respell.model.lexicon import Lexicon
from respell.text.case import UPPER, case_shape, transfer_case
from respell.text.edits import count_edits
from respell.text.windows import Window
from respell.types import Correction, CorrectionKind, Suggestion, Token

ONE_LETTER = frozenset("ai")
"""The only words of one letter."""
MOST_EDITS = 2
"""How far a word may be from its two parts, if these are misspelled too."""
LEAST_SHARE = 0.1
"""How likely it must be, if a word is wrong, that it is two words, or a part of one."""
MOST_WAYS = 3
"""Ways to cut a word that are tried."""
SHORTEST_MISSPELLED = 3
"""Letters of a misspelled word that was run together with another one."""


class Proposal(NamedTuple):
    """A correction of a blank, and the sentence with it."""

    window: int
    """Which window of the batch it belongs to."""
    start: int
    original: str
    written: str
    kind: CorrectionKind
    error: float
    """The probability that the original is wrong."""
    reading: Window
    places: slice
    """The new tokens in `reading`."""
    misspelled: bool = False
    """Whether the last new token is misspelled; `corrected` puts a word in its place."""

    def corrected(self, word: str) -> "Proposal":
        """The proposal with this word instead of the last new token."""
        *others, _ = self.reading.tokens[self.places]
        return self._replace(written=" ".join([*(token.text for token in others), word]))


def propose(
    windows: Sequence[Window], topk: TopK, lexicon: Lexicon, policy: Policy, length: int
) -> Iterator[Proposal]:
    """The corrections of blanks to try; `length` is the most tokens of a window."""
    if not topk.kinds.size:
        return
    for row, position in enumerate(topk.positions.tolist()):
        i, j = divmod(position, topk.keep.shape[1])
        window, error = windows[i], 1 - float(topk.keep[i, j])
        if not _is_judged(window, j, policy) or error < policy.spacing_threshold:
            continue
        named = zip(topk.ids[row].tolist(), topk.probabilities[row].tolist(), strict=True)
        ranked = {lexicon.words[index]: p for index, p in named if index < len(lexicon)}
        token = window.tokens[j]
        kinds = topk.kinds[row].tolist()
        if kinds[SPLIT] >= LEAST_SHARE:
            exact = list(_cuts(token, ranked, lexicon))
            for parts in exact or _misspelled_cuts(token, ranked, lexicon):
                written = " ".join(part.text for part in parts)
                reading = _reading(window, j, 1, parts, length)
                misspelled = not _is_word(normalize(parts[-1].text), lexicon)
                yield Proposal(
                    i, token.start, token.text, written, "split", error, *reading, misspelled
                )
        if kinds[JOIN] >= LEAST_SHARE and _may_join(window, j, policy):
            second = window.tokens[j + 1]
            for whole in _wholes(token, second, ranked, lexicon):
                original = f"{token.text} {second.text}"
                reading = _reading(window, j, 2, (whole,), length)
                yield Proposal(i, token.start, original, whole.text, "join", error, *reading)


def decide(
    fitting: Iterable[tuple[Proposal, float]], policy: Policy
) -> dict[int, list[Correction]]:
    """The likely corrections by window, given the probabilities that the new words are right.

    The suggestions of a correction are those of one kind.
    """
    found: dict[int, list[Correction]] = {}
    for (window, _, _), same in groupby(fitting, key=lambda one: one[0][:3]):
        rows = sorted(((p.error * fit, p) for p, fit in same), key=lambda row: -row[0])
        score, best = rows[0]
        if score >= policy.spacing_threshold:
            likely = [row for row in rows[1:] if row[0] >= policy.min_probability]
            suggestions = [Suggestion(p.written, s) for s, p in (rows[0], *likely)]
            found.setdefault(window, []).append(
                Correction(
                    best.start,
                    best.original,
                    tuple(suggestions[: policy.max_suggestions]),
                    score,
                    best.error,
                    best.kind,
                    score >= policy.fix_threshold,
                )
            )
    return found


def best_apart(corrections: Iterable[Correction]) -> list[Correction]:
    """The corrections in order, without those that overlap one with a higher score."""
    kept: list[Correction] = []
    for one in sorted(corrections, key=lambda c: (-c.score, c.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda c: c.start)


def _is_judged(window: Window, j: int, policy: Policy) -> bool:
    if window.text is None or not window.first <= j < window.last:
        return False
    token = window.tokens[j]
    return token.kind == "word" and not policy.accepts(token.text)


def _may_join(window: Window, j: int, policy: Policy) -> bool:
    """Whether the next word is judged here too, and one blank alone stands between the two."""
    if not _is_judged(window, j + 1, policy) or window.text is None:
        return False
    return window.text[window.tokens[j].end : window.tokens[j + 1].start] == " "


def _cuts(
    token: Token, ranked: Mapping[str, float], lexicon: Lexicon
) -> Iterator[tuple[Token, ...]]:
    """A token as two words: the model ranks the first ones. If it ranks none, frequent words."""
    word, text = normalize(token.text), token.text
    if len(word) != len(text):
        return
    cuts = [
        cut
        for cut in range(1, len(word))
        if _is_word(word[:cut], lexicon) and _is_word(word[cut:], lexicon)
    ]

    def order(cut: int) -> tuple[float, int]:
        places = (lexicon.index(word[:cut]) or 0, lexicon.index(word[cut:]) or 0)
        return -ranked.get(word[:cut], 0.0), max(places)

    likely = [cut for cut in cuts if ranked.get(word[:cut], 0.0) >= NEGLIGIBLE]
    for cut in sorted(likely or cuts, key=order)[:MOST_WAYS]:
        yield Token(token.start, text[:cut]), Token(token.start + cut, text[cut:])


def _misspelled_cuts(
    token: Token, ranked: Mapping[str, float], lexicon: Lexicon
) -> Iterator[tuple[Token, ...]]:
    """A token as two words, one of which is misspelled: the model ranks the first ones."""
    word, text = normalize(token.text), token.text
    likely = [first for first, p in ranked.items() if p >= NEGLIGIBLE]
    for first in likely[:MOST_WAYS] if len(word) == len(text) else ():
        if word.startswith(first) and len(word) - len(first) >= SHORTEST_MISSPELLED:
            cut = len(first)
            yield Token(token.start, text[:cut]), Token(token.start + cut, text[cut:])
        elif len(first) >= SHORTEST_MISSPELLED:
            near = range(max(len(first) - 1, 1), min(len(first) + 2, len(word)))
            cuts = [cut for cut in near if _is_word(word[cut:], lexicon)]
            edits, cut = min(
                ((count_edits(word[:c], first), c) for c in cuts), default=(MOST_EDITS, 0)
            )
            if edits == 1:
                written = transfer_case(text[:cut], first)
                yield Token(token.start, written), Token(token.start + cut, text[cut:])


def _wholes(
    first: Token, second: Token, ranked: Mapping[str, float], lexicon: Lexicon
) -> Iterator[Token]:
    """Two tokens as one word: as it is spelled or, if that is none, as the model ranks."""
    both = normalize(first.text) + normalize(second.text)
    similar = [word for word in ranked if _distance(word, both) <= MOST_EDITS]
    for word in [both] if both in lexicon else similar[:1]:
        yield Token(first.start, _joined(first.text, second.text, word))


def _is_word(part: str, lexicon: Lexicon) -> bool:
    return part in lexicon and (len(part) > 1 or part in ONE_LETTER)


def _joined(first: str, second: str, word: str) -> str:
    if word == normalize(first) + normalize(second):
        upper = case_shape(first) == case_shape(second) == UPPER
        return first + (second if upper else second.lower())
    return transfer_case(first, word)


def _reading(
    window: Window, j: int, count: int, new: Sequence[Token], length: int
) -> tuple[Window, slice]:
    """The window with new tokens instead of `count` old ones, and their places."""
    tokens = [*window.tokens[:j], *new, *window.tokens[j + count :]]
    extra = max(len(tokens) - length, 0)
    dropped = extra if j >= extra else 0  # a full window loses a token at the far end
    tokens = tokens[dropped : dropped + length]
    reading = replace(window, tokens=tokens, first=0, last=len(tokens))
    return reading, slice(j - dropped, j - dropped + len(new))


def _distance(a: str, b: str) -> int:
    """The number of letters to insert, delete or replace; more than MOST_EDITS is not counted."""
    if abs(len(a) - len(b)) > MOST_EDITS:
        return MOST_EDITS + 1
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for k, y in enumerate(b, 1):
            before, row[k] = row[k], min(row[k] + 1, row[k - 1] + 1, before + (x != y))
    return row[-1]
