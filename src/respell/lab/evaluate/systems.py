"""What can be scored: functions from noisy token lists to corrected ones, all of the same shape."""

import argparse
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from respell.corrector import Corrector, load
from respell.lab.common.provenance import hash_bundle
from respell.lab.common.tokens import check_aligned, read_tokens
from respell.lab.data.corpus import read_lexicon
from respell.model.bundle import Bundle, default_path, digest
from respell.model.encode import normalize
from respell.text.tokenize import tokenize_words
from respell.types import Correction

System = Callable[[list[list[str]]], list[list[str]]]
"""Token lists in, token lists out: as many lists, each as long as it was."""


class CorrectsTokens(Protocol):
    """The part of a Corrector that scoring on token-aligned files needs."""

    def correct_tokens_many(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """Correct token lists, in order, each keeping its length."""


class Checks(Protocol):
    """The part of a Corrector that counting alarms needs."""

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        """Find the mistakes of texts, in order."""


def keep(sentences: list[list[str]]) -> list[list[str]]:
    """Change nothing: the floor every system is compared with."""
    return [list(tokens) for tokens in sentences]


SYSTEMS: dict[str, System] = {"keep": keep}
"""Systems that need no model, by the name given on the command line."""


def from_corrector(corrector: CorrectsTokens) -> System:
    """Score a Corrector, bundle or checkpoint alike."""

    def system(sentences: list[list[str]]) -> list[list[str]]:
        return list(corrector.correct_tokens_many(sentences))

    return checked(system, "the corrector")


def from_predictions(path: Path) -> System:
    """Score what another system wrote: one line per sentence, tokens between single blanks.

    The whole set must be asked for at once, so that a file with too many lines is noticed.
    """

    def system(sentences: list[list[str]]) -> list[list[str]]:
        return read_tokens(path)

    return checked(system, str(path))


def checked(system: System, name: str) -> System:
    """Refuse answers of `system` that are not token for token as long as the question."""

    def inner(sentences: list[list[str]]) -> list[list[str]]:
        answers = system(sentences)
        check_aligned(sentences, answers, name)
        return answers

    return inner


IsWord = Callable[[str], bool]


def words_of(path: Path) -> IsWord:
    """Tell words by a file with one per line; a list without capitals is asked in lower case."""
    lexicon = read_lexicon(path)
    if all(word == word.lower() for word in lexicon):
        return lambda token: token.lower() in lexicon
    return lexicon.__contains__


def words_of_bundle(bundle: Bundle) -> IsWord:
    """Tell words by what a model knows; a token of several words is one if all its words are."""
    casing, lexicon = bundle.config.casing, bundle.lexicon
    if casing == "exact":
        return lexicon.__contains__

    @functools.cache
    def is_word(token: str) -> bool:
        return all(normalize(t.text, t.kind, casing) in lexicon for t in tokenize_words([token]))

    return is_word


@dataclass(frozen=True, slots=True)
class Subject:
    """A system to be scored, how results describe it, and the words it knows."""

    system: System
    description: Mapping[str, Any]
    is_word: IsWord | None = None
    timed: bool = True


@dataclass(frozen=True, slots=True)
class Model:
    """A corrector to be scored and how results describe it."""

    corrector: Corrector
    description: Mapping[str, Any]


def add_model_arguments(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Declare how a model is named; the group returned takes further kinds of systems."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--bundle", type=Path, metavar="DIR", help="default: the shipped one")
    group.add_argument("--checkpoint", type=Path, metavar="DIR")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--threshold", type=float, metavar="P")
    parser.add_argument("--device", help="of a checkpoint; default: a GPU where there is one")
    return group


def load_model(args: argparse.Namespace) -> Model:
    """The bundle or checkpoint that was named, or else the shipped bundle."""
    if args.checkpoint:
        return _load_checkpoint(args.checkpoint, args.preset, args.threshold, args.device)
    path = args.bundle or default_path()
    corrector = load(path, preset=args.preset, threshold=args.threshold)
    return _describe(corrector, args.preset, kind="bundle", sha256=hash_bundle(path), device="cpu")


def _load_checkpoint(path: Path, preset: str, threshold: float | None, device: str | None) -> Model:
    # Here, so that bundles can be scored without torch.
    from respell.lab.train.checkpoint import Checkpoint, device_name, pick_device, torch_forward

    place = pick_device(device)
    saved = Checkpoint.read(path)
    forward = torch_forward(saved.model(place), place)
    corrector = Corrector(saved.bundle(), forward, preset=preset, threshold=threshold)
    return _describe(
        corrector, preset, kind="checkpoint", sha256=saved.digest(), device=device_name(place)
    )


def _describe(corrector: Corrector, preset: str, *, kind: str, sha256: str, device: str) -> Model:
    threshold = corrector.policy.threshold
    name = corrector.bundle.config.name
    description = {"kind": kind, "name": name, "sha256": sha256, "device": device}
    return Model(corrector, {**description, "preset": preset, "threshold": threshold})


def open_subject(args: argparse.Namespace) -> Subject:
    """The system that was named on the command line."""
    if args.system:
        return Subject(SYSTEMS[args.system], {"kind": args.system})
    if args.predictions:
        description = {"kind": "predictions", "sha256": digest(args.predictions)}
        return Subject(from_predictions(args.predictions), description, timed=False)
    model = load_model(args)
    is_word = words_of_bundle(model.corrector.bundle)
    return Subject(from_corrector(model.corrector), model.description, is_word)
