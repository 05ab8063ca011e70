"""Measure `respell serve` under load: requests/s, words/s and latency by number of connections.

python benchmarks/load.py --seconds 10 --output results/load.json

Uses wrk if it is installed; the client in this file needs more CPU time itself.
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from streaming import make_sentence

import respell
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.model.bundle import default_path
from respell.types import Error

PROGRAM = "python benchmarks/load.py"
TEXTS = 500
MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}
LUA = """
local bodies = {%s}
local i = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
  i = i %% #bodies + 1
  return wrk.format(nil, "/v1/correct", nil, bodies[i])
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """The result for one number of connections."""

    connections: int
    requests: int
    errors: int
    seconds: float
    p50_ms: float
    p99_ms: float


@contextmanager
def serving(options: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Start a server on a free port; yields its URL and its process id."""
    command = [sys.executable, "-m", "respell", "serve", "--port", "0", "--no-config", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        match = re.search(r"http://\S+", first)
        if not match:
            raise Error(f"the server did not start: {first}{process.stderr.read()}")
        yield match[0], process.pid
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def with_wrk(wrk: str, url: str, bodies: Sequence[str], connections: int, seconds: float) -> Load:
    """Send requests with wrk."""
    quoted = ",".join(f"[==[{body}]==]" for body in bodies)
    with tempfile.NamedTemporaryFile("w", suffix=".lua", encoding="utf-8") as script:
        script.write(LUA % quoted)
        script.flush()
        command = [wrk, "--latency", "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s"]
        done = subprocess.run(
            [*command, "--timeout", "30s", "-s", script.name, url],
            capture_output=True,
            text=True,
            check=True,
        )
    text = done.stdout
    total = re.search(r"(\d+) requests in ([\d.]+)(ms|s|m)", text)
    if total is None:
        raise Error(f"cannot parse the output of wrk: {text}")
    # wrk prints these lines only if there are errors.
    broken = re.search(r"connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    errors = [*(broken.groups() if broken else ()), *(refused.groups() if refused else ())]
    return Load(
        connections=connections,
        requests=int(total[1]),
        errors=sum(map(int, errors)),
        seconds=float(total[2]) * MILLISECONDS[total[3]] / 1000,
        p50_ms=_latency(text, "50%"),
        p99_ms=_latency(text, "99%"),
    )


def _latency(text: str, share: str) -> float:
    match = re.search(rf"{share}\s+([\d.]+)(us|ms|s|m)\b", text)
    if match is None:
        raise Error(f"no latency in the output of wrk: {text}")
    return float(match[1]) * MILLISECONDS[match[2]]


def with_asyncio(url: str, bodies: Sequence[str], connections: int, seconds: float) -> Load:
    """Send requests from this process."""
    address = urlsplit(url)
    waits: list[float] = []
    errors = 0
    next_bodies = cycle(bodies)

    async def client(end: float) -> None:
        nonlocal errors
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        while (start := time.perf_counter()) < end:
            body = next(next_bodies).encode()
            head = f"POST /v1/correct HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
            writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer)
            await reader.readexactly(int(length[1]) if length else 0)
            errors += not answer.startswith(b"HTTP/1.1 200")
            waits.append(1000 * (time.perf_counter() - start))
        writer.close()

    async def clients() -> None:
        end = time.perf_counter() + seconds
        await asyncio.gather(*(client(end) for _ in range(connections)))

    start = time.perf_counter()
    asyncio.run(clients())
    took = time.perf_counter() - start
    waits.sort()
    return Load(
        connections=connections,
        requests=len(waits),
        errors=errors,
        seconds=took,
        p50_ms=round(waits[len(waits) // 2], 2),
        p99_ms=round(waits[len(waits) * 99 // 100], 2),
    )


def batch_speed(model: Path | None, texts: Sequence[str], words: int) -> dict[str, float]:
    """The speed of `check_many` in one process, for comparison."""
    corrector = respell.load(model)
    list(corrector.check_many(texts[:50]))
    wall, cpu = time.perf_counter(), time.process_time()
    list(corrector.check_many(texts))
    return {
        "words_per_second": round(words / (time.perf_counter() - wall), 1),
        "words_per_cpu_second": round(words / (time.process_time() - cpu), 1),
    }


def cpu_seconds(pid: int) -> float | None:
    """The CPU time of a process; None if the system does not report it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(
    url: str, pid: int, bodies: Sequence[str], words: float, connections: int, seconds: float
) -> dict[str, Any]:
    """Measure one number of connections; `words` is the mean number of words per request."""
    wrk = shutil.which("wrk")
    before = cpu_seconds(pid)
    if wrk:
        load = with_wrk(wrk, url, bodies, connections, seconds)
    else:
        load = with_asyncio(url, bodies, connections, seconds)
    after = cpu_seconds(pid)
    rate = load.requests / load.seconds
    used = after - before if before is not None and after is not None else None
    return {
        **asdict(load),
        "requests_per_second": round(rate, 1),
        "words_per_second": round(rate * words, 1),
        "words_per_cpu_second": round(load.requests * words / used, 1) if used else None,
    }


def main() -> int:
    """Measure every number of connections, print a line for each, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--connections", nargs="+", type=int, default=[1, 16, 128], metavar="N")
    add("--seconds", type=float, default=10.0, help="time per number of connections; default: 10")
    add("--seed", type=int, default=1)
    add("--workers", type=int, default=1, help="number of server processes; default: 1")
    add("--model", type=Path, metavar="DIR", help="default: the model in the package")
    add("--output", type=Path, default=Path("results/load.json"))
    args = parser.parse_args()
    generator = random.Random(args.seed)
    texts = [" ".join(make_sentence(generator)) for _ in range(TEXTS)]
    bodies = [json.dumps({"text": text}) for text in texts]
    words = sum(len(text.split()) for text in texts)
    batch = batch_speed(args.model, texts, words)
    print(f"check_many: {batch}")
    options = ["--workers", str(args.workers)]
    options += ["--model", str(args.model)] if args.model else []
    runs = []
    with serving(options) as (url, pid):
        with_asyncio(url, bodies, 4, 1.0)  # warm up
        for connections in args.connections:
            run = measure(url, pid, bodies, words / TEXTS, connections, args.seconds)
            print(
                f"{connections:4} connections  {run['requests_per_second']:7,.1f} requests/s  "
                f"{run['words_per_second']:8,.0f} words/s  p50 {run['p50_ms']:7.1f} ms  "
                f"p99 {run['p99_ms']:7.1f} ms  {run['errors']} errors  "
                f"{run['words_per_cpu_second'] or 0:8,.0f} words/CPU-s"
            )
            runs.append(run)
    value = {
        "runs": runs,
        "client": "wrk" if shutil.which("wrk") else "asyncio",
        "words_per_request": round(words / TEXTS, 2),
        "check_many": batch,
        "workers": args.workers,
        "seed": args.seed,
        "model": {"sha256": hash_bundle(args.model or default_path())},
        **provenance(PROGRAM),
    }
    write_json(args.output, value)
    return 1 if any(run["errors"] for run in runs) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"load: {error}")
