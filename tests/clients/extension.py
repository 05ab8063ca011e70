"""Drive the browser extension in Chromium."""

import base64
import functools
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browsing import ARGUMENTS, CHROMIUM, WAIT_MS, eventually
from javascript import PACKAGE, install, npm
from playwright.sync_api import BrowserContext, CDPSession, Page, Playwright, Worker

FOLDER = Path(__file__).parents[2] / "editors" / "browser"
KINDS = ["textarea", "input", "editable"]
TYPED = "I recieve teh mail. "
FIELDS = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Fields</title>
<style>
  body { font: 16px sans-serif; }
  textarea, input, [contenteditable] { display: block; margin: 8px; width: 500px; }
  [contenteditable] { min-height: 60px; border: 1px solid; }
</style>
<body>
<textarea id="textarea" rows="4"></textarea>
<input id="input">
<div id="editable" contenteditable="true"></div>
<input id="password" type="password">
<input id="shown" type="password">
<input id="code" name="otp">
<input id="dots" style="-webkit-text-security: disc">
<input id="address" autocomplete="shipping street-address">
<input id="email" type="email">
<textarea id="unchecked" spellcheck="false"></textarea>
<div spellcheck="false"><textarea id="inherited"></textarea></div>
<div id="off" contenteditable="true" spellcheck="false"></div>
<textarea id="german" lang="de"></textarea>
</body></html>
"""
_IN_STAGE = "function(script, given) { return new Function('root', 'given', script)(this, given); }"


@functools.cache
def build() -> Path:
    """Build the extension, and return the folder with the unpacked ones."""
    for folder in (PACKAGE, FOLDER):
        install(folder)
    done = npm("run", "build", folder=FOLDER)
    assert done.returncode == 0, done.stdout + done.stderr
    return FOLDER / "dist"


@dataclass(frozen=True)
class Extension:
    """A browser with the extension."""

    context: BrowserContext
    worker: Worker
    net_log: Path

    @property
    def origin(self) -> str:
        return str(self.worker.url).rpartition("/")[0]

    def page(self, address: str) -> Page:
        """Open a page."""
        page = self.context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.goto(address)
        return page

    @contextmanager
    def fields(self, address: str) -> Iterator[Page]:
        """Open the page with fields of all kinds, with the settings of a new user."""
        self.worker.evaluate("() => chrome.storage.local.clear()")
        page = self.page(f"{address}/index.html")
        yield page
        page.close()


@contextmanager
def extended(playwright: Playwright, folder: Path, profile: Path) -> Iterator[Extension]:
    """Start Chromium with the unpacked extension; skips the test if it is not installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    net_log = profile / "net.json"
    arguments = [argument for argument in ARGUMENTS if argument != "--headless"]
    context = playwright.chromium.launch_persistent_context(
        profile / "profile",
        executable_path=CHROMIUM,
        ignore_default_args=["--disable-extensions", "--headless"],
        args=[
            *arguments,
            "--headless=new",
            f"--disable-extensions-except={folder}",
            f"--load-extension={folder}",
            "--disable-features=DisableLoadExtensionCommandLineSwitch",
            f"--log-net-log={net_log}",
        ],
        viewport={"width": 900, "height": 700},
    )
    workers = context.service_workers
    worker = workers[0] if workers else context.wait_for_event("serviceworker")
    yield Extension(context, worker, net_log)
    context.close()


def requests(net_log: Path) -> list[tuple[str, str]]:
    """Who asked for which address: everything that has left the browser."""
    lines = net_log.read_text(encoding="utf-8").splitlines()  # an event on each
    events = [json.loads(line.rstrip(",")) for line in lines if line.startswith('{"params"')]
    found = {
        (str(params.get("initiator", "")), params["url"])
        for params in (event.get("params", {}) for event in events)
        if "url" in params
    }
    return sorted(found)


class Stage:
    """What the extension draws in a page; the page itself cannot see it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._session: CDPSession = page.context.new_cdp_session(page)

    def _roots(self) -> list[int]:
        document = self._session.send("DOM.getDocument", {"depth": -1, "pierce": True})

        def walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
            yield node
            inside = [*node.get("children", []), *node.get("shadowRoots", [])]
            for child in [*inside, *filter(None, [node.get("contentDocument")])]:
                yield from walk(child)

        hosts = [node for node in walk(document["root"]) if node["localName"] == "respell-marks"]
        return [host["shadowRoots"][0]["backendNodeId"] for host in hosts]

    def run(self, script: str, given: Any = None) -> list[Any]:
        """Run a script with each `root` of the extension."""
        found = []
        for node in self._roots():
            handle = self._session.send("DOM.resolveNode", {"backendNodeId": node})["object"]
            call = {
                "functionDeclaration": _IN_STAGE,
                "objectId": handle["objectId"],
                "arguments": [{"value": script}, {"value": given}],
                "returnByValue": True,
            }
            done = self._session.send("Runtime.callFunctionOn", call)
            assert "exceptionDetails" not in done, done
            found.append(done["result"].get("value"))
        return found

    def plain(self) -> list[str]:
        """The marked words of text areas and lines."""
        script = "return [...root.querySelectorAll('mark')].map((mark) => mark.textContent)"
        return [word for words in self.run(script) for word in words]

    def rich(self) -> list[str]:
        """The marked words of editable elements, in all frames."""
        script = "[...CSS.highlights.values()].flatMap((all) => [...all].map(String))"
        return sorted(word for frame in self.page.frames for word in frame.evaluate(script))

    def marks(self) -> list[str]:
        """All marked words."""
        return [*self.plain(), *self.rich()]

    def wait(self, *words: str) -> None:
        """Wait until exactly these words are marked."""
        wanted = sorted(words)
        for _ in range(WAIT_MS // 100):
            if sorted(self.marks()) == wanted:
                return
            self.page.wait_for_timeout(100)
        assert sorted(self.marks()) == wanted

    def box(self, word: str) -> dict[str, float]:
        """Where a marked word is, once it stays there."""
        boxes = [self._box(word)]
        for _ in range(WAIT_MS // 200):
            self.page.wait_for_timeout(200)
            boxes.append(self._box(word))
            last = boxes[-1]
            if last is not None and last == boxes[-2]:
                return last
        raise AssertionError(f"{word}: {boxes[-2:]}")

    def _box(self, word: str) -> dict[str, float] | None:
        script = """
          const mark = [...root.querySelectorAll('mark')].find((one) => one.textContent === given);
          return mark ? mark.getBoundingClientRect().toJSON() : null;
        """
        found = [box for box in self.run(script, word) if box]
        if not found:
            script = """(word) => {
              const all = [...CSS.highlights.values()].flatMap((ranges) => [...ranges]);
              const range = all.find((range) => String(range) === word);
              return range ? range.getBoundingClientRect().toJSON() : null;
            }"""
            found = [self.page.evaluate(script, word)]
        box: dict[str, float] | None = found[0]
        return box

    def open(self, word: str) -> None:
        """Click a marked word, and wait for its menu."""
        box = self.box(word)
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.asks(word)

    def asks(self, word: str | None) -> None:
        """Wait until the menu of a word is open, or none."""
        script = """
          const menu = root.querySelector('.menu:not([hidden])');
          return menu ? menu.getAttribute('aria-label') : null;
        """
        wanted = [] if word is None else [f"Suggestions for {word}"]
        eventually(lambda: [one for one in self.run(script) if one] == wanted, self.page)

    def menu(self) -> list[str]:
        """The items of the open menu."""
        script = """
          const labels = root.querySelectorAll('.menu:not([hidden]) button .label');
          return [...labels].map((one) => one.textContent);
        """
        return [label for labels in self.run(script) for label in labels]

    def choose(self, word: str, item: str) -> None:
        """Open the menu of a word, and click an item."""
        self.open(word)
        script = """
          const items = [...root.querySelectorAll('.menu:not([hidden]) button')];
          const found = items.find((one) => one.querySelector('.label').textContent === given);
          return found ? found.getBoundingClientRect().toJSON() : null;
        """
        (box,) = [box for box in self.run(script, item) if box]
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def announces(self, message: str) -> None:
        """Wait for what screen readers are told."""
        script = "return root.querySelector('.announcement').textContent"
        eventually(lambda: "".join(self.run(script)) == message, self.page)


class Hidden:
    """A document of the extension that Playwright does not know; this speaks to it."""

    def __init__(self, extension: Extension, page: Page, name: str) -> None:
        browser = extension.context.browser
        assert browser is not None
        self._session = browser.new_browser_cdp_session()
        self._name = name
        eventually(lambda: len(self._targets()) == 1, page)
        (self._target,) = self._targets()
        attach = {"targetId": self._target, "flatten": False}
        self._id = self._session.send("Target.attachToTarget", attach)["sessionId"]
        self._page = page
        self._answers: dict[int, Any] = {}
        self._last = 0
        self._session.on("Target.receivedMessageFromTarget", self._received)

    def _targets(self) -> list[str]:
        targets = self._session.send("Target.getTargets")["targetInfos"]
        return [one["targetId"] for one in targets if one["url"].endswith(f"/{self._name}")]

    def _received(self, event: dict[str, Any]) -> None:
        message = json.loads(event["message"])
        if "id" in message:
            self._answers[message["id"]] = message["result"]

    def send(self, method: str, **params: Any) -> Any:
        """Send a command of the DevTools protocol."""
        self._last += 1
        message = json.dumps({"id": self._last, "method": method, "params": params})
        self._session.send(
            "Target.sendMessageToTarget", {"message": message, "sessionId": self._id}
        )
        for _ in range(WAIT_MS // 50):
            if self._last in self._answers:
                return self._answers.pop(self._last)
            self._page.wait_for_timeout(50)
        raise AssertionError(f"no answer to {method}")

    def evaluate(self, script: str) -> Any:
        """The value of an expression."""
        done = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def wait(self, script: str, pattern: str) -> str:
        """Wait until the value of an expression matches, as a text."""
        for _ in range(WAIT_MS // 100):
            value = str(self.evaluate(script))
            if re.search(pattern, value):
                return value
            self._page.wait_for_timeout(100)
        raise AssertionError(f"{script}: {value}")

    def picture(self, path: Path, *, scheme: str) -> None:
        """Take a screenshot with a light or dark colour scheme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", features=features)
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        self._session.send("Target.closeTarget", {"targetId": self._target})
        eventually(lambda: not self._targets(), self._page)
        self._session.detach()


class Popup(Hidden):
    """The popup of the toolbar button."""

    def __init__(self, extension: Extension, page: Page) -> None:
        page.bring_to_front()
        extension.worker.evaluate("() => chrome.action.openPopup()")
        super().__init__(extension, page, "popup.html")


def value(page: Page, kind: str) -> str:
    """The text of a field."""
    node = page.locator(f"#{kind}")
    text = str(node.inner_text() if kind == "editable" else node.input_value())
    return text.replace("\u00a0", " ")


def write(page: Page, kind: str, text: str = TYPED) -> None:
    """Type at the end of a field."""
    page.locator(f"#{kind}").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(text, delay=5)
