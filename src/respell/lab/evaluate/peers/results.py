"""Write and read the results of peers, one file each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from respell.lab.common.provenance import write_json
from respell.lab.common.storage import read_json
from respell.types import Error


def save(record: Mapping[str, Any], folder: Path) -> None:
    """Write the file of a peer."""
    write_json(folder / f"{record['peer']}.json", record)


def read_records(folder: Path) -> list[Mapping[str, Any]]:
    """Read the files of all peers, including those that could not be run."""
    found = _peers(folder)
    if not found:
        raise Error(f"{folder}: no results; run: python -m respell.lab peers run")
    return found


def known_absent(folder: Path) -> dict[str, str]:
    """The peers that could not be run, and the reasons."""
    return {r["peer"]: r["absent"] for r in _peers(folder) if r.get("absent")}


def _peers(folder: Path) -> list[Mapping[str, Any]]:
    records = [read_json(path) for path in sorted(folder.glob("*.json"))]
    return [record for record in records if "peer" in record]
