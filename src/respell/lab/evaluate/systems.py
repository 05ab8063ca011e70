"""Systems that can be scored: functions that correct lists of tokens."""

import argparse
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from respell.corrector import Corrector, load
from respell.lab.common.metrics import IsWord
from respell.lab.common.presets_file import read_presets
from respell.lab.common.provenance import hash_bundle
from respell.lab.common.tokens import check_aligned, read_tokens
from respell.lab.data.corpus import read_lexicon
from respell.model.bundle import Bundle, default_path, digest
from respell.model.encode import normalize
from respell.model.forward import Forward
from respell.text.tokenize import tokenize_words

System = Callable[[list[list[str]]], list[list[str]]]
"""Takes sentences of tokens and returns as many sentences, each with as many tokens."""


class CorrectsTokens(Protocol):
    """The part of a Corrector that is needed to score token-aligned files."""

    def correct_tokens_many(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """Correct sentences of tokens, in order."""


def keep(sentences: list[list[str]]) -> list[list[str]]:
    """Change nothing: the baseline of all systems."""
    return [list(tokens) for tokens in sentences]


SYSTEMS: dict[str, System] = {"keep": keep}
"""Systems without a model, by their names on the command line."""


def from_corrector(corrector: CorrectsTokens) -> System:
    """A system that calls a Corrector."""

    def system(sentences: list[list[str]]) -> list[list[str]]:
        return list(corrector.correct_tokens_many(sentences))

    return checked(system, "the corrector")


def from_predictions(path: Path) -> System:
    """A system that reads its answers from a file: one line per sentence, tokens between spaces.

    It must be called once with the whole set, so that a file with too many lines is an error.
    """

    def system(sentences: list[list[str]]) -> list[list[str]]:
        return read_tokens(path)

    return checked(system, str(path))


def checked(system: System, name: str) -> System:
    """Wrap a system so that answers of another length raise an Error."""

    def inner(sentences: list[list[str]]) -> list[list[str]]:
        answers = system(sentences)
        check_aligned(sentences, answers, name)
        return answers

    return inner


def words_of(path: Path) -> IsWord:
    """Real words are those of a file; if it has no capitals, case is ignored."""
    lexicon = read_lexicon(path)
    if all(word == word.lower() for word in lexicon):
        return lambda token: token.lower() in lexicon
    return lexicon.__contains__


def words_of_bundle(bundle: Bundle) -> IsWord:
    """Real words are those of a lexicon; a token of several words must have all of them in it."""
    casing, lexicon = bundle.config.casing, bundle.lexicon
    if casing == "exact":
        return lexicon.__contains__

    @functools.cache
    def is_word(token: str) -> bool:
        return all(normalize(t.text, t.kind, casing) in lexicon for t in tokenize_words([token]))

    return is_word


@dataclass(frozen=True, slots=True)
class ScoredSystem:
    """A system to score, its description in results, and the words it knows."""

    system: System
    description: Mapping[str, Any]
    is_word: IsWord | None = None
    timed: bool = True


@dataclass(frozen=True, slots=True)
class Model:
    """A corrector to score and its description in results."""

    corrector: Corrector
    description: Mapping[str, Any]


def add_model(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Add arguments to choose a model; more kinds of systems can be added to the group returned."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--bundle", type=Path, metavar="DIR", help="default: the shipped bundle")
    group.add_argument("--checkpoint", type=Path, metavar="DIR", help="instead of a bundle")
    parser.add_argument("--device", help="for a checkpoint (default: a GPU if there is one)")
    parser.set_defaults(presets=None)
    return group


def add_model_arguments(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Add arguments to choose a model, and the preset and threshold to run it with."""
    parser.add_argument("--preset", default="default", help="(default: default)")
    parser.add_argument("--threshold", type=float, metavar="P", help="default: the preset's")
    group = add_model(parser)
    parser.add_argument(
        "--presets", type=Path, metavar="JSON", help="a file of `presets`, instead of the model's"
    )
    return group


def load_model(args: argparse.Namespace) -> Model:
    """The bundle or checkpoint of the arguments, or else the shipped bundle."""
    path = args.checkpoint or args.bundle or default_path()
    bundle, forward, facts = _open_checkpoint(path, args) if args.checkpoint else _open_bundle(path)
    if args.presets:
        config = replace(bundle.config, presets=read_presets(args.presets))
        bundle = replace(bundle, config=config)
    corrector = Corrector(bundle, forward, preset=args.preset, threshold=args.threshold)
    return _describe(corrector, args.preset, **facts)


def _open_bundle(path: Path) -> tuple[Bundle, Forward, dict[str, str]]:
    corrector = load(path)
    facts = {"kind": "bundle", "sha256": hash_bundle(path), "device": "cpu"}
    return corrector.bundle, corrector.forward, facts


def _open_checkpoint(
    path: Path, args: argparse.Namespace
) -> tuple[Bundle, Forward, dict[str, str]]:
    # Imported here, so that bundles can be scored without torch.
    from respell.lab.train.checkpoint import Checkpoint, device_name, pick_device, torch_forward

    chosen = pick_device(args.device)
    saved = Checkpoint.read(path)
    facts = {"kind": "checkpoint", "sha256": saved.digest(), "device": device_name(chosen)}
    return saved.bundle(), torch_forward(saved.model(chosen), chosen), facts


def _describe(corrector: Corrector, preset: str, *, kind: str, sha256: str, device: str) -> Model:
    threshold = corrector.policy.threshold
    name = corrector.bundle.config.name
    description = {"kind": kind, "name": name, "sha256": sha256, "device": device}
    return Model(corrector, {**description, "preset": preset, "threshold": threshold})


def open_system(args: argparse.Namespace) -> ScoredSystem:
    """The system of the command line."""
    if args.system:
        return ScoredSystem(SYSTEMS[args.system], {"kind": args.system})
    if args.predictions:
        description = {"kind": "predictions", "sha256": digest(args.predictions)}
        return ScoredSystem(from_predictions(args.predictions), description, timed=False)
    model = load_model(args)
    is_word = words_of_bundle(model.corrector.bundle)
    return ScoredSystem(from_corrector(model.corrector), model.description, is_word)
