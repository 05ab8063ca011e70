"""Measure the speed and the size of a bundle, next to two peers and the limits of the machine.

python benchmarks/speed.py --output results/speed.json

Reads $RESPELL_DATA. Peers must have been installed with `python -m respell.lab peers install`.
`--against FOLDER` also measures another bundle, in turn with this one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from roofline import bytes_by_part, needed, possible

from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.evaluate.peers import speed
from respell.lab.evaluate.peers.registry import HOMES, choose, read_peers
from respell.lab.evaluate.peers.sets import BENCH, read_bench, speed_sentences
from respell.model.bundle import Bundle, default_path
from respell.types import Error

PROGRAM = "python benchmarks/speed.py"
PEERS = ("respell", "symspellpy", "jamspell")
WORKER = Path(__file__).with_name("speed_worker.py")
MINIMUM = ("warm_sentence_cpu_ms", "load_to_first_correction_cpu_seconds")


def measure_bundles(
    bundles: Mapping[str, Path], sentences: Sequence[list[str]], rounds: int
) -> dict[str, Any]:
    """Measure every bundle with one and two threads, in turn, so that other load affects all."""
    runs: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sentences.jsonl"
        path.write_text("".join(json.dumps(s) + "\n" for s in sentences), encoding="utf-8")
        for _ in range(rounds):
            for name, bundle in bundles.items():
                for threads in (1, 2):
                    run = _work(bundle, threads, path)
                    key = f"{name}, {threads} thread{'s' * (threads > 1)}"
                    runs.setdefault(key, []).append(run)
                    print(f"{key}: {run['words_per_cpu_second']:,} words/CPU-s")
    return {key: _summary(some) for key, some in runs.items()}


def _work(bundle: Path, threads: int, sentences: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, str(WORKER), str(bundle), str(threads), str(sentences)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Error(f"{WORKER.name} failed: {done.stderr.strip().splitlines()[-1]}")
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _summary(runs: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Medians; minima of the times that other load can only lengthen."""
    return {key: (min if key in MINIMUM else median)([run[key] for run in runs]) for key in runs[0]}


def _roofline(bundle: Bundle, sentences: Sequence[list[str]], rate: float) -> dict[str, Any]:
    """Compare the speed with the limit that matrix products set on this machine."""
    work, machine = needed(bundle, sentences), possible()
    seconds = sum(
        work[f"{kind}_multiply_adds_per_word"] / machine[f"{kind}_multiply_adds_per_cpu_second"]
        for kind in ("int8", "fp32")
    )
    return {
        **work,
        **machine,
        "words_per_cpu_second_of_matrix_products_only": round(1 / seconds),
        "share_reached": round(rate * seconds, 3),
    }


def main() -> int:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bundle", type=Path, default=default_path())
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another bundle")
    parser.add_argument(
        "--homes", type=Path, default=HOMES, help="where peers are installed (default %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--seconds", type=float, default=10, help="per peer and round (default %(default)s)"
    )
    parser.add_argument(
        "--words", type=int, default=40_000, help="per bundle (default %(default)s)"
    )
    parser.add_argument("--output", type=Path, default=Path("results/speed.json"))
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ:
        raise Error("set RESPELL_DATA to the folder of the test sets, see docs/internals/data.md")
    data = Path(os.environ["RESPELL_DATA"])
    before = os.getloadavg()
    sentences = speed_sentences(data)
    counted = [sum(map(len, sentences[:i])) for i in range(len(sentences))]
    some = [s for s, words in zip(sentences, counted, strict=True) if words < args.words]
    bundles = {"bundle": args.bundle} | ({"against": args.against} if args.against else {})
    runs = measure_bundles(bundles, some, args.rounds)
    bundle = Bundle.read(args.bundle)
    rate = runs["bundle, 1 thread"]["words_per_cpu_second"]
    value = {
        "runs": runs,
        "peers": _peers(args, sentences),
        "roofline": _roofline(bundle, some[:400], rate),
        "bytes": bytes_by_part(bundle),
        "load_average_before": [round(one, 2) for one in before],
        "model": {name: hash_bundle(path) for name, path in bundles.items()},
        "data": {k: v for name in BENCH for k, v in read_bench(data, name).sha256.items()},
        **provenance(PROGRAM),
    }
    write_json(args.output, value)
    print(json.dumps({key: value[key] for key in ("runs", "roofline", "bytes")}, indent=1))
    return 0


def _peers(args: argparse.Namespace, sentences: Sequence[list[str]]) -> dict[str, Any]:
    """Measure the shipped bundle and the installed peers in one run."""
    found = speed.measure(
        choose(read_peers(homes=args.homes), PEERS),
        sentences,
        rounds=args.rounds,
        seconds=args.seconds,
    )
    rates = {name: peer["words_per_cpu_second"]["median"] for name, peer in found["peers"].items()}
    ratios = {name: round(rates["respell"] / rate, 3) for name, rate in rates.items()}
    return {"peers": found["peers"], "absent": found["absent"], "respell_to": ratios}


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"speed: {error}")
