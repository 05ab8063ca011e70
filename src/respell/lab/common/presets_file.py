"""Read the file that `presets` writes."""

from pathlib import Path

from respell.lab.common.storage import read_json
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
