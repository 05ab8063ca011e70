"""The JavaScript package gives the same answers, in Node and in a worker of a real Chromium."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import js_cases
import pytest
from browsing import browsing
from javascript import PACKAGE, build, hosting

from golden_answers import golden
from respell.model.bundle import default_path
from respell.types import PRESETS

pytestmark = pytest.mark.clients
RANDOM_TEXTS = int(os.environ.get("RESPELL_RANDOM_TEXTS", "2000"))
SEED = 7
CLOSE = 0.05
"""The model rounds to 8 bits: on another processor a probability may differ by as much."""
SCRIPT = """
async ([places, rows, groups]) => {
  const { Client } = await import("/client.js");
  const client = new Client(new Worker("/worker.js", { type: "module" }));
  const info = await client.call("load", [places]);
  const found = [];
  for (const { preset, text } of rows) {
    const [corrections] = await client.call("check", [[text], { preset }, "codepoint"]);
    found.push(corrections);
  }
  const answers = [];
  for (const [options, texts] of groups) {
    answers.push(...(await client.call("check", [texts, options, "codepoint"])));
  }
  const explained = await client.call("explain", ["I saw teh cat.", 6, 3, "utf16"]);
  const refused = await client.call("check", [["a"], { preset: "none" }, "utf16"]).catch(String);
  return { info, found, answers, explained, refused };
}
"""

CALLS = """
async ([places]) => {
  const { Client } = await import("/client.js");
  const open = (address) => new Client(new Worker(address, { type: "module" }));
  const client = open("/worker.js");
  const check = (text, signal) =>
    client.call("check", [[text], {}, "utf16"], { signal }).then(([found]) => found);
  const words = (found) => found.map(({ original }) => original);
  const SHORT = "I saw teh cat.";
  const sentences = (name) => Array.from({ length: 300 }, (_, i) => `${name} ${i} saw teh cat.`);
  const text = (name) => sentences(name).join(" ");
  const early = await check(SHORT).catch(String);
  const missing = await client.call("load", [{ ...places, model: "/none" }]).catch(String);
  const loading = client.call("load", [places]);
  const during = words(await check(SHORT));
  await loading;
  const order = [];
  const long = check(text("Cat")).then((found) => (order.push("long"), found.length));
  await check("I saw teh dog.").then(() => order.push("short"));
  const found = await long;
  const control = new AbortController();
  const endless = check(text("Dog").repeat(30), control.signal).catch(({ name }) => name);
  setTimeout(() => control.abort(), 200);
  const cancelled = await endless;
  const never = await check(SHORT, control.signal).catch(({ name }) => name);
  const after = words(await check(SHORT));
  const stopped = await open("/none.js").call("load", [places]).catch(String);
  const worker = new Worker("/none.js", { type: "module" });
  const late = new Client(worker);
  await new Promise((resolve) => worker.addEventListener("error", resolve));
  const none = new Promise((resolve) => setTimeout(resolve, 20_000, "no answer"));
  const dead = await Promise.race([late.call("load", [places]).catch(String), none]);
  return { early, missing, during, order, long: found, cancelled, never, after, stopped, dead };
}
"""

RECORDED = """
async () => {
  const { Bundle } = await import("/dist/model/bundle.js");
  const { Data } = await import("/dist/decision/data.js");
  const { compare } = await import("/test/recorded.mjs");
  const read = (folder) => async (name) =>
    new Uint8Array(await (await fetch(`/${folder}/${name}`)).arrayBuffer());
  const written = await (await fetch("/cases/recorded.jsonl")).text();
  const [bundle] = await Bundle.read(read("model"));
  return compare(written.trim().split("\\n").map(JSON.parse), bundle, new Data(read("dist/data")));
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a page loads, and the model."""
    folder = tmp_path_factory.mktemp("worker")
    shutil.copytree(build(), folder, dirs_exist_ok=True)
    shutil.copytree(default_path(), folder / "model")
    shutil.copytree(PACKAGE / "dist" / "data", folder / "data")
    (folder / "index.html").write_text("<!doctype html><title>test</title>", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random texts, and what Python answers."""
    build()
    folder = tmp_path_factory.mktemp("cases")
    js_cases.main(["--out", str(folder), "--count", str(RANDOM_TEXTS), "--seed", str(SEED)])
    return folder


def test_node(cases: Path, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    summary, recorded = tmp_path / "summary.json", tmp_path / "recorded.json"
    done = subprocess.run(
        ["node", "--test", *map(str, sorted(PACKAGE.glob("test/*.test.mjs")))],
        cwd=PACKAGE,
        env={
            **os.environ,
            "RESPELL_CASES": str(cases),
            "RESPELL_SUMMARY": str(summary),
            "RESPELL_RECORDED": str(recorded),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    record_property("answers", summary.read_text(encoding="utf-8"))
    assert json.loads(summary.read_text(encoding="utf-8"))["answers"] == RANDOM_TEXTS
    record_property("recorded", recorded.read_text(encoding="utf-8"))
    found = json.loads(recorded.read_text(encoding="utf-8"))
    assert (found["texts"], found["different"]) == (5 * RANDOM_TEXTS, 0)


def test_recorded_answers_in_chromium(cases: Path, tmp_path: Path) -> None:
    for name in ("dist", "test"):
        (tmp_path / name).symlink_to(PACKAGE / name)
    (tmp_path / "model").symlink_to(default_path())
    (tmp_path / "cases").symlink_to(cases)
    (tmp_path / "index.html").write_text("<!doctype html><title>test</title>", encoding="utf-8")
    with hosting(tmp_path) as host, browsing() as browser:
        page = browser.new_page()
        page.goto(host.address)
        found: Any = page.evaluate(RECORDED)
    assert found["examples"] == []
    assert (found["texts"], found["different"]) == (5 * RANDOM_TEXTS, 0)
    assert found["same"]


@pytest.mark.parametrize("name", ["answers.jsonl", "documents.jsonl"])
def test_the_committed_answers_are_up_to_date(name: str) -> None:
    build()
    assert not js_cases.out_of_date(name), "run python benchmarks/js_cases.py"


def test_worker_in_chromium(folder: Path) -> None:
    rows = [row for preset in PRESETS for row in golden(preset)]
    places = {"model": "/model", "data": "/data", "wasm": "/ort-wasm-simd-threaded.wasm"}
    written = (js_cases.FOLDER / "answers.jsonl").read_text(encoding="utf-8")
    cases = [json.loads(line) for line in written.splitlines()]
    # In the same batches as when they were written: a batch changes the last digits of a sum.
    keys = itemgetter("preset", "format", "dictionary")
    groups = [
        [
            dict(zip(("preset", "format", "dictionary"), key, strict=True)),
            [c["text"] for c in group],
        ]
        for key, group in groupby(cases, keys)
    ]
    with hosting(folder) as host, browsing() as browser:
        page = browser.new_page()
        page.goto(host.address)
        answer: Any = page.evaluate(SCRIPT, [places, rows, groups])
    config = json.loads((default_path() / "config.json").read_text(encoding="utf-8"))
    assert answer["info"]["presets"] == config["presets"]
    for row, found in zip(rows, answer["found"], strict=True):
        assert [_place(one) for one in found] == [_place(one) for one in row["corrections"]]
        for one, wanted in zip(found, row["corrections"], strict=True):
            assert one["score"] == pytest.approx(wanted["score"], abs=CLOSE)
            assert one["automatic"] == (
                one["score"] >= config["presets"][row["preset"]]["fix_threshold"]
            )
    for row, found in zip(cases, answer["answers"], strict=True):  # from the same program
        assert [_place(one) for one in found] == [_place(one) for one in row["corrections"]]
        scores = [one["score"] for one in row["corrections"]]
        assert [one["score"] for one in found] == pytest.approx(scores, abs=1e-5)
    assert answer["explained"]["original"] == "teh"
    assert answer["explained"]["candidates"][0]["text"] == "the"
    assert "no preset" in answer["refused"]


def test_calls_of_a_worker(folder: Path) -> None:
    places = {"model": "/model", "data": "/data", "wasm": "/ort-wasm-simd-threaded.wasm"}
    with hosting(folder) as host, browsing() as browser:
        page = browser.new_page()
        page.goto(host.address)
        answer: Any = page.evaluate(CALLS, [places])
    assert answer["early"] == "RespellError: the model has not been loaded"
    assert answer["missing"] == "RespellError: /none/config.json: missing (status 404)"
    assert answer["during"] == ["teh"]  # asked before the model was there
    assert answer["order"] == ["short", "long"]
    assert answer["long"] > 100
    assert answer["cancelled"] == "AbortError"
    assert answer["never"] == "AbortError"
    assert answer["after"] == ["teh"]
    assert answer["stopped"].startswith("RespellError: the worker stopped")
    assert answer["dead"] == answer["stopped"]  # it stopped before it was called


def _place(found: dict[str, Any]) -> tuple[Any, ...]:
    return found["start"], found["end"], found["original"], found["replacement"], found["kind"]
