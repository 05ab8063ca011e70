"""What is installed is what was meant: pins agree, wheels have hashes, the bill is complete."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PINS = (ROOT / "constraints.txt").read_text(encoding="utf-8")
HASHED = (ROOT / "constraints-hashes.txt").read_text(encoding="utf-8")
ENTRY = re.compile(
    r"^(\S+)==(\S+)[^\\\n]*((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE
)


def pins(text: str) -> dict[str, str]:
    found = re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


def test_both_lists_pin_the_same_versions() -> None:
    pinned, hashed = pins(PINS), pins(HASHED)
    assert {"numpy", "onnxruntime", "fastapi", "uvicorn", "pygls"} <= hashed.keys()
    assert {n: v for n, v in hashed.items() if n in pinned} == {
        n: v for n, v in pinned.items() if n in hashed
    }


def test_every_package_has_hashes_and_nothing_says_where_from() -> None:
    assert len(ENTRY.findall(HASHED)) == len(pins(HASHED))
    assert "://" not in PINS + HASHED
    assert "index-url" not in PINS + HASHED


def test_the_bill_of_materials() -> None:
    pytest.importorskip("uvicorn", reason="needs the server extra")
    command = [sys.executable, str(ROOT / "benchmarks" / "sbom.py"), "--with", "uvicorn"]
    first = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    second = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert first == second
    value = json.loads(first)
    names = {component["name"] for component in value["components"]}
    assert {"numpy", "onnxruntime", "protobuf"} <= names
    assert {"uvicorn", "click", "h11"} <= names
    (model,) = (c for c in value["components"] if c["type"] == "machine-learning-model")
    assert len(model["hashes"][0]["content"]) == 64
