"""The server's own API over a real socket: golden files, options, batches, workers, shutdown."""

import asyncio
import http.client
import json
import signal
import threading
import time
from collections.abc import Iterator, MutableMapping
from contextlib import closing
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from live import Live, same, serving

import respell
from golden_answers import golden
from respell.formats.languages import FORMATS
from respell.model.bundle import CONFIG, digest
from respell.server.batching import BATCH_WORDS
from respell.server.metrics import Metrics
from respell.types import PRESETS

psutil = pytest.importorskip("psutil", reason="needs the clients extra")
pytest.importorskip("fastapi", reason="needs the server extra")
pytest.importorskip("uvicorn", reason="needs the server extra")
pytestmark = pytest.mark.clients

SENTENCE = "Some people recieve teh mail in the morning and others do not. "


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def corrector() -> respell.Corrector:
    return respell.load()


@pytest.mark.parametrize("preset", PRESETS)
def test_golden_corrections(live: Live, preset: str) -> None:
    for key in ("text", "tokens"):
        wanted = golden(preset, key=key)
        reply = live.post("/v1/correct", {key: [row[key] for row in wanted], "preset": preset})
        for result, row in zip(reply.json["results"], wanted, strict=True):
            found = result["corrections"]
            if key == "tokens":
                found = [in_sentence(correction, row["tokens"]) for correction in found]
            assert same(found, row["corrections"]), row[key]


def in_sentence(correction: dict[str, Any], tokens: list[str]) -> dict[str, Any]:
    """A correction with offsets that count in the joined tokens."""
    first = sum(len(token) + 1 for token in tokens[: correction["token"]])
    return {
        **correction,
        "start": correction["start"] + first,
        "end": correction["end"] + first,
    }


def test_golden_corrections_together_and_one_by_one(live: Live) -> None:
    wanted = golden()
    reply = live.post("/v1/correct", {"text": [line["text"] for line in wanted]})
    results = reply.json["results"]
    assert len(results) == len(wanted)
    for result, line in zip(results, wanted, strict=True):
        assert same(result["corrections"], line["corrections"]), line["text"]
    single = live.at_once([line["text"] for line in wanted])
    for result, line in zip(single, wanted, strict=True):
        assert same(result["corrections"], line["corrections"]), line["text"]


def test_the_corrected_text_is_returned(live: Live, corrector: respell.Corrector) -> None:
    text = "\ufeff🙂 I recieve\r\nteh\tmail \ud83d"
    assert live.correct(text)["text"] == corrector.correct(text)
    assert live.correct("") == {"text": "", "corrections": []}
    assert live.post("/v1/correct", {"text": []}).json == {"results": []}


def test_the_number_of_tokens_stays_the_same(live: Live) -> None:
    sentences = [["😀", "(recieve,", "", "teh"], [], ["ok"]]
    reply = live.post("/v1/correct", {"tokens": sentences, "offsets": "utf16"})
    first, second, third = reply.json["results"]
    assert first["tokens"] == ["😀", "(receive,", "", "the"]
    assert [(c["token"], c["start"], c["end"]) for c in first["corrections"]] == [
        (1, 1, 8),
        (3, 0, 3),
    ]
    assert [(c["original"], c["replacement"]) for c in first["corrections"]] == [
        ("recieve", "receive"),
        ("teh", "the"),
    ]
    assert second == {"tokens": [], "corrections": []}
    assert third == {"tokens": ["ok"], "corrections": []}
    (only,) = live.post("/v1/correct", {"tokens": ["teh", "cat"]}).json["results"]
    assert only["tokens"] == ["the", "cat"]


def test_offsets_in_utf16_and_code_points(live: Live) -> None:
    text = "😀😀 I recieve teh mail"
    for units, start in (("codepoint", 5), ("utf16", 7)):
        found = live.correct(text, offsets=units)["corrections"]
        assert (found[0]["start"], found[0]["end"]) == (start, start + 7)


def test_options_of_a_request(live: Live) -> None:
    text = "I recieve teh mail"
    assert live.correct(text, threshold=1)["corrections"] == []
    known = live.correct(text, dictionary=["Teh"])["corrections"]
    assert [c["original"] for c in known] == ["recieve"]
    few = live.correct(text, max_suggestions=1)["corrections"]
    assert [len(c["suggestions"]) for c in few] == [1, 1]
    listed = live.correct(text, fix_threshold=1)
    assert listed["text"] == text
    assert [c["automatic"] for c in listed["corrections"]] == [False, False]
    american = live.correct("My favourite", variant="en-US")
    assert (american["text"], american["corrections"][0]["kind"]) == ("My favorite", "variant")
    careful = live.correct(text, preset="careful")["corrections"]
    assert [c["original"] for c in careful] == [
        c.original for c in respell.load(preset="careful").check(text)
    ]
    reply = live.post("/v1/correct", {"text": text, "preset": "teh"})
    assert reply.status == 400
    assert "preset" in reply.json["error"]


def test_a_correction_has_its_kind_and_probabilities(
    live: Live, corrector: respell.Corrector
) -> None:
    text = "I recieve it. We are going too the store."
    found = live.correct(text)["corrections"]
    wanted = [correction.to_dict() for correction in corrector.check(text)]
    assert [c["kind"] for c in found] == ["nonword", "realword"]
    assert [list(c) for c in found] == [[*c, "automatic"] for c in wanted]
    assert [c["automatic"] for c in found] == [c.automatic for c in corrector.check(text)]
    for one, other in zip(found, wanted, strict=True):
        assert one["kind"] == other["kind"]
        assert one["replacement"] == other["replacement"] == one["suggestions"][0]["text"]
        assert one["error_probability"] == pytest.approx(other["error_probability"], abs=0.02)
        assert one["error_probability"] >= one["score"]


@pytest.mark.parametrize("units", ["codepoint", "utf16"])
def test_markup_of_a_format_is_skipped(
    live: Live, corrector: respell.Corrector, units: str
) -> None:
    text = "# 😀 Teh titel\n\n```\nteh cat\n\nteh dog\n```\n\n[teh](teh.md) <!-- recieve --> cat.\n"
    result = live.correct(text, format="markdown", offsets=units)
    assert result["text"] == corrector.correct(text, format="markdown")
    wanted = corrector.check(text, format="markdown")
    assert [c.original for c in wanted] == ["Teh", "titel", "teh"]
    starts = [c.start + (units == "utf16") for c in wanted]
    assert [(c["start"], c["original"]) for c in result["corrections"]] == list(
        zip(starts, (c.original for c in wanted), strict=True)
    )
    assert len(live.correct(text)["corrections"]) > 3
    reply = live.post("/v1/correct", {"text": ["teh = 1", "# Teh cat"], "format": "python"})
    assert [result["text"] for result in reply.json["results"]] == ["teh = 1", "# The cat"]


@pytest.mark.parametrize("body", [{"text": "a", "format": "md"}, {"text": "a", "format": None}])
def test_an_unknown_format_is_refused(live: Live, body: dict[str, object]) -> None:
    reply = live.post("/v1/correct", body)
    assert reply.status == 422
    assert reply.json == {"error": f"format: must be one of {', '.join(FORMATS)}"}


def test_tokens_have_no_format(live: Live) -> None:
    reply = live.post("/v1/correct", {"tokens": ["teh"], "format": "markdown"})
    assert reply.status == 422
    assert reply.json == {"error": "format works only with text, not with tokens"}


def test_explain_shows_probabilities(live: Live) -> None:
    text = "😀 I recieve teh mail"
    seen = live.post("/v1/explain", {"text": text, "start": 5, "offsets": "utf16"}).json
    assert (seen["start"], seen["end"], seen["original"]) == (5, 12, "recieve")
    assert seen["candidates"][0]["text"] == "receive"
    assert seen["keep"] < 0.1
    kept = live.post("/v1/explain", {"text": text, "start": 17}).json
    assert kept["original"] == "mail"
    assert kept["keep"] > 0.5
    assert kept["candidates"]
    reply = live.post("/v1/explain", {"text": text, "start": 0})
    assert (reply.status, reply.json) == (400, {"error": "no word at 0"})


def test_info_and_health(live: Live, corrector: respell.Corrector) -> None:
    info = live.get("/v1/info").json
    config = corrector.bundle.config
    sha256 = digest(corrector.bundle.path / CONFIG)
    assert info == {
        "name": config.name,
        "edition": config.edition,
        "sha256": sha256,
        "presets": {name: asdict(preset) for name, preset in config.presets.items()},
        "lexicon": len(corrector.bundle.lexicon),
        "spacing": config.spacing,
        "version": respell.__version__,
    }
    assert live.get("/healthz").json == {
        "status": "ok",
        "version": respell.__version__,
        "model": config.name,
        "edition": config.edition,
        "sha256": sha256,
    }
    paths = live.get("/openapi.json").json["paths"]
    assert {"/v1/correct", "/v1/explain", "/v2/check", "/v2/languages"} <= set(paths)
    assert live.get("/docs").status == 200
    assert "access-control-allow-origin" not in live.get("/healthz", {"Origin": "http://a"}).headers


def test_a_long_text_is_checked_as_a_whole(live: Live, corrector: respell.Corrector) -> None:
    text = (SENTENCE * 60 + "\n\n" + "teh word " * 150).strip()
    found = live.correct(text)["corrections"]
    wanted = corrector.check(text)
    assert [(c["start"], c["original"]) for c in found] == [(c.start, c.original) for c in wanted]
    assert max(abs(c["score"] - w.score) for c, w in zip(found, wanted, strict=True)) < 0.02


def test_requests_share_batches(live: Live) -> None:
    before = live.metric("respell_batch_requests_count"), live.metric("respell_batch_requests_sum")
    for _ in range(3):
        live.at_once([SENTENCE] * 24)
    batches = live.metric("respell_batch_requests_count") - before[0]
    assert live.metric("respell_batch_requests_sum") - before[1] == 72
    assert batches < 36  # more than two requests in a batch


def test_a_huge_request_does_not_hold_up_others(live: Live) -> None:
    words = live.metric("respell_words_total")
    body = json.dumps({"text": SENTENCE * 7000}).encode()
    with closing(http.client.HTTPConnection("127.0.0.1", live.port, timeout=60)) as huge:
        huge.request("POST", "/v1/correct", body, {"Content-Type": "application/json"})
        while live.metric("respell_words_total") == words:
            time.sleep(0.02)
        for _ in range(5):
            before = live.metric("respell_words_total")
            assert live.correct("I recieve teh mail")["text"] == "I receive the mail"
            # The huge request may get a batch or two in between, but is not finished first.
            assert live.metric("respell_words_total") - before < 5 * BATCH_WORDS
    while not live.metric("respell_requests_total", route="/v1/correct", status="0"):
        time.sleep(0.02)
    before = live.metric("respell_words_total")  # a request without a client is dropped
    assert before - words < 7000 * 12
    time.sleep(1)
    assert live.metric("respell_words_total") == before


def test_shutdown_finishes_accepted_requests() -> None:
    with serving() as live:
        results: list[int] = []
        text = SENTENCE * 300
        client = threading.Thread(
            target=lambda: results.append(len(live.correct(text)["corrections"]))
        )
        client.start()
        while not live.metric("respell_words_total"):
            time.sleep(0.01)
        assert not results
        live.stop()
        client.join()
        assert results[0] >= 300
    assert live.stderr == [""]


def test_cors_and_threshold_of_the_server() -> None:
    with serving("--cors", "http://a.example", "--threshold", "1") as live:
        reply = live.get("/healthz", {"Origin": "http://a.example"})
        assert reply.headers["access-control-allow-origin"] == "http://a.example"
        assert "access-control-allow-origin" not in live.get("/healthz", {"Origin": "x"}).headers
        assert live.correct("I recieve teh mail")["corrections"] == []  # the server's threshold
        assert live.correct("I recieve teh mail", preset="default")["corrections"]


def test_workers_share_a_port_and_the_options(tmp_path: Path) -> None:
    # More words than fit into an environment variable.
    words = ["".join(letters) for letters in product("bdfgklmnprst", repeat=4)]
    lines = ["teh", *(f"{word}ez" for word in words)]
    (tmp_path / "words.txt").write_text("\n".join(lines), encoding="utf-8")
    with serving("--workers", "2", "--dictionary", str(tmp_path / "words.txt")) as live:
        live.wait_until_ready()
        assert live.correct("I recieve teh mail")["text"] == "I receive teh mail"


def test_metrics_are_the_sum_of_all_workers(tmp_path: Path) -> None:
    def count() -> float:
        return server.metric("respell_requests_total", route="/v1/correct", status="200")

    with serving("--workers", "2", environment={"TMPDIR": str(tmp_path)}) as server:
        server.wait_until_ready()
        first, second = workers(server)
        for serve, rest, number in ((first, second, 3), (second, first, 4)):
            rest.send_signal(signal.SIGSTOP)
            for _ in range(number):
                server.correct("I recieve teh mail")
            assert server.metric("respell_words_total") == 4 * count()
            rest.send_signal(signal.SIGCONT)
            assert serve.is_running()
        assert count() == 7
        assert server.metric("respell_request_seconds_count", route="/v1/correct") == 7
        assert server.metric("respell_batch_requests_bucket", le="+Inf") == 7
        (folder,) = tmp_path.iterdir()
        assert {path.name for path in folder.iterdir()} == {"metrics", "options.json"}
        first.kill()  # uvicorn replaces it; the total must not decrease
        first.wait(30)
        server.correct("I recieve teh mail")
        assert count() == 8
        server.stop()
    assert list(tmp_path.iterdir()) == []
    assert server.stderr == [""]


def workers(server: Live) -> list[Any]:
    """The two worker processes of a server."""
    children = psutil.Process(server.process.pid).children()
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_a_port_in_use_is_an_error(live: Live) -> None:
    with (
        pytest.raises(AssertionError, match=r"cannot listen on 127\.0\.0\.1:"),
        serving("--port", str(live.port)),
    ):
        pass


def test_an_internal_error_is_logged_without_the_text(caplog: pytest.LogCaptureFixture) -> None:
    from respell.server.limits import Limits

    async def app(scope: object, receive: object, send: object) -> None:
        raise ValueError("a secret of the client")

    async def receive() -> dict[str, object]:
        if received:
            await asyncio.Event().wait()
        received.append(1)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def run() -> None:
        limits = Limits(app, max_body=10, timeout=1, metrics=metrics)
        await limits({"type": "http"}, receive, send)

    received: list[int] = []
    sent: list[MutableMapping[str, Any]] = []
    metrics = Metrics()
    asyncio.run(run())
    assert sent[0]["status"] == 500
    assert json.loads(sent[1]["body"]) == {"error": "internal error"}
    assert b'respell_requests_total{route="other",status="500"} 1.0\n' in metrics.render()
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text
