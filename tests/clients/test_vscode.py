"""The VS Code extension in a real VS Code, driven through its interface by Chromium."""

import json
import os
import re
import signal
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs playwright")
pytest.importorskip("pygls", reason="needs the extra lsp")

import code_server
from browsing import eventually
from playwright.sync_api import Browser, expect
from studio import LETTER, MARKED, Studio, executable, opening

pytestmark = pytest.mark.clients


@pytest.fixture(scope="module")
def vsix(browser: Browser) -> tuple[Path, Path]:
    """code-server and the packaged extension; without a browser, nothing is installed."""
    return code_server.entry(), code_server.package()


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


def test_a_dictionary_that_is_not_text_is_not_overwritten(studio: Studio) -> None:
    with studio.editing() as window:
        window.squiggles(len(MARKED))
        (window.workspace / "respell.toml").write_text('dictionary_files = ["own.txt"]\n')
        (window.workspace / "own.txt").write_bytes(b"caf\xe9\n")
        window.fix(5, 83, "Add “maill” to the workspace dictionary")
        window.notified("own.txt is not UTF-8, so the word was not added")
        assert (window.workspace / "own.txt").read_bytes() == b"caf\xe9\n"


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
    with studio.editing("We recieve mail.\n\nI like \n") as window:
        window.squiggles(1)  # what is typed before the engine has started was not typed for it
        window.go_to(3, 8)
        start = time.monotonic()
        window.page.keyboard.type("teh", delay=20)
        window.page.wait_for_timeout(900)
        marked = window.marks.count()
        assert marked == 1 or time.monotonic() - start > 1.4  # on a busy machine, that is a pause
        window.squiggles(2)  # after a pause
        window.page.keyboard.type(" cat, and teh", delay=20)
        window.squiggles(2)
        window.page.keyboard.type(" dog")
        window.squiggles(3)


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


def test_fixes_on_save_are_for_the_latest_text(studio: Studio) -> None:
    with (
        studio.configured(editor__codeActionsOnSave={"source.respell.fixAll": "explicit"}),
        studio.editing("I like teh cat.\n") as window,
    ):
        window.squiggles(1)
        window.go_to(1, 1)
        window.page.keyboard.type("I am sure that ")
        window.page.keyboard.press("Control+S")  # before the changed text has been checked
        eventually(lambda: "sure" in window.file.read_text(), window.page)
        window.squiggles(0)
        window.saves("I am sure that I like the cat.\n")


@pytest.mark.parametrize("engine", ["auto", "server"])
def test_a_command_that_does_not_work(
    vsix: tuple[Path, Path], browser: Browser, tmp_path: Path, engine: str
) -> None:
    with (
        opening(vsix, tmp_path, engine, None) as (address, folder),
        Studio(browser, address, folder).editing() as window,
    ):
        command = re.escape(str(folder / "bin" / "respell"))
        notice = window.notified(
            rf"respell\.command \({command}\) does not start respell: .*ENOENT"
        )
        if engine == "server":
            expect(notice).not_to_contain_text("the engine inside")
            window.squiggles(0)
        else:
            expect(notice).to_contain_text("the engine inside the extension is used")
            window.squiggles(len(MARKED))


def test_the_local_engine_is_used_where_no_python_is_found(
    vsix: tuple[Path, Path], browser: Browser, tmp_path: Path
) -> None:
    for name in ("respell", "python", "python3"):
        executable(tmp_path / "programs" / name, "exit 127")
    with (
        opening(vsix, tmp_path, "auto", None, path=tmp_path / "programs") as (address, folder),
        Studio(browser, address, folder).editing() as window,
    ):
        window.squiggles(len(MARKED))
        item = window.page.locator(".statusbar-item", has_text="respell")
        expect(item).to_have_attribute("aria-label", re.compile("4 misspellings · local engine"))
        expect(window.page.locator(".notification-list-item")).to_have_count(0)


def test_a_server_that_stops(vsix: tuple[Path, Path], browser: Browser, tmp_path: Path) -> None:
    script = f'echo $$ > {tmp_path}/pid\nexec {sys.executable} -m respell "$@"'
    with (
        opening(vsix, tmp_path, "server", script) as (address, folder),
        Studio(browser, address, folder).editing() as window,
    ):
        count = len(MARKED)
        for word in ("", "wierd", "beleive", "libary"):  # it is started again three times
            if word:  # the marks may stay, so only a new one shows that the server is there again
                window.go_to(6, 1)
                window.page.keyboard.type(f"This {word} is new.\n")
                count += 1
            window.squiggles(count)
            window.status(f"respell {count}")
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
        notice = window.notified("respell: the language server has stopped")
        window.status("respell")
        notice.get_by_role("button", name="Restart").click()
        window.squiggles(count)


def test_a_workspace_cannot_replace_respell(
    vsix: tuple[Path, Path], browser: Browser, tmp_path: Path
) -> None:
    """Python imports modules from the current folder, so that must not be the workspace."""
    programs = tmp_path / "programs"
    executable(programs / "python3", f'exec {sys.executable} "$@"')
    executable(programs / "respell", "exit 1")
    marker = tmp_path / "imported"
    own = f"open({str(marker)!r}, 'w').close()\n"
    names = ("respell/__init__.py", "respell/__main__.py", "json.py", "pygls.py")
    with (
        opening(vsix, tmp_path, "server", None, path=programs) as (address, folder),
        Studio(browser, address, folder).editing(**dict.fromkeys(names, own)) as window,
    ):
        window.squiggles(len(MARKED))
        assert not marker.exists()


def test_a_workspace_that_is_not_trusted(
    vsix: tuple[Path, Path], browser: Browser, tmp_path: Path
) -> None:
    """Its command is not run, and its configuration file is not read."""
    marker = tmp_path / "run"
    executable(tmp_path / "evil", f"touch {marker}")
    settings = json.dumps(
        {"respell.command": [str(tmp_path / "evil")], "respell.dictionaryFile": "own.txt"}
    )
    config = 'dictionary_files = ["own.txt"]\n'
    files = {".vscode/settings.json": settings, "respell.toml": config, "own.txt": "tommorow\n"}
    script = f"touch {marker}"
    with (
        opening(vsix, tmp_path, "server", script, trusted=False) as (address, folder),
        Studio(browser, address, folder).editing(**files) as window,
    ):
        window.squiggles(len(MARKED))
        assert not marker.exists()


def test_the_package(vsix: tuple[Path, Path]) -> None:
    _, package = vsix
    assert package.stat().st_size < 40_000_000
    with zipfile.ZipFile(package) as archive:
        names = {name.removeprefix("extension/") for name in archive.namelist()}
        manifest = json.loads(archive.read("extension/package.json"))
        notices = archive.read("extension/NOTICE.txt").decode()
    assert {"LICENSE.txt", "readme.md", "dist/extension.js", "dist/engine/worker.mjs"} <= names
    assert {"dist/engine/model/model.onnx", "dist/engine/model/README.md"} <= names
    assert not [name for name in names if name.endswith((".ts", ".map")) or "node_modules" in name]
    assert "onnxruntime-web" in notices
    assert re.search(r"^vscode-languageclient .* \(MIT\)$", notices, re.MULTILINE)
    settings = manifest["contributes"]["configuration"]["properties"]
    for name, setting in settings.items():  # the page of the settings would show "null"
        if None in setting.get("enum", []):
            assert len(setting["enumItemLabels"]) == len(setting["enum"]), name
    assert "browser" not in manifest  # it needs Node, so it does not run in a browser alone


def test_the_local_engine_replaces_a_server_that_does_not_start(
    vsix: tuple[Path, Path], browser: Browser, tmp_path: Path
) -> None:
    script = 'test "$1" = --version && echo "respell 0" || { sleep 0.5; exit 2; }'
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
