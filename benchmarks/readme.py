"""Write the tables of the README from the files in results/; `--check` only compares them."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from respell.lab.evaluate.peers.ranking import CLEAN, SETS

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- results: rendered by benchmarks/readme.py -->", "<!-- end of results -->"


def render(results: Path) -> str:
    """All tables as Markdown."""
    lines = ["| test set | preset | precision | recall | F0.5 |", "|---|---|---|---|---|"]
    for name, title in SETS.items():
        preset = "noisy" if name == "paper" else "default"
        lines.append(_scored(_read(results / "model" / f"{name}.{preset}.json"), title))
    lines += [
        "",
        "| clean text | words | flagged per 1,000 words | excluding genuine errors in the source |",
    ]
    lines += ["|---|---|---|---|"]
    texts = _read(results / "alarms" / "default.json")["texts"]
    for name, title in CLEAN.items():
        rates = (texts[name][key] for key in ("flagged_per_1000", "per_1000_without_typos"))
        numbers = (f"{rate:.2f}" for rate in rates)
        lines.append(f"| {title} | {texts[name]['words']:,} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def _scored(result: dict[str, Any], title: str) -> str:
    table = result["scores"]["all"]["table"]
    numbers = (f"{table[key]:.3f}" for key in ("precision", "recall", "f05"))
    return f"| {title} | {result['system']['preset']} | {' | '.join(numbers)} |"


def _read(path: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result


def main() -> int:
    """Rewrite the tables, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    wanted = f"{before}{BEGIN}\n{render(ROOT / 'results')}\n{END}{after}"
    if args.check:
        return 0 if text == wanted else 1
    readme.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
