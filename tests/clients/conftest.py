"""What the tests of the browser extension share. Browsers are imported when a test wants one."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from extension import Extension
    from javascript import Host
    from playwright.sync_api import Playwright


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
