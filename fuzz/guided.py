"""Run one target with atheris, in a process that libFuzzer ends itself."""

import argparse
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LATER = {
    "server": "respell.server.app",
    "lsp": "respell.lsp.documents respell.lsp.settings",
    "readers": (
        "respell.lab.data.corpus respell.lab.misspellings.word_lists respell.lab.train.recipe "
        "respell.lab.data.shards"
    ),
    "noise": "respell.lab.noise.synthetic",
}
"""Modules that a target imports when it runs: imported early, so that they are instrumented."""


def main() -> int:
    """Run one target; the exit status is 77 after a finding."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.guided", description=__doc__)
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--findings", type=Path, required=True)
    args = parser.parse_args()
    atheris: Any = importlib.import_module("atheris")
    sys.path.append(str(Path(__file__).parent.parent / "tests" / "lab"))  # for a tiny bundle
    with atheris.instrument_imports(include=["respell"], enable_loader_override=False):
        for module in LATER.get(args.target, "").split():
            importlib.import_module(module)
        from fuzz.seeds import seeds
        from fuzz.targets import TARGETS
    for folder in (args.corpus, args.findings):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(args.target)):
        (args.corpus / f"seed{number}").write_bytes(seed)
    options = [
        *(sys.argv[0], str(args.corpus), str(args.findings)),
        *(f"-max_total_time={args.seconds}", f"-artifact_prefix={args.findings}{os.sep}"),
        *("-max_len=4096", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1"),
    ]
    target: Callable[[bytes], None] = TARGETS[args.target]
    atheris.Setup(options, target)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
