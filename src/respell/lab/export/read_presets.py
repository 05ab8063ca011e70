"""TODO respell.lab.export.read_presets."""

from pathlib import Path

from respell.lab.common.storage import read_json
from respell.model.presets import Preset, check_presets
from respell.types import Error


def read_presets(path: Path) -> dict[str, Preset]:
    """The operating points that `presets` wrote."""
    try:
        raw = read_json(path)["presets"]
        presets = {name: Preset(**preset) for name, preset in raw.items()}
        check_presets(presets)
    except (KeyError, TypeError, AttributeError) as error:
        raise Error(f"{path}: not written by `presets`, which chooses them ({error})") from error
    except ValueError as error:
        raise Error(f"{path}: {error}") from error
    return presets
