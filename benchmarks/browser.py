"""Measure the JavaScript package and the page that needs no server.

python benchmarks/browser.py --output results/browser.json

Needs npm, Chromium and the packages of `pip install '.[clients]'`. Counts how many answers to
random texts differ from this package's, with their own probabilities and with the same ones, and
measures sizes and times.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import js_texts
from js_parity import compare_answers, compare_decisions, seconds_to_check
from playwright.sync_api import Page, sync_playwright

from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.model.bundle import default_path
from respell.server.page import CHECKOUT, write_page
from respell.types import Error

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "clients"))

from browsing import ARGUMENTS, CHROMIUM, LONG_TEXT  # noqa: E402
from javascript import hosting  # noqa: E402

DECISIONS = 10_000
"""Texts that both packages decide on, given the same probabilities."""
WORDS = 1000
END = re.compile(r"(?<=[.!?]) ")
KEYS = 60
LOADING_MS = 120_000
_CHECK = """
async (text) => {
  const { correct } = await import("./static/api.js");
  const { pieces } = await import("./static/text.js");
  const start = performance.now();
  await correct(pieces(text), { preset: "default", format: "plain" });
  return performance.now() - start;
}
"""
_TYPE = """
(node, keys) => new Promise((resolve) => {
  const times = [];
  const type = () => {
    const start = performance.now();
    node.setRangeText("x", 7, 7, "end");
    node.dispatchEvent(new InputEvent("input", { bubbles: true }));
    node.getBoundingClientRect();
    times.push(performance.now() - start);
    if (times.length < keys) setTimeout(type, 100);
    else resolve(times);
  };
  type();
})
"""


def main() -> int:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("results/browser.json"))
    parser.add_argument("--count", type=int, default=10_000, help="random texts")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    if CHROMIUM is None:
        raise Error("no Chromium is installed")
    subprocess.run(["npm", "run", "build"], cwd=ROOT / "js", check=True, capture_output=True)
    before = os.getloadavg()
    value = {
        **measure_page(args.rounds),
        "processor_seconds": seconds_to_check(default_path(), first_words()),
        "answers": compare_answers(default_path(), args.count),
        "decisions": compare_decisions(default_path(), DECISIONS),
        "load_average_before": [round(one, 2) for one in before],
        "model": hash_bundle(default_path()),
        **provenance(),
    }
    write_json(args.output, value)
    print(json.dumps({key: value[key] for key in ("page", "answers", "decisions")}, indent=1))
    return 0


def first_words() -> str:
    """A text of 1,000 words."""
    return " ".join(" ".join(js_texts.prose()).split(" ")[:WORDS])


def measure_page(rounds: int) -> dict[str, Any]:
    """Sizes of the page, and how long its parts take in Chromium.

    The times are of the clock, so other programs make them longer; only `longest_task_ms`, the
    longest piece of work of the page while somebody types into a long text, is processor time.
    """
    text = first_words()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        out = Path(folder) / "page"
        write_page(out, model=default_path(), assets=CHECKOUT)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        with hosting(out) as host:
            page = browser.new_page()
            first = _seconds_to_load(page, host.address)
            sent = sum(host.sent.values())
            again = [_seconds_to_load(page, host.address) for _ in range(rounds)]
            texts = [END.sub(f" {i} ", text) for i in range(rounds)]  # no sentence is known
            checks = [float(page.evaluate(_CHECK, one)) for one in texts]
            page.locator("#text").fill(LONG_TEXT)
            browser.start_tracing(page=page, categories=["toplevel"])
            keys = page.locator("#text").evaluate(_TYPE, KEYS)
            tasks = json.loads(browser.stop_tracing())["traceEvents"]
        browser.close()
        files = {p.relative_to(out).as_posix(): p.stat().st_size for p in out.rglob("*")}
    return {
        "page": {
            "first_visit_bytes": sent,
            "bytes": {name: files[name] for name in sorted(files) if name.endswith(".gz")},
            "first_visit_seconds": round(first, 2),
            "later_visit_seconds": round(median(again), 2),
            "words": WORDS,
            "check_seconds": round(median(checks) / 1000, 2),
            "characters": len(LONG_TEXT),
            "longest_key_stroke_ms": round(max(keys), 1),
            "median_key_stroke_ms": round(median(keys), 1),
            "longest_task_ms": round(max(_processor_ms(tasks)), 1),
        }
    }


def _processor_ms(events: Sequence[Mapping[str, Any]]) -> Iterator[float]:
    """The processor time of each task of the page itself; the model runs in a worker."""
    pages = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    for event in events:
        if event["name"].endswith("RunTask") and (event["pid"], event["tid"]) in pages:
            yield event.get("tdur", 0) / 1000


def _seconds_to_load(page: Page, address: str) -> float:
    start = time.perf_counter()
    page.goto(address)
    page.locator("#presets input").first.wait_for(state="attached", timeout=LOADING_MS)
    return time.perf_counter() - start


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"browser: {error}")
