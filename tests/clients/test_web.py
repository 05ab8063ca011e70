"""The web page in a real browser: what users do there."""

import re
from statistics import quantiles

import pytest
from browsing import (
    LETTER,
    LONG_TEXT,
    TEXT,
    Gate,
    answer_with,
    choose,
    click,
    drop,
    eventually,
    marks,
    requests_to_check,
    settle,
    without_documents,
    write,
    written,
)
from playwright.sync_api import Page, expect

import respell
from golden_answers import golden

pytestmark = pytest.mark.clients

MANUAL = (
    "The refspec maps refs.\n\nEach refspec has parts. A refspec is short.\n\n"
    "This refpsec is wrong. I recieve mail, and one more refspec. The last refspec is here."
)


def test_misspellings_are_underlined_while_typing(page: Page) -> None:
    page.locator("#text").press_sequentially(TEXT)
    expect(page.locator("mark")).to_have_text(["recieve", "teh"])
    expect(page.locator("#status")).to_have_text("2 possible misspellings")
    page.keyboard.press("Home")
    page.keyboard.insert_text("🎉 Well, ")
    assert marks(page) == ["recieve", "teh"]  # they move before the response arrives
    settle(page)
    assert marks(page) == ["recieve", "teh"]


def test_accept_and_undo(page: Page) -> None:
    write(page, TEXT)
    choose(page, "recieve", "receive")
    assert written(page) == "🙂 I receive teh mail"
    assert marks(page) == ["teh"]
    page.keyboard.press("Control+z")
    settle(page)
    assert written(page) == TEXT
    assert marks(page) == ["recieve", "teh"]


def test_accept_all_can_be_undone_in_one_step(page: Page) -> None:
    write(page, LETTER)
    page.get_by_role("button", name="Accept all").click()
    settle(page)
    assert written(page) == respell.load().correct(LETTER)
    assert marks(page) == []
    page.keyboard.press("Control+z")
    assert written(page) == LETTER


def test_paragraphs_give_the_same_findings_as_the_whole_text(page: Page) -> None:
    text = "\n \t\n".join(example["text"] + "\n" for example in golden())
    without_documents(page)
    write(page, text)
    corrector = respell.load()
    assert marks(page) == [found.original for found in corrector.check(text)]
    page.get_by_role("button", name="Accept all").click()
    assert written(page) == corrector.correct(text)


def test_ignore_affects_one_place_only(page: Page) -> None:
    write(page, "I saw teh cat and teh dog.")
    choose(page, "teh", "Ignore")
    assert marks(page) == ["teh"]
    page.keyboard.press("Home")
    page.keyboard.insert_text("Yes, ")
    settle(page)
    page.get_by_role("button", name="Accept all").click()
    assert written(page) == "Yes, I saw teh cat and the dog."


def test_dictionary_survives_a_reload(page: Page) -> None:
    write(page, TEXT)
    choose(page, "teh", "Add to dictionary")
    assert marks(page) == ["recieve"]
    page.reload()
    write(page, TEXT)
    assert marks(page) == ["recieve"]
    page.get_by_label("A word to add").fill("recieve, other")
    page.keyboard.press("Enter")
    settle(page)
    assert marks(page) == []
    page.get_by_role("button", name="Remove teh").click()
    settle(page)
    assert marks(page) == ["teh"]


def test_threshold_and_preset_change_the_findings(page: Page) -> None:
    without_documents(page)
    write(page, LETTER)
    many = len(marks(page))
    page.get_by_role("slider").fill("0.995")
    settle(page)
    few = len(marks(page))
    assert few == len(respell.load(threshold=0.995).check(LETTER)) < many
    page.get_by_role("radio", name="Careful").check()
    settle(page)
    assert len(marks(page)) == len(respell.load(preset="careful").check(LETTER))
    page.reload()
    expect(page.get_by_role("radio", name="Careful")).to_be_checked()
    page.get_by_role("radio", name="Default").check()
    write(page, LETTER)
    assert len(marks(page)) == many


def test_panel_shows_probabilities(page: Page) -> None:
    write(page, f"A line before.\n\n{TEXT}")
    click(page, page.locator("mark", has_text="teh"))
    panel = page.locator("#explain")
    expect(panel.locator(".word")).to_have_text("teh")
    expect(panel.locator("li").nth(0)).to_contain_text("keep unchanged")
    expect(panel.locator("li").nth(1)).to_have_text(re.compile(r"^the(> 99\.9|9\d\.\d) %$"))
    page.keyboard.press("End")  # mail is right, and can be explained too
    expect(panel.locator(".word")).to_have_text("mail")
    expect(panel.locator(".keep .chance")).to_contain_text(re.compile(r"^9\d\.\d %$"))


def test_menu_says_whether_the_word_is_known(page: Page) -> None:
    write(page, "I recieve it. We are going too the store.")
    for word, problem in (("recieve", "Unknown word"), ("too", "May be the wrong word")):
        click(page, page.locator("mark", has_text=word))
        menu = page.get_by_role("menu", name=f"Suggestions for {word}")
        expect(menu.locator(".problem")).to_have_text(problem)
        expect(menu).to_have_attribute("aria-description", problem)
        page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("variant", "Other spelling variant"),
        ("split", "Should be two words"),
        ("join", "Should be one word"),
    ],
)
def test_menu_names_the_other_kinds(page: Page, kind: str, problem: str) -> None:
    answer_with(page, kind=kind)
    write(page, TEXT)
    click(page, page.locator("mark").first)
    menu = page.get_by_role("menu", name="Suggestions for recieve")
    expect(menu.locator(".problem")).to_have_text(problem)


def test_keyboard_only(page: Page) -> None:
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
    assert written(page) == "I received teh mail, tommorow."
    expect(page.locator("#announcement")).to_have_text("recieve replaced by received")
    settle(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("menu")).to_have_attribute("aria-label", "Suggestions for teh")
    page.keyboard.press("Tab")
    expect(page.get_by_role("menu")).to_have_attribute("aria-label", "Suggestions for tommorow")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("menu")).to_have_attribute("aria-label", "Suggestions for teh")
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Tab")  # after Escape, Tab leaves the text
    expect(page.get_by_role("button", name="Accept all")).to_be_focused()
    page.keyboard.press("Enter")
    assert written(page) == "I received the mail, tomorrow."


@pytest.mark.parametrize("width", [360, 768])
def test_narrow_screens_do_not_scroll_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    drop(page, f"{'long' * 20}.md", f"{'recieve ' * 30}{'x' * 400}".encode())
    expect(page.locator("#file-done")).to_be_visible()
    write(page, f"{'x' * 300}\n\n{LETTER} I want teh")
    page.get_by_label("A word to add").fill("y" * 80)
    page.keyboard.press("Enter")
    settle(page)
    for mark in page.locator("mark").all():
        page.keyboard.press("Escape")  # the open menu may cover the next word
        mark.scroll_into_view_if_needed()
        click(page, mark)
        expect(page.get_by_role("menu")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("size", [(1180, 760), (360, 740), (740, 360)])
def test_long_text_scrolls_inside_the_editor(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page_height = "document.documentElement.scrollHeight"
    write(page, "Short.")
    before = page.evaluate(page_height)
    write(page, LONG_TEXT)
    assert page.evaluate(page_height) == before
    page.locator("#text").press("Control+End")
    page.keyboard.type(" The end.")
    scroll = page.evaluate(
        "(({ scrollTop, scrollHeight, clientHeight }) => [scrollTop, scrollHeight - clientHeight])"
        "(document.querySelector('#editor'))"
    )
    assert scroll[0] == pytest.approx(scroll[1], abs=30)  # the caret is in view
    assert scroll[1] > 5_000
    bottom = page.locator(".bar").bounding_box()
    assert bottom is not None
    assert bottom["y"] + bottom["height"] <= size[1]
    for name in ("Accept all", "Copy", "Clear", "Open file…"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)


def test_marks_are_under_their_words_in_a_scrolled_text(page: Page) -> None:
    write(page, LONG_TEXT)
    mark = page.locator("mark").nth(200)
    mark.scroll_into_view_if_needed()
    click(page, mark)
    caret = page.evaluate("document.querySelector('#text').selectionStart")
    start = LONG_TEXT.index("recieve", LONG_TEXT.index("Letter number 201."))
    assert start <= caret <= start + len("recieve")
    expect(page.get_by_role("menu", name="Suggestions for recieve")).to_be_in_viewport(ratio=1)


def test_tab_scrolls_to_the_next_misspelling(page: Page) -> None:
    filler = "This line is fine.\n\n" * 60
    write(page, f"I recieve it.\n\n{filler}You see teh end.")
    page.locator("#text").press("Control+Home")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("menu", name="Suggestions for teh")).to_be_in_viewport(ratio=1)
    expect(page.locator("mark.active")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    assert written(page).endswith("You see the end.")


def test_menu_follows_its_word_and_closes_with_it(page: Page) -> None:
    write(page, "Fine.\n\n" * 5 + "I recieve it." + "\n\nFine." * 80)
    page.locator("#editor").evaluate("node => node.scrollTo(0, 0)")
    click(page, page.locator("mark"))
    menu = page.get_by_role("menu")
    expect(menu).to_be_visible()
    scroll = "(node, by) => node.scrollBy(0, by)"
    before = menu.bounding_box()
    page.locator("#editor").evaluate(scroll, 100)

    def is_below_its_word() -> bool:
        after, word = menu.bounding_box(), page.locator("mark").bounding_box()
        assert after is not None
        assert word is not None
        return after != before and bool(abs(after["y"] - (word["y"] + word["height"])) < 10)

    eventually(is_below_its_word, page)
    page.locator("#editor").evaluate(scroll, 3_000)
    expect(menu).to_have_count(0)
    expect(page.locator("#text")).to_be_focused()


def test_example_text(page: Page) -> None:
    button = page.get_by_role("button", name="Example text")
    button.click()
    settle(page)
    assert written(page).startswith("Dear Alex,")
    assert page.locator("mark[data-kind=nonword]").count() >= 3
    assert page.locator("mark[data-kind=realword]").count() >= 3
    expect(button).to_be_hidden()
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Control+z")
    assert written(page) == ""
    expect(button).to_be_visible()


def test_clear_can_be_undone(page: Page) -> None:
    clear = page.get_by_role("button", name="Clear", exact=True)
    undo = page.get_by_role("button", name="Undo")
    expect(clear).to_be_disabled()
    expect(undo).to_be_hidden()
    write(page, TEXT)
    clear.click()
    assert written(page) == ""
    assert marks(page) == []
    expect(page.locator("#status")).to_have_text("Text cleared")
    undo.click()
    assert written(page) == TEXT
    expect(page.locator("mark")).to_have_text(["recieve", "teh"])
    expect(undo).to_be_hidden()
    clear.focus()
    page.keyboard.press("Enter")
    assert written(page) == ""
    page.keyboard.press("Control+z")
    assert written(page) == TEXT
    clear.click()
    page.keyboard.type("New text.")
    expect(undo).to_be_hidden()


def test_kinds_have_different_underlines(page: Page) -> None:
    write(page, "I recieve it. We are going too the store.")
    legend = page.get_by_role("list", name="Meaning of the underlines")
    expect(legend.get_by_role("listitem")).to_have_text(["unknown word", "may be the wrong word"])
    line = "node => getComputedStyle(node).textDecorationStyle"
    for kind, style in (("nonword", "wavy"), ("realword", "dotted")):
        assert page.locator(f"mark[data-kind={kind}]").evaluate(line) == style
        assert legend.locator(f"[data-kind={kind}]").evaluate(line) == style


def test_other_kinds_have_an_underline_too(page: Page) -> None:
    answer_with(page, kind='"><img src=x onerror=alert(1)>')
    write(page, TEXT)
    mark = page.locator("mark").first
    assert mark.evaluate("node => getComputedStyle(node).textDecorationStyle") == "dashed"
    expect(page.get_by_role("listitem").filter(has_text="other mistake")).to_be_visible()
    click(page, mark)
    menu = page.get_by_role("menu", name="Suggestions for recieve")
    expect(menu.locator(".problem")).to_have_text("Possible mistake")
    assert page.locator("img").count() == 0


def test_only_the_changed_paragraph_is_sent(page: Page) -> None:
    assert len(LONG_TEXT) > 50_000
    sent = requests_to_check(page)
    write(page, LONG_TEXT)
    assert "".join(text for body in sent for text in body["text"]) == LONG_TEXT
    assert len(sent) > 5
    sent.clear()
    place = LONG_TEXT.index("Letter number 150.")
    page.locator("#text").evaluate("(node, at) => node.setSelectionRange(at, at)", place)
    page.keyboard.insert_text("Also teh ")
    settle(page)
    assert [text[:27] for body in sent for text in body["text"]] == ["Also teh Letter number 150."]
    assert len(marks(page)) == 301
    sent.clear()
    page.keyboard.press("Control+z")
    settle(page)
    assert written(page) == LONG_TEXT
    assert len(marks(page)) == 300
    assert sent == []


def test_terms_of_the_text_are_not_underlined(page: Page) -> None:
    documents = requests_to_check(page, document=True)
    write(page, MANUAL)
    expect(page.locator("mark")).to_have_text(["refpsec", "recieve"])
    assert len(documents) == 1
    assert "".join(documents[0]["text"]) == MANUAL
    click(page, page.locator("mark").first)
    menu = page.get_by_role("menu", name="Suggestions for refpsec")
    expect(menu.get_by_role("menuitem").first).to_have_text(re.compile("refspec"))
    page.keyboard.press("Escape")
    page.locator("#text").press("Control+End")
    page.keyboard.type(" And a refspec.")
    settle(page)
    assert marks(page) == ["refpsec", "recieve"]  # known as a term before the next request
    expect(page.locator("mark")).to_have_text(["refpsec", "recieve"])


def test_a_text_without_findings_is_not_checked_as_a_document(page: Page) -> None:
    documents = requests_to_check(page, document=True)
    write(page, "All is well.")
    page.wait_for_timeout(1_500)
    assert documents == []


def test_answers_are_kept_for_every_choice_of_options(page: Page) -> None:
    sent = requests_to_check(page)
    write(page, TEXT)
    page.get_by_role("radio", name="Careful").check()
    settle(page)
    assert [body["preset"] for body in sent] == ["default", "careful"]
    page.get_by_role("radio", name="Default").check()
    settle(page)
    assert len(sent) == 2
    assert marks(page) == ["recieve", "teh"]


@pytest.mark.parametrize("separator", ["\n\n", "\n", " "])
def test_key_strokes_in_a_long_text_are_fast(page: Page, separator: str) -> None:
    sent = requests_to_check(page)
    write(page, LONG_TEXT.replace("\n\n", separator))
    sent.clear()
    times = page.evaluate(
        """() => {
             const text = document.querySelector("#text");
             text.focus();
             text.setSelectionRange(25_000, 25_000);
             return Array.from("some more words here", (letter) => {
               const start = performance.now();
               document.execCommand("insertText", false, letter);
               document.body.getBoundingClientRect(); // with the layout
               return performance.now() - start;
             });
           }"""
    )
    # Other processes can delay some key strokes on a busy machine.
    assert quantiles(times, n=4)[0] < 50
    settle(page)
    assert 0 < sum(len(text) for body in sent for text in body["text"]) < 8_000


def test_first_underlines_appear_before_the_rest_is_checked(page: Page) -> None:
    gate = Gate(page)
    page.locator("#text").fill(LONG_TEXT)
    expect(page.locator("mark").first).to_be_visible()
    expect(page.locator("body")).to_have_attribute("data-state", "checking")
    expect(page.locator("#status")).to_have_text("Checking…")
    gate.open()
    settle(page)
    assert len(marks(page)) == 300


def test_the_visible_part_is_checked_first(page: Page) -> None:
    write(page, "")
    sent = requests_to_check(page)
    page.locator("#text").evaluate(
        """(node, text) => {
             node.value = text;
             node.dispatchEvent(new InputEvent("input", { bubbles: true }));
             const editor = document.querySelector("#editor");
             editor.scrollTo(0, editor.scrollHeight / 2);
           }""",
        LONG_TEXT,
    )
    settle(page)
    first = re.match(r"Letter number (\d+)", sent[0]["text"][0])
    assert first is not None
    assert 140 < int(first[1]) < 160
    assert len(marks(page)) == 300


def test_typing_does_not_wait_for_a_long_check(page: Page) -> None:
    gate = Gate(page, hold=1)
    page.locator("#text").fill(LONG_TEXT)
    expect(page.locator("mark").first).to_be_visible()
    sent = requests_to_check(page)
    page.locator("#text").press("Control+Home")
    page.keyboard.insert_text("Also teh ")
    expect(page.locator("mark").first).to_have_text("teh")
    assert sent[0]["text"][0].startswith("Also teh Letter number 1.")
    assert len(gate.held) == 1
    expect(page.locator("body")).to_have_attribute("data-state", "checking")
    gate.open()
    settle(page)
    assert len(marks(page)) == 301


def test_markdown(page: Page) -> None:
    text = (
        "# Teh title\n\nA [lnik](teh/lnik.png) and `teh`.\n\n```\nteh\n\nrecieve\n```\n\nTeh end."
    )
    sent = requests_to_check(page)
    without_documents(page)
    write(page, text)
    assert sent[0]["format"] == "plain"
    plain = len(marks(page))
    page.get_by_role("checkbox", name="Skip Markdown markup").check()
    settle(page)
    assert sent[-1]["format"] == "markdown"
    wanted = respell.load().check(text, format="markdown")
    assert marks(page) == [found.original for found in wanted]
    assert 0 < len(wanted) < plain
    sent.clear()
    page.locator("#text").press("Control+End")
    page.keyboard.insert_text(" Of teh text.")
    settle(page)
    assert [body["text"] for body in sent] == [["Teh end. Of teh text."]]


def test_a_markdown_file_opens_as_markdown(page: Page) -> None:
    drop(page, "notes.md", b"I recieve `teh` mail.")
    page.get_by_role("button", name="Open in the editor").click()
    settle(page)
    expect(page.get_by_role("checkbox", name="Skip Markdown markup")).to_be_checked()
    assert marks(page) == ["recieve"]
    drop(page, "notes.txt", b"I recieve teh mail.")
    page.get_by_role("button", name="Open in the editor").click()
    settle(page)
    expect(page.get_by_role("checkbox", name="Skip Markdown markup")).not_to_be_checked()
    assert marks(page) == ["recieve", "teh"]


def test_controls_can_be_used_with_the_keyboard(page: Page) -> None:
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Example text")).to_be_focused()
    page.keyboard.press("Enter")
    settle(page)
    page.keyboard.press("Escape")
    for name in ("Accept all", "Copy", "Clear", "Open file…"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name=name, exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("checkbox", name="Skip Markdown markup")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox", name="Skip Markdown markup")).to_be_checked()
    for _ in range(2):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    assert written(page).startswith("Dear Alex,")
