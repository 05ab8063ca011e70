"""Measure the browser extension.

python benchmarks/browser_extension.py --output results/browser_extension.json

Needs npm, Chromium and the packages of `pip install '.[clients]'`. Builds the extension, and
measures sizes and times on an idle machine.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page, Playwright, sync_playwright

from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.model.bundle import default_path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "clients"))

from browsing import LONG_TEXT
from extension import Extension, build, extended
from javascript import hosting

PAGE = """<!doctype html><html lang="en"><title>Fields</title>
<textarea id="textarea" rows="4" cols="60"></textarea>
<div id="editable" contenteditable="true">\u200b</div></html>"""
KEYS = 60
_MARKED = "() => [...CSS.highlights.values()].some((ranges) => ranges.size)"
_TYPE = """
(keys) => new Promise((resolve) => {
  const times = [];
  const type = () => {
    const start = performance.now();
    document.execCommand("insertText", false, "x");
    document.body.getBoundingClientRect();
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
    parser.add_argument("--output", type=Path, default=Path("results/browser_extension.json"))
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    before = os.getloadavg()
    value = {
        **measure(build(), args.rounds),
        "load_average_before": [round(one, 2) for one in before],
        "model": hash_bundle(default_path()),
        **provenance(),
    }
    write_json(args.output, value)
    print(json.dumps({key: value[key] for key in ("bytes", "seconds", "key_strokes")}, indent=1))
    return 0


def measure(dist: Path, rounds: int) -> dict[str, Any]:
    """Sizes of the extension, and how long its parts take in Chromium."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        (folder / "site").mkdir()
        (folder / "site" / "index.html").write_text(PAGE, encoding="utf-8")
        archive = shutil.make_archive(str(folder / "packed"), "zip", dist / "chromium")
        with hosting(folder / "site") as host:
            runs = [
                _times(playwright, dist / "chromium", folder / str(i), host.address)
                for i in range(rounds)
            ]
            strokes = _key_strokes(playwright, dist / "chromium", folder / "keys", host.address)
        packed = Path(archive).stat().st_size
    return {
        "bytes": {"packed": packed, **_sizes(dist / "chromium")},
        "seconds": {
            "first_marks_after_start": round(median(first for first, _ in runs), 2),
            "marks_after_typing": round(median(later for _, later in runs), 2),
        },
        "key_strokes": strokes,
    }


def _sizes(folder: Path) -> dict[str, int]:
    files = {p: p.stat().st_size for p in folder.rglob("*") if p.is_file()}
    engine = folder / "engine"
    return {
        "unpacked": sum(files.values()),
        "model": sum(size for p, size in files.items() if p.is_relative_to(engine / "model")),
        "webassembly": files[engine / "ort.wasm"],
        "in_every_page": files[folder / "content.js"] + files[folder / "marks.css"],
    }


def _times(
    playwright: Playwright, extension: Path, profile: Path, address: str
) -> tuple[float, float]:
    """Seconds from typing to marks: with a new browser, and with a loaded model."""
    profile.mkdir()
    with extended(playwright, extension, profile) as running:
        first = _until_marked(running, address, "I recieve teh mail. ")
        # Another text: answers to sentences are remembered.
        return first, _until_marked(running, address, "We beleive that it is wierd. ")


def _until_marked(extension: Extension, address: str, text: str) -> float:
    page = extension.page(f"{address}/index.html")
    page.wait_for_timeout(1_000)
    page.locator("#editable").focus()
    start = time.perf_counter()
    page.keyboard.insert_text(text)
    page.wait_for_function(_MARKED)
    seconds = time.perf_counter() - start
    page.close()
    return seconds


def _key_strokes(
    playwright: Playwright, extension: Path, profile: Path, address: str
) -> dict[str, Any]:
    """How long the page needs for a key stroke in a long text, with and without the extension."""
    found: dict[str, Any] = {"characters": len(LONG_TEXT)}
    profile.mkdir()
    with extended(playwright, extension, profile) as running:
        for kind in ("textarea", "editable"):
            for off in (False, True):
                sites = [address.removeprefix("http://")] if off else []
                running.worker.evaluate("(s) => chrome.storage.local.set({ offSites: s })", sites)
                page = running.page(f"{address}/index.html")
                times = _type(page, kind, marked=not off)
                name = f"{kind}_{'without' if off else 'with'}_extension"
                found[f"{name}_median_ms"] = round(median(times), 1)
                found[f"{name}_longest_ms"] = round(max(times), 1)
                page.close()
    return found


def _type(page: Page, kind: str, *, marked: bool) -> list[float]:
    page.locator(f"#{kind}").focus()
    page.keyboard.insert_text(LONG_TEXT)
    if marked and kind == "editable":
        page.wait_for_function("() => [...CSS.highlights.values()][0]?.size >= 300")
    else:
        page.wait_for_timeout(20_000 if marked else 1_000)
    return [float(one) for one in page.evaluate(_TYPE, KEYS)]


if __name__ == "__main__":
    sys.exit(main())
