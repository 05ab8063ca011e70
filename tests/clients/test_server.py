"""The server's own API over a real socket: golden answers, options, batches, turns, shutdown."""

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Iterator, MutableMapping
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from live import Live, golden, same, serving

import respell
from respell.model.bundle import MODEL, digest
from respell.server.batching import BATCH_WORDS
from respell.server.metrics import Metrics

pytest.importorskip("fastapi", reason="needs respell[server]")
pytest.importorskip("uvicorn", reason="needs respell[server]")
pytestmark = pytest.mark.clients

SENTENCE = "Some people recieve teh mail in the morning and others do not. "


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def corrector() -> respell.Corrector:
    return respell.load()


def test_golden_answers_together_and_alone(live: Live) -> None:
    wanted = golden()
    reply = live.post("/v1/correct", {"text": [line["text"] for line in wanted]})
    results = reply.json["results"]
    assert len(results) == len(wanted)
    for result, line in zip(results, wanted, strict=True):
        assert same(result["corrections"], line["corrections"]), line["text"]
    alone = live.at_once([line["text"] for line in wanted])
    for result, line in zip(alone, wanted, strict=True):
        assert same(result["corrections"], line["corrections"]), line["text"]


def test_corrected_text_comes_back(live: Live, corrector: respell.Corrector) -> None:
    text = "\ufeff🙂 I recieve\r\nteh\tmail \ud83d"
    assert live.correct(text)["text"] == corrector.correct(text)
    assert live.correct("") == {"text": "", "corrections": []}
    assert live.post("/v1/correct", {"text": []}).json == {"results": []}


def test_tokens_keep_their_number(live: Live) -> None:
    sentences = [["😀", "(recieve,", "", "teh"], [], ["ok"]]
    reply = live.post("/v1/correct", {"tokens": sentences, "offsets": "utf16"})
    first, second, third = reply.json["results"]
    assert first["tokens"] == ["😀", "(receive,", "", "the"]
    assert [(c["token"], c["start"], c["end"]) for c in first["corrections"]] == [
        (1, 1, 8),
        (3, 0, 3),
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
    careful = live.correct(text, preset="careful")["corrections"]
    assert [c["original"] for c in careful] == [
        c.original for c in respell.load(preset="careful").check(text)
    ]
    reply = live.post("/v1/correct", {"text": text, "preset": "teh"})
    assert reply.status == 400
    assert "preset" in reply.json["error"]


def test_explain_shows_what_the_model_saw(live: Live) -> None:
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


def test_what_it_says_of_itself(live: Live, corrector: respell.Corrector) -> None:
    info = live.get("/v1/info").json
    assert info["sha256"] == digest(corrector.bundle.path / MODEL)
    assert info["lexicon"] == len(corrector.bundle.lexicon)
    assert info["version"] == respell.__version__
    assert set(info["presets"]) == set(corrector.bundle.config.presets)
    assert live.get("/healthz").json == {"status": "ok"}
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


def test_a_huge_request_stalls_nobody(live: Live) -> None:
    words = live.metric("respell_words_total")
    body = json.dumps({"text": SENTENCE * 7000}).encode()
    with closing(http.client.HTTPConnection("127.0.0.1", live.port, timeout=60)) as huge:
        huge.request("POST", "/v1/correct", body, {"Content-Type": "application/json"})
        while live.metric("respell_words_total") == words:
            time.sleep(0.02)
        for _ in range(5):
            before = live.metric("respell_words_total")
            assert live.correct("I recieve teh mail")["text"] == "I receive the mail"
            # Meanwhile the huge one got a batch or two, but was not waited for.
            assert live.metric("respell_words_total") - before < 5 * BATCH_WORDS
    while not live.metric('respell_requests_total{route="/v1/correct",status="0"}'):
        time.sleep(0.02)
    before = live.metric("respell_words_total")  # who leaves gets no further work
    assert before - words < 7000 * 12
    time.sleep(1)
    assert live.metric("respell_words_total") == before


def test_shutdown_finishes_what_was_accepted() -> None:
    with serving() as live:
        results: list[int] = []
        text = SENTENCE * 300
        asker = threading.Thread(
            target=lambda: results.append(len(live.correct(text)["corrections"]))
        )
        asker.start()
        while not live.metric("respell_words_total"):
            time.sleep(0.01)
        assert not results
        live.stop()
        asker.join()
        assert results[0] >= 300
    assert live.said == [""]


def test_pages_of_a_named_origin_may_ask() -> None:
    with serving("--cors", "http://a.example", "--threshold", "1") as live:
        reply = live.get("/healthz", {"Origin": "http://a.example"})
        assert reply.headers["access-control-allow-origin"] == "http://a.example"
        assert "access-control-allow-origin" not in live.get("/healthz", {"Origin": "x"}).headers
        assert live.correct("I recieve teh mail")["corrections"] == []  # the server's threshold
        assert live.correct("I recieve teh mail", preset="default")["corrections"]


def test_several_processes_serve_one_port(tmp_path: Path) -> None:
    # More words than fit into a variable of the environment.
    words = ["".join(letters) for letters in product("bdfgklmnprst", repeat=4)]
    (tmp_path / "words.txt").write_text("\n".join(f"{word}ez" for word in words), encoding="utf-8")
    with serving("--workers", "2", "--dictionary", str(tmp_path / "words.txt")) as live:
        for _ in range(300):
            try:
                live.get("/healthz")
                break
            except ConnectionError:  # they load their models first
                time.sleep(0.2)
        assert live.correct("I recieve teh mail")["text"] == "I receive the mail"


def test_a_port_that_is_taken_is_told(live: Live) -> None:
    with (
        pytest.raises(AssertionError, match=r"cannot listen on 127\.0\.0\.1:"),
        serving("--port", str(live.port)),
    ):
        pass


def test_an_accident_is_told_without_the_text(caplog: pytest.LogCaptureFixture) -> None:
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
    assert 'respell_requests_total{route="other",status="500"} 1' in metrics.render()
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text
