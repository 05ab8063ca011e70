"""The `report` command: write results/model/README.md from the files beside it."""

import argparse
import sys
from pathlib import Path

from respell.lab.common.storage import read_json, save_text
from respell.lab.evaluate.report.page import render_folder
from respell.lab.evaluate.report.published import read_published
from respell.lab.tune import reliability
from respell.types import Error

FILE = "README.md"
PUBLISHED = Path("benchmarks/published.toml")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `report`."""
    parser.add_argument("folder", type=Path, nargs="?", default=Path("results/model"))
    parser.add_argument(
        "--published",
        type=Path,
        default=PUBLISHED,
        metavar="TOML",
        help="published results of other systems (default %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Write the page and its plot."""
    if not args.folder.is_dir():
        raise Error(f"{args.folder}: no such folder of results")
    published = read_published(args.published) if args.published.is_file() else ()
    save_text(render_folder(args.folder, published), args.folder / FILE)
    if (args.folder / reliability.FILE).is_file():
        reliability.plot(read_json(args.folder / reliability.FILE), args.folder)
    sys.stdout.write(f"{args.folder / FILE}\n")
    return 0
