"""The web page in a real browser against a real server."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import respell
from respell.bundle import default_path

pytest.importorskip("fastapi", reason="needs respell[server]")
pytest.importorskip("uvicorn", reason="needs respell[server]")
pytest.importorskip("playwright", reason="needs playwright")

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

pytestmark = pytest.mark.clients

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking "
    "--disable-component-update --disable-sync --no-first-run"
).split()
TEXT = "🙂 I recieve teh mail"
LETTER = """🙂 Thank you for the letter. I recieve teh mail every morning, but it came yesterday.

We definately beleive that the new libary will be open in Febuary, and that people are going to \
loose fewer books then last year.

The rest of this text is fine."""


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _python(*arguments: str) -> tuple[list[str], dict[str, str]]:
    source = str(Path(respell.__file__).parents[1])
    return [sys.executable, "-m", "respell", *arguments], {**os.environ, "PYTHONPATH": source}


@contextmanager
def _serving(port: int, folder: Path) -> Iterator[str]:
    command, environment = _python("serve", "--port", str(port))
    with subprocess.Popen(command, env=environment, cwd=folder) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            _await(process, f"{address}/healthz")
            yield address
        finally:
            process.terminate()
            process.wait(20)


def _await(process: "subprocess.Popen[bytes]", address: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server did not start")


def _cli(*arguments: str, folder: Path) -> bytes:
    command, environment = _python(*arguments)
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True).stdout


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _serving(_free_port(), tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1180, "height": 760})
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, address: str) -> Iterator[Page]:
    """A page that must neither complain nor talk to anyone but its server."""
    page = context.new_page()
    complaints: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    expect(page.get_by_role("radio", name="Default")).to_be_checked()
    yield page
    own = (f"{address}/", "data:", f"blob:{address}/")
    assert [url for url in asked if not url.startswith(own)] == []
    assert [line for line in complaints if "Failed to load resource" not in line] == []


def _settle(page: Page) -> None:
    expect(page.locator("body")).to_have_attribute("data-state", "ready")


def _write(page: Page, text: str) -> None:
    page.locator("#text").fill(text)
    _settle(page)


def _text(page: Page) -> str:
    return page.locator("#text").input_value()


def _marks(page: Page) -> list[str]:
    return page.locator("#overlay mark").all_text_contents()


def _click(page: Page, mark: Locator) -> None:
    """Click where a word is drawn; the textarea lies above and takes the click."""
    box = mark.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def _choose(page: Page, word: str, item: str) -> None:
    _click(page, page.locator("mark", has_text=word).first)
    page.get_by_role("menu", name=f"Suggestions for {word}").get_by_role(
        "menuitem", name=item
    ).click()
    _settle(page)


def _drop(page: Page, name: str, content: bytes) -> None:
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


def _download(page: Page, button: str) -> tuple[str, bytes]:
    with page.expect_download() as caught:
        page.get_by_role("button", name=button).click()
    return caught.value.suggested_filename, Path(caught.value.path()).read_bytes()


def test_misspellings_are_underlined_as_one_types(page: Page) -> None:
    page.locator("#text").press_sequentially(TEXT)
    expect(page.locator("mark")).to_have_text(["recieve", "teh"])
    expect(page.locator("#status")).to_have_text("2 possible misspellings")
    page.keyboard.press("Home")
    page.keyboard.insert_text("🎉 Well, ")
    assert _marks(page) == ["recieve", "teh"]  # they move along before the answer comes
    _settle(page)
    assert _marks(page) == ["recieve", "teh"]


def test_golden_answers(page: Page) -> None:
    for line in (default_path() / "golden.jsonl").read_text("utf-8").splitlines():
        golden = json.loads(line)
        with page.expect_response("**/v1/correct") as caught:
            page.locator("#text").fill(golden["text"])
        _settle(page)
        assert _marks(page) == [found["original"] for found in golden["corrections"]]
        (result,) = caught.value.json()["results"]
        for mark, found, wanted in zip(
            page.locator("mark").all(), result["corrections"], golden["corrections"], strict=True
        ):
            before = golden["text"][: wanted["start"]]
            assert found["start"] == len(before.encode("utf-16-le")) // 2
            assert found["score"] == pytest.approx(wanted["score"], abs=0.02)
            _click(page, mark)
            shown = page.locator(".suggestion .label").all_text_contents()
            assert shown == [suggestion["text"] for suggestion in wanted["suggestions"]]


def test_accept_and_undo(page: Page) -> None:
    _write(page, TEXT)
    _choose(page, "recieve", "receive 7")  # with its probability
    assert _text(page) == "🙂 I receive teh mail"
    assert _marks(page) == ["teh"]
    page.keyboard.press("Control+z")
    _settle(page)
    assert _text(page) == TEXT
    assert _marks(page) == ["recieve", "teh"]


def test_accept_all_is_one_step_to_undo(page: Page) -> None:
    _write(page, LETTER)
    page.get_by_role("button", name="Accept all").click()
    _settle(page)
    assert _text(page) == respell.load().correct(LETTER)
    assert _marks(page) == []
    page.keyboard.press("Control+z")
    assert _text(page) == LETTER


def test_ignore_holds_for_one_place(page: Page) -> None:
    _write(page, "I saw teh cat and teh dog.")
    _choose(page, "teh", "Ignore")
    assert _marks(page) == ["teh"]
    page.keyboard.press("Home")
    page.keyboard.insert_text("Yes, ")
    _settle(page)
    page.get_by_role("button", name="Accept all").click()
    assert _text(page) == "Yes, I saw teh cat and the dog."


def test_dictionary_outlives_a_reload(page: Page) -> None:
    _write(page, TEXT)
    _choose(page, "teh", "Add to dictionary")
    assert _marks(page) == ["recieve"]
    page.reload()
    _write(page, TEXT)
    assert _marks(page) == ["recieve"]
    page.get_by_label("A word to add").fill("recieve, other")
    page.keyboard.press("Enter")
    _settle(page)
    assert _marks(page) == []
    page.get_by_role("button", name="Remove teh").click()
    _settle(page)
    assert _marks(page) == ["teh"]


def test_threshold_and_preset_change_the_findings(page: Page) -> None:
    _write(page, LETTER)
    many = len(_marks(page))
    page.get_by_role("slider").fill("0.995")
    _settle(page)
    few = len(_marks(page))
    assert few == len(respell.load(threshold=0.995).check(LETTER)) < many
    page.get_by_role("radio", name="Careful").check()
    _settle(page)
    assert len(_marks(page)) == len(respell.load(preset="careful").check(LETTER))
    page.reload()
    expect(page.get_by_role("radio", name="Careful")).to_be_checked()
    page.get_by_role("radio", name="Default").check()
    _write(page, LETTER)
    assert len(_marks(page)) == many


def test_panel_shows_what_the_model_saw(page: Page) -> None:
    _write(page, f"A line before.\n\n{TEXT}")
    _click(page, page.locator("mark", has_text="teh"))
    panel = page.locator("#explain")
    expect(panel.locator(".word")).to_have_text("teh")
    expect(panel.locator("li").nth(0)).to_contain_text("keep it as it is")
    expect(panel.locator("li").nth(1)).to_have_text("the> 99.9 %")
    page.keyboard.press("End")  # mail: kept, and still explained
    expect(panel.locator(".word")).to_have_text("mail")
    expect(panel.locator(".keep .chance")).to_contain_text("99")


@pytest.mark.parametrize("name", ["notes.txt", "notes.md"])
def test_dropped_file(page: Page, tmp_path: Path, name: str) -> None:
    lines = ["\ufeff🙂 I recieve teh mail.", "", *(["Fine."] * 8), "We beleive it.", "End"]
    if name.endswith("md"):
        lines += ["", "```", "teh recieve", "```", "", "<b>See</b> [teh](teh/teh.png) page."]
    content = "\r\n".join(lines).encode()
    (tmp_path / name).write_bytes(content)
    _drop(page, name, content)
    expect(page.locator("#diff")).to_contain_text("+We believe it.")
    assert _download(page, "Download corrected") == (name, _cli("fix", name, folder=tmp_path))
    wanted = _cli("fix", "--diff", name, folder=tmp_path)
    assert _download(page, "Download diff") == (f"{name}.diff", wanted)
    page.get_by_role("button", name="Open in the editor").click()
    _settle(page)
    assert "recieve" in _marks(page)


def test_a_file_that_is_no_text_is_refused(page: Page) -> None:
    _drop(page, "photo.png", b"\x89PNG")
    expect(page.get_by_role("alert")).to_contain_text("photo.png is no .txt or .md file")
    _drop(page, "old.txt", b"caf\xe9")
    expect(page.get_by_role("alert")).to_contain_text("not UTF-8")


def test_keyboard_alone(page: Page) -> None:
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("I recieve teh mail, tommorow.")
    expect(page.locator("mark")).to_have_count(3)
    page.keyboard.press("Tab")  # from the end of the text to its first misspelling
    first = page.get_by_role("menuitem", name="receive", exact=False).first
    expect(first).to_be_focused()
    assert first.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="received")).to_be_focused()
    page.keyboard.press("Enter")
    assert _text(page) == "I received teh mail, tommorow."
    expect(page.locator("#say")).to_have_text("recieve replaced by received")
    _settle(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("menu")).to_have_attribute("aria-label", "Suggestions for teh")
    page.keyboard.press("Tab")
    expect(page.get_by_role("menu")).to_have_attribute("aria-label", "Suggestions for tommorow")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("menu")).to_have_attribute("aria-label", "Suggestions for teh")
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Tab")  # no trap: after Escape, Tab leaves the text
    expect(page.get_by_role("button", name="Accept all")).to_be_focused()
    page.keyboard.press("Enter")
    assert _text(page) == "I received the mail, tomorrow."


@pytest.mark.parametrize("width", [360, 768])
def test_narrow_screens_do_not_scroll_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    _drop(page, f"{'long' * 20}.md", f"{'recieve ' * 30}{'x' * 400}".encode())
    expect(page.locator("#file-done")).to_be_visible()
    _write(page, f"{'x' * 300}\n\n{LETTER} I want teh")
    page.get_by_label("A word to add").fill("y" * 80)
    page.keyboard.press("Enter")
    _settle(page)
    for mark in page.locator("mark").all():
        mark.scroll_into_view_if_needed()
        _click(page, mark)
        expect(page.get_by_role("menu")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_overlay_keeps_step_with_the_text(page: Page) -> None:
    long = "\n".join(f"{LETTER}\n\n\n \n\tline  {i}   " for i in range(20))
    for text in (long, f"{long}\n", f"{long}\n\n", "\n", "\n\n\n", ""):
        _write(page, text)
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
    def colour(page: Page) -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = colour(page)
    page.emulate_media(color_scheme="dark")
    dark = colour(page)
    assert dark != light
    page.get_by_role("button", name="Colours: as the system").click()
    assert colour(page) == light
    page.reload()
    assert colour(page) == light
    page.get_by_role("button", name="Colours: light").click()
    page.emulate_media(color_scheme="light")
    assert colour(page) == dark


def test_stale_answers_are_dropped(page: Page) -> None:
    held: list[Any] = []

    def hold(route: Any) -> None:
        if "recieve" in route.request.post_data:
            held.append(route)
        else:
            route.continue_()

    page.route("**/v1/correct", hold)
    page.locator("#text").fill("I recieve it")
    expect(page.locator("body")).to_have_attribute("data-state", "checking")
    page.wait_for_timeout(400)
    assert len(held) == 1
    _write(page, "Now for teh mail")
    assert _marks(page) == ["teh"]
    for route in held:
        route.continue_()
    page.wait_for_timeout(300)
    assert _marks(page) == ["teh"]
    page.unroute("**/v1/correct")
    _write(page, "I recieve it")
    assert _marks(page) == ["recieve"]


def test_a_server_that_goes_and_comes_back(context: BrowserContext, tmp_path: Path) -> None:
    port, page = _free_port(), context.new_page()
    with _serving(port, tmp_path) as address:
        page.goto(address)
        _write(page, "I recieve it")
        assert _marks(page) == ["recieve"]
    page.locator("#text").press_sequentially(" on teh day")
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    expect(page.locator("#status")).to_have_text("Not checked")
    assert _text(page) == "I recieve it on teh day"
    with _serving(port, tmp_path):
        expect(page.get_by_role("alert")).to_be_hidden()
        expect(page.locator("mark")).to_have_text(["recieve", "teh"])


def test_refusals_of_the_server_are_shown(page: Page) -> None:
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


def test_markup_in_the_text_is_inert(page: Page) -> None:
    evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script> I recieve teh mail'
    _write(page, evil)
    assert _marks(page) == ["recieve", "teh"]
    page.get_by_label("A word to add").fill("<img/src=x/onerror=window.hit=1>")
    page.keyboard.press("Enter")
    _settle(page)
    _click(page, page.locator("mark").first)
    expect(page.locator("#explain .word")).to_have_text("recieve")
    _drop(page, "<img src=x onerror=window.hit=1>.txt", evil.encode())
    expect(page.locator("#diff")).to_contain_text("<img src=x")
    assert page.locator("img, #overlay script, #diff script").count() == 0
    assert page.evaluate("window.hit") is None
    blocked = "() => fetch('https://example.org/').then(() => 'sent', () => 'blocked')"
    page.once("console", lambda line: None)
    assert page.evaluate(blocked) == "blocked"


def test_rich_text_is_pasted_plain(page: Page, context: BrowserContext, address: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    page.evaluate(
        """async () => {
             const part = (text, type) => new Blob([text], { type });
             await navigator.clipboard.write([new ClipboardItem({
               "text/html": part("<b onclick=x>I recieve</b> it", "text/html"),
               "text/plain": part("I recieve it", "text/plain"),
             })]);
           }"""
    )
    page.locator("#text").focus()
    page.keyboard.press("Control+v")
    expect(page.locator("mark")).to_have_text(["recieve"])
    assert _text(page) == "I recieve it"
    _choose(page, "recieve", "receive 7")
    page.get_by_role("button", name="Copy text").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "I receive it"


def test_input_methods_are_left_in_peace(page: Page, context: BrowserContext) -> None:
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
    assert _text(page) == "日本 I recieve 😀 teh mail"


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
def test_screenshots(browser: Browser, address: str, tmp_path: Path, look: str) -> None:
    """RESPELL_SCREENSHOTS names the folder they are kept in; docs/img has the last ones."""
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
    _write(page, LETTER)
    _click(page, page.locator("mark", has_text="recieve"))
    expect(page.locator("#explain .word")).to_have_text("recieve")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)  # until the bars have grown
    file = folder / f"web-{look}.png"
    page.screenshot(path=file)
    assert 5_000 < file.stat().st_size <= 150_000
    context.close()
