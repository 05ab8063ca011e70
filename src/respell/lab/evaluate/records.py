"""Result files of a benchmark that runs presets on development text and on test text."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from respell.lab.common.storage import read_json
from respell.types import PRESETS, Error

PARTS = {"dev": "development text", "test": "test text"}
Record = Mapping[str, Any]


def read_records(folder: Path, command: str) -> list[Record]:
    """The result files of a folder: development text first, presets in their usual order.

    `command` is the script that writes such files.
    """
    records = [read_json(path) for path in folder.glob("*.json")]
    if not records:
        raise Error(f"{folder}: no results; run: python {command}")
    return sorted(records, key=_order)


def _order(record: Record) -> tuple[int, int, str]:
    preset = record["system"]["preset"]
    place = PRESETS.index(preset) if preset in PRESETS else len(PRESETS)
    return list(PARTS).index(record["part"]), place, preset
