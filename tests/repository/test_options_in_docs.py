"""The pages name every option of the command line and every key of the configuration."""

import re
from pathlib import Path

import pytest

from respell.cli.args import parser
from respell.cli.reports.render import FORMATS
from respell.config import _KEYS

DOCS = Path(__file__).parents[2] / "docs"
PARSER = parser(formats=FORMATS)


def named(page: str) -> set[str]:
    """All options that a page names as code."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(re.findall(r"`[^`\n]+`", text))))


@pytest.mark.parametrize(
    ("page", "commands"),
    [
        ("cli.md", ["check", "fix", "words"]),
        ("server.md", ["serve"]),
        ("browser.md", ["page"]),
    ],
)
def test_every_option_is_in_the_docs(page: str, commands: list[str]) -> None:
    options = {
        string
        for command in commands
        for action in PARSER.commands[command].options
        for string in action.option_strings
        if string.startswith("--") and string != "--help"
    }
    assert len(options) > 2
    assert options - named(page) == set()


def test_every_command_is_in_the_docs() -> None:
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert [name for name in PARSER.commands if f"`respell {name}" not in text] == []


def test_every_key_of_the_configuration_is_in_the_docs() -> None:
    example = (DOCS / "cli.md").read_text(encoding="utf-8").partition("[tool.respell]\n")[2]
    keys = re.findall(r"^(\w+) =", example.partition("```")[0], re.MULTILINE)
    assert set(keys) == set(_KEYS)
