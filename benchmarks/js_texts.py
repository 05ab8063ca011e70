"""Random texts: those of the tests, changed."""

import ast
import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
HALF = re.compile("[\ud800-\udfff]")
"""Two halves of a surrogate pair side by side would be one character in JavaScript."""
FOREIGN: Mapping[str, str] = {
    group[0]: group[1:]
    for group in (
        "aаαàạ cсç dđð eеéếε hħḥн iіıíι kкκ lłӏļ nŋñ oоοøộö pрρ rгř sѕßš tтŧτ uυựü vѵν wԝω xхχ "
        "yуγý AАΑÀ IІİΙ SЅŠ"
    ).split()
}
"""Letters that look alike, some of other scripts."""
SCRIPTS = "test_formats test_more_formats test_source_code test_text test_properties".split()
ODD = (
    *"éßİıſKǅﬁœ\u0301\u00ad\u200b\u200d\ufeff\u2028\x85\x1c\xa0\t\r\f\x00²½٣१一Ⅷ_",
    *("😀", "👩\u200d👩\u200d👧", "🇫🇷", "𝒜𝓁𝓅𝒽𝒶", "\U0001d7d9", "Привет", "مرحبا", "你好", "ไทย"),
    *("’", "“", "…", "–", "—", "‐", "→", "\ufffc"),
)
MARKUP = (
    *("`", "``", "```\n", "*", "**", "_", "[", "](", ")", "<b>", "</b>", "<code>", "-->", "<!--"),
    *("$", "$$", "\\", "\\begin{math}", "\\end{math}", "{", "}", "{{", "}}", "&eacute;", "::\n\n"),
    *("\n", "\n\n", "\n    ", "  ", "\t", "# ", "// ", "/* ", "*/", "--", '"""', "'''", '"', "'"),
    *("=begin", "----\n", "....\n", "|===\n", ".SH NAME\n", ".nf\n", ".fi\n", "\\fB", "\\fR"),
    *("#+begin_src\n", "#+END_SRC\n", ":END:\n", "<<EOF\n", "EOF\n", "import a from 'b'\n"),
    *("---\n", "respell: ignore\n", "respell: off\n", "respell: on\n", "1."),
    "respell:ignore-next-line\n",
    *("https://a.example/b?c=d", "a@b.example", "/usr/bin/x", "x_y", "camelCase", "v1.2-rc.1"),
)


def samples() -> list[str]:
    """The strings in the tests of tokens and formats, in order."""
    found: dict[str, None] = {}
    for name in SCRIPTS:
        path = ROOT / "tests" / "runtime" / f"{name}.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found[node.value] = None
    return [text for text in found if 1 < len(text) < 2000 and not HALF.search(text)]


def prose() -> list[str]:
    """Sentences with and without misspellings, and paragraphs."""
    folder = ROOT / "tests"
    texts = (folder / "golden" / "texts.txt").read_text(encoding="utf-8").split("\n")
    for path in sorted((folder / "prose").glob("*.txt")):
        texts += path.read_text(encoding="utf-8").split("\n")
    return [text for text in texts if len(text) > 10]


def changed(dice: random.Random, text: str, others: Sequence[str]) -> str:
    """A text with a few random changes."""
    for _ in range(dice.choice((0, 1, 1, 2, 3, 5))):
        at = dice.randint(0, len(text))
        end = min(len(text), at + dice.choice((0, 0, 1, 2, 5, 20)))
        put = dice.choice(
            (
                "",
                text[at : at + 1][::-1],
                dice.choice(ODD),
                dice.choice(MARKUP),
                dice.choice(MARKUP),
                dice.choice(others)[:80],
            )
        )
        text = text[:at] + put + text[end:]
    return text


def misspelled(dice: random.Random, text: str, *, share: float = 0.03) -> str:
    """A text with some letters swapped, dropped or doubled."""
    letters = list(text)
    for i in range(len(letters) - 1):
        if letters[i].isalpha() and dice.random() < share:
            first, second = letters[i : i + 2]
            pair = dice.choice(((second, first), (first, ""), (first, first + second)))
            letters[i : i + 2] = pair
    return "".join(letters)


def foreign(dice: random.Random, text: str, *, share: float = 0.05) -> str:
    """A text with some letters replaced by foreign ones that look alike."""
    found = (dice.choice(FOREIGN[c]) if c in FOREIGN and dice.random() < share else c for c in text)
    return "".join(found)


def respaced(dice: random.Random, text: str, *, share: float = 0.05) -> str:
    """A text with missing and extra blanks."""
    pieces = []
    for i, letter in enumerate(text):
        if letter == " ":
            pieces.append(dice.choice(("", "", "  ")) if dice.random() < share else " ")
            continue
        pieces.append(letter)
        if letter.isalpha() and text[i + 1 : i + 2].isalpha() and dice.random() < share / 4:
            pieces.append(dice.choice((" ", " ", " ", " ", "  ", "\n", "-")))
    return "".join(pieces)


def notebook(dice: random.Random, text: str, others: Sequence[str]) -> str:
    """A text as a cell of a notebook."""
    source: Any = text.splitlines(keepends=True) if dice.random() < 0.5 else text
    kind = dice.choice(("markdown", "markdown", "code"))
    cells = [
        {"cell_type": "markdown", "metadata": {"a": [1, "b"]}, "source": dice.choice(others)[:90]},
        {"cell_type": kind, "source": source},
    ]
    indent = dice.choice((None, 1))
    written = json.dumps({"cells": cells}, indent=indent, ensure_ascii=dice.random() < 0.3)
    return changed(dice, written, others) if dice.random() < 0.3 else written
