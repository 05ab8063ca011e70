"""Fuzz targets with atheris, guided by coverage; what breaks one is kept as a file.

python -m fuzz                                    every target, two minutes each
python -m fuzz tokenizer lsp --seconds 600 --results results/fuzz.json
"""

import argparse
import importlib.util
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from fuzz import record
from fuzz.targets import TARGETS

GRACE = 120  # seconds beyond the time for loading, and for the last input


def main() -> int:
    """Run the targets one after the other; 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=120, help="a target (%(default)s)")
    parser.add_argument("--corpus", type=Path, default=Path("work/fuzz"), help="kept between runs")
    parser.add_argument("--findings", type=Path, default=Path("tests/findings"))
    parser.add_argument("--results", type=Path, metavar="FILE", help="a file for the figures")
    args = parser.parse_args()
    for name in args.targets:
        if name not in TARGETS:
            sys.exit(f"fuzz: no target {name!r}; there are {', '.join(TARGETS)}")
    if importlib.util.find_spec("atheris") is None:
        sys.exit("fuzz: atheris is not installed; run: pip install atheris")
    found = 0
    for name in args.targets or TARGETS:
        folders = args.corpus / name, args.findings / name
        figures = run(name, args.seconds, *folders)
        if args.results:
            record.keep(args.results, name, figures)
        found += len(figures["findings"])
        sys.stdout.write(f"{name}: {figures}\n")
        sys.stdout.flush()
    return 1 if found else 0


def run(name: str, seconds: int, corpus: Path, findings: Path) -> dict[str, Any]:
    """Fuzz one target in a process of its own; the figures, and what was found anew."""
    before = _names(findings)
    command = [sys.executable, "-m", "fuzz.guided", name, "--seconds", str(seconds)]
    command += ["--corpus", str(corpus), "--findings", str(findings)]
    began, cpu_before = time.perf_counter(), _cpu_seconds()
    with tempfile.TemporaryFile(mode="w+", errors="replace") as log:
        done = subprocess.run(command, stdout=log, stderr=log, timeout=seconds + GRACE)
        log.seek(0)
        text = log.read()
    took, cpu = time.perf_counter() - began, _cpu_seconds() - cpu_before
    new = sorted(_names(findings) - before)
    if done.returncode and not new:
        sys.exit(f"fuzz: {name} ended with {done.returncode}:\n{text[-2000:]}")
    if new:
        sys.stderr.write(text[-4000:])
    return record.summary(text, seconds=took, cpu_seconds=cpu, findings=new)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


if __name__ == "__main__":
    sys.exit(main())
