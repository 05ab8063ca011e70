"""The fuzz targets in short: valid inputs, damaged ones, and all that ever broke a target."""

import importlib.util
import random
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from fuzz.seeds import seeds  # noqa: E402
from fuzz.targets import TARGETS  # noqa: E402

FINDINGS = Path(__file__).parent / "findings"
NEEDS = {"server": "fastapi", "noise": "torch", "readers": "torch"}
ROUNDS = 60


def damage(data: bytes, dice: random.Random) -> bytes:
    """Flip, cut, double or insert something."""
    broken = bytearray(data)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(broken) + 1)
        match dice.randrange(4):
            case 0 if at < len(broken):
                broken[at] ^= 1 << dice.randrange(8)
            case 1:
                del broken[at : at + dice.randrange(20)]
            case 2:
                broken[at:at] = broken[at : at + 20]
            case _:
                broken[at:at] = dice.randbytes(dice.randrange(4))
    return bytes(broken)


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds(name: str) -> None:
    if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"needs {NEEDS[name]}")
    target, dice = TARGETS[name], random.Random(name)
    target(b"")
    found = (FINDINGS / name).iterdir() if (FINDINGS / name).is_dir() else ()
    inputs = seeds(name) + [path.read_bytes() for path in sorted(found)]
    for data in inputs:
        target(data)
    for _ in range(ROUNDS):
        target(damage(dice.choice(inputs), dice))
