"""Measure words/s in one process and on Ray actors with one core each.

python benchmarks/scale.py --words 200000 --workers 1 2 --output results/scale.json

Needs the extra `ray` and psutil.
"""

import argparse
import logging
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import psutil
import pyarrow
from streaming import make_sentence

from respell.integrations import open_corrector
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.model.bundle import default_path
from respell.types import Error

PROGRAM = "python benchmarks/scale.py"
BLOCK_ROWS = 64
WARM_UP = 0.2  # of the words are not counted: actors start one after the other


@dataclass(frozen=True, slots=True)
class Run:
    """The speed of some workers after the warm-up."""

    workers: int
    ray: bool
    words: int
    seconds: float
    cpu_seconds: float
    words_per_second: float
    words_per_cpu_second: float


def make_rows(words: int, seed: int) -> list[str]:
    """Rows of one to six sentences, about `words` words in all, some misspelled."""
    generator = random.Random(seed)
    rows = []
    while words > 0:
        row = " ".join(" ".join(make_sentence(generator)) for _ in range(generator.randint(1, 6)))
        rows.append(row)
        words -= len(row.split())
    return rows


def measure(parts: Iterator[int], total: int, workers: int, *, ray: bool) -> Run:
    """Measure from the end of the warm-up; `parts` yields the number of words of each part."""
    read_cpu = actors_cpu() if ray else time.process_time
    done, marks = 0, []
    for words in parts:
        done += words
        if done >= WARM_UP * total:
            marks.append((done, time.perf_counter(), read_cpu()))
    if done != total or len(marks) < 2:
        raise Error(f"{done} of {total} words returned, in {len(marks)} parts; use more --words")
    first, last = marks[0], marks[-1]
    counted, seconds, cpu = last[0] - first[0], last[1] - first[1], last[2] - first[2]
    return Run(
        workers=workers,
        ray=ray,
        words=counted,
        seconds=round(seconds, 3),
        cpu_seconds=round(cpu, 3),
        words_per_second=round(counted / seconds, 1),
        words_per_cpu_second=round(counted / cpu, 1),
    )


def actors_cpu() -> Callable[[], float]:
    """A clock of the CPU seconds of all actors of this process, including those that have ended."""
    used: dict[int, float] = {}

    def read() -> float:
        for process in psutil.Process().children(recursive=True):
            try:
                if "_Respell" in " ".join(process.cmdline()):
                    times = process.cpu_times()
                    used[process.pid] = times.user + times.system
            except psutil.Error:  # the process has just ended
                continue
        return sum(used.values())

    return read


def in_process(rows: list[str]) -> Iterator[int]:
    """Check rows in this process with one thread, in the same blocks as an actor."""
    corrector = open_corrector(threads=1)
    for start in range(0, len(rows), BLOCK_ROWS):
        block = rows[start : start + BLOCK_ROWS]
        list(corrector.check_many(block))
        yield sum(len(row.split()) for row in block)


def on_ray(rows: list[str], workers: int) -> Iterator[int]:
    """Correct rows on actors, and count the words of each block that comes back."""
    import ray.data

    from respell.integrations.ray import correct

    # May be more CPUs than the machine has: the tasks besides the actors need almost none.
    ray.init(
        num_cpus=workers + 2,
        include_dashboard=False,
        object_store_memory=200_000_000,
        logging_level=logging.ERROR,
        log_to_driver=False,
    )
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        dataset = ray.data.from_arrow(pyarrow.table({"text": rows}))
        done = correct(dataset, concurrency=workers, batch_size=BLOCK_ROWS)
        for block in done.iter_batches(batch_size=None, batch_format="pyarrow"):
            texts: list[str] = cast(pyarrow.Table, block).column("text").to_pylist()
            # A correction replaces one word by one word, so the number of words stays the same.
            yield sum(len(text.split()) for text in texts)
    finally:
        ray.shutdown()


def main() -> int:
    """Measure each number of workers, print one line for each, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("results/scale.json"))
    args = parser.parse_args()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    rows = make_rows(args.words, args.seed)
    total = sum(len(row.split()) for row in rows)
    load = os.getloadavg()
    runs: list[dict[str, Any]] = []
    for workers in [0, *args.workers]:
        parts = on_ray(rows, workers) if workers else in_process(rows)
        run = measure(parts, total, workers or 1, ray=bool(workers))
        print(
            f"{run.workers} {'actors' if run.ray else 'process':8}"
            f"{run.words_per_second:9,.0f} words/s {run.words_per_cpu_second:9,.0f} words/CPU-s"
        )
        runs.append(asdict(run))
    model = {"sha256": hash_bundle(default_path())}
    write_json(
        args.output,
        {
            "runs": runs,
            "model": model,
            "seed": args.seed,
            "load_average_before": [round(value, 2) for value in load],
            **provenance(PROGRAM),
        },
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
