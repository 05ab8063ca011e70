"""Send requests of many kinds to `respell serve` for a long time; check errors and memory.

python benchmarks/soak.py --minutes 30 --output results/soak.json --plot results/soak.png
"""

import argparse
import http.client
import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import urlencode, urlsplit

from load import serving
from streaming import make_sentence

from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.model.bundle import default_path
from respell.types import Error

PROGRAM = "python benchmarks/soak.py"
CLIENTS = 4
WARM_UP = 0.2  # share of the time in which memory may grow, because pools and caches fill
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True, slots=True)
class Request:
    """A request and its expected status."""

    kind: str
    method: str
    path: str
    body: bytes | None
    headers: dict[str, str]
    status: int = 200


@dataclass(slots=True)
class Tally:
    """The responses that all clients have received."""

    responses: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, kind: str, error: str = "") -> None:
        """Count a response, or an error."""
        with self.lock:
            self.responses[kind] += 1
            if error:
                self.errors.append(f"{kind}: {error}")


def prose(dice: random.Random, sentences: int) -> str:
    """Sentences of random words, some misspelled."""
    return " ".join(" ".join(make_sentence(dice)) for _ in range(sentences))


def _post(kind: str, path: str, value: object, status: int = 200) -> Request:
    return Request(kind, "POST", path, json.dumps(value).encode(), JSON, status)


def _many(dice: random.Random) -> Request:
    texts = [prose(dice, dice.randint(1, 4)) for _ in range(dice.randint(1, 20))]
    return _post("many", "/v1/correct", {"text": texts, "offsets": "utf16"})


def _options(dice: random.Random) -> Request:
    words = [f"word{dice.randrange(10**6)}" for _ in range(50)]  # new each time: no cache may grow
    value = {"text": prose(dice, 2), "dictionary": words, "threshold": dice.random()}
    return _post("options", "/v1/correct", value)


def _unicode(dice: random.Random) -> Request:
    text = "".join(chr(dice.choice([dice.randrange(32, 0xD800), 0x1F600])) for _ in range(200))
    return _post("unicode", "/v1/correct", {"text": f"{text} teh"})


def _form(dice: random.Random) -> Request:
    body = urlencode({"language": "en-US", "text": prose(dice, 3)}).encode()
    return Request("languagetool", "POST", "/v2/check", body, FORM)


def _broken(dice: random.Random) -> Request:
    return Request("broken", "POST", "/v1/correct", dice.randbytes(50), JSON, 400)


KINDS: tuple[tuple[int, Callable[[random.Random], Request]], ...] = (
    (30, lambda d: _post("short", "/v1/correct", {"text": prose(d, 1)})),
    (10, _many),
    (1, lambda d: _post("long", "/v1/correct", {"text": prose(d, 200)})),
    (8, lambda d: _post("tokens", "/v1/correct", {"tokens": make_sentence(d)})),
    (8, _options),
    (5, _unicode),
    (5, lambda d: _post("explain", "/v1/explain", {"text": "I recieve teh mail", "start": 2})),
    (8, lambda d: _post("markdown", "/v1/correct", {"text": prose(d, 3), "format": "markdown"})),
    (10, _form),
    (5, _broken),
    (3, lambda d: _post("wrong", "/v1/correct", {"text": "teh", "threshold": 2}, 422)),
    (2, lambda d: Request("missing", "GET", "/nowhere", None, {}, 404)),
    (5, lambda d: Request("health", "GET", "/healthz", None, {})),
    (2, lambda d: Request("metrics", "GET", "/metrics", None, {})),
    (2, lambda d: Request("page", "GET", "/", None, {})),
)


def run_client(url: str, seed: int, end: float, tally: Tally) -> None:
    """Send random requests until the time is over, as one client."""
    address, dice = urlsplit(url), random.Random(seed)
    weights, makers = zip(*KINDS, strict=True)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    while time.monotonic() < end:
        request = dice.choices(makers, weights)[0](dice)
        try:
            connection.request(request.method, request.path, request.body, request.headers)
            with connection.getresponse() as response:
                response.read()
            wrong = "" if response.status == request.status else f"status {response.status}"
            tally.count(request.kind, wrong)
        except (OSError, http.client.HTTPException) as error:
            tally.count(request.kind, f"{type(error).__name__} {error}")
            connection.close()
        if dice.random() < 0.02:
            connection.close()  # like a new client
    connection.close()


def resident(pid: int) -> float:
    """The resident memory of a process in megabytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
    except (OSError, StopIteration) as error:
        raise Error("cannot read the memory of the server; this needs Linux") from error


def sample(pid: int, end: float, every: float) -> list[tuple[float, float]]:
    """Sample the memory of a process: pairs of seconds and megabytes."""
    start, samples = time.monotonic(), []
    while (now := time.monotonic()) < end:
        samples.append((round(now - start, 1), round(resident(pid), 1)))
        time.sleep(min(every, max(0.0, end - now)))
    return samples


def growth(samples: list[tuple[float, float]]) -> float:
    """The growth of memory after the warm-up, from the median of the first quarter to the last."""
    settled = [size for _, size in samples[int(WARM_UP * len(samples)) :]]
    quarter = max(1, len(settled) // 4)
    return median(settled[-quarter:]) / median(settled[:quarter]) - 1


def draw(samples: list[tuple[float, float]], path: Path) -> None:
    """Plot the memory over time, with an axis that starts at zero."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    axes.plot([seconds / 60 for seconds, _ in samples], [size for _, size in samples])
    axes.set(xlabel="minutes", ylabel="memory of the server, MB", ylim=(0, None))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def main() -> int:
    """Run the test, write results and plot; returns 1 after an error or if memory has grown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between samples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-growth", type=float, default=0.05, help="default: 0.05")
    parser.add_argument("--output", type=Path, default=Path("results/soak.json"))
    parser.add_argument("--plot", type=Path, default=Path("results/soak.png"))
    args = parser.parse_args()
    tally = Tally()
    with serving([]) as (url, pid):
        end = time.monotonic() + 60 * args.minutes
        clients = [
            threading.Thread(target=run_client, args=(url, args.seed + i, end, tally), daemon=True)
            for i in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        samples = sample(pid, end, args.every)
        for client in clients:
            client.join(90)
    grown = growth(samples)
    value = {
        "minutes": args.minutes,
        "clients": CLIENTS,
        "requests": sum(tally.responses.values()),
        "by_kind": dict(sorted(tally.responses.items())),
        "errors": len(tally.errors),
        "first_errors": tally.errors[:10],
        "growth": round(grown, 4),
        "peak_megabytes": max(size for _, size in samples),
        "samples": samples,
        "seed": args.seed,
        "model": {"sha256": hash_bundle(default_path())},
        **provenance(PROGRAM),
    }
    write_json(args.output, value)
    draw(samples, args.plot)
    print(f"{value['requests']} requests, {len(tally.errors)} errors, memory {grown:+.1%}")
    return 1 if tally.errors or grown > args.max_growth else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"soak: {error}")
