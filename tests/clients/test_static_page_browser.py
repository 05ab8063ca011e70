"""The page that needs no server, in a real browser."""

import gzip
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from statistics import quantiles
from typing import Literal

import pytest
from browsing import LETTER, LONG_TEXT, TEXT, choose, click, drop, marks, write, written
from javascript import Host, build, hosting
from playwright.sync_api import Browser, BrowserContext, Page, expect

import respell
from respell.model.bundle import default_path
from respell.server.page import write_page

pytestmark = pytest.mark.clients
LOADING_MS = 90_000
VISITS = 20
"""A browser needs some time to replace the files of the old version after its last tab is gone."""
MAX_TRANSFER = 40_000_000
DOCUMENT = f"{'A refspec maps refs. ' * 6}The refpsec is teh one."
KEEPS = "(name) => caches.match(name).then(Boolean)"
SAID = {
    "page.json": "page.json: could not be loaded",
    "static/engine/worker.js": "the worker stopped (it could not be loaded)",
}
"""What the page says if other files are missing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assets = build()
    out = tmp_path_factory.mktemp("page") / "out"
    write_page(out, model=default_path(), assets=assets)
    return out


@pytest.fixture
def host(folder: Path) -> Iterator[Host]:
    with hosting(folder) as host:
        yield host


@contextmanager
def visiting(context: BrowserContext, address: str) -> Iterator[Page]:
    """Open the page with all other addresses blocked; checks that it asks for none."""
    asked: list[str] = []
    errors: list[str] = []
    own = (f"{address}/", "data:", f"blob:{address}/")
    context.on("request", lambda request: asked.append(request.url))
    blocked = re.compile(rf"^(?!{'|'.join(map(re.escape, own))})")
    context.route(blocked, lambda route: route.abort())
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.goto(f"{address}/")
    yield page
    context.unroute(blocked)
    assert [url for url in asked if not url.startswith(own)] == []
    assert [line for line in errors if "Failed to load resource" not in line] == []


def loaded(page: Page) -> None:
    """Wait until the model is loaded."""
    expect(page.get_by_role("radio", name="Default")).to_be_checked(timeout=LOADING_MS)


def settled(page: Page, host: Host) -> int:
    """Wait until the host has nothing more to send; return the bytes that it has sent."""
    before = -1
    while (sent := sum(host.sent.values())) != before:
        before = sent
        page.wait_for_timeout(1_000)
    return sent


def test_it_says_how_far_the_model_is(context: BrowserContext, host: Host) -> None:
    context.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
             window.said = [];
             const status = document.getElementById("status");
             const note = () => window.said.push(status.textContent);
             new MutationObserver(note).observe(status, { childList: true });
           });"""
    )
    with visiting(context, host.address) as page:
        loaded(page)
        notes = [line for line in page.evaluate("said") if line]
        shares = [int(line.removeprefix("Loading the model: ").rstrip(" %")) for line in notes]
        assert shares == sorted(shares)
        assert len(set(shares)) > 3
        assert page.locator("#status").text_content() == ""


def test_it_checks_texts_and_sends_nothing(context: BrowserContext, host: Host) -> None:
    with visiting(context, host.address) as page:
        page.locator("#text").fill(TEXT)  # before the model is there
        loaded(page)
        expect(page.locator("mark")).to_have_text(["recieve", "teh"])
        choose(page, "recieve", "receive")
        assert written(page) == "🙂 I receive teh mail"
        click(page, page.locator("mark", has_text="teh"))
        expect(page.locator("#explain .word")).to_have_text("teh")
        expect(page.locator("#explain li").nth(1)).to_contain_text("the")
        write(page, LETTER)
        for preset in ("default", "careful"):
            page.get_by_role("radio", name=preset).check()
            found = respell.load(preset=preset).check_document(LETTER)  # after a pause
            expect(page.locator("mark")).to_have_text([one.original for one in found])
        expect(page.locator("#about")).to_contain_text("edition")
        expect(page.locator("footer")).to_contain_text("stays in this browser")
    assert 20_000_000 < sum(host.sent.values()) < MAX_TRANSFER


def test_a_pause_shows_the_terms_of_the_document(context: BrowserContext, host: Host) -> None:
    with visiting(context, host.address) as page:
        loaded(page)
        write(page, DOCUMENT)
        expect(page.locator("mark")).to_have_text(["refpsec", "teh"], timeout=LOADING_MS)
        found = respell.load().check_document(DOCUMENT)
        assert marks(page) == [one.original for one in found]
        click(page, page.locator("mark").first)
        menu = page.get_by_role("menu", name="Suggestions for refpsec")
        expect(menu.get_by_role("menuitem").first).to_contain_text("refspec")


def test_the_second_visit_needs_no_host(context: BrowserContext, folder: Path) -> None:
    with hosting(folder) as host, visiting(context, host.address) as page:
        loaded(page)
        page.wait_for_function(KEEPS, arg="data/technical.txt.gz")  # the last file
        once = sum(host.sent.values())
        page.reload()
        loaded(page)
        assert sum(host.sent.values()) - once < 100_000  # the service worker itself
        context.set_offline(True)
        page.reload()
        loaded(page)
        write(page, DOCUMENT)
        expect(page.locator("mark")).to_have_text(["refpsec", "teh"], timeout=LOADING_MS)
        page.goto(f"{host.address}/index.html")
        loaded(page)


def test_two_folders_of_one_host(context: BrowserContext, folder: Path, tmp_path: Path) -> None:
    for name in ("one/page", "two/page"):
        shutil.copytree(folder, tmp_path / name)
    with hosting(tmp_path) as host:
        addresses = [f"{host.address}/{name}/page" for name in ("one", "two")]
        for address in addresses:
            with visiting(context, address) as page:
                loaded(page)
                page.wait_for_function(KEEPS, arg="model/model.onnx.gz")
                page.close()
    for address in addresses:  # the host is gone
        with visiting(context, address) as page:
            loaded(page)
            write(page, TEXT)
            assert marks(page) == ["recieve", "teh"]


def test_a_new_version(context: BrowserContext, folder: Path, tmp_path: Path) -> None:
    site, model = tmp_path / "page", tmp_path / "model"
    shutil.copytree(folder, site)
    shutil.copytree(default_path(), model)
    config = (model / "config.json").read_text(encoding="utf-8")
    new = config.replace('"edition": ', '"edition": 10')
    (model / "config.json").write_text(new, encoding="utf-8")
    with hosting(site) as host, visiting(context, host.address) as page:
        loaded(page)
        before = page.locator("#about").text_content() or ""
        assert "edition" in before
        write_page(site, model=model, assets=build())
        with visiting(context, host.address) as other:
            loaded(other)
            other.wait_for_function(
                "navigator.serviceWorker.getRegistration().then(({ waiting }) => waiting !== null)"
            )
            for tab in (page, other):  # both stay as they are while one is open
                tab.reload()
                loaded(tab)
                expect(tab.locator("#about")).to_have_text(before)
                write(tab, TEXT)
                assert marks(tab) == ["recieve", "teh"]
            other.close()
        for _ in range(VISITS):
            page.goto("about:blank")
            page.wait_for_timeout(1_000)
            page.goto(host.address)
            loaded(page)
            if page.locator("#about").text_content() != before:
                break
        expect(page.locator("#about")).to_contain_text("edition 10")
        names = page.evaluate("caches.keys()")
        assert len(names) == 1


def test_without_room_for_the_files(context: BrowserContext, host: Host) -> None:
    limited = context.new_page()
    session = context.new_cdp_session(limited)
    session.send("Storage.overrideQuotaForOrigin", {"origin": host.address, "quotaSize": 1_000_000})
    with visiting(context, host.address) as page:
        loaded(page)
        write(page, TEXT)
        assert marks(page) == ["recieve", "teh"]
        assert not page.evaluate(KEEPS, "model/model.onnx.gz")


def test_a_long_file_does_not_hold_up_what_is_typed(context: BrowserContext, host: Host) -> None:
    with visiting(context, host.address) as page:
        loaded(page)
        drop(page, "long.txt", (LONG_TEXT * 4).encode())
        expect(page.locator("#file-progress")).to_be_visible()
        write(page, TEXT)
        assert marks(page) == ["recieve", "teh"]
        expect(page.locator("#file-progress")).to_be_visible()
        page.get_by_role("button", name="Close the file").click()
        drop(page, "short.txt", TEXT.encode())  # need not wait for the long one
        expect(page.locator("#file-summary")).to_contain_text("correction", timeout=LOADING_MS)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        *product(["model/model.onnx.gz", "model/lexicon.txt.gz"], ["cut", "changed", "missing"]),
        ("page.json", "missing"),
        ("static/engine/ort.wasm.gz", "missing"),
        ("static/engine/worker.js", "missing"),
    ],
)
def test_a_damaged_file(
    context: BrowserContext, folder: Path, tmp_path: Path, name: str, how: str
) -> None:
    shutil.copytree(folder, tmp_path / "page")
    path = tmp_path / "page" / name
    whole = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "cut":
        path.write_bytes(whole[:-1000])
    else:
        content = bytearray(gzip.decompress(whole))
        content[len(content) // 2] ^= 1
        path.write_bytes(gzip.compress(bytes(content), 1))
    with hosting(tmp_path / "page") as host, visiting(context, host.address) as page:
        page.locator("#text").fill(TEXT)
        banner = page.locator("#banner-text")
        expect(banner).to_contain_text("The model cannot be used", timeout=LOADING_MS)
        expect(banner).to_contain_text(SAID.get(name, Path(name).name.removesuffix(".gz")))
        if name not in SAID:
            expect(banner).to_contain_text("missing" if how == "missing" else "damaged")
        assert written(page) == TEXT
        sent = settled(page, host)
        page.locator("#text").press_sequentially("!!")
        assert settled(page, host) == sent  # a key stroke loads nothing
        path.write_bytes(whole)
        page.get_by_role("button", name="Try again").click()
        loaded(page)
        expect(page.locator("mark")).to_have_text(["recieve", "teh"])


def test_typing_does_not_wait_for_the_model(context: BrowserContext, host: Host) -> None:
    with visiting(context, host.address) as page:
        loaded(page)
        page.locator("#text").fill(LONG_TEXT)  # still being checked while the user types
        times = page.locator("#text").evaluate(
            """(node) => new Promise((resolve) => {
                 const times = [];
                 const type = () => {
                   const start = performance.now();
                   node.setRangeText("x", 7, 7, "end");
                   node.dispatchEvent(new InputEvent("input", { bubbles: true }));
                   node.getBoundingClientRect(); // lay the page out
                   times.push(performance.now() - start);
                   if (times.length < 40) setTimeout(type, 60);
                   else resolve(times);
                 };
                 type();
               })"""
        )
        # Other processes can delay some key strokes on a busy machine.
        assert quantiles(times, n=4)[0] < 50


def test_all_of_a_long_text_is_checked(context: BrowserContext, host: Host) -> None:
    assert len(LONG_TEXT) > 50_000
    with visiting(context, host.address) as page:
        loaded(page)
        page.locator("#text").fill(LONG_TEXT)
        expect(page.locator("mark").first).to_be_visible(timeout=LOADING_MS)  # long before the end
        expect(page.locator("body")).to_have_attribute("data-state", "checking")
        expect(page.locator("mark")).to_have_count(300, timeout=3 * LOADING_MS)


@pytest.mark.parametrize("look", ["light", "dark"])
def test_screenshots(
    browser: Browser, host: Host, tmp_path: Path, look: Literal["light", "dark"]
) -> None:
    """RESPELL_SCREENSHOTS names the folder to save them in; docs/img has the latest ones."""
    path = Path(os.environ.get("RESPELL_SCREENSHOTS", tmp_path)) / f"page-{look}.png"
    context = browser.new_context(viewport={"width": 1180, "height": 760}, color_scheme=look)
    with visiting(context, host.address) as page:
        loaded(page)
        page.get_by_role("button", name="Example text").click()
        mark = page.locator("mark[data-kind=realword]").first
        mark.wait_for(timeout=LOADING_MS)
        click(page, mark)
        expect(page.locator("#explain .word")).to_have_text(mark.text_content() or "")
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(400)  # until the animation of the bars ends
        page.screenshot(path=path)
        styles = {
            kind: page.locator(f"mark[data-kind={kind}]").first.evaluate(
                "node => getComputedStyle(node).textDecorationStyle"
            )
            for kind in ("nonword", "realword")
        }
        assert styles == {"nonword": "wavy", "realword": "dotted"}
        page.get_by_role("button", name="Clear", exact=True).click()
        assert written(page) == ""
    context.close()
    assert 5_000 < path.stat().st_size <= 200_000


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("mine", encoding="utf-8")
    with pytest.raises(respell.Error, match="page: not a folder"):
        write_page(tmp_path / "page", model=default_path(), assets=build())


def test_nothing_is_overwritten(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(respell.Error, match="not empty"):
        write_page(tmp_path, model=default_path(), assets=build())
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    write_page(folder, model=default_path(), assets=build())
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
