"""The web page in a real browser: files, server errors, hostile text, input methods."""

import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from browsing import (
    LETTER,
    LONG_TEXT,
    TEXT,
    Gate,
    answer_with,
    choose,
    click,
    cut,
    download,
    drop,
    eventually,
    marks,
    requests_to_check,
    settle,
    without_documents,
    write,
    written,
)
from live import SOURCE, serving
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect

import respell
from golden_answers import golden
from respell.corrector import Corrector
from respell.formats.masker import mask

pytestmark = pytest.mark.clients

MARKDOWN = """---|+++|title: teh|teh text|teh _text_ of *stars*|# Teh title|> teh quote|> ```|>
```|```python|````|~~~|~~~~|``` teh `|    ```|    teh code|\tteh code|  teh|- teh item|10. teh item
1. ```|  - teh|      teh|<pre>|</pre>|<PRE class=teh>|</pre >|<!-- teh|teh -->|<!-- teh -->
`<code>` teh|<code>teh</code>|</code>|> </pre>|[teh]: </pre>|[teh]: teh.png|<svg/>
<script>|</script>|<!-- respell: off -->|<!-- respell: on -->|<!-- respell: ignore-next-line -->
$$|teh $$|{{ teh|...
teh|teh|teh|teh|teh""".replace("\n", "|").split("|")
"""Lines that mean something in Markdown."""


def cli(*arguments: str, folder: Path) -> bytes:
    return subprocess.run(
        [sys.executable, "-m", "respell", *arguments],
        env={**os.environ, "PYTHONPATH": SOURCE},
        cwd=folder,
        capture_output=True,
    ).stdout


def _is_about(response: Response, text: str) -> bool:
    body = response.request.post_data_json or {}
    return response.url.endswith("/v1/correct") and body.get("text") == [text]


def test_golden_corrections(page: Page) -> None:
    without_documents(page)
    for example in golden():
        # A late answer about the last text is not the answer to this one.
        with page.expect_response(partial(_is_about, text=example["text"])) as caught:
            page.locator("#text").fill(example["text"])
        settle(page)
        assert marks(page) == [found["original"] for found in example["corrections"]]
        (result,) = caught.value.json()["results"]
        for mark, found, wanted in zip(
            page.locator("mark").all(), result["corrections"], example["corrections"], strict=True
        ):
            before = example["text"][: wanted["start"]]
            assert found["start"] == len(before.encode("utf-16-le")) // 2
            assert found["score"] == pytest.approx(wanted["score"], abs=0.02)
            click(page, mark)
            shown = page.locator(".suggestion .label").all_text_contents()
            assert shown == [suggestion["text"] for suggestion in wanted["suggestions"]]


@pytest.mark.parametrize("name", ["my notes.txt", "notes.md"])
def test_dropped_file(page: Page, tmp_path: Path, name: str) -> None:
    lines = ["\ufeff🙂 I recieve teh mail.", "", *(["Fine."] * 8), "We beleive it.", "End"]
    if name.endswith("md"):
        lines += ["", "```", "teh recieve", "", "teh", "```", "", "    teh code", ""]
        lines += ["<b>See</b> [teh](teh/teh.png) `teh` page.", "Teh end <!-- respell: ignore -->"]
    content = "\r\n".join(lines).encode()
    (tmp_path / name).write_bytes(content)
    drop(page, name, content)
    expect(page.locator("#diff")).to_contain_text("+We believe it.")
    wanted = cli("fix", "--diff", name, folder=tmp_path)
    assert download(page, "Download diff") == (f"{name}.diff", wanted)
    cli("fix", "--write", name, folder=tmp_path)
    assert download(page, "Download corrected") == (name, (tmp_path / name).read_bytes())
    page.get_by_role("button", name="Open in the editor").click()
    settle(page)
    assert "recieve" in marks(page)


def test_a_file_that_is_not_text_is_refused(page: Page) -> None:
    drop(page, "photo.png", b"\x89PNG")
    expect(page.get_by_role("alert")).to_contain_text("photo.png is not a .txt or .md file")
    drop(page, "old.txt", b"caf\xe9")
    expect(page.get_by_role("alert")).to_contain_text("not UTF-8")


def test_a_markdown_file_that_is_too_long_is_refused(page: Page) -> None:
    drop(page, "long.md", b"A word.\n\n" * 60_000)
    expect(page.get_by_role("alert")).to_contain_text("the text is longer than 500000 characters")
    expect(page.locator("#file")).to_be_hidden()
    drop(page, "long.txt", b"A word.\n\n" * 60_000)
    expect(page.locator("#file-summary")).to_have_text("No misspellings found")


def test_uncertain_corrections_are_left_to_the_user(page: Page) -> None:
    answer_with(page, automatic=False)
    drop(page, "notes.txt", b"I recieve teh mail.")
    left = "0 corrections, 2 less certain findings not changed; open the file in the editor"
    expect(page.locator("#file-summary")).to_have_text(left)
    expect(page.get_by_role("button", name="Download corrected")).to_be_disabled()
    page.get_by_role("button", name="Open in the editor").click()
    settle(page)
    assert marks(page) == ["recieve", "teh"]


def test_parts_of_markdown_mean_the_same_as_the_whole(page: Page) -> None:
    generator = random.Random(7)
    counts = []
    for _ in range(3_000):
        lines = generator.choices(MARKDOWN, k=generator.randrange(1, 14))
        text = "".join(
            line + generator.choice(["\n", "\n\n", "\n\n", "\n \t\n\n"]) for line in lines
        )
        parts = cut(page, text, "markdown")
        assert "".join(parts) == text
        assert "".join(mask(part, "markdown") for part in parts) == mask(text, "markdown"), text
        counts.append(len(parts))
    assert sum(counts) > 2 * len(counts)


def windows(corrector: Corrector, text: str, start: int = 0) -> list[list[tuple[int, str, str]]]:
    """What the model reads together, with offsets in the whole text."""
    return [
        [(token.start + start, token.text, token.kind) for token in window.tokens]
        for window in corrector.split(text)
    ]


def test_pieces_of_a_long_paragraph_have_whole_sentences(page: Page) -> None:
    corrector = respell.load()
    generator = random.Random(7)
    short = (
        "mr mrs ms dr st jr sr prof gen col lt sgt capt rev hon gov sen rep vs no inc ltd co corp"
    )
    months = "jan feb mar apr jun jul aug sep sept oct nov dec"
    sentences = [f"He met teh {word}. Miller there." for word in f"{short} {months}".split()]
    sentences += [example["text"].replace("\n", " ") for example in golden()]
    sentences += ["THIS IS A LINE OF LOUD WORDS", "Teh IBM case.", "See `teh text. The code` here."]
    sentences += [
        "It ends with e.g. Teh one.",
        "Really? Teh answer is no!",
        "Hyphen-",
        "ated lines.",
    ]
    for separator, code in ((" ", False), ("\n", False), ("\n", True)):
        generator.shuffle(sentences)
        chosen = [text for text in sentences if code or not set(text) & set("`_")]
        text = separator.join(chosen * 3)
        parts = cut(page, text, "plain")
        assert "".join(parts) == text
        assert len(parts) > 3
        found, start = [], 0
        for part in parts:
            found += windows(corrector, part, start)
            start += len(part)
        assert found == windows(corrector, text)


def test_long_text_without_sentences_is_cut(page: Page) -> None:
    for text in ("word " * 4_000, "word\n" * 4_000, "x" * 20_000, "🙂" * 10_000):
        parts = cut(page, text, "plain")
        assert "".join(parts) == text
        assert all(part.isprintable() or "\n" in part for part in parts)  # no half of a 🙂
        assert max(len(part.encode("utf-16-le")) // 2 for part in parts) <= 5_000


def test_overlay_has_the_height_of_the_text(page: Page) -> None:
    long = "\n".join(f"{LETTER}\n\n\n \n\tline  {i}   " for i in range(20))
    for text in (long, f"{long}\n", f"{long}\n\n", "\n", "\n\n\n", ""):
        write(page, text)
        heights = page.evaluate(
            """() => ["#text", "#overlay"].map((id) => {
                 const node = document.querySelector(id);
                 node.style.height = node.style.minHeight = "0px";
                 const height = node.scrollHeight;
                 node.style.height = node.style.minHeight = "";
                 return height;
               })"""
        )
        assert heights[0] == heights[1], repr(text[-9:])


def test_dark_and_light(page: Page, browser: Browser, address: str) -> None:
    def background(page: Page) -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = background(page)
    page.emulate_media(color_scheme="dark")
    dark = background(page)
    assert dark != light
    page.get_by_role("button", name="Theme: auto").click()
    assert background(page) == light
    page.reload()
    assert background(page) == light
    page.get_by_role("button", name="Theme: light").click()
    page.emulate_media(color_scheme="light")
    assert background(page) == dark


def test_colours_of_the_user(page: Page) -> None:
    """The preset that is chosen and the underlines can be seen."""
    page.emulate_media(forced_colors="active")
    segment = page.locator(".segments label", has_text="Careful")
    before = segment.screenshot()
    page.get_by_role("radio", name="Careful").check()
    write(page, f"{TEXT}\nand a second line of text")
    page.locator("#text").focus()
    assert segment.screenshot() != before
    # Chromium would put a background behind each line, above the underlines of the last one.
    box = page.locator("mark").first.bounding_box()
    assert box is not None
    box["height"] += 8
    shown = page.screenshot(clip={**box})
    page.locator("#overlay").evaluate("(node) => { node.style.visibility = 'hidden'; }")
    assert page.screenshot(clip={**box}) != shown


def test_outdated_responses_are_dropped(page: Page) -> None:
    held: list[Any] = []

    def hold(route: Any) -> None:
        if "recieve" in route.request.post_data:
            held.append(route)
        else:
            route.continue_()

    page.route("**/v1/correct", hold)
    page.locator("#text").fill("I recieve it")
    expect(page.locator("body")).to_have_attribute("data-state", "checking")
    eventually(lambda: len(held) == 1, page)
    write(page, "Now for teh mail")
    assert marks(page) == ["teh"]
    for route in held:
        route.continue_()
    page.wait_for_timeout(300)
    assert marks(page) == ["teh"]
    page.unroute("**/v1/correct")
    write(page, "I recieve it")
    assert marks(page) == ["recieve"]


def test_a_server_that_stops_and_restarts(context: BrowserContext) -> None:
    page = context.new_page()
    with serving() as live:
        page.goto(live.url)
        write(page, "I recieve it")
        assert marks(page) == ["recieve"]
    page.locator("#text").press_sequentially(" on teh day")
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    expect(page.locator("#status")).to_have_text("Not checked")
    assert written(page) == "I recieve it on teh day"
    with serving("--port", str(live.port)):
        expect(page.get_by_role("alert")).to_be_hidden()
        expect(page.locator("mark")).to_have_text(["recieve", "teh"])


def test_errors_of_the_server_are_shown(page: Page) -> None:
    page.route(
        "**/v1/correct",
        lambda route: route.fulfill(status=413, json={"error": "too <b>long</b>"}),
    )
    page.locator("#text").fill(TEXT)
    expect(page.get_by_role("alert")).to_contain_text("too <b>long</b>")
    page.unroute("**/v1/correct")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("mark")).to_have_text(["recieve", "teh"])
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_long_check_goes_on_after_an_error(page: Page) -> None:
    gate = Gate(page, first=2)
    page.locator("#text").fill(LONG_TEXT)
    expect(page.locator("mark").nth(12)).to_be_visible()
    eventually(lambda: len(gate.held) == 1, page)  # there are no other answers to wait for
    checked = len(marks(page))
    (route,) = gate.held
    route.fulfill(status=503, json={"error": "busy"})
    gate.held.clear()
    expect(page.get_by_role("alert")).to_contain_text("busy")
    assert len(marks(page)) == checked
    sent = requests_to_check(page)
    gate.open()
    page.get_by_role("button", name="Try again").click()
    settle(page)
    assert len(marks(page)) == 300
    assert sum(len(body["text"]) for body in sent) == 300 - checked


def test_html_in_the_text_is_not_interpreted(page: Page) -> None:
    evil = '<img src=x onerror="window.evil=1"><script>window.evil=1</script> I recieve teh mail'
    write(page, evil)
    assert marks(page) == ["recieve", "teh"]
    page.get_by_label("A word to add").fill("<img/src=x/onerror=window.evil=1>")
    page.keyboard.press("Enter")
    settle(page)
    click(page, page.locator("mark").first)
    expect(page.locator("#explain .word")).to_have_text("recieve")
    drop(page, "<img src=x onerror=window.evil=1>.txt", evil.encode())
    expect(page.locator("#diff")).to_contain_text("<img src=x")
    assert page.locator("img, #overlay script, #diff script").count() == 0
    assert page.evaluate("window.evil") is None


def test_text_cannot_be_sent_elsewhere(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(address)
    with page.expect_console_message() as caught:
        send = "() => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'not sent')"
        assert page.evaluate(send) == "not sent"
    assert "Content Security Policy" in caught.value.text


def test_rich_text_is_pasted_as_plain(page: Page, context: BrowserContext, address: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    page.evaluate(
        """async () => {
             const part = (text, type) => new Blob([text], { type });
             await navigator.clipboard.write([new ClipboardItem({
               "text/html": part("<b>I recieve</b> <i>it</i>", "text/html"),
               "text/plain": part("I recieve it", "text/plain"),
             })]);
           }"""
    )
    page.locator("#text").focus()
    page.keyboard.press("Control+v")
    expect(page.locator("mark")).to_have_text(["recieve"])
    assert written(page) == "I recieve it"
    choose(page, "recieve", "receive")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "I receive it"


def test_input_methods_are_not_disturbed(page: Page, context: BrowserContext) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("#text").focus()
    keyboard = context.new_cdp_session(page)
    for text in ("h", "he", "hel"):
        keyboard.send(
            "Input.imeSetComposition",
            {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
        )
    page.wait_for_timeout(400)
    assert asked == []
    keyboard.send("Input.insertText", {"text": "日本 I recieve 😀 teh mail"})
    expect(page.locator("mark")).to_have_text(["recieve", "teh"])
    assert written(page) == "日本 I recieve 😀 teh mail"


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
def test_screenshots(browser: Browser, address: str, tmp_path: Path, look: str) -> None:
    """RESPELL_SCREENSHOTS names the folder to save them in; docs/img has the latest ones."""
    folder = Path(os.environ.get("RESPELL_SCREENSHOTS", tmp_path))
    phone = look == "phone"
    context = browser.new_context(
        viewport={"width": 360, "height": 740} if phone else {"width": 1180, "height": 760},
        color_scheme="dark" if look == "dark" else "light",
        has_touch=phone,
        is_mobile=phone,
    )
    page = context.new_page()
    page.goto(address)
    for word in ("Kubernetes", "onnx"):
        page.get_by_label("A word to add").fill(word)
        page.keyboard.press("Enter")
    write(page, LETTER)
    click(page, page.locator("mark", has_text="loose"))
    expect(page.locator("#explain .word")).to_have_text("loose")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)  # until the animation of the bars ends
    file = folder / f"web-{look}.png"
    page.screenshot(path=file)
    assert 5_000 < file.stat().st_size <= 150_000
    context.close()
