"""Make sentences with a missing or an extra blank from sentences kept from training."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappush, heappushpop
from itertools import pairwise
from typing import NamedTuple

from respell.decision.vocabulary import word_class
from respell.lab.evaluate.confusions.sentences import Place, find_places, split_sentences
from respell.lab.misspellings.spacing import SpacingLists
from respell.model.lexicon import Lexicon
from respell.text.case import transfer_case
from respell.types import Token

TOGETHER, APART = "together", "apart"
GROUPS = tuple(
    f"{kind}: {what}"
    for kind in (TOGETHER, APART)
    for what in ("listed", "by context", "anywhere", "misspelled")
)
"""What happened to the words, and which words these are."""
BY_CONTEXT = tuple(
    (whole, tuple(parts.split()))
    for whole, parts in (
        ("already", "all ready"),
        ("altogether", "all together"),
        ("anyone", "any one"),
        ("anyway", "any way"),
        ("apart", "a part"),
        ("away", "a way"),
        ("awhile", "a while"),
        ("backup", "back up"),
        ("checkout", "check out"),
        ("cleanup", "clean up"),
        ("everyday", "every day"),
        ("everyone", "every one"),
        ("into", "in to"),
        ("layout", "lay out"),
        ("login", "log in"),
        ("maybe", "may be"),
        ("onto", "on to"),
        ("setup", "set up"),
        ("someday", "some day"),
        ("sometime", "some time"),
        ("sometimes", "some times"),
        ("startup", "start up"),
        ("workout", "work out"),
    )
)
"""Words that are right both as one and as two."""
PER_PAIR = 6
"""Sentences for each listed pair of words, at most."""
PER_CONTEXT = 24
"""Sentences for each direction of the words that the context decides, at most."""
PER_GROUP = 400
"""Cases of the other groups, at most."""
SAMPLE = 6000
"""Lines that the words anywhere are taken from, and the clean text."""
SHORTEST = 4
"""Letters of a word that is pulled apart anywhere."""
IsWord = Callable[[str], bool]


class Case(NamedTuple):
    """A sentence with one mistake, and how it should be."""

    group: str
    text: str
    start: int
    end: int
    """The end of the mistake in `text`."""
    right: str
    right_end: int
    """The end of the right words in `right`; they begin at `start`."""

    @property
    def written(self) -> str:
        """The mistake."""
        return self.text[self.start : self.end]

    @property
    def meant(self) -> str:
        """The right words."""
        return self.right[self.start : self.right_end]


class Material(NamedTuple):
    """The cases, and sentences without a mistake."""

    cases: list[Case]
    clean: list[str]


def known_words(lexicon: Lexicon) -> IsWord:
    """Whether a word is in a lexicon, or in the vocabulary and not a name."""
    return lambda word: word in lexicon or word_class(word) in ("common", "technical")


def make_cases(lines: Iterable[str], lists: SpacingLists, is_word: IsWord) -> Material:
    """The cases that the sentences of some lines give.

    A pair of a list is left out if it makes a word when it is run together, unless the context
    decides (BY_CONTEXT).
    """
    context = {" ".join(parts): whole for whole, parts in BY_CONTEXT}
    together = {
        f"{a} {b}" for a, b in lists.together if f"{a} {b}" not in context and not is_word(a + b)
    }
    apart: dict[str, list[int]] = {}
    for a, b in sorted(lists.apart):
        if f"{a} {b}" not in context and is_word(a + b):
            apart.setdefault(a + b, []).append(len(a))
    sample = Sample(lines, SAMPLE)
    wanted = {*together, *apart, *context, *context.values()}
    places = find_places(sample, wanted, limit=PER_CONTEXT)
    clean = [text for text, _ in split_sentences(sample.taken)]
    listed = {
        TOGETHER: [
            _run_together(p) for w in sorted(together) for p in places.get(w, ())[:PER_PAIR]
        ],
        APART: [
            _pull_apart(place, cut)
            for word, cuts in apart.items()
            for cut in cuts
            for place in places.get(word, ())[:PER_PAIR]
        ],
    }
    anywhere = _anywhere(split_sentences(sample.taken), is_word)
    found: dict[str, list[Case]] = {
        f"{TOGETHER}: by context": [
            _exchanged(place, whole)
            for parts, whole in context.items()
            for place in places.get(parts, ())
        ],
        f"{APART}: by context": [
            _exchanged(place, parts)
            for parts, whole in context.items()
            for place in places.get(whole, ())
        ],
    }
    for kind in (TOGETHER, APART):
        found[f"{kind}: listed"] = _fewer(listed[kind])
        found[f"{kind}: anywhere"] = _fewer(anywhere[kind])
        found[f"{kind}: misspelled"] = _fewer(
            _misspelled([*found[f"{kind}: listed"], *found[f"{kind}: anywhere"]], is_word)
        )
    cases = [case._replace(group=group) for group in GROUPS for case in found[group]]
    return Material(cases, clean)


class Sample:
    """Passes lines on and takes some of them, chosen by their hashes."""

    def __init__(self, lines: Iterable[str], size: int) -> None:
        self._lines, self._size = lines, size
        self._heap: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            entry = (-number("sample", line), line)
            if len(self._heap) < self._size:
                heappush(self._heap, entry)
            else:
                heappushpop(self._heap, entry)
            yield line

    @property
    def taken(self) -> list[str]:
        """The lines that were taken, each once."""
        return sorted({line for _, line in self._heap}, key=lambda line: number("sample", line))


def number(purpose: str, text: str) -> int:
    """A number that looks random but depends only on the arguments."""
    digest = hashlib.blake2b(f"{purpose}\t{text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest)


def _fewer(cases: Iterable[Case]) -> list[Case]:
    """At most PER_GROUP cases, each once."""
    ordered = sorted(set(cases), key=lambda case: (number("case", case.text), case.start))
    return ordered[:PER_GROUP]


def _case(place: Place, written: str) -> Case:
    text = place.text[: place.start] + written + place.text[place.end :]
    end = place.start + len(written)
    return Case("", text, place.start, end, place.text, place.end)


def _exchanged(place: Place, other: str) -> Case:
    """The case in which other words are written, with the same capitals."""
    return _case(place, transfer_case(place.surface, other))


def _run_together(place: Place) -> Case:
    return _case(place, place.surface.replace(" ", ""))


def _pull_apart(place: Place, cut: int) -> Case:
    return _case(place, f"{place.surface[:cut]} {place.surface[cut:]}")


def _anywhere(
    sentences: Iterable[tuple[str, Sequence[Token]]], is_word: IsWord
) -> Mapping[str, list[Case]]:
    """One case of each kind from every sentence that has room for it."""
    found: dict[str, list[Case]] = {TOGETHER: [], APART: []}
    for text, tokens in sentences:
        pairs = [
            Place(text, a.start, b.end)
            for a, b in pairwise(tokens)
            if _is_plain(a) and _is_plain(b) and text[a.end : b.start] == " "
        ]
        pairs = [place for place in pairs if not is_word(place.surface.replace(" ", ""))]
        long = [t for t in tokens if _is_plain(t) and len(t.text) >= SHORTEST and is_word(t.text)]
        if pairs:
            place = pairs[number("pair", text) % len(pairs)]
            found[TOGETHER].append(_run_together(place))
        if long:
            token = long[number("word", text) % len(long)]
            cut = 1 + number("cut", text) % (len(token.text) - 1)
            found[APART].append(_pull_apart(Place(text, token.start, token.end), cut))
    return found


def _is_plain(token: Token) -> bool:
    return token.kind == "word" and token.text.isalpha() and token.text.islower()


def _misspelled(cases: Iterable[Case], is_word: IsWord) -> Iterator[Case]:
    """The cases with a typing error in the words, where that gives no other word."""
    for case in cases:
        written = _mistype(case.written, number("typing", case.text))
        parts = written.lower().split()
        if written != case.written and not is_word("".join(parts)) and not all(map(is_word, parts)):
            place = Place(case.right, case.start, case.right_end)
            yield _case(place, written)


def _mistype(written: str, chosen: int) -> str:
    """Swap two neighbouring letters, or double or drop one; the first letter stays."""
    spots = [i for i in range(1, len(written) - 1) if written[i].isalpha()]
    if not spots:
        return written
    at = spots[chosen % len(spots)]
    letter, following = written[at], written[at + 1]
    how = chosen // len(spots) % 3
    if how == 0 and following.isalpha():
        return written[:at] + following + letter + written[at + 2 :]
    return written[:at] + (letter * 2 if how == 1 else "") + written[at + 1 :]
