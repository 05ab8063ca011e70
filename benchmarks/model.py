"""Measure a bundle on all test sets, and write results/model and the model card.

Reads $RESPELL_DATA and the dev set of docs/internals/training.md. Test sets are only for reporting:
run this once for a model that is to be published. `--only` runs some of the parts; `--only page`
needs no data.
"""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from respell.lab.__main__ import main as lab
from respell.model.bundle import default_path
from respell.types import PRESETS

TESTS = ("neuspell_bea60k_sub1000", "neuspell_jfleg_test", "neuspell_bea322", "holbrook_test")
PEOPLE = ("neuspell_jfleg_dev", "holbrook_dev")
CLEAN = (
    ("abc_news_au.txt.xz", "all"),
    ("bbc_news.txt.xz", "last-tenth"),
    ("scotus_oral.txt.bz2", "last-tenth"),
    ("mdn_docs.txt.xz", "last-tenth"),
    ("wikipedia_new2018.txt.bz2", "last-tenth"),
)


def _data() -> Path:
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the test sets, see docs/internals/data.md")
    return Path(os.environ["RESPELL_DATA"])


def _sets() -> list[tuple[str, str, str]]:
    """The name, the noisy and the gold file of each test set."""
    data = _data()
    paper = ("paper", str(data / "paper/test.noisy.txt"), str(data / "paper/test.gold.txt"))
    return [paper, *(_bench(name) for name in TESTS)]


def _bench(name: str) -> tuple[str, str, str]:
    noisy, gold = (str(_data() / f"bench/{name}.{side}.txt") for side in ("noisy", "clean"))
    return name, noisy, gold


def scores(args: argparse.Namespace) -> int:
    """Score every test set at every preset."""
    return _evaluate(args, "")


def lowered(args: argparse.Namespace) -> int:
    """Score the test sets in lower case."""
    return _evaluate(args, ".lower", "--lower")


def _evaluate(args: argparse.Namespace, suffix: str, *more: str) -> int:
    status = 0
    known = ["--known", str(_data() / "misspellings/omega_train80.tsv")]
    for preset in args.presets:
        for name, noisy, gold in _sets():
            command = ["evaluate", "--bundle", str(args.bundle), "--preset", preset, *more]
            command += ["--noisy", noisy, "--gold", gold, "--name", name]
            command += known if name == "paper" else []
            predictions = args.findings / f"{name}.{preset}{suffix}.txt"
            command += ["--output", str(args.out / f"{name}.{preset}{suffix}.json")]
            status |= lab([*command, "--write-predictions", str(predictions)])
    return status


def clean(args: argparse.Namespace) -> int:
    """Count flagged words in clean text at every preset."""
    status = 0
    for preset in args.presets:
        for file, part in CLEAN:
            name = file.split(".")[0]
            out = args.out / f"clean.{name}.{preset}.json"
            findings = args.findings / f"{name}.{preset}.tsv"
            command = ["false-alarms", str(_data() / "corpora" / file), "--part", part]
            command += ["--bundle", str(args.bundle), "--preset", preset]
            command += ["--limit-words", str(args.limit_words), "--findings", str(findings)]
            status |= lab([*command, "--output", str(out)])
    return status


def reliability(args: argparse.Namespace) -> int:
    """Measure the reliability of scores, on dev and test sets."""
    noisy = [str(args.dev / f"lm1b_known.{side}.txt") for side in ("noisy", "gold")]
    command = ["reliability", "--bundle", str(args.bundle), "--out", str(args.out)]
    command += ["--clean", noisy[1], "--noisy", "lm1b_known", *noisy]
    for name in PEOPLE:
        command += ["--people", *_bench(name)]
    for one in _sets():
        command += ["--test", *one]
    return lab(command)


def mistakes(args: argparse.Namespace) -> int:
    """Sample the mistakes of the default preset, from the output of `scores` and `clean`."""
    command = ["mistakes", "--output", str(args.out / "mistakes.json")]
    command += ["--bundle", str(args.bundle)]
    for name, noisy, gold in _sets():
        command += ["--set", name, noisy, gold, str(args.findings / f"{name}.default.txt")]
    for file, _ in CLEAN:
        command += ["--findings", str(args.findings / f"{file.split('.')[0]}.default.tsv")]
    return lab(command)


def page(args: argparse.Namespace) -> int:
    """Write the model card and the results page."""
    results = sorted(map(str, args.out.glob("*.json")))
    plot = ["--plot", str(args.out / "reliability.svg")]
    status = lab(["card", "--bundle", str(args.bundle), *plot, *results])
    return status | lab(["report", str(args.out)])


PARTS: tuple[Callable[[argparse.Namespace], int], ...] = (
    scores,
    lowered,
    clean,
    reliability,
    mistakes,
    page,
)


def main() -> int:
    """Run all parts, or some of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, default=default_path())
    parser.add_argument("--out", type=Path, default=Path("results/model"))
    parser.add_argument(
        "--findings",
        type=Path,
        default=Path("work/findings"),
        help="for predictions and flagged words",
    )
    parser.add_argument(
        "--dev", type=Path, default=Path("work/dev"), help="dev set, see docs/internals/training.md"
    )
    parser.add_argument(
        "--limit-words", type=int, default=100_000, help="words to read of each clean text"
    )
    parser.add_argument("--only", nargs="+", choices=[part.__name__ for part in PARTS])
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=PRESETS)
    args = parser.parse_args()
    status = 0
    for part in PARTS:
        if not args.only or part.__name__ in args.only:
            status |= part(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
