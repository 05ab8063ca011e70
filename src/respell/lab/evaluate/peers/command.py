"""The `peers` command: install other correctors, score them beside ours, render the page."""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from respell.cli.args import count
from respell.lab.common.provenance import write_json
from respell.lab.data.corpus import read_sources
from respell.lab.evaluate.peers import arena, curve, page, speed
from respell.lab.evaluate.peers.install import install, versions, why_absent
from respell.lab.evaluate.peers.registry import DEFAULT, HOMES, Peer, choose, read_peers
from respell.lab.evaluate.peers.sample import WORDS, read_words, write_sample
from respell.lab.evaluate.peers.sets import read_sets, speed_sentences
from respell.types import Error

RESULTS = Path("results/peers")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what `peers` can do."""
    steps = parser.add_subparsers(dest="step", required=True)
    for name, (_, text) in _STEPS.items():
        step = steps.add_parser(name, help=text, description=text)
        step.add_argument("--peers", type=Path, default=DEFAULT, help="the list (%(default)s)")
        step.add_argument("--homes", type=Path, default=HOMES, help="where they are (%(default)s)")
        step.add_argument("--results", type=Path, default=RESULTS, help="(%(default)s)")
        if name in ("install", "run", "speed"):
            step.add_argument("--only", nargs="+", metavar="PEER", help="default: all")
        if name in ("text", "run", "speed", "curve"):
            step.add_argument("--data", type=Path, help="default: $RESPELL_DATA")
        if name in _CONFIGURE:
            _CONFIGURE[name](step)


def _configure_text(step: argparse.ArgumentParser) -> None:
    step.add_argument("--corpora", type=Path, default=Path("recipes/corpora.toml"))
    step.add_argument("--one-in", type=count, default=7, help="of the lines (%(default)s)")


def _configure_run(step: argparse.ArgumentParser) -> None:
    step.add_argument("--limit-seconds", type=float, default=60, help="a set (%(default)s)")
    step.add_argument("--clean-words", type=count, default=20_000, help="a text (%(default)s)")
    step.add_argument("--sets", nargs="+", metavar="SET", help="print only; nothing is kept")
    step.add_argument("--jobs", type=count, default=1, help="peers at a time (%(default)s)")
    step.add_argument("--answers", type=Path, metavar="DIR", help="keep what peers said")


def _configure_speed(step: argparse.ArgumentParser) -> None:
    step.add_argument("--rounds", type=count, default=3, help="(%(default)s)")
    step.add_argument("--seconds", type=float, default=20, help="for a visit (%(default)s)")


def run(args: argparse.Namespace) -> int:
    """Do what was asked for."""
    return _STEPS[args.step][0](args)


def _peers(args: argparse.Namespace) -> tuple[Peer, ...]:
    return choose(read_peers(args.peers, homes=args.homes), getattr(args, "only", None))


def _data(args: argparse.Namespace) -> Path:
    if not args.data and "RESPELL_DATA" not in os.environ:
        raise Error("set RESPELL_DATA to the folder of the test sets, see docs/data.md")
    return args.data or Path(os.environ["RESPELL_DATA"])


def _list(args: argparse.Namespace) -> int:
    for peer in _peers(args):
        reason = why_absent(peer)
        told = " ".join(f"{name} {version}" for name, version in versions(peer).items())
        sys.stdout.write(f"{peer.name:22}{f'absent: {reason}' if reason else told}\n")
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
            sys.stdout.write(f"absent: {error}\n")
    return failed


def _run(args: argparse.Namespace) -> int:
    sets = list(read_sets(_data(args), clean_words=args.clean_words))
    if args.sets:
        sets = [given for given in sets if given.name in args.sets]
    is_word = read_words(args.homes / WORDS)

    def one(peer: Peer) -> None:
        answers = args.answers / peer.name if args.answers else None
        record = arena.measure(
            peer, sets, is_word=is_word, limit_seconds=args.limit_seconds, answers=answers
        )
        if not args.sets:
            arena.save(record, args.results)
        sys.stdout.write(page.summary(record) + "\n")

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(one, _peers(args)))
    return 0


def _speed(args: argparse.Namespace) -> int:
    sentences = speed_sentences(_data(args))
    skip = arena.known_absent(args.results)
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
    "list": (_list, "the peers and what is installed of them"),
    "text": (_text, "write the text that peers learn from, and the list of real words"),
    "install": (_install, "give every peer its environment, and let it learn"),
    "run": (_run, "score peers on every set"),
    "speed": (_speed, "compare the speed of all peers in one run"),
    "curve": (_curve, "precision and recall of respell over thresholds"),
    "render": (_render, "write the page and the plots from the results"),
}
_CONFIGURE = {"text": _configure_text, "run": _configure_run, "speed": _configure_speed}
