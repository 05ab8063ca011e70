"""Measure the VS Code extension.

python benchmarks/vscode_extension.py --output results/vscode_extension.json

Needs npm, Chromium and the packages of `pip install '.[clients]'`. Builds the extension, and
measures its size, and the times of both engines in code-server on an idle machine.
"""

import argparse
import json
import os
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from statistics import median

from playwright.sync_api import expect

from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.model.bundle import default_path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "clients"))

import code_server
from browsing import browsing
from studio import MARKED, Studio, opening

TYPED = "It is wierd, "


def main() -> int:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("results/vscode_extension.json"))
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    before = os.getloadavg()
    package = code_server.package()
    value = {
        "bytes": _sizes(package),
        "seconds": {engine: _times(package, engine, args.rounds) for engine in ("server", "local")},
        "load_average_before": [round(one, 2) for one in before],
        "code_server": code_server.VERSION,
        "model": hash_bundle(default_path()),
        **provenance(),
    }
    write_json(args.output, value)
    print(json.dumps({key: value[key] for key in ("bytes", "seconds")}, indent=1))
    return 0


def _sizes(package: Path) -> dict[str, int]:
    with zipfile.ZipFile(package) as archive:
        unpacked = sum(one.file_size for one in archive.infolist())
    return {"packed": package.stat().st_size, "unpacked": unpacked}


def _times(package: Path, engine: str, rounds: int) -> dict[str, float]:
    """Seconds until misspellings are marked: in a new window, and after typing one."""
    expect.set_options(timeout=60_000)
    script = f'exec {sys.executable} -m respell "$@"'
    with tempfile.TemporaryDirectory() as folder, browsing() as browser:
        vsix = (code_server.entry(), package)
        with opening(vsix, Path(folder), engine, script) as (address, place):
            studio = Studio(browser, address, place)
            runs = [_round(studio) for _ in range(rounds)]
    return {
        "first_marks_in_new_window": round(median(first for first, _ in runs), 2),
        "marks_after_typing": round(median(later for _, later in runs), 2),
    }


def _round(studio: Studio) -> tuple[float, float]:
    with studio.editing() as window:  # its text is visible
        start = time.perf_counter()
        window.squiggles(len(MARKED))
        first = time.perf_counter() - start
        window.go_to(5, 1)
        window.page.keyboard.type(TYPED)
        start = time.perf_counter()
        window.squiggles(len(MARKED) + 1)
        return first, time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
