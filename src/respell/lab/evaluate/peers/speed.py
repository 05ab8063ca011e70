"""Compare the speed of peers on the same text, in words per CPU-second."""

import sys
import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from respell.lab.common.provenance import provenance
from respell.lab.evaluate.peers.install import check_installed
from respell.lab.evaluate.peers.process import start
from respell.lab.evaluate.peers.registry import Peer
from respell.lab.evaluate.peers.usage import MemoryWatch, cpu_seconds
from respell.types import Error

FILE = "speed.json"
WARM_UP = 16  # sentences
BASE = "symspellpy"
"""The peer whose speed the others are compared with."""


def measure(
    peers: Sequence[Peer],
    sentences: Sequence[list[str]],
    *,
    rounds: int,
    seconds: float,
    skip: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Measure all peers in turn, several times, so that other load affects all of them."""
    runs: dict[str, list[dict[str, float]]] = {}
    absent = dict(skip or {})
    for number in range(1, rounds + 1):
        for peer in peers:
            if peer.name not in absent:
                try:
                    run = _measure(peer, sentences, seconds)
                except Error as error:
                    absent[peer.name] = str(error).removeprefix(f"{peer.name}: ")
                    continue
                runs.setdefault(peer.name, []).append(run)
                rate = run["words_per_cpu_second"]
                sys.stderr.write(f"round {number}: {peer.name} {rate:,.0f} words/CPU-s\n")
    return {
        "words": sum(map(len, sentences)),
        "seconds": seconds,
        "base": BASE,
        "peers": {name: _summary(some, runs.get(BASE)) for name, some in runs.items()},
        "absent": absent,
        **provenance(),
    }


def _measure(peer: Peer, sentences: Sequence[list[str]], seconds: float) -> dict[str, float]:
    """Let a peer correct as many sentences as fit into the time, in one call, after a warm-up.

    No sentence is given twice, because some peers cache answers. There is one call, because some
    peers have a cost per call: typos, for example, is started each time.
    """
    check_installed(peer)
    with start(peer) as running, MemoryWatch(running.pid) as watch:
        began = time.perf_counter()
        running.ask(sentences[:WARM_UP])
        took = time.perf_counter() - began
        batch = sentences[WARM_UP:][: max(1, int(WARM_UP / took * seconds))]
        began, cpu_before = time.perf_counter(), cpu_seconds(running.pid)
        running.ask(batch)
        took, cpu = time.perf_counter() - began, cpu_seconds(running.pid) - cpu_before
    words = sum(map(len, batch))
    return {
        "words": words,
        "words_per_cpu_second": words / cpu,
        "words_per_second": words / took,
        "load_seconds": running.load_seconds,
        "peak_rss_bytes": watch.peak,
    }


def _summary(
    runs: Sequence[Mapping[str, float]], base: Sequence[Mapping[str, float]] | None
) -> dict[str, Any]:
    """The median, minimum and maximum of every figure; ratios are taken within a round."""
    figures = {key: [run[key] for run in runs] for key in runs[0]}
    if base and len(base) == len(runs):
        key = "words_per_cpu_second"
        figures["ratio"] = [a[key] / b[key] for a, b in zip(runs, base, strict=True)]
    return {
        name: {"median": median(values), "least": min(values), "most": max(values)}
        for name, values in figures.items()
    }


def summary(record: Mapping[str, Any]) -> str:
    """One line per peer."""
    lines = []
    for name, figures in record["peers"].items():
        speed, ratio = figures["words_per_cpu_second"], figures.get("ratio")
        line = f"{name:22}{speed['median']:>12,.0f} words/CPU-s"
        if ratio:
            spread = f"{ratio['least']:.3g} to {ratio['most']:.3g}"
            line += f"  {ratio['median']:.3g} x {record['base']} ({spread})"
        lines.append(line)
    lines += [f"{name:22}not available: {reason}" for name, reason in record["absent"].items()]
    return "\n".join(lines) + "\n"
