"""What the server counts, in the text format that Prometheus reads."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_REQUESTS = (1, 2, 4, 8, 16, 32, 64, 128)
_WORDS = (16, 32, 64, 128, 256, 512, 1024, 2048)


class Histogram:
    """Counts of values up to each of some bounds."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = (*bounds, math.inf)
        self._counts = [0] * len(self._bounds)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def lines(self, name: str, label: str = "") -> Iterator[str]:
        """Write buckets, sum and count; `label` is `name="value"` or nothing."""
        total = 0
        for bound, count in zip(self._bounds, self._counts, strict=True):
            total += count
            edge = "+Inf" if math.isinf(bound) else f"{bound:g}"
            labels = ",".join(filter(None, (label, f'le="{edge}"')))
            yield f"{name}_bucket{{{labels}}} {total}"
        braces = f"{{{label}}}" if label else ""
        yield f"{name}_sum{braces} {self._sum:.6f}"
        yield f"{name}_count{braces} {total}"


class Metrics:
    """Everything that is counted in one process; only the event loop writes here."""

    def __init__(self) -> None:
        self.words = 0
        self.batch_requests = Histogram(_REQUESTS)
        self.batch_words = Histogram(_WORDS)
        self._requests: dict[tuple[str, int], int] = defaultdict(int)
        self._seconds: dict[str, Histogram] = defaultdict(lambda: Histogram(_SECONDS))

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request; a status of 0 says that the client left."""
        self._requests[route, status] += 1
        self._seconds[route].add(seconds)

    def batched(self, requests: int, words: int) -> None:
        """Count a batch that went through the model."""
        self.batch_requests.add(requests)
        self.batch_words.add(words)
        self.words += words

    def render(self) -> str:
        """Write all of it."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("respell_requests_total", "counter", "Requests by route and status.")
        for (route, status), count in sorted(self._requests.items()):
            yield f'respell_requests_total{{route="{route}",status="{status}"}} {count}'
        yield from _head("respell_request_seconds", "histogram", "Time from request to answer.")
        for route, seconds in sorted(self._seconds.items()):
            yield from seconds.lines("respell_request_seconds", f'route="{route}"')
        yield from _head("respell_words_total", "counter", "Tokens that the model has judged.")
        yield f"respell_words_total {self.words}"
        yield from _head("respell_batch_requests", "histogram", "Requests that share a batch.")
        yield from self.batch_requests.lines("respell_batch_requests")
        yield from _head("respell_batch_words", "histogram", "Tokens judged in a batch.")
        yield from self.batch_words.lines("respell_batch_words")


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
