"""Compare respell with the stored answers of correctors that cannot be run here.

python benchmarks/stored_peers.py                writes results/stored_peers/SET.json and the page
python benchmarks/stored_peers.py --set bea322   only one set
python benchmarks/stored_peers.py --render       only write the page again

Needs $RESPELL_DATA and takes a few minutes. These are test sets: run them rarely, and choose
nothing on them.
"""

import argparse
import os
import sys
from pathlib import Path

from respell.lab.common.provenance import provenance, write_json
from respell.lab.evaluate.stored_answers import page
from respell.lab.evaluate.stored_answers.record import measure
from respell.lab.evaluate.stored_answers.sets import SETS
from respell.model.bundle import default_path

RESULTS = Path(__file__).resolve().parent.parent / "results" / "stored_peers"


def main() -> int:
    """Score all systems, or write the page again."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--set", choices=SETS, nargs="+", default=list(SETS), metavar="NAME")
    parser.add_argument("--bundle", type=Path, default=default_path(), metavar="DIR")
    parser.add_argument(
        "--output", type=Path, default=RESULTS, metavar="DIR", help="folder of the results"
    )
    parser.add_argument("--render", action="store_true", help="only write the page")
    args = parser.parse_args()
    for name in () if args.render else args.set:
        _measure(name, args.bundle, args.output)
    page.write(args.output)
    return 0


def _measure(name: str, bundle: Path, folder: Path) -> None:
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the data, see docs/internals/data.md")
    record = measure(name, data=Path(os.environ["RESPELL_DATA"]), bundle=bundle)
    made = provenance("python benchmarks/stored_peers.py")
    write_json(folder / f"{name}.json", {**record, **made})
    for system, scores in record["systems"].items():
        rates = " ".join(f"{scores[key]:.3f}" for key in ("precision", "recall", "f05"))
        print(f"{name}: {system} {rates}")


if __name__ == "__main__":
    sys.exit(main())
