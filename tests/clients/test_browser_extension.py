"""The browser extension, unpacked in a real browser."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest
from browsing import LETTER, LONG_TEXT, eventually
from extension import (
    FOLDER,
    KINDS,
    TYPED,
    Extension,
    Hidden,
    Popup,
    Stage,
    build,
    extended,
    value,
    write,
)
from javascript import Host, npm
from playwright.sync_api import Page, Playwright, expect

import respell
from respell.types import PRESETS

pytestmark = pytest.mark.clients
WEB_EXT = "web-ext@10.6.0"


@pytest.fixture
def page(extension: Extension, host: Host) -> Iterator[Page]:
    with extension.fields(host.address) as page:
        yield page


@pytest.mark.parametrize("kind", KINDS)
def test_it_marks_corrects_and_undoes(page: Page, kind: str) -> None:
    stage = Stage(page)
    write(page, kind)
    stage.wait("recieve", "teh")
    stage.choose("recieve", "receive")
    stage.wait("teh")
    assert value(page, kind).rstrip() == "I receive teh mail."
    page.keyboard.press("Control+z")
    stage.wait("recieve", "teh")
    assert value(page, kind).rstrip() == TYPED.rstrip()
    page.keyboard.press("Control+Shift+z")
    stage.wait("teh")
    page.keyboard.type("!")
    assert value(page, kind).rstrip() == "I receive! teh mail."


@pytest.mark.parametrize("kind", ["textarea", "input"])
def test_a_word_that_does_not_fit_is_not_replaced(page: Page, kind: str) -> None:
    text = "We can accomodate you. "
    page.locator(f"#{kind}").evaluate("(node, most) => { node.maxLength = most; }", len(text))
    stage = Stage(page)
    write(page, kind, text)
    stage.wait("accomodate")
    stage.choose("accomodate", "accommodate")
    stage.announces("accomodate could not be replaced by accommodate")
    assert value(page, kind) == text
    page.locator(f"#{kind}").evaluate("(node) => { node.maxLength += 1; }")
    stage.choose("accomodate", "accommodate")
    stage.wait()
    assert value(page, kind) == "We can accommodate you. "


@pytest.mark.parametrize("kind", KINDS)
def test_the_marks_are_at_their_words(page: Page, kind: str) -> None:
    stage = Stage(page)
    write(page, kind, "Some words, and then we recieve it. ")
    stage.wait("recieve")
    box = stage.box("recieve")
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    selected = page.evaluate(
        """(kind) => {
             const node = document.getElementById(kind);
             if (kind === "editable") return getSelection().toString();
             return node.value.slice(node.selectionStart, node.selectionEnd);
           }""",
        kind,
    )
    assert selected.strip() == "recieve"


def test_the_marks_follow_the_scrolled_text(page: Page) -> None:
    stage = Stage(page)
    page.locator("#textarea").fill(
        "\n".join(f"You will recieve letter {i} in May." for i in range(40))
    )
    write(page, "textarea", " The last wierd line. ")
    stage.wait(*["recieve"] * 40, "wierd")
    box, area = stage.box("wierd"), page.locator("#textarea").bounding_box()
    assert area is not None
    assert area["y"] < box["y"] < area["y"] + area["height"]
    stage.choose("wierd", "weird")
    assert value(page, "textarea").endswith(" The last weird line. ")
    page.evaluate("document.body.style.paddingTop = '90px'")  # no event tells of this
    moved = page.locator("#textarea").bounding_box()
    assert moved is not None
    assert moved["y"] > area["y"] + 50
    script = "return root.querySelector('.layer').getBoundingClientRect().y"
    eventually(lambda: abs(stage.run(script)[0] - moved["y"]) < 3, page)


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_that_is_being_typed_is_not_marked(page: Page, kind: str) -> None:
    stage = Stage(page)
    write(page, kind, "Please recieve my mail and teh")
    stage.wait("recieve")
    page.wait_for_timeout(1_000)
    assert stage.marks() == ["recieve"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    stage.wait("recieve", "teh")


def test_nothing_is_marked_where_it_should_not_be(page: Page) -> None:
    stage = Stage(page)
    page.evaluate("document.getElementById('shown').type = 'text'")  # "show the password"
    left_alone = [
        "password",
        "shown",
        "code",
        "dots",
        "address",
        "unchecked",
        "inherited",
        "off",
        "german",
    ]
    for name in left_alone:
        write(page, name)
    page.locator("#email").fill("recieve@teh.example")
    page.locator("#textarea").evaluate("(node) => { node.readOnly = true; }")
    page.locator("#textarea").evaluate("(node, text) => { node.value = text; }", TYPED)
    page.locator("#textarea").click()
    write(page, "editable", "This is wierd. ")
    stage.wait("wierd")
    page.wait_for_timeout(1_000)
    assert stage.marks() == ["wierd"]


def test_the_dictionary(page: Page, extension: Extension, host: Host) -> None:
    stage = Stage(page)
    text = "We deploy with Kubernettes and recieve it. "
    write(page, "textarea", text)
    other = extension.page(f"{host.address}/index.html")
    write(other, "editable", text)
    Stage(other).wait("Kubernettes", "recieve")
    page.bring_to_front()
    stage.wait("Kubernettes", "recieve")
    stage.choose("Kubernettes", "Add to dictionary")
    stage.wait("recieve")
    stage.announces("Kubernettes added to your dictionary")
    assert value(page, "textarea") == text
    Stage(other).wait("recieve")
    other.close()
    options = extension.page(f"{extension.origin}/options.html")
    expect(options.locator("#words li")).to_have_text(["Kubernettes✕"])
    options.get_by_role("button", name="Remove Kubernettes").click()
    stage.wait("Kubernettes", "recieve")
    options.get_by_label("Words to add").fill("kubernettes, recieve")
    options.get_by_role("button", name="Add").click()
    stage.wait()
    options.close()


def test_the_list_of_words(extension: Extension) -> None:
    extension.worker.evaluate("() => chrome.storage.local.clear()")
    options = extension.page(f"{extension.origin}/options.html")
    words = options.get_by_role("list", name="Your dictionary").get_by_role("listitem")
    options.evaluate(
        """() => {
             for (const words of ["alpha", "beta, Alpha", "gamma"]) { // faster than they are stored
               document.getElementById("word").value = words;
               document.getElementById("add").requestSubmit();
             }
           }"""
    )
    expect(words).to_have_text(["alpha✕", "beta✕", "gamma✕"])
    options.get_by_role("button", name="Remove beta").focus()
    for left in (["alpha✕", "gamma✕"], ["alpha✕"], []):  # the keyboard stays in the list
        options.keyboard.press("Enter")
        expect(words).to_have_text(left)
    expect(options.get_by_label("Words to add")).to_be_focused()
    most = "chrome.storage.local.QUOTA_BYTES"
    options.evaluate(f"chrome.storage.local.set({{ other: 'x'.repeat({most} - 100) }})")
    options.keyboard.type("delta" * 30)
    options.keyboard.press("Enter")
    expect(options.get_by_role("alert")).to_contain_text("This could not be stored: ")
    expect(words).to_have_count(0)
    options.evaluate("chrome.storage.local.clear()")
    options.keyboard.type("delta")
    options.keyboard.press("Enter")
    expect(words).to_have_text(["delta✕"])
    expect(options.get_by_role("alert")).to_be_hidden()
    options.close()


def test_a_word_can_be_ignored_at_one_place(page: Page) -> None:
    stage = Stage(page)
    write(page, "editable", "We recieve it. We recieve it again. ")
    stage.wait("recieve", "recieve")
    stage.choose("recieve", "Ignore here")
    stage.wait("recieve")
    page.keyboard.press("Control+End")
    page.keyboard.type("More of it. ")
    page.wait_for_timeout(1_000)
    assert stage.marks() == ["recieve"]


def test_the_popup_switches_a_site_off(page: Page, extension: Extension, host: Host) -> None:
    stage = Stage(page)
    write(page, "textarea")
    write(page, "editable")
    stage.wait(*["recieve", "teh"] * 2)
    popup = Popup(extension, page)
    site = popup.wait("document.getElementById('site').textContent", ":")
    assert site == host.address.removeprefix("http://")
    popup.wait("document.getElementById('model').textContent", r"Model: .*, edition \d+")
    popup.wait("document.getElementById('on').checked", "True")
    popup.evaluate("document.getElementById('on').click()")
    stage.wait()
    popup.close()
    page.bring_to_front()
    write(page, "input")
    page.wait_for_timeout(1_000)
    assert stage.marks() == []
    page.reload()
    write(page, "textarea")
    page.wait_for_timeout(1_000)
    assert stage.marks() == []
    popup = Popup(extension, page)
    popup.wait("document.getElementById('site').textContent", ":")
    popup.wait("document.getElementById('on').checked", "False")
    popup.evaluate("document.getElementById('on').click()")
    popup.close()
    page.locator("#textarea").focus()
    stage.wait("recieve", "teh")


def test_presets_and_variants(page: Page, extension: Extension) -> None:
    stage = Stage(page)
    text = (
        "I would of gone if i knew. Their going too the beech tommorow. We except your offer, "
        "and loose more books then last year. The colour is fine. "
    )
    write(page, "textarea", text)
    found = {p: respell.load(preset=p).check_document(text) for p in PRESETS}  # after a pause
    wanted = {p: [c.original for c in found[p]] for p in PRESETS}
    assert len({len(words) for words in wanted.values()}) == 3
    stage.wait(*wanted["default"])
    options = extension.page(f"{extension.origin}/options.html")
    for preset in ("careful", "noisy", "default"):
        options.get_by_role("radio", name=preset).check()
        stage.wait(*wanted[preset])
    options.get_by_label("Spelling").select_option("en-US")
    stage.wait(*wanted["default"], "colour")
    options.close()


def test_the_keyboard_is_enough(page: Page, extension: Extension) -> None:
    stage = Stage(page)
    write(page, "editable", "We recieve teh wierd mail. ")
    stage.wait("recieve", "teh", "wierd")
    shortcut = "() => chrome.commands.onCommand.dispatch('next-misspelling')"
    extension.worker.evaluate(shortcut)
    stage.asks("recieve")
    assert "receive" in stage.menu()
    assert stage.run("return root.activeElement?.textContent.includes('receive')") == [True]
    page.keyboard.press("Tab")
    stage.asks("teh")
    assert "the" in stage.menu()
    page.keyboard.press("Enter")
    stage.wait("recieve", "wierd")
    assert value(page, "editable").rstrip() == "We recieve the wierd mail."
    extension.worker.evaluate(shortcut)
    stage.asks("wierd")
    assert "weird" in stage.menu()
    page.keyboard.press("Escape")
    stage.asks(None)
    page.keyboard.type("strange")
    assert value(page, "editable").rstrip() == "We recieve the strange mail."


SPY = """
  const connect = chrome.runtime.connect.bind(chrome.runtime);
  globalThis.asked = [];
  chrome.runtime.connect = (...given) => {
    const port = connect(...given);
    const post = port.postMessage.bind(port);
    port.postMessage = (message) => { asked.push(message); post(message); };
    return port;
  };
"""


class Spy:
    """Sees what the extension's script in a page asks of the model."""

    def __init__(self, page: Page, extension: Extension) -> None:
        self._session = page.context.new_cdp_session(page)
        self._contexts: list[int] = []
        self._session.on("Runtime.executionContextCreated", self._note)
        self._origin = extension.origin
        self._session.send("Runtime.enable")
        self._run(SPY)

    def _note(self, event: dict[str, Any]) -> None:
        if event["context"]["origin"] == self._origin:
            self._contexts.append(event["context"]["id"])

    def _run(self, script: str) -> Any:
        (context,) = self._contexts
        call = {"expression": script, "contextId": context, "returnByValue": True}
        return self._session.send("Runtime.evaluate", call)["result"].get("value")

    def texts(self) -> list[str]:
        """The texts since the last call."""
        return list(self._run("asked.splice(0).flatMap((message) => message.given[0])"))

    def calls(self) -> list[str]:
        """What the script has asked for since the last call."""
        return list(self._run("asked.splice(0).map((message) => message.name)"))


@pytest.mark.parametrize("kind", ["textarea", "editable"])
def test_only_the_changed_paragraph_is_checked(page: Page, extension: Extension, kind: str) -> None:
    stage, spy = Stage(page), Spy(page, extension)
    text = "\n\n".join(LONG_TEXT.split("\n\n")[:60])
    page.locator(f"#{kind}").focus()
    page.keyboard.insert_text(text)
    stage.wait(*["recieve"] * 60)
    assert len(spy.texts()) == 60
    page.keyboard.press("Control+Home")
    page.keyboard.type("Also teh ")
    stage.wait(*["recieve"] * 60, "teh")
    asked = spy.texts()
    assert 0 < len(asked) < 9
    assert all("Letter number 1." in one for one in asked)


def test_terms_of_the_text_are_not_marked(page: Page, extension: Extension) -> None:
    """When the user pauses, the whole text is checked as one document."""
    stage, spy = Stage(page), Spy(page, extension)
    page.locator("#textarea").focus()
    page.keyboard.insert_text("A refspec maps refs.\n\n" * 6)
    page.keyboard.insert_text("Gestern haben wir lange im Garten gesessen und geredet.\n\n")
    page.keyboard.insert_text("The last line is about teh refpsec. ")
    stage.wait("teh", "refpsec")
    stage.open("refpsec")
    assert stage.menu()[0] == "refspec"
    assert "checkDocument" in spy.calls()


@pytest.mark.parametrize("kind", KINDS)
def test_input_methods(page: Page, kind: str) -> None:
    stage = Stage(page)
    write(page, kind, "I recieve it. ")
    stage.wait("recieve")
    session = page.context.new_cdp_session(page)
    composed = {"text": "teh", "selectionStart": 3, "selectionEnd": 3}
    session.send("Input.imeSetComposition", composed)
    page.wait_for_timeout(800)
    assert stage.marks() == ["recieve"]
    session.send("Input.insertText", {"text": "teh"})
    page.keyboard.press("Home")  # the word is complete; nothing else is typed
    stage.wait("recieve", "teh")
    assert value(page, kind).rstrip() == "I recieve it. teh"


@pytest.mark.parametrize("kind", ["textarea", "editable"])
def test_key_strokes_in_a_long_text_are_fast(page: Page, kind: str) -> None:
    text = "\n\n".join([LONG_TEXT] * 4)
    assert len(text) > 200_000
    page.locator(f"#{kind}").evaluate(
        """(node, text) => {
             if (node.id === "textarea") node.value = text;
             else node.innerHTML = text.replaceAll(/.+/g, "<p>$&</p>");
           }""",
        text,
    )
    page.locator(f"#{kind}").focus()
    Stage(page).wait(*["recieve"] * 1_200)  # the same paragraphs are checked once
    times = page.evaluate(
        """() => Array.from("some more words here", (letter) => {
             const start = performance.now();
             document.execCommand("insertText", false, letter);
             document.body.getBoundingClientRect(); // with the layout
             return performance.now() - start;
           })"""
    )
    # Other processes can delay some key strokes on a busy machine.
    assert quantiles(times, n=4)[0] < 50


def test_the_model_is_loaded_again_when_it_has_been_closed(
    page: Page, extension: Extension
) -> None:
    stage, spy = Stage(page), Spy(page, extension)
    write(page, "textarea")
    stage.wait("recieve", "teh")
    eventually(lambda: "checkDocument" in spy.calls(), page)  # the last request before a pause
    # What it does itself when nobody has asked for long; it has no time to answer.
    Hidden(extension, page, "offscreen.html").evaluate("setTimeout(() => close(), 100) && null")
    documents = "() => chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] })"
    eventually(lambda: extension.worker.evaluate(documents) == [], page)
    write(page, "textarea", "It is wierd. ")
    stage.wait("recieve", "teh", "wierd")


def test_marks_go_with_their_fields(page: Page) -> None:
    stage = Stage(page)
    for kind in KINDS:
        write(page, kind)
    stage.wait(*["recieve", "teh"] * 3)
    page.locator("#textarea").evaluate("(node) => { node.value = 'All is well.'; }")
    stage.wait(*["recieve", "teh"] * 2)
    page.locator("#input").evaluate("(node) => node.remove()")
    stage.wait("recieve", "teh")
    page.locator("#editable").evaluate(
        "(node) => { node.innerHTML = '<p>It is <b>wie</b>rd.</p>'; }"
    )
    stage.wait("wierd")


def test_the_extension_can_contact_no_one(page: Page, extension: Extension, host: Host) -> None:
    options = extension.page(f"{extension.origin}/options.html")
    fetched = "(url) => fetch(url).then(() => 'sent', (error) => error.message)"
    assert options.evaluate(fetched, f"{host.address}/index.html") == "Failed to fetch"
    assert page.evaluate(fetched, f"{host.address}/index.html") == "sent"
    options.close()
    manifest = extension.worker.evaluate("() => chrome.runtime.getManifest()")
    assert sorted(manifest["permissions"]) == ["offscreen", "storage"]
    assert not {"host_permissions", "optional_permissions", "web_accessible_resources"} & set(
        manifest
    )


# --- other browsers and faults -----------------------------------------------------------------


def test_a_damaged_model(tmp_path: Path, playwright: Playwright, host: Host) -> None:
    copy = tmp_path / "extension"
    subprocess.run(["cp", "-r", build() / "chromium", copy], check=True)
    path = copy / "engine" / "model" / "lexicon.txt"
    path.write_bytes(path.read_bytes()[:-1])
    with extended(playwright, copy, tmp_path) as extension:
        page = extension.page(f"{host.address}/index.html")
        write(page, "textarea")
        popup = Popup(extension, page)
        shown = popup.wait("document.getElementById('model').textContent", "cannot be used")
        assert "lexicon.txt: damaged" in shown
        assert value(page, "textarea") == TYPED
        assert Stage(page).marks() == []


def test_it_needs_no_service_worker_and_leaves_no_marks(
    playwright: Playwright, tmp_path: Path, host: Host
) -> None:
    with extended(playwright, build() / "chromium", tmp_path) as extension:
        page = extension.page(f"{host.address}/index.html")
        stage, exceptions = Stage(page), exceptions_in(page)
        write(page, "textarea")
        stage.wait("recieve", "teh")
        assert extension.context.browser is not None
        session = extension.context.browser.new_browser_cdp_session()

        def workers() -> list[str]:
            targets = session.send("Target.getTargets")["targetInfos"]
            return [one["targetId"] for one in targets if one["type"] == "service_worker"]

        (worker,) = workers()
        session.send("Target.closeTarget", {"targetId": worker})
        eventually(lambda: not workers(), page)
        write(page, "textarea", "It is wierd. ")
        stage.wait("recieve", "teh", "wierd")
        assert not workers()  # it was not needed
        # Without the developer mode, Chromium does not start it again.
        options = extension.page(f"{extension.origin}/options.html")
        page.bring_to_front()
        stage.open("teh")
        options.evaluate("setTimeout(() => chrome.runtime.reload(), 100) && null")
        stage.wait()
        stage.asks(None)
        for kind in KINDS:
            write(page, kind, "We beleive it. ")
        assert value(page, "textarea").endswith("It is wierd. We beleive it. ")
        page.wait_for_timeout(1_000)
        assert stage.marks() == []
        assert page.locator("respell-marks").count() == 0
        assert exceptions == []


def exceptions_in(page: Page) -> list[str]:
    """What scripts of the page and of extensions throw there; the list grows."""
    found: list[str] = []
    session = page.context.new_cdp_session(page)
    session.on("Runtime.exceptionThrown", lambda event: found.append(json.dumps(event)))
    session.send("Runtime.enable")
    return found


def test_the_firefox_build_passes_its_linter() -> None:
    build()
    run = ("exec", "--yes", "--package", WEB_EXT, "--", "web-ext")
    if npm(*run, "--version", folder=FOLDER).returncode:
        pytest.skip(f"npm cannot install {WEB_EXT} here")
    done = npm(*run, "lint", "--output", "json", "-s", "dist/firefox", folder=FOLDER)
    summary = json.loads(done.stdout)["summary"]
    assert (summary["errors"], summary["notices"]) == (0, 0), done.stdout
    assert summary["warnings"] <= 1, done.stdout  # an import in onnxruntime-web


def test_it_works_in_firefox(host: Host) -> None:
    build()
    program = shutil.which("firefox") or shutil.which("firefox-esr")
    if program is None:
        pytest.skip("no Firefox is installed")
    command = ["node", "--experimental-websocket", "--no-warnings", "test/firefox.mjs"]
    done = subprocess.run(
        [*command, program, f"{host.address}/index.html"],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "corrected and undone in an editable element and a text area\n"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screenshots(extension: Extension, site: Path, host: Host, scheme: str) -> None:
    (site / "mail.html").write_text(MAIL, encoding="utf-8")
    extension.worker.evaluate("() => chrome.storage.local.clear()")
    page = extension.page(f"{host.address}/mail.html")
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 760, "height": 470})
    stage = Stage(page)
    page.locator("#subject").click()
    page.keyboard.type("Your libary books ")
    page.locator("#body").click()
    page.keyboard.insert_text(LETTER.removeprefix("🙂 "))
    stage.wait("libary", *(c.original for c in respell.load().check(LETTER)))
    stage.open("recieve")
    assert stage.menu()[0] == "receive"
    script = "return getComputedStyle(root.querySelector('.menu')).backgroundColor"
    wanted = {"light": "rgb(255, 255, 255)", "dark": "rgb(43, 46, 49)"}
    assert stage.run(script) == [wanted[scheme]]
    out = os.environ.get("RESPELL_SCREENSHOTS")
    if out:
        page.screenshot(path=Path(out) / f"extension-{scheme}.png")
    popup = Popup(extension, page)
    popup.wait("document.getElementById('model').textContent", "edition")
    assert popup.evaluate("document.querySelectorAll('#presets input').length") == len(PRESETS)
    if out:
        popup.picture(Path(out) / f"extension-popup-{scheme}.png", scheme=scheme)
    popup.close()
    page.close()


MAIL = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>New message</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 24px; background: light-dark(#eef0f3, #121416); font: 16px system-ui; }
  main { padding: 20px 24px; border-radius: 12px; background: light-dark(#fff, #1e2124); }
  input, #body { box-sizing: border-box; width: 100%; border: 0; outline: 0; background: none;
    color: inherit; font: inherit; }
  input { padding: 8px 0; border-bottom: 1px solid light-dark(#dde1e6, #3a3f44); }
  #body { min-height: 290px; padding: 16px 0; line-height: 1.6; white-space: pre-wrap; }
</style>
<main>
<input id="to" type="email" value="alex@example.org" aria-label="To">
<input id="subject" placeholder="Subject">
<div id="body" contenteditable="true"></div>
</main></html>
"""
