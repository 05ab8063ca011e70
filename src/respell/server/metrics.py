"""The metrics of the server, for Prometheus."""

from collections.abc import Iterable
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram, Metric, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_REQUESTS = (1, 2, 4, 8, 16, 32, 64, 128)
_WORDS = (16, 32, 64, 128, 256, 512, 1024, 2048)


class Metrics:
    """Counts requests and batches.

    `folder` is where all worker processes keep their counts (the value of
    PROMETHEUS_MULTIPROC_DIR); the answer is their sum. The counts of a worker that has ended stay
    in the sum, because a counter must not decrease.
    """

    def __init__(self, folder: Path | None = None) -> None:
        registry = CollectorRegistry()
        self._requests = Counter(
            "respell_requests_total",
            "Requests by route and status; status 0 means that the client disconnected.",
            ["route", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "respell_request_seconds",
            "Time from request to response.",
            ["route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._words = Counter(
            "respell_words_total", "Tokens that the model has read.", registry=registry
        )
        self._batch_requests = Histogram(
            "respell_batch_requests", "Requests in a batch.", buckets=_REQUESTS, registry=registry
        )
        self._batch_words = Histogram(
            "respell_batch_words", "Tokens in a batch.", buckets=_WORDS, registry=registry
        )
        self._source: Collector = registry
        if folder is not None:
            self._source = MultiProcessCollector(None, str(folder))  # type: ignore[no-untyped-call]

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count a request; status 0 means that the client disconnected."""
        self._requests.labels(route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def count_batch(self, requests: int, words: int) -> None:
        """Count a batch that goes through the model."""
        self._words.inc(words)
        self._batch_requests.observe(requests)
        self._batch_words.observe(words)

    def render(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        return generate_latest(_WithoutCreated(self._source))


class _WithoutCreated:
    """Drops the creation times, which the library adds to every counter and histogram."""

    def __init__(self, source: Collector) -> None:
        self._source = source

    def collect(self) -> Iterable[Metric]:
        for metric in self._source.collect():
            metric.samples = [s for s in metric.samples if s.name != f"{metric.name}_created"]
            yield metric
