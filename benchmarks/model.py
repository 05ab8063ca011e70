"""Score a bundle on every test set at every preset, and count false alarms on clean text.

Reads $RESPELL_DATA, writes results/model/*.json and renders the bundle's card from them.
Test sets are for reporting: run this once for a model that is to be shipped.
"""

import argparse
import os
import sys
from pathlib import Path

from respell.bundle import default_path
from respell.lab.__main__ import main as lab
from respell.types import PRESETS

TESTS = ("neuspell_bea60k_sub1000", "neuspell_jfleg_test", "neuspell_bea322", "holbrook_test")
CLEAN = (
    ("abc_news_au.txt.xz", "all"),
    ("bbc_news.txt.xz", "last-tenth"),
    ("scotus_oral.txt.bz2", "last-tenth"),
    ("mdn_docs.txt.xz", "last-tenth"),
    ("wikipedia_new2018.txt.bz2", "last-tenth"),
)


def main() -> int:
    """Run every set; the first failure ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, default=default_path())
    parser.add_argument("--out", type=Path, default=Path("results/model"))
    parser.add_argument(
        "--findings", type=Path, default=Path("work/findings"), help="what was flagged"
    )
    parser.add_argument("--limit-words", type=int, default=100_000, help="of each clean text")
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the test sets, see docs/data.md")
    data = Path(os.environ["RESPELL_DATA"])
    known = ["--known", str(data / "misspellings/omega_train80.tsv")]
    runs = [("paper", data / "paper/test.noisy.txt", data / "paper/test.gold.txt", known)]
    for name in TESTS:
        noisy, gold = (data / f"bench/{name}.{side}.txt" for side in ("noisy", "clean"))
        runs.append((name, noisy, gold, []))
    status = 0
    for preset in PRESETS:
        common = ["--bundle", str(args.bundle), "--preset", preset]
        for name, noisy, gold, more in runs:
            out = args.out / f"{name}.{preset}.json"
            command = ["evaluate", "--noisy", str(noisy), "--gold", str(gold), *common, *more]
            status |= lab([*command, "--name", name, "--output", str(out)])
        for file, part in CLEAN:
            name = file.split(".")[0]
            out = args.out / f"clean.{name}.{preset}.json"
            findings = args.findings / f"{name}.{preset}.tsv"
            command = ["false-alarms", str(data / "corpora" / file), "--part", part, *common]
            command += ["--limit-words", str(args.limit_words), "--findings", str(findings)]
            status |= lab([*command, "--output", str(out)])
    results = sorted(map(str, args.out.glob("*.json")))
    return status | lab(["card", "--bundle", str(args.bundle), *results])


if __name__ == "__main__":
    sys.exit(main())
