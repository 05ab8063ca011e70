"""The VS Code extension in a real VS Code, driven through its interface by Chromium."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs playwright")
pytest.importorskip("pygls", reason="needs the extra lsp")

import code_server
from browsing import eventually
from playwright.sync_api import Browser, Page, expect

import respell

pytestmark = pytest.mark.clients

LETTER = """\
# A letter

😀 I hope you will recieve the answer tommorow.

They lost there keys in the `recieve` buffer, and our colleague Frobnitz has the maill.
"""
MARKED = ["recieve", "tommorow", "there", "maill"]
WAIT = 30_000


@pytest.fixture(scope="module")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """code-server and the packaged extension."""
    program = code_server.entry()
    return program, code_server.package(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module", params=["server", "local"])
def studio(
    request: pytest.FixtureRequest,
    vsix: tuple[Path, Path],
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator["Studio"]:
    """A VS Code with the extension and one of its engines."""
    script = f'exec {sys.executable} -m respell "$@"'
    with opening(vsix, tmp_path_factory.mktemp(request.param), request.param, script) as (
        address,
        folder,
    ):
        yield Studio(browser, address, folder)


@contextmanager
def opening(
    vsix: tuple[Path, Path], folder: Path, engine: str, script: str
) -> Iterator[tuple[str, Path]]:
    """Start VS Code with a shell script as the command. Yields its address and its folder."""
    program, package = vsix
    if engine != "server" and not (package.parent / "engine").exists():
        pytest.skip("the local engine needs the JavaScript package in js/")
    command = folder / "respell"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    machine = folder / "user" / "Machine" / "settings.json"
    machine.parent.mkdir(parents=True)
    machine.write_text(json.dumps({"respell.command": [str(command)]}))
    settings = {
        "respell.engine": engine,
        "workbench.colorTheme": "Default Light Modern",
        "workbench.startupEditor": "none",
        "workbench.tips.enabled": False,
        "editor.minimap.enabled": False,
        "editor.wordWrap": "on",
        "git.enabled": False,
        "window.commandCenter": False,
        "telemetry.telemetryLevel": "off",
    }
    source = str(Path(respell.__file__).parents[1])
    with code_server.serving(
        program,
        folder,
        extensions=[package],
        settings=settings,
        environment={"PYTHONPATH": source},
    ) as address:
        yield address, folder


class Studio:
    """A running VS Code."""

    def __init__(self, browser: Browser, address: str, folder: Path) -> None:
        self.browser = browser
        self.address = address
        self.folder = folder
        self._count = 0

    @property
    def user_settings(self) -> dict[str, object]:
        file = self.folder / "user" / "User" / "settings.json"
        settings: dict[str, object] = json.loads(file.read_text())
        return settings

    @contextmanager
    def configured(self, **settings: object) -> Iterator[None]:
        """Change the settings of the user, for windows that are opened next."""
        file = self.folder / "user" / "User" / "settings.json"
        before = file.read_text()
        values = {key.replace("__", "."): value for key, value in settings.items()}
        file.write_text(json.dumps({**json.loads(before), **values}))
        try:
            yield
        finally:
            file.write_text(before)

    @contextmanager
    def editing(self, text: str = LETTER, name: str = "letter.md") -> Iterator["Window"]:
        """A window with a workspace of its own, in which a file is open."""
        self._count += 1
        workspace = self.folder / f"workspace{self._count}"
        workspace.mkdir()
        (workspace / name).write_text(text, encoding="utf-8")
        context = self.browser.new_context(viewport={"width": 1000, "height": 560})
        context.set_default_timeout(WAIT)
        try:
            page = context.new_page()
            target = f"vscode-remote://{self.address.removeprefix('http://')}{workspace / name}"
            payload = json.dumps([["openFile", target]])
            page.goto(f"{self.address}/?folder={workspace}&payload={payload}")
            expect(page.locator(".monaco-editor .view-line").first).to_be_visible(timeout=WAIT)
            yield Window(page, workspace, name)
        finally:
            context.close()


class Window:
    """A window of VS Code with one file."""

    def __init__(self, page: Page, workspace: Path, name: str) -> None:
        self.page = page
        self.workspace = workspace
        self.file = workspace / name

    def squiggles(self, count: int) -> None:
        """Wait until so many words are marked; a marked word may have several pieces."""
        marks = self.page.locator(".squiggly-warning, .squiggly-info")
        expect(marks).to_have_count(count, timeout=WAIT)

    def status(self, text: str) -> None:
        """Wait for the text of the item in the status bar."""
        item = self.page.locator(".statusbar-item", has_text="respell")
        expect(item).to_have_text(text, timeout=WAIT)

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor at a place."""
        self.page.locator(".monaco-editor .view-lines").first.click()
        self.page.keyboard.press("Control+G")
        self.page.keyboard.type(f"{line}:{column}")
        self.page.keyboard.press("Enter")
        # An emoji is two columns for the editor and one for the status bar.
        expect(self.page.locator(".statusbar")).to_contain_text(f"Ln {line}, Col ")

    def fix(self, line: int, column: int, title: str) -> None:
        """Choose a quick fix for the word at a place."""
        self.go_to(line, column)
        self.page.keyboard.press("Control+.")
        menu = self.page.locator(".action-widget")
        expect(menu).to_be_visible()
        choice = menu.get_by_text(title, exact=True)
        choice.hover(force=True)  # the menu takes no click before the mouse has moved
        choice.click()
        expect(menu).to_be_hidden()

    def command(self, title: str) -> None:
        """Run a command from the palette."""
        self.page.keyboard.press("F1")
        self.page.keyboard.type(title)
        self.page.locator(".quick-input-list .monaco-list-row").first.click()

    def saves(self, text: str) -> None:
        """Save until the file has a text: an edit may take a moment to arrive."""
        for _ in range(50):
            self.page.keyboard.press("Control+S")
            self.page.wait_for_timeout(200)
            if self.file.read_text(encoding="utf-8") == text:
                return
        assert self.file.read_text(encoding="utf-8") == text


SERVER = pytest.mark.parametrize("studio", ["server"], indirect=True)
"""For what does not depend on the engine."""


def test_misspellings_are_marked_and_fixed(studio: Studio) -> None:
    with studio.editing() as window:
        window.squiggles(len(MARKED))
        window.status(f"respell {len(MARKED)}")
        window.fix(3, 22, "Replace “recieve” with “receive”")
        window.squiggles(len(MARKED) - 1)
        window.fix(5, 12, "Replace “there” with “their”")
        window.squiggles(len(MARKED) - 2)
        window.command("respell: Fix All Misspellings in This File")
        window.squiggles(0)
        window.status("respell")
        text = LETTER.replace("will recieve", "will receive").replace("there", "their")
        window.saves(text.replace("tommorow", "tomorrow").replace("maill", "mail"))


def test_a_word_is_added_to_the_workspace(studio: Studio) -> None:
    with studio.editing() as window:
        window.squiggles(len(MARKED))
        window.fix(5, 83, "Add “maill” to the workspace dictionary")
        window.squiggles(len(MARKED) - 1)
        assert (window.workspace / "respell-words.txt").read_text() == "maill\n"
        settings = json.loads((window.workspace / ".vscode" / "settings.json").read_text())
        assert settings == {"respell.dictionaryFile": "respell-words.txt"}
        window.saves(LETTER)


def test_the_dictionary_of_a_configuration_file_is_used(studio: Studio) -> None:
    with studio.editing() as window:
        window.squiggles(len(MARKED))
        (window.workspace / "respell.toml").write_text('dictionary_files = ["own.txt"]\n')
        (window.workspace / "own.txt").write_text("tommorow")
        window.saves(LETTER)
        window.squiggles(len(MARKED) - 1)
        window.fix(5, 83, "Add “maill” to the workspace dictionary")
        window.squiggles(len(MARKED) - 2)
        assert (window.workspace / "own.txt").read_text() == "tommorow\nmaill\n"
        assert not (window.workspace / ".vscode").exists()


@SERVER
def test_a_word_is_added_to_the_user(studio: Studio) -> None:
    with studio.configured(), studio.editing() as window:
        window.squiggles(len(MARKED))
        window.fix(5, 83, "Add “maill” to the user dictionary")
        window.squiggles(len(MARKED) - 1)
        eventually(lambda: studio.user_settings.get("respell.dictionary") == ["maill"], window.page)


def test_a_line_and_a_word_are_ignored(studio: Studio) -> None:
    with studio.editing() as window:
        window.squiggles(len(MARKED))
        window.fix(3, 22, "Ignore this line (adds a comment)")
        window.squiggles(2)
        window.fix(5, 83, "Ignore “maill” in this file for now")
        window.squiggles(1)
        text = LETTER.replace("tommorow.", "tommorow. <!-- respell: ignore -->")
        window.saves(text)


def test_a_word_is_not_marked_while_it_is_typed(studio: Studio) -> None:
    with studio.editing("All is well.\n\nI like \n") as window:
        window.status("respell")
        window.go_to(3, 8)
        window.page.keyboard.type("teh", delay=20)
        window.page.wait_for_timeout(900)
        window.squiggles(0)
        window.squiggles(1)  # after a pause
        window.page.keyboard.type(" cat, and teh", delay=20)
        window.squiggles(1)
        window.page.keyboard.type(" dog")
        window.squiggles(2)


@SERVER
def test_only_enabled_languages_are_checked(studio: Studio) -> None:
    text = "# I like teh cat.\n"
    with studio.editing(text, "cat.py") as window:
        window.status("respell")
        window.page.wait_for_timeout(1500)
        window.squiggles(0)
    with (
        studio.configured(respell__languages=["python"]),
        studio.editing(text, "cat.py") as window,
    ):
        window.squiggles(1)
        window.fix(1, 10, "Ignore this line (adds a comment)")
        window.squiggles(0)
        window.saves("# I like teh cat. # respell: ignore\n")


@SERVER
def test_it_can_be_turned_off(studio: Studio) -> None:
    with studio.editing() as window:
        window.squiggles(len(MARKED))
        window.page.locator(".statusbar-item", has_text="respell").click()
        window.page.locator(".quick-input-list").get_by_text("Turn off", exact=True).click()
        window.squiggles(0)
        window.command("respell: Turn On or Off")
        window.squiggles(len(MARKED))


def test_the_local_engine_replaces_a_server_that_does_not_start(
    vsix: tuple[Path, Path], browser: Browser, tmp_path: Path
) -> None:
    script = 'test "$1" = --version && echo "respell 0" || exit 2'
    with (
        opening(vsix, tmp_path, "auto", script) as (address, folder),
        Studio(browser, address, folder).editing() as window,
    ):
        window.squiggles(len(MARKED))


@SERVER
@pytest.mark.parametrize(("look", "theme"), [("light", "Light"), ("dark", "Dark")])
def test_screenshots(studio: Studio, look: str, theme: str, tmp_path: Path) -> None:
    """Pictures for the docs, written to the folder RESPELL_SCREENSHOTS if that is set."""
    folder = Path(os.environ.get("RESPELL_SCREENSHOTS") or tmp_path)
    looks = studio.configured(workbench__colorTheme=f"Default {theme} Modern")
    with looks, studio.editing() as window:
        window.squiggles(len(MARKED))
        window.go_to(3, 22)
        window.page.keyboard.press("Control+.")
        expect(window.page.locator(".action-widget")).to_contain_text("workspace dictionary")
        picture = folder / f"vscode-{look}.png"
        window.page.screenshot(path=picture)
        assert picture.stat().st_size > 10_000
