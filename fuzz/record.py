"""What a run of the fuzzer came to: read from its log, kept in a results file."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.storage import read_json

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "python -m fuzz"


def code_hash(root: Path = ROOT) -> str:
    """SHA-256 over the names and contents of what runs: the package and the targets."""
    total = hashlib.sha256()
    for path in sorted([*root.glob("src/respell/**/*.py"), *root.glob("fuzz/*.py")]):
        total.update(f"{path.relative_to(root).as_posix()}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def summary(
    log: str, *, seconds: float, cpu_seconds: float, findings: Sequence[str]
) -> dict[str, Any]:
    """The figures of a run, out of libFuzzer's last lines."""
    executed = re.search(r"^stat::number_of_executed_units:\s*(\d+)", log, re.MULTILINE)
    states = re.findall(r"^#\d+\s.*?cov: (\d+) ft: (\d+) corp: (\d+)", log, re.MULTILINE)
    edges, features, inputs = map(int, states[-1]) if states else (0, 0, 0)
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu_seconds, 1),
        "executions": int(executed[1]) if executed else None,
        "edges": edges,
        "features": features,
        "inputs_kept": inputs,
        "findings": list(findings),
    }


def keep(path: Path, target: str, figures: Mapping[str, Any]) -> None:
    """Put a target's figures into the file, in place of older ones."""
    targets = read_json(path)["targets"] if path.is_file() else {}
    targets[target] = {**figures, "code_sha256": code_hash(), **provenance(PROGRAM)}
    write_json(path, {"targets": dict(sorted(targets.items()))})
