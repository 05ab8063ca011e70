"""Measure how often a real word in the wrong place is restored, next to LanguageTool's n-grams.

python benchmarks/confusions.py --part dev     writes results/confusions/dev.default.json
python benchmarks/confusions.py --part test --preset noisy
python benchmarks/confusions.py --part dev --checkpoint DIR --output FILE     another model
python benchmarks/confusions.py --render       only write the page and its plot again

Needs $RESPELL_DATA and takes a few minutes. Choose on the development text only; the test text is
for reporting.
"""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from respell.lab.common.provenance import provenance, write_json
from respell.lab.evaluate.confusions import page
from respell.lab.evaluate.confusions.record import measure
from respell.lab.evaluate.confusions.sentences import Part
from respell.lab.evaluate.systems import add_model_arguments, load_model

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT / "recipes" / "corpora.toml"
RESULTS = ROOT / "results" / "confusions"


def main() -> int:
    """Measure, or write the page again."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=get_args(Part), default="dev")
    add_model_arguments(parser)
    parser.add_argument("--output", type=Path, metavar="JSON", help="write only this file, no page")
    parser.add_argument("--render", action="store_true", help="only write the page and its plot")
    args = parser.parse_args()
    if not args.render:
        _measure(args)
    if not args.output:
        page.write(RESULTS)
    return 0


def _measure(args: argparse.Namespace) -> None:
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the data, see docs/internals/data.md")
    data = Path(os.environ["RESPELL_DATA"])
    record = measure(load_model(args), args.part, data=data, corpora=CORPORA)
    made = provenance("python benchmarks/confusions.py")
    write_json(args.output or RESULTS / f"{args.part}.{args.preset}.json", {**record, **made})
    print(_summary(record))


def _summary(record: Mapping[str, Any]) -> str:
    scores, best = record["scores"], record["best_point"]
    theirs = scores["languagetool"]
    line = (
        f"{record['part']}: {scores['directions']} directions, {scores['sentences']} sentences; "
        f"macro recall {scores['macro_recall']:.3f} (LanguageTool {theirs['macro_recall']:.3f}), "
        f"balanced precision {scores['balanced_precision']:.4f}, "
        f"not behind on {scores['not_behind_languagetool']:.1%}"
    )
    if best:
        line += f"; macro recall {best['macro_recall']:.3f} at threshold {best['threshold']:.3f}"
    return line


if __name__ == "__main__":
    sys.exit(main())
