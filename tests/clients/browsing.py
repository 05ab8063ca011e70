"""Drive the web page in a real browser."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the server extra")
pytest.importorskip("uvicorn", reason="needs the server extra")
pytest.importorskip("playwright", reason="needs playwright")

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    Request,
    Route,
    expect,
    sync_playwright,
)

WAIT_MS = 40_000
expect.set_options(timeout=WAIT_MS)  # browsers are slow where other tests run too
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking "
    "--disable-component-update --disable-sync --no-first-run"
).split()
TEXT = "🙂 I recieve teh mail"
LETTER = """🙂 Thank you for your letter. I hope you will recieve teh answer tommorow.

We definately beleive that the new libary will be open in Febuary, and that people will not \
loose more books then last year.

The rest of this text is fine."""
LONG_TEXT = "\n\n".join(
    f"Letter number {i}. I hope that you will recieve it before the end of the month. The answer "
    f"to your question is {7 * i}, and the rest of this letter is only here to make it longer."
    for i in range(1, 301)
)
"""More than 50,000 characters; every paragraph is different and has one misspelling."""


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start Chromium; skips the test if it is not installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def fresh(browser: Browser) -> Iterator[BrowserContext]:
    """A browser context without stored data."""
    context = browser.new_context(viewport={"width": 1180, "height": 760})
    context.set_default_timeout(WAIT_MS)
    yield context
    context.close()


@contextmanager
def visiting(context: BrowserContext, address: str) -> Iterator[Page]:
    """Open the page; checks that it reports no error and contacts only its server."""
    page = context.new_page()
    errors: list[str] = []
    requests: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: requests.append(request.url))
    page.goto(address)
    expect(page.get_by_role("radio", name="Default")).to_be_checked()
    yield page
    own = (f"{address}/", "data:", f"blob:{address}/")
    assert [url for url in requests if not url.startswith(own)] == []
    assert [line for line in errors if "Failed to load resource" not in line] == []


def settle(page: Page) -> None:
    """Wait until the page has checked the text."""
    expect(page.locator("body")).to_have_attribute("data-state", "ready")


def eventually(check: Callable[[], bool], page: Page) -> None:
    """Wait for something that no locator sees."""
    for _ in range(WAIT_MS // 100):
        if check():
            return
        page.wait_for_timeout(100)
    assert check()


def write(page: Page, text: str) -> None:
    """Enter a text, and wait for the findings."""
    page.locator("#text").fill(text)
    settle(page)


def written(page: Page) -> str:
    """The current text."""
    return str(page.locator("#text").input_value())


def marks(page: Page) -> list[str]:
    """The underlined words."""
    return list(page.locator("#overlay mark").all_text_contents())


def click(page: Page, mark: Locator) -> None:
    """Click at the place of a mark; the textarea above it receives the click."""
    box = mark.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def choose(page: Page, word: str, item: str) -> None:
    """Click a misspelled word, then an item of its menu."""
    click(page, page.locator("mark", has_text=word).first)
    menu = page.get_by_role("menu", name=f"Suggestions for {word}")
    menu.get_by_role("menuitem", name=re.compile(rf"^{item}\b")).click()
    settle(page)


def requests_to_check(page: Page, *, document: bool = False) -> list[dict[str, Any]]:
    """The requests to check paragraphs, or a document; the list grows while they are sent."""
    bodies: list[dict[str, Any]] = []

    def collect(request: Request) -> None:
        if request.url.endswith("/v1/correct"):
            body = json.loads(request.post_data or "{}")
            if body.get("document", False) == document:
                bodies.append(body)

    page.on("request", collect)
    return bodies


def without_documents(page: Page) -> None:
    """Never answer requests to check a document: findings do not change when the user pauses."""

    def decide(route: Route) -> None:
        if not json.loads(route.request.post_data or "{}").get("document"):
            route.continue_()

    page.route("**/v1/correct", decide)


def answer_with(page: Page, **changes: Any) -> None:
    """Change every correction in the answers of the server."""

    def change(route: Route) -> None:
        response = route.fetch()
        answer = response.json()
        for result in answer["results"]:
            for found in result["corrections"]:
                found.update(changes)
        route.fulfill(response=response, json=answer)

    page.route("**/v1/correct", change)


class Gate:
    """Lets the `first` requests to check texts pass and holds the next ones, at most `hold`."""

    def __init__(self, page: Page, *, first: int = 1, hold: int = 1_000) -> None:
        self.held: list[Route] = []
        self._first = first
        self._hold = hold
        page.route("**/v1/correct", self._decide)

    def _decide(self, route: Route) -> None:
        if self._first > 0 or len(self.held) >= self._hold:
            self._first -= 1
            route.continue_()
        else:
            self.held.append(route)

    def open(self) -> None:
        """Let all requests pass."""
        self._hold = 0
        for route in self.held:
            route.continue_()


def cut(page: Page, text: str, format: str) -> list[str]:
    """The pieces in which the page sends a text."""
    script = "async ([t, f]) => (await import('/static/text.js')).pieces(t, f)"
    return list(page.evaluate(script, [text, format]))


def drop(page: Page, name: str, content: bytes) -> None:
    """Drop a file on the page."""
    transfer = page.evaluate_handle(
        """([name, bytes]) => {
             const transfer = new DataTransfer();
             transfer.items.add(new File([new Uint8Array(bytes)], name));
             return transfer;
           }""",
        [name, list(content)],
    )
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event("#text", event, {"dataTransfer": transfer})


def download(page: Page, button: str) -> tuple[str, bytes]:
    """The name and the bytes of the file that a button downloads."""
    with page.expect_download() as caught:
        page.get_by_role("button", name=button).click()
    return caught.value.suggested_filename, Path(caught.value.path()).read_bytes()
