"""A real server in its own process, and a simple client for it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from prometheus_client.parser import text_string_to_metric_families

import respell

SOURCE = str(Path(respell.__file__).parents[1])
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Live:
    """A running server; `stderr` is filled when it has stopped."""

    process: subprocess.Popen[str]
    port: int
    stderr: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, dict(headers or {}))
            with connection.getresponse() as response:
                return Reply(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Reply:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, value: object) -> Reply:
        return self.ask(
            "POST", path, json.dumps(value).encode(), {"Content-Type": "application/json"}
        )

    def form(self, **fields: str) -> Reply:
        return self.ask("POST", "/v2/check", urlencode(fields).encode(), {"Content-Type": FORM})

    def correct(self, text: str, **options: object) -> dict[str, Any]:
        reply = self.post("/v1/correct", {"text": text, **options})
        assert reply.status == 200, reply.body[:200]
        (result,) = reply.json["results"]
        assert isinstance(result, dict)
        return result

    def at_once(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        with ThreadPoolExecutor(len(texts)) as pool:
            return list(pool.map(self.correct, texts))

    def metric(self, name: str, **labels: str) -> float:
        """The sum of all series of that name with these labels."""
        families = text_string_to_metric_families(self.get("/metrics").body.decode())
        return sum(
            sample.value
            for family in families
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def wait_until_ready(self) -> None:
        """Wait until a worker has loaded its model; before that, connections are refused."""
        for _ in range(300):
            try:
                self.get("/healthz")
            except ConnectionError:
                time.sleep(0.2)
            else:
                return
        raise TimeoutError

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@contextmanager
def serving(*options: str, environment: Mapping[str, str] | None = None) -> Iterator[Live]:
    """Start `respell serve` on a free port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "respell", "serve", "--port", "0", "--no-config", *options],
        env={**os.environ, "PYTHONPATH": SOURCE, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)", first)
        assert match, first + process.stderr.read()
        live = Live(process, int(match[1]))
        yield live
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(30)
        finally:
            process.kill()
            rest = process.stderr.read()
            process.stderr.close()
    live.stderr.append(rest)


def same(found: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> bool:
    """Whether corrections agree, up to the last digits of a score."""
    return len(found) == len(wanted) and all(
        (a["start"], a["end"], a["original"]) == (b["start"], b["end"], b["original"])
        and (a["replacement"], a["kind"]) == (b["replacement"], b["kind"])
        and [s["text"] for s in a["suggestions"]] == [s["text"] for s in b["suggestions"]]
        and abs(a["score"] - b["score"]) < 0.02
        for a, b in zip(found, wanted, strict=True)
    )
