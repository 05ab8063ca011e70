"""The version of a bundle, without loading it."""

import hashlib
import json
from pathlib import Path

CONFIG = "config.json"
SHORT_HASH = 12


def version_text(name: str, edition: int, sha256: str) -> str:
    """Name, edition and short hash of a model."""
    return f"{name}, edition {edition}, {sha256[:SHORT_HASH]}"


def read_version(folder: Path) -> str:
    """The version of a bundle from its config.json alone; "unknown" if that cannot be read."""
    try:
        content = (folder / CONFIG).read_bytes()
        config = json.loads(content)
        name, edition = config["name"], config["edition"]
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown"
    return version_text(name, edition, hashlib.sha256(content).hexdigest())


def default_path() -> Path:
    """The bundle inside the package."""
    return Path(__file__).parent.parent / "bundles" / "default"
