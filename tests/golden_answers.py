"""The golden answers of the shipped bundle, which every interface must give."""

import json
from typing import Any

from respell.model.bundle import GOLDEN, default_path


def golden(preset: str = "default", *, key: str = "text") -> list[dict[str, Any]]:
    """The rows of a preset: texts, or split sentences with the key "tokens"."""
    lines = (default_path() / GOLDEN).read_text(encoding="utf-8").split("\n")[:-1]
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["preset"] == preset and key in row]
