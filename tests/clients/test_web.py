"""The web page in a real browser: what users do there."""

import re

import pytest
from browsing import (
    LETTER,
    TEXT,
    choose,
    click,
    drop,
    marks,
    settle,
    write,
    written,
)
from playwright.sync_api import Page, expect

import respell
from golden_answers import golden

pytestmark = pytest.mark.clients


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
