"""Read and change the file that `presets` writes."""

from collections.abc import Mapping
from pathlib import Path

from respell.lab.common.storage import read_json, save_text, to_json
from respell.model.presets import Preset, check_presets
from respell.types import Error


def read_presets(path: Path) -> dict[str, Preset]:
    """Read the presets from a file that `presets` wrote."""
    try:
        raw = read_json(path)["presets"]
        presets = {name: Preset(**preset) for name, preset in raw.items()}
        check_presets(presets)
    except (KeyError, TypeError, AttributeError) as error:
        raise Error(f"{path}: not written by `presets` ({error})") from error
    except ValueError as error:
        raise Error(f"{path}: {error}") from error
    return presets


def add_to_presets(path: Path, key: str, values: float | Mapping[str, float]) -> None:
    """Write a value into every preset of a file, or to each its own."""
    record = read_json(path)
    each = values if isinstance(values, Mapping) else dict.fromkeys(record["presets"], values)
    presets = {name: {**preset, key: each[name]} for name, preset in record["presets"].items()}
    save_text(to_json({**record, "presets": presets}), path)
