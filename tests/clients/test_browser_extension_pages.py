"""The browser extension in pages of all kinds, and in the editors that pages have."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import eventually
from extension import FOLDER, KINDS, TYPED, Extension, Stage, build, value, write
from javascript import Host
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.clients


@pytest.fixture
def page(extension: Extension, host: Host) -> Iterator[Page]:
    with extension.fields(host.address) as page:
        yield page


def test_other_languages_are_left_alone(page: Page) -> None:
    stage = Stage(page)
    write(page, "textarea", "Gestern haben wir lange im Garten gesessen und über alles geredet. ")
    write(page, "editable", "Yesterday we sat in teh garden for a long time and talked about it. ")
    stage.wait("teh")
    page.evaluate("document.documentElement.lang = 'de'")
    write(page, "input", "Gestern im Garten ")
    page.wait_for_timeout(1_000)
    assert stage.marks() == ["teh"]


def test_frames_shadow_trees_and_dialogs(page: Page) -> None:
    stage = Stage(page)
    page.evaluate(
        """() => {
             const frame = document.createElement("iframe"); // as editors make it
             document.body.prepend(frame);
             frame.contentDocument.write("<body contenteditable=true id=inside></body>");
             frame.contentDocument.close();
             const host = document.createElement("div");
             document.body.prepend(host);
             host.attachShadow({ mode: "open" }).innerHTML = "<textarea id=deep></textarea>";
             const dialog = document.createElement("dialog");
             dialog.innerHTML = "<textarea id=asking></textarea>";
             document.body.append(dialog);
           }"""
    )
    page.frames[1].locator("#inside").click()
    page.keyboard.type("It is wierd. ")
    stage.wait("wierd")
    write(page, "deep", "We beleive it. ")
    stage.wait("wierd", "beleive")
    page.evaluate("document.querySelector('dialog').showModal()")
    write(page, "asking", TYPED)
    stage.wait("wierd", "beleive", "recieve", "teh")
    stage.choose("teh", "the")
    assert value(page, "asking") == "I recieve the mail. "


FULL_SCREEN = """(name) => addEventListener("keydown", ({ key }) => {
  if (key === "F2") document.querySelector(name).requestFullscreen();
  if (key === "F4") document.exitFullscreen();
})"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_of_a_page_that_fills_the_screen(page: Page, kind: str) -> None:
    stage = Stage(page)
    page.evaluate("document.body.innerHTML = `<main>${document.body.innerHTML}</main>`")
    page.evaluate(FULL_SCREEN, "main")
    write(page, kind)
    stage.wait("recieve", "teh")
    for key in ("F2", "F4", "F2"):
        page.keyboard.press(key)
        page.wait_for_function(
            f"Boolean(document.fullscreenElement) === {str(key == 'F2').lower()}"
        )
        the_mark_is_at_its_word(page, stage, kind)
    stage.choose("teh", "the")
    stage.wait("recieve")
    assert value(page, kind).rstrip() == "I recieve the mail."


@pytest.mark.parametrize("kind", ["textarea", "editable"])
def test_nothing_is_added_to_a_field_that_fills_the_screen(page: Page, kind: str) -> None:
    stage = Stage(page)
    page.evaluate(FULL_SCREEN, f"#{kind}")
    page.locator(f"#{kind}").focus()
    page.keyboard.press("F2")
    page.wait_for_function("document.fullscreenElement !== null")
    write(page, kind)
    stage.wait("recieve", "teh")
    box = stage.box("teh")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(500)
    assert stage.menu() == []
    assert page.locator(f"#{kind} *").count() == 0


def test_a_line_shows_whole_marks(page: Page) -> None:
    """A line has so little room below its text that a wavy line must be drawn on its border."""
    stage = Stage(page)
    write(page, "input", "We recieve it. ")
    stage.wait("recieve")
    (layer,) = stage.run("return root.querySelector('.layer').getBoundingClientRect().toJSON()")
    assert layer["bottom"] == page.evaluate("input.getBoundingClientRect().bottom")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("node.dir = 'rtl'", "שלום עולם we recieve it."),
        ("node.dir = 'auto'", "שלום עולם we recieve it."),
        ("node.dir = 'auto'", "שלום עולם\nAnd we recieve it."),
        ("node.style.textAlign = 'right'", "We recieve it."),
        ("node.style.textAlign = 'center'", "We recieve it."),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_marks_in_aligned_text(page: Page, kind: str, change: str, text: str) -> None:
    stage = Stage(page)
    page.locator(f"#{kind}").evaluate(f"(node) => {{ {change}; }}")
    page.locator(f"#{kind}").focus()
    page.keyboard.insert_text(text)
    stage.wait("recieve")
    the_mark_is_at_its_word(page, stage, kind)


@pytest.mark.parametrize(
    "style",
    [
        "body { zoom: 1.5 }",
        "textarea, input, div { zoom: 0.7 }",
        "body { transform: scale(0.8); transform-origin: 0 0 }",
        "* { font: 22px/2 serif; letter-spacing: 2px; text-indent: 20px; padding: 9px 3px 0 30px }",
        "html { writing-mode: vertical-rl }",
        "body { height: 3000px; padding-top: 900px }",
    ],
)
def test_marks_on_pages_with_a_style(page: Page, style: str) -> None:
    stage = Stage(page)
    page.add_style_tag(content=style)
    for kind in KINDS:
        write(page, kind, "We recieve it. ")
    stage.wait(*["recieve"] * 3)
    for kind in KINDS:
        page.locator(f"#{kind}").focus()
        page.locator(f"#{kind}").scroll_into_view_if_needed()
        the_mark_is_at_its_word(page, stage, kind)
        page.keyboard.press("Escape")
        page.locator(f"#{kind}").evaluate("(node) => node.remove()")


def the_mark_is_at_its_word(page: Page, stage: Stage, kind: str) -> None:
    """Check that a double click on the mark selects the word; the mark may still be moving."""
    eventually(lambda: selected_at_the_mark(page, stage, kind) == "recieve", page)


def selected_at_the_mark(page: Page, stage: Stage, kind: str) -> str:
    """The word that a double click on the mark selects."""
    box = stage.box("recieve")
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    selected: str = page.evaluate(
        """(kind) => {
             const node = document.getElementById(kind);
             if (kind === "editable") return getSelection().toString();
             return node.value.slice(node.selectionStart, node.selectionEnd);
           }""",
        kind,
    )
    return selected.strip()


@pytest.mark.parametrize(
    "policy",
    [
        "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        "default-src 'none'; sandbox",
    ],
)
def test_pages_with_a_strict_policy(
    extension: Extension, host: Host, site: Path, policy: str
) -> None:
    page = extension.context.new_page()
    errors: list[str] = []
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    headers = {"content-type": "text/html", "content-security-policy": policy}
    body = (site / "index.html").read_text(encoding="utf-8")
    page.route("**/strict.html", lambda route: route.fulfill(body=body, headers=headers))
    page.goto(f"{host.address}/strict.html")
    own = list(errors)  # the style of the page itself is refused
    stage = Stage(page)
    for kind in KINDS:
        write(page, kind)
    stage.wait(*["recieve", "teh"] * 3)
    stage.choose("teh", "the")
    stage.wait(*["recieve"] * 3, *["teh"] * 2)
    assert errors == own
    page.close()


def test_frames_without_an_origin(page: Page) -> None:
    stage = Stage(page)
    page.evaluate(
        """() => {
             const add = (attributes) => {
               const frame = document.createElement("iframe");
               Object.assign(frame, attributes);
               document.body.prepend(frame);
             };
             add({ srcdoc: "<div contenteditable>x </div>" });
             add({ sandbox: "", srcdoc: "<div contenteditable>x </div>" });
             add({ src: "data:text/html,<div contenteditable>x </div>" });
           }"""
    )
    eventually(lambda: len(page.frames) == 4, page)
    for frame in page.frames[1:]:
        frame.locator("[contenteditable]").click()
        page.keyboard.press("End")
        page.keyboard.type("It is wierd. ", delay=5)
    stage.wait(*["wierd"] * 3)


def test_code_in_prose_is_not_checked(page: Page) -> None:
    page.locator("#editable").evaluate(
        "(node) => { node.innerHTML = '<p>Run <code>teh recieve</code> befor lunch.</p>"
        "<pre>teh</pre><ul><li>One wierd item</li></ul>'; }"
    )
    page.locator("#editable").focus()
    stage = Stage(page)
    stage.wait("befor", "wierd")
    for tag in ("pre", "code"):  # as small editors of code on pages are made
        page.evaluate(
            """(tag) => {
                 const node = document.createElement(tag);
                 node.id = `${tag}-editor`;
                 node.contentEditable = "true";
                 document.body.append(node);
               }""",
            tag,
        )
        write(page, f"{tag}-editor")
    write(page, "input", "We beleive it. ")
    stage.wait("befor", "beleive", "wierd")
    page.wait_for_timeout(1_000)
    assert sorted(stage.marks()) == ["befor", "beleive", "wierd"]


# --- real editors ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def editors(site: Path, host: Host) -> str:
    build()
    command = ["node", "test/build.mjs", str(site)]
    subprocess.run(command, cwd=FOLDER, check=True, capture_output=True)
    return f"{host.address}/editors.html"


@pytest.mark.parametrize("name", ["lexical", "prosemirror", "quill"])
def test_editors_of_prose(extension: Extension, editors: str, name: str) -> None:
    extension.worker.evaluate("() => chrome.storage.local.clear()")
    page = extension.page(editors)
    stage = Stage(page)
    area = page.locator(f"#{name}[contenteditable], #{name} [contenteditable=true]").first
    area.click()
    page.keyboard.type(TYPED, delay=5)
    stage.wait("recieve", "teh")
    page.wait_for_timeout(1_000)  # so that the correction is a step of its own for the editor
    stage.choose("recieve", "receive")
    stage.wait("teh")
    expect(area).to_have_text("I receive teh mail.")
    page.keyboard.press("Control+z")
    stage.wait("recieve", "teh")
    expect(area).to_have_text("I recieve teh mail.")
    page.close()


@pytest.mark.parametrize("name", ["line", "area"])
def test_fields_that_a_framework_controls(extension: Extension, editors: str, name: str) -> None:
    """React keeps the text in a state of its own, and writes it back after every change."""
    extension.worker.evaluate("() => chrome.storage.local.clear()")
    page = extension.page(editors)
    stage = Stage(page)
    state = page.locator("#state")
    page.locator(f"#{name}").click()
    page.keyboard.type(TYPED, delay=5)
    stage.wait("recieve", "teh")
    stage.choose("recieve", "receive")
    stage.wait("teh")
    expect(state).to_have_text("I receive teh mail. ", use_inner_text=False)
    page.keyboard.press("Control+z")
    stage.wait("recieve", "teh")
    expect(state).to_have_text("I recieve teh mail. ")
    page.evaluate("window.setState('All is wierd.')")
    stage.wait("wierd")
    page.close()


@pytest.mark.parametrize("address", ["", "?textarea"])
def test_editors_of_code(extension: Extension, editors: str, address: str) -> None:
    page = extension.page(editors + address)
    stage = Stage(page)
    for name in ("codemirror", "ace", "monaco"):
        box = page.locator(f"#{name}").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 12)
        page.keyboard.type(TYPED, delay=5)
        expect(page.locator(f"#{name}")).to_contain_text("recieve")
    page.locator("#prosemirror [contenteditable]").click()
    page.keyboard.type("It is wierd. ", delay=5)
    stage.wait("wierd")
    page.wait_for_timeout(1_000)
    assert stage.marks() == ["wierd"]
    page.close()
