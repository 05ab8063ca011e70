"""Markdown tables and escaped text."""

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")


def row(*cells: object) -> str:
    """A row of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"


def head(*cells: str, words: int = 1) -> list[str]:
    """The header of a table. The first `words` columns hold words, the others numbers."""
    rule = ["---"] * words + ["---:"] * (len(cells) - words)
    return [row(*cells), "|" + "|".join(rule) + "|"]


def heading(level: int, text: str) -> str:
    """A heading that starts with a capital."""
    return f"{'#' * level} {text[:1].upper()}{text[1:]}"


def plain(text: str) -> str:
    """Escape text so that Markdown shows it literally."""
    return _SPECIAL.sub(r"\\\1", text)
