"""Rows of Markdown tables, and text that Markdown leaves as it is."""

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")


def row(*cells: object) -> str:
    """A row of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"


def head(*cells: str, words: int = 1) -> list[str]:
    """The head of a table whose first `words` columns are words and the others numbers."""
    rule = ["---"] * words + ["---:"] * (len(cells) - words)
    return [row(*cells), "|" + "|".join(rule) + "|"]


def plain(text: str) -> str:
    """Text of others, shown as it was written."""
    return _SPECIAL.sub(r"\\\1", text)
