"""The `paper` command: train and score the rows of the paper's tables, and write the page."""

import argparse
import sys
from pathlib import Path

from respell.cli.args import count
from respell.lab.common.provenance import write_json
from respell.lab.evaluate.paper import page, rows
from respell.lab.evaluate.paper.run import ROWS, TrainingSetup, run_rows, try_rates
from respell.lab.evaluate.paper.score import score_authors, score_checkpoint, summary
from respell.lab.evaluate.paper.sets import AUTHORS, PAPER, ScoringData, find
from respell.lab.train import checkpoint as ck

RESULTS = Path("results/paper")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the steps of `paper` and their arguments."""
    steps = parser.add_subparsers(dest="step", required=True)
    for name, (_, text) in _STEPS.items():
        step = steps.add_parser(name, help=text, description=text)
        step.add_argument(
            "--rows", type=Path, default=rows.DEFAULT, help="list of rows (default %(default)s)"
        )
        step.add_argument(
            "--results", type=Path, default=RESULTS, help="folder of results (default %(default)s)"
        )
        if name != "render":
            step.add_argument(
                "--data-dir",
                type=Path,
                nargs="+",
                required=True,
                help="folders with the frozen sets, the paper's sentences, the lexicon and "
                "the known pairs; each file is taken from the first folder that has it",
            )
        if name in ("run", "rates"):
            _configure_training(step)
        if name in _CONFIGURE:
            _CONFIGURE[name](step)


def _configure_training(step: argparse.ArgumentParser) -> None:
    step.add_argument("--data", type=Path, required=True, help="folder written by `build`")
    step.add_argument("--lists", type=Path, required=True, help="folder of misspelling lists")
    step.add_argument(
        "--work", type=Path, default=Path("work/rows"), help="for checkpoints (default %(default)s)"
    )
    budget = step.add_mutually_exclusive_group(required=True)
    budget.add_argument("--minutes", type=float, help="train each row for this many minutes")
    budget.add_argument("--steps", type=int, help="train each row for this many steps")
    step.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="override a key of the recipes",
    )
    step.add_argument("--again", action="store_true", help="repeat runs that have results")
    step.add_argument(
        "--curve-sentences",
        type=count,
        default=1000,
        help="dev sentences scored during training (default %(default)s)",
    )


def _configure_run(step: argparse.ArgumentParser) -> None:
    step.add_argument("row", nargs="+", help="numbers of rows, or `all`")
    step.add_argument(
        "--save-minutes", type=float, default=1.25, help="save this often (default %(default)s)"
    )
    step.add_argument("--trained-on", help="name of the GPU (default: that of this machine)")
    step.add_argument(
        "--answers", type=Path, help="where to write the answers of rows (default WORK/answers)"
    )


def _configure_rates(step: argparse.ArgumentParser) -> None:
    step.add_argument("family", help="one of [families] in the list of rows")
    step.add_argument("--rates", type=float, nargs="+", required=True, help="rates to try")


def _configure_score(step: argparse.ArgumentParser) -> None:
    step.add_argument("checkpoint", type=Path)
    step.add_argument("--row", required=True, help="number of the row")
    step.add_argument("--out", type=Path, help="default: the file of the row in the results")
    step.add_argument("--device", help="default: a GPU if there is one")
    step.add_argument("--trained-on", help="name of the GPU (default: that of this machine)")
    step.add_argument("--answers", type=Path, help="folder to write the answers into")


def _configure_row11(step: argparse.ArgumentParser) -> None:
    step.add_argument("--out", type=Path, help=f"default: {page.AUTHORS} in the results")


def run(args: argparse.Namespace) -> int:
    """Run a step."""
    return _STEPS[args.step][0](args)


def _setup(args: argparse.Namespace) -> TrainingSetup:
    return TrainingSetup(
        data=args.data,
        lists=args.lists,
        folders=tuple(args.data_dir),
        work=args.work,
        results=args.results,
        save_minutes=args.save_minutes if args.step == "run" else 1e9,
        dev_sentences=args.curve_sentences,
        settings=tuple(args.set),
    )


def _budget(args: argparse.Namespace) -> list[str]:
    if args.steps is not None:
        return ["--steps", str(args.steps)]
    return ["--minutes", f"{args.minutes:g}"]


def _run(args: argparse.Namespace) -> int:
    table = rows.read_rows(args.rows)
    asked = table.rows if args.row == ["all"] else [table[row] for row in args.row]
    return run_rows(
        _setup(args),
        asked,
        _budget(args),
        answers=args.answers or args.work / "answers",
        again=args.again,
        trained_on=args.trained_on,
    )


def _rates(args: argparse.Namespace) -> int:
    row = rows.read_rows(args.rows).trial(args.family)
    return try_rates(_setup(args), row, args.rates, _budget(args), again=args.again)


def _score(args: argparse.Namespace) -> int:
    row = rows.read_rows(args.rows)[args.row]
    record = score_checkpoint(
        args.checkpoint,
        ScoringData.read(args.data_dir),
        row=row.row,
        device=ck.pick_device(args.device),
        trained_on=args.trained_on,
        answers=args.answers,
    )
    write_json(args.out or args.results / ROWS / row.file, record)
    sys.stdout.write(summary(record) + "\n")
    return 0


def _row11(args: argparse.Namespace) -> int:
    record = score_authors(ScoringData.read(args.data_dir, [PAPER]), find(args.data_dir, AUTHORS))
    write_json(args.out or args.results / page.AUTHORS, record)
    sys.stdout.write(summary(record) + "\n")
    return 0


def _render(args: argparse.Namespace) -> int:
    page.write(args.results, rows.read_rows(args.rows))
    sys.stdout.write(f"{args.results / page.FILE}\n")
    return 0


_STEPS = {
    "run": (_run, "train rows and score them"),
    "rates": (_rates, "try learning rates for a family of rows on the dev set"),
    "score": (_score, "score a checkpoint on every set"),
    "row11": (_row11, "score the authors' own output of row 11"),
    "render": (_render, "write the page and the plots from the results"),
}
_CONFIGURE = {
    "run": _configure_run,
    "rates": _configure_rates,
    "score": _configure_score,
    "row11": _configure_row11,
}
