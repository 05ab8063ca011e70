"""The `peers` command: install other correctors, score them, and write the page."""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from respell.cli.args import count
from respell.lab.common.provenance import write_json
from respell.lab.data.corpus import read_sources
from respell.lab.evaluate.peers import curve, measure, page, results, speed
from respell.lab.evaluate.peers.install import install, versions, why_absent
from respell.lab.evaluate.peers.registry import DEFAULT, HOMES, Peer, choose, read_peers
from respell.lab.evaluate.peers.sets import read_sets, speed_sentences
from respell.lab.evaluate.peers.training_text import WORDS, read_words, write_sample
from respell.types import Error

RESULTS = Path("results/peers")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the steps of `peers` and their arguments."""
    steps = parser.add_subparsers(dest="step", required=True)
    for name, (_, text) in _STEPS.items():
        step = steps.add_parser(name, help=text, description=text)
        step.add_argument(
            "--peers", type=Path, default=DEFAULT, help="the list of peers (default %(default)s)"
        )
        step.add_argument(
            "--homes",
            type=Path,
            default=HOMES,
            help="where they are installed (default %(default)s)",
        )
        step.add_argument(
            "--results", type=Path, default=RESULTS, help="folder of results (default %(default)s)"
        )
        if name in ("install", "run", "speed"):
            step.add_argument("--only", nargs="+", metavar="PEER", help="default: all")
        if name in ("text", "run", "speed", "curve"):
            step.add_argument("--data", type=Path, help="default: $RESPELL_DATA")
        if name in _CONFIGURE:
            _CONFIGURE[name](step)


def _configure_text(step: argparse.ArgumentParser) -> None:
    step.add_argument("--corpora", type=Path, default=Path("recipes/corpora.toml"))
    step.add_argument(
        "--one-in", type=count, default=7, help="use one in so many lines (default %(default)s)"
    )


def _configure_run(step: argparse.ArgumentParser) -> None:
    step.add_argument(
        "--limit-seconds", type=float, default=60, help="per set (default %(default)s)"
    )
    step.add_argument(
        "--clean-words", type=count, default=20_000, help="per text (default %(default)s)"
    )
    step.add_argument(
        "--sets",
        nargs="+",
        metavar="SET",
        help="only these sets; results are printed but not written",
    )
    step.add_argument(
        "--jobs",
        type=count,
        default=1,
        help="peers that run at the same time (default %(default)s)",
    )
    step.add_argument(
        "--answers", type=Path, metavar="DIR", help="write the answers of peers there"
    )


def _configure_speed(step: argparse.ArgumentParser) -> None:
    step.add_argument("--rounds", type=count, default=3, help="(default %(default)s)")
    step.add_argument(
        "--seconds", type=float, default=20, help="per peer and round (default %(default)s)"
    )


def run(args: argparse.Namespace) -> int:
    """Run a step."""
    return _STEPS[args.step][0](args)


def _peers(args: argparse.Namespace) -> tuple[Peer, ...]:
    return choose(read_peers(args.peers, homes=args.homes), getattr(args, "only", None))


def _data(args: argparse.Namespace) -> Path:
    if not args.data and "RESPELL_DATA" not in os.environ:
        raise Error("set RESPELL_DATA to the folder of the test sets, see docs/internals/data.md")
    return args.data or Path(os.environ["RESPELL_DATA"])


def _list(args: argparse.Namespace) -> int:
    for peer in _peers(args):
        reason = why_absent(peer)
        text = " ".join(f"{name} {version}" for name, version in versions(peer).items())
        sys.stdout.write(f"{peer.name:22}{f'not available: {reason}' if reason else text}\n")
    return 0


def _text(args: argparse.Namespace) -> int:
    sources, folder = read_sources(args.corpora), _data(args) / "corpora"
    size, words = write_sample(sources, folder, args.homes, one_in=args.one_in)
    sys.stdout.write(f"{args.homes}: {size / 1e6:.0f} MB of text, {words:,} words\n")
    return 0


def _install(args: argparse.Namespace) -> int:
    failed = 0
    for peer in _peers(args):
        try:
            install(peer)
            sys.stdout.write(f"{peer.name}: installed\n")
        except Error as error:
            failed = 1
            sys.stdout.write(f"not available: {error}\n")
    return failed


def _run(args: argparse.Namespace) -> int:
    sets = list(read_sets(_data(args), clean_words=args.clean_words))
    if args.sets:
        named = {given.name: given for given in sets}
        if unknown := [name for name in args.sets if name not in named]:
            raise Error(f"no set {unknown[0]!r}; there are {', '.join(named)}")
        sets = [named[name] for name in args.sets]
    is_word = read_words(args.homes / WORDS)

    def one(peer: Peer) -> None:
        answers = args.answers / peer.name if args.answers else None
        record = measure.measure(
            peer, sets, is_word=is_word, limit_seconds=args.limit_seconds, answers=answers
        )
        if not args.sets:
            results.save(record, args.results)
        sys.stdout.write(page.summary(record) + "\n")

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(one, _peers(args)))
    return 0


def _speed(args: argparse.Namespace) -> int:
    sentences = speed_sentences(_data(args))
    skip = results.known_absent(args.results)
    record = speed.measure(
        _peers(args), sentences, rounds=args.rounds, seconds=args.seconds, skip=skip
    )
    if not args.only:
        write_json(args.results / speed.FILE, record)
    sys.stdout.write(speed.summary(record))
    return 0


def _curve(args: argparse.Namespace) -> int:
    sets = [given for given in read_sets(_data(args), clean_words=0) if not given.clean]
    write_json(args.results / curve.FILE, curve.measure(sets))
    return 0


def _render(args: argparse.Namespace) -> int:
    page.write(args.results)
    sys.stdout.write(f"{args.results / page.FILE}\n")
    return 0


_STEPS = {
    "list": (_list, "list the peers and their versions"),
    "text": (_text, "write the training text of peers, and the list of real words"),
    "install": (_install, "install peers and train those that need it"),
    "run": (_run, "score peers on every set"),
    "speed": (_speed, "compare the speed of peers"),
    "curve": (_curve, "measure precision and recall of respell by threshold"),
    "render": (_render, "write the page and the plots from the results"),
}
_CONFIGURE = {"text": _configure_text, "run": _configure_run, "speed": _configure_speed}
