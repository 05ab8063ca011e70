"""What can be scored: functions from noisy token lists to corrected ones, all of the same shape."""

import argparse
import datetime
import functools
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import respell
from respell.bundle import CONFIG, Bundle, default_path, digest
from respell.corrector import Corrector, load
from respell.features import form
from respell.lab.corpus import read_lexicon, read_lines
from respell.lab.storage import save_text, to_json
from respell.text import tokenize_words
from respell.types import Correction, Error

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


def check_aligned(
    sentences: Sequence[Sequence[str]], others: Sequence[Sequence[str]], name: str
) -> None:
    """Raise an Error naming `name` and the line unless both have the same shape."""
    if len(sentences) != len(others):
        raise Error(
            f"{name}: {len(others)} lines where {len(sentences)} were expected; "
            "the files must be aligned line by line"
        )
    for number, (tokens, other) in enumerate(zip(sentences, others, strict=True), start=1):
        if len(tokens) != len(other):
            raise Error(
                f"{name}:{number}: {len(other)} tokens where {len(tokens)} were expected; "
                "tokens are separated by single blanks"
            )


def read_tokens(path: Path) -> list[list[str]]:
    """Read one sentence a line, tokens between single blanks; two blanks hold an empty token."""
    return [line.split(" ") for line in read_lines(path)]


def read_pair(noisy: Path, gold: Path) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences with mistakes and the same ones right; without a token there is nothing to ask."""
    wrong, right = read_tokens(noisy), read_tokens(gold)
    check_aligned(wrong, right, str(gold))
    if not any(map(any, wrong)):
        raise Error(f"{noisy}: no tokens; write one sentence a line")
    return wrong, right


def write_tokens(path: Path, sentences: Iterable[Sequence[str]]) -> None:
    """Write what `read_tokens` reads."""
    save_text("".join(" ".join(tokens) + "\n" for tokens in sentences), path)


IsWord = Callable[[str], bool]


def words_of(path: Path) -> IsWord:
    """Tell words by a file with one per line; a list without capitals is asked in lower case."""
    lexicon = read_lexicon(path)
    if all(word == word.lower() for word in lexicon):
        return lambda token: token.lower() in lexicon
    return lexicon.__contains__


def words_of_bundle(bundle: Bundle) -> IsWord:
    """Tell words by what a model knows; a token of several words is one if all its words are."""
    style, lexicon = bundle.config.style, bundle.lexicon
    if style == "exact":
        return lexicon.__contains__

    @functools.cache
    def is_word(token: str) -> bool:
        return all(form(t.text, t.kind, style) in lexicon for t in tokenize_words([token]))

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
    from respell.lab.checkpoint import Checkpoint, device_name, pick_device, torch_forward

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


def hash_bundle(folder: Path) -> str:
    """What identifies a bundle: SHA-256 of its config, which holds those of model and lexicon."""
    return digest(folder / CONFIG)


def provenance(program: str = "python -m respell.lab") -> dict[str, Any]:
    """Where figures come from: version, commit, machine, date, command line."""
    return {
        "respell": respell.__version__,
        "commit": commit_of(Path(__file__).parent),
        "machine": {
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "platform": f"{platform.system()} {platform.machine()}",
        },
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": f"{_program(program)} {' '.join(map(_portable, sys.argv[1:]))}",
    }


def _program(program: str) -> str:
    """A script of ours that calls a command is what a reader has to run, not the command."""
    script = Path(sys.argv[0])
    return f"python benchmarks/{script.name}" if script.parent.name == "benchmarks" else program


_BESIDE = (":(top,exclude)results", ":(top,exclude)docs", ":(top,exclude,glob)**/*.md")
"""Pages, cards and results: what figures are written to, not what they are made by."""


def commit_of(folder: Path) -> str | None:
    """The commit of source in a folder, marked when what could change a figure differs from it.

    None outside a repository.
    """
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    changed = _git(folder, "status", "--porcelain", "--untracked-files=normal", ":(top)", *_BESIDE)
    return commit if changed == "" else f"{commit}-dirty"


def _git(folder: Path, *arguments: str) -> str | None:
    """What git says of a folder; None without git or a repository."""
    command = ["git", "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _portable(argument: str) -> str:
    """An argument, quoted, without the folders of this machine, since results are published."""
    option, equals, value = argument.rpartition("=")
    path = Path(value)
    if not path.is_absolute():
        return shlex.quote(argument)
    data = os.environ.get("RESPELL_DATA")
    if data and path.is_relative_to(data):
        # Double quotes, so that the shell puts the folder back in.
        return f'{option}{equals}"$RESPELL_DATA/{path.relative_to(data).as_posix()}"'
    inside = path.is_relative_to(Path.cwd())
    return option + equals + shlex.quote(str(path.relative_to(Path.cwd()) if inside else path.name))


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON file, replacing an old one at once."""
    save_text(to_json(value), path)
