"""Measure how well missing and extra blanks are found (*alot*, *to gether*, *everyday*).

python benchmarks/spaces.py --part dev      writes results/spaces/dev.default.json
python benchmarks/spaces.py --part test
python benchmarks/spaces.py --part dev --bundle DIR --output FILE --misses FILE    another model
python benchmarks/spaces.py --render        only write the page and its plot again

Needs $RESPELL_DATA and takes a few minutes. Choose on the development text only; the test text and
Freiburg's sets are for reporting. For SymSpell, first run:
python -m respell.lab peers install symspellpy
"""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from respell.cli.args import count
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.storage import save_text
from respell.lab.evaluate.confusions.sentences import Part
from respell.lab.evaluate.spaces import page
from respell.lab.evaluate.spaces.misses import misses
from respell.lab.evaluate.spaces.record import Measured, measure_part
from respell.lab.evaluate.systems import add_model_arguments, load_model
from respell.types import Error

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT / "recipes" / "corpora.toml"
RESULTS = ROOT / "results" / "spaces"


def main() -> int:
    """Measure, or write the page again."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=get_args(Part), default="dev")
    add_model_arguments(parser)
    parser.add_argument("--limit", type=count, metavar="N", help="at most N cases of each group")
    parser.add_argument("--output", type=Path, metavar="JSON", help="write only this file, no page")
    parser.add_argument("--misses", type=Path, metavar="FILE", help="also write the wrong cases")
    parser.add_argument("--render", action="store_true", help="only write the page and its plot")
    args = parser.parse_args()
    if args.limit and not args.output:
        parser.error("--limit is for a quick look: give --output too")
    try:
        if not args.render:
            _measure(args)
        if not args.output:
            page.write(RESULTS)
    except Error as error:
        sys.exit(f"spaces.py: {error}")
    return 0


def _measure(args: argparse.Namespace) -> None:
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the data, see docs/internals/data.md")
    data = Path(os.environ["RESPELL_DATA"])
    done = measure_part(load_model(args), args.part, data=data, corpora=CORPORA, limit=args.limit)
    made = provenance("python benchmarks/spaces.py")
    write_json(args.output or RESULTS / f"{args.part}.{args.preset}.json", {**done.record, **made})
    if args.misses:
        save_text(_misses(done), args.misses)
    print(_summary(done.record))


def _misses(done: Measured) -> str:
    return "".join(f"{line}\n" for line in misses(done.material, done.found))


def _summary(record: Mapping[str, Any]) -> str:
    lines = [
        f"{name}: {c['cases']} cases, precision {c['precision']:.3f}, recall {c['recall']:.3f}"
        for name, c in record["groups"].items()
    ]
    clean, best = record["clean"], record["best_point"]
    lines.append(f"{clean['per_1000']:.3f} false alarms per 1,000 of {clean['words']:,} words")
    if best:
        lines.append(
            f"at threshold {best['threshold']:.3f}: precision {best['precision']:.3f}, recall "
            f"{best['recall_together']:.3f} (run together), {best['recall_apart']:.3f} (apart)"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
