"""Read results that other systems have published."""

import tomllib
from pathlib import Path
from typing import Any

from respell.lab.common.storage import read_text
from respell.types import Error

KEYS = ("set", "system", "corrected", "source")
"""The keys that every entry must have."""


def read_published(path: Path) -> list[dict[str, Any]]:
    """Read a TOML file of [[result]] tables."""
    try:
        results = tomllib.loads(read_text(path)).get("result")
    except tomllib.TOMLDecodeError as error:
        raise Error(f"{path}: not a TOML file ({error})") from error
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        raise Error(f"{path}: no results; add a [[result]] table for each")
    for number, one in enumerate(results, start=1):
        if missing := [key for key in KEYS if key not in one]:
            raise Error(f"{path}: result {number} has no {missing[0]}")
    return results
