"""What tests share. Torch and browsers are imported when a test wants them, not before."""

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from extension import Extension
    from javascript import Host
    from playwright.sync_api import Browser, BrowserContext, Page, Playwright

    from respell.lab.train.dataset import Corpus

settings.register_profile("respell", deadline=None)  # a busy machine would miss a time limit
settings.load_profile("respell")
# A shell starts background jobs with SIGINT ignored; the programs of the tests would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
CPU_SECONDS = 120
"""What a test may use, itself and its processes. `make check` has some thousand tests."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that uses too much CPU time, unless it is one of the long ones."""
    before = _cpu_seconds()
    outcome = yield
    used = _cpu_seconds() - before
    if used > CPU_SECONDS and not any(map(item.get_closest_marker, _LONG)):
        pytest.fail(f"used {used:.0f} s of CPU time; make it smaller, or mark it as exhaustive")
    return outcome


_LONG = ("exhaustive", "clients", "gpu")


def _cpu_seconds() -> float:
    return sum(os.times()[:4])


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where tests of the lab make what they make but once."""
    import torch

    torch.set_num_threads(1)  # models this small only lose by sharing the work
    return tmp_path_factory.getbasetemp()


@pytest.fixture(scope="session")
def corpus(base: Path) -> "Corpus":
    """A few hundred sentences to train on."""
    from tiny import build_folder

    from respell.lab.train.dataset import Corpus

    return Corpus.read(build_folder(base, "lower"))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a real server listens."""
    from live import serving

    with serving() as live:
        yield live.url


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    from browsing import browsing

    with browsing() as browser:
        yield browser


@pytest.fixture
def context(browser: "Browser") -> "Iterator[BrowserContext]":
    from browsing import fresh

    with fresh(browser) as context:
        yield context


@pytest.fixture
def page(context: "BrowserContext", address: str) -> "Iterator[Page]":
    """The web page, in a browser without memories."""
    from browsing import visiting

    with visiting(context, address) as page:
        yield page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with fields of all kinds."""
    from extension import FIELDS

    folder = tmp_path_factory.mktemp("site")
    (folder / "index.html").write_text(FIELDS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def host(site: Path) -> "Iterator[Host]":
    from javascript import hosting

    with hosting(site) as host:
        yield host


@pytest.fixture(scope="module")
def playwright() -> "Iterator[Playwright]":
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def extension(
    playwright: "Playwright", tmp_path_factory: pytest.TempPathFactory, host: "Host"
) -> "Iterator[Extension]":
    """One browser for all tests; at the end, what it has asked for is checked."""
    from extension import build, extended, requests

    profile = tmp_path_factory.mktemp("browser")
    with extended(playwright, build() / "chromium", profile) as extension:
        yield extension
        page = extension.page(f"{host.address}/index.html")
        page.evaluate("fetch('index.html?from-the-page')")
    asked = requests(profile / "net.json")
    # What the page asks for has to be in the log, or the log proves nothing.
    assert (host.address, f"{host.address}/index.html?from-the-page") in asked
    # The browser's own requests, such as for the time, have no initiator.
    others = {who for who, _ in asked} - {host.address, "not an origin", ""}
    assert [(who, url) for who, url in asked if who in others] == []
    addresses = [url for who, url in asked if who == host.address]
    assert [url for url in addresses if not url.startswith((host.address, "data:", "blob:"))] == []
