"""Fuzz a target with atheris, guided by coverage; what breaks it is kept as a file.

python -m fuzz tokenizer --seconds 120 --findings tests/findings
"""

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
    "readers": "respell.lab.corpus respell.lab.misspellings respell.lab.recipe respell.lab.shards",
    "noise": "respell.lab.synthetic",
}
"""What a target imports when it runs: too late to be watched."""


def main() -> int:
    """Run one target; libFuzzer ends the process itself, with 77 after a finding."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--corpus", type=Path, default=Path("work/fuzz"), help="kept between runs")
    parser.add_argument("--findings", type=Path, default=Path("tests/findings"))
    args = parser.parse_args()
    try:
        atheris: Any = importlib.import_module("atheris")
    except ModuleNotFoundError:
        sys.exit("fuzz: atheris is not installed; run: pip install atheris")
    with atheris.instrument_imports(include=["respell"], enable_loader_override=False):
        for module in LATER.get(args.target, "").split():
            importlib.import_module(module)
        from fuzz.seeds import seeds
        from fuzz.targets import TARGETS
    if args.target not in TARGETS:
        sys.exit(f"fuzz: no target {args.target!r}; there are {', '.join(TARGETS)}")
    corpus, findings = args.corpus / args.target, args.findings / args.target
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(args.target)):
        (corpus / f"seed{number}").write_bytes(seed)
    options = [
        *(sys.argv[0], str(corpus), str(findings)),
        *(f"-max_total_time={args.seconds}", f"-artifact_prefix={findings}{os.sep}"),
        *("-max_len=4096", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1"),
    ]
    target: Callable[[bytes], None] = TARGETS[args.target]
    atheris.Setup(options, target)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
