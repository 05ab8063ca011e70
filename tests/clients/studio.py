"""Drive VS Code, with the extension, through its interface."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import code_server
from browsing import WAIT_MS
from playwright.sync_api import Browser, Locator, Page, expect

import respell

LETTER = """\
# A letter

😀 I hope you will recieve the answer tommorow.

They lost there keys in the `recieve` buffer, and our colleague Frobnitz has the maill.
"""
MARKED = ["recieve", "tommorow", "there", "maill"]


@contextmanager
def opening(
    vsix: tuple[Path, Path],
    folder: Path,
    engine: str,
    script: str | None,
    *,
    path: Path | None = None,
    trusted: bool = True,
) -> Iterator[tuple[str, Path]]:
    """Start VS Code with a shell script as the command. Yields its address and its folder.

    Without a script, the command is missing. `path` is a folder to search for programs.
    """
    program, package = vsix
    command = folder / "bin" / "respell"
    if script is not None:
        executable(command, script)
    machine = folder / "user" / "Machine" / "settings.json"
    machine.parent.mkdir(parents=True)
    machine.write_text(json.dumps({} if path else {"respell.command": [str(command)]}))
    settings = {
        "respell.engine": engine,
        "workbench.colorTheme": "Default Light Modern",
        "workbench.startupEditor": "none",
        "workbench.tips.enabled": False,
        "editor.minimap.enabled": False,
        "editor.wordWrap": "on",
        "files.autoSave": "off",
        "git.enabled": False,
        "remote.autoForwardPorts": False,
        "window.commandCenter": False,
        "telemetry.telemetryLevel": "off",
        "security.workspace.trust.startupPrompt": "never",
    }
    environment = {"PYTHONPATH": str(Path(respell.__file__).parents[1])}
    if path:  # VS Code takes the environment of a login shell
        for name in (".profile", ".bash_profile"):
            (folder / name).write_text(f"export PATH={path}:$PATH\n")
        environment["PATH"] = f"{path}{os.pathsep}{os.environ['PATH']}"
    with code_server.serving(
        program,
        folder,
        extensions=code_server.installed(program, package),
        settings=settings,
        environment=environment,
        trusted=trusted,
    ) as address:
        yield address, folder


def executable(path: Path, script: str) -> None:
    """Write a shell script that can be run."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


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
    def editing(
        self, text: str = LETTER, name: str = "letter.md", **files: str
    ) -> Iterator["Window"]:
        """A window with a workspace of its own, in which a file is open."""
        self._count += 1
        workspace = self.folder / f"workspace{self._count}"
        for path, content in {name: text, **files}.items():
            (workspace / path).parent.mkdir(parents=True, exist_ok=True)
            (workspace / path).write_text(content, encoding="utf-8")
        context = self.browser.new_context(viewport={"width": 1000, "height": 560})
        context.set_default_timeout(WAIT_MS)
        try:
            page = context.new_page()
            target = f"vscode-remote://{self.address.removeprefix('http://')}{workspace / name}"
            payload = json.dumps([["openFile", target]])
            page.goto(f"{self.address}/?folder={workspace}&payload={payload}")
            expect(page.locator(".monaco-editor .view-line").first).to_be_visible()
            yield Window(page, workspace, name)
        finally:
            context.close()


class Window:
    """A window of VS Code with one file."""

    def __init__(self, page: Page, workspace: Path, name: str) -> None:
        self.page = page
        self.workspace = workspace
        self.file = workspace / name
        self.asking = page.locator(".quick-input-widget")
        """The line at the top that asks for a command or a place."""

    @property
    def marks(self) -> Locator:
        """The marked words; a word may have several pieces."""
        return self.page.locator(".squiggly-warning, .squiggly-info")

    def squiggles(self, count: int) -> None:
        """Wait until so many words are marked."""
        expect(self.marks).to_have_count(count)

    def status(self, text: str) -> None:
        """Wait for the text of the item in the status bar."""
        item = self.page.locator(".statusbar-item", has_text="respell")
        expect(item).to_have_text(text)

    def notified(self, pattern: str) -> Locator:
        """Wait for a notification."""
        found = self.page.locator(".notification-list-item", has_text=re.compile(pattern))
        expect(found).to_be_visible()
        return found

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor at a place."""
        self.page.locator(".monaco-editor .view-lines").first.click()
        self.page.keyboard.press("Control+G")
        expect(self.asking).to_be_visible()
        self.page.keyboard.type(f"{line}:{column}")
        self.page.keyboard.press("Enter")
        expect(self.asking).to_be_hidden()
        # An emoji is two columns for the editor and one for the status bar.
        expect(self.page.locator(".statusbar")).to_contain_text(f"Ln {line}, Col ")

    def fix(self, line: int, column: int, title: str) -> None:
        """Choose a quick fix for the word at a place."""
        self.go_to(line, column)
        menu = self.page.locator(".action-widget")
        for _ in range(WAIT_MS // 5_000):  # VS Code forgets the question if marks change meanwhile
            self.page.keyboard.press("Control+.")
            with suppress(AssertionError):
                expect(menu).to_be_visible(timeout=5_000)
                break
        expect(menu).to_be_visible()
        choice = menu.get_by_text(title, exact=True)
        choice.hover(force=True)  # the menu takes no click before the mouse has moved
        choice.click()
        expect(menu).to_be_hidden()

    def command(self, title: str) -> None:
        """Run a command from the palette."""
        self.page.keyboard.press("F1")
        expect(self.asking).to_be_visible()
        self.page.keyboard.type(title)
        rows = self.asking.locator(".monaco-list-row", has_text=title)
        rows.first.click()
        expect(self.asking).to_be_hidden()

    def saves(self, text: str) -> None:
        """Save until the file has a text: an edit may take a moment to arrive."""
        for _ in range(50):
            self.page.keyboard.press("Control+S")
            self.page.wait_for_timeout(200)
            if self.file.read_text(encoding="utf-8") == text:
                return
        assert self.file.read_text(encoding="utf-8") == text
