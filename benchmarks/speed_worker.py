"""One process of `speed.py`: load a bundle, correct sentences, print the times as JSON.

python benchmarks/speed_worker.py BUNDLE THREADS SENTENCES.jsonl

It imports nothing of the lab, so that only the memory of the runtime is measured.
"""

import json
import resource
import sys
import time
from pathlib import Path

import respell

SENTENCE = (
    "We recieve a great deal of mail from friends who live near the sea and write to us often ."
)
REPEATS = 100


def main(bundle: Path, threads: int, sentences: Path) -> None:
    """Measure in this order: loading, one sentence, all sentences, memory."""
    corrector = respell.load(bundle, threads=threads)
    found = corrector.check(SENTENCE)
    load = time.process_time()  # from the start of the process
    best = min(_cpu_seconds(corrector) for _ in range(REPEATS))
    lines = sentences.read_text(encoding="utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    started, cpu = time.perf_counter(), time.process_time()
    corrected = list(corrector.correct_tokens_many(read))
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    result = {
        "findings_in_warm_sentence": len(found),
        "load_to_first_correction_cpu_seconds": round(load, 3),
        "warm_sentence_words": len(SENTENCE.split()),
        "warm_sentence_cpu_ms": round(1000 * best, 2),
        "words": sum(map(len, corrected)),
        "words_per_second": round(sum(map(len, read)) / seconds),
        "words_per_cpu_second": round(sum(map(len, read)) / cpu),
        "peak_rss_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }
    sys.stdout.write(json.dumps(result) + "\n")


def _cpu_seconds(corrector: respell.Corrector) -> float:
    started = time.process_time()
    corrector.check(SENTENCE)
    return time.process_time() - started


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
