"""Turn the model's ranking of a batch into corrections."""

from collections.abc import Sequence
from typing import NamedTuple

from respell.decision.casing import write
from respell.decision.policy import Policy
from respell.decision.rules import limit_to_light_errors
from respell.model.encode import normalize
from respell.model.forward import REPLACE, TopK
from respell.model.lexicon import Lexicon
from respell.text.case import LOWER, case_shape
from respell.text.windows import Window
from respell.types import Correction, CorrectionKind, Error, Suggestion, Token


class _Place(NamedTuple):
    """What is known about a token besides the ranking."""

    shape: int  # the case shape that the model prefers
    uncased: bool  # the sentence has no capitals
    error_probability: float
    threshold: float
    kind: CorrectionKind


def decode(
    windows: Sequence[Window], topk: TopK, lexicon: Lexicon, policy: Policy
) -> list[list[Correction]]:
    """The corrections of each window, in the order of its tokens."""
    user_words = tuple(policy.user_words)
    count = len(lexicon) + len(user_words)
    if topk.ids.size and not 0 <= topk.ids.min() <= topk.ids.max() < count:
        raise Error(f"the model names words outside its lexicon of {len(lexicon)}")

    def name(index: int) -> str:
        return lexicon.words[index] if index < len(lexicon) else user_words[index - len(lexicon)]

    found: list[list[Correction]] = [[] for _ in windows]
    length = topk.keep.shape[1]
    for row, position in enumerate(topk.positions.tolist()):
        i, j = divmod(position, length)
        window = windows[i]
        token = window.tokens[j] if j < len(window.tokens) else None
        if token is None or token.kind != "word" or policy.accepts(token.text):
            continue
        ranked = zip(topk.ids[row].tolist(), topk.probabilities[row].tolist(), strict=True)
        words = [(name(index), probability) for index, probability in ranked]
        # How likely the right word is another one. A word that is probably run together or pulled
        # apart is not changed into another word. A model that knows nothing about blanks always
        # means another word.
        share = float(topk.kinds[row, REPLACE]) if topk.kinds.size else 1.0
        error = (1 - float(topk.keep[i, j])) * share
        words = [(word, probability * share) for word, probability in words]
        shape = int(topk.cases[row])
        place = _place(window, token, shape=shape, error=error, lexicon=lexicon, policy=policy)
        correction = _correct(token, words, place, policy)
        if correction is not None:
            found[i].append(correction)
    for corrections in found:
        corrections.sort(key=lambda c: c.start)
    return found


def _place(
    window: Window, token: Token, *, shape: int, error: float, lexicon: Lexicon, policy: Policy
) -> _Place:
    known = normalize(token.text, casing=policy.casing) in lexicon
    return _Place(
        # The context of a lone word says nothing about its case or about the text.
        shape=case_shape(token.text) if window.lone else shape,
        uncased=_is_uncased(window.tokens),
        error_probability=error,
        threshold=policy.threshold if window.lone else policy.threshold_for(token.text, lexicon),
        kind="realword" if known else "nonword",
    )


def _is_uncased(tokens: Sequence[Token]) -> bool:
    return all(case_shape(token.text) == LOWER for token in tokens)


def _correct(
    token: Token, words: Sequence[tuple[str, float]], place: _Place, policy: Policy
) -> Correction | None:
    def written(word: str) -> str:
        return write(token.text, word, policy, shape=place.shape, uncased=place.uncased)

    if written(words[0][0]) == token.text:
        return None  # a model without KEEP leaves a word alone by naming it
    if policy.light:
        words = limit_to_light_errors(token.text, words)
    suggestions: dict[str, float] = {}
    for word, probability in words:
        text = written(word)
        if text != token.text and _can_suggest(word, policy):
            suggestions.setdefault(text, probability)
    if not suggestions:
        return None
    score = next(iter(suggestions.values()))
    error = max(place.error_probability, score)
    if (score if policy.threshold_on == "score" else error) < place.threshold:
        return None
    ranked = [Suggestion(text, p) for text, p in suggestions.items()]
    likely = [s for s in ranked[1:] if s.probability >= policy.min_probability]
    return Correction(
        token.start,
        token.text,
        tuple([ranked[0], *likely][: policy.max_suggestions]),
        score,
        error,
        place.kind,
        score >= policy.fix_threshold,
    )


def _can_suggest(word: str, policy: Policy) -> bool:
    """Only words are suggested; the paper's models may also name marks and numbers."""
    return policy.casing == "exact" or (word[0].isalpha() and not any(c.isdigit() for c in word))
