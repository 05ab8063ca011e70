"""Measure how the speed of `respell check --jobs N` grows with the number of processes.

python benchmarks/jobs.py --jobs 1 2 --output results/jobs.json
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from streaming import write_text

from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.model.bundle import default_path
from respell.types import Error

PROGRAM = "python benchmarks/jobs.py"
FILES = 24
STATS = re.compile(r"(\d+) words?, (\d+) problems? in [\d.]+ s: (\d+) words/s, (\d+) words/CPU")


def measure(folder: Path, jobs: int) -> tuple[int, int, int, int]:
    """Check all files once; return words, problems, words/s and words per CPU-second."""
    command = [sys.executable, "-m", "respell", "check", "--no-config", "--stats"]
    done = subprocess.run(
        [*command, "--jobs", str(jobs), "."],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    match = STATS.search(done.stderr)
    if match is None:
        raise Error(f"unexpected output of respell: {done.stderr}")
    words, problems, rate, efficiency = map(int, match.groups())
    return words, problems, rate, efficiency


def main() -> int:
    """Measure every number of jobs in turn, several times, and write the medians."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", nargs="+", type=int, default=[1, 2], metavar="N")
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path("results/jobs.json"))
    args = parser.parse_args()
    before = os.getloadavg()
    rates: dict[int, list[int]] = {jobs: [] for jobs in args.jobs}
    efficiencies: dict[int, list[int]] = {jobs: [] for jobs in args.jobs}
    counts = set()
    with tempfile.TemporaryDirectory() as name:
        for number in range(FILES):
            size = int(args.megabytes * 1e6 / FILES)
            write_text(Path(name, f"{number:02}.txt"), size, number)
        for _ in range(args.repeats):  # in turn, so that other load affects all
            for jobs in args.jobs:
                words, problems, rate, efficiency = measure(Path(name), jobs)
                counts.add((words, problems))
                rates[jobs].append(rate)
                efficiencies[jobs].append(efficiency)
                print(f"{jobs} jobs: {rate:,} words/s, {efficiency:,} words/CPU-second")
    if len(counts) != 1:
        raise Error(f"the results depend on the number of jobs: {sorted(counts)}")
    first = median(rates[args.jobs[0]])
    runs = [
        {
            "jobs": jobs,
            "words_per_second": median(rates[jobs]),
            "all_words_per_second": rates[jobs],
            "words_per_cpu_second": median(efficiencies[jobs]),
            "speedup": round(median(rates[jobs]) / first, 2),
        }
        for jobs in args.jobs
    ]
    value = {
        "runs": runs,
        "words": counts.pop()[0],
        "load_average_before": [round(one, 2) for one in before],
        "model": {"sha256": hash_bundle(default_path())},
        **provenance(PROGRAM),
    }
    write_json(args.output, value)
    print(", ".join(f"{run['jobs']} jobs: {run['speedup']}x" for run in runs))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"jobs: {error}")
