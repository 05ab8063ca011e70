"""The model card inside a bundle, rendered from what was measured."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.storage import read_json, save_text
from respell.model.bundle import CARD, TRUECASE, Bundle
from respell.types import Error

FACTS = "facts.json"


def render(
    bundle: Bundle,
    facts: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    *,
    plot: str | None = None,
) -> str:
    """The card as Markdown; `plot` is the address of the calibration's plot."""
    parity, training = facts["parity"], facts["training"]
    config = bundle.config
    lines = [
        f"# {config.name}",
        "",
        "Corrects the spelling of English text, one token in, one token out.",
        "",
        f"- Model: `{config.model}`, {facts['parameters'] / 1e6:.1f}M parameters, "
        f"{len(bundle.lexicon):,} words it can say.",
        f"- In its last run it learnt from {training['words'] / 1e6:,.0f}M words of noised text "
        f"({training['step']:,} steps, {training['seconds'] / 60:.1f} minutes); "
        f"data {training['data_hash'][:16]}, checkpoint {facts['checkpoint'][:16]}, "
        f"model.onnx {config.sha256['model.onnx'][:16]}.",
        f"- Bundle {parity['bundle']['bytes'] / 1e6:.1f} MB with 8-bit weights. On "
        f"{parity['tokens']:,} dev tokens it decides as the 32-bit checkpoint does for "
        f"{parity['bundle']['agreement']:.3%}; F0.5 {parity['torch']['f05']:.4f} before, "
        f"{parity['bundle']['f05']:.4f} after.",
        *_capitals(bundle),
        "",
        "## Operating points",
        "",
        "| preset | least score | case |",
        "|---|---|---|",
    ]
    for name, preset in config.presets.items():
        case = "chosen by the model" if preset.mode == "noisy" else "kept"
        least = f"{preset.threshold:.3f}"
        if preset.oov_threshold < preset.threshold:
            least += f"; {preset.oov_threshold:.3f} for lower-case words outside the lexicon"
        lines.append(f"| {name} | {least} | {case} |")
    lines += [
        "",
        *_measured(results),
        *_calibration(results, plot),
        *_LIMITS,
        "",
        *_sources(facts["sources"]),
    ]
    return "\n".join(lines) + "\n"


def _capitals(bundle: Bundle) -> list[str]:
    count = len(bundle.truecase)
    told = f"- `{TRUECASE}` lists {count:,} words with capitals of their own, as in YouTube."
    return [told] if count else []


def _measured(results: Sequence[Mapping[str, Any]]) -> list[str]:
    scored = [result for result in results if "scores" in result and not result.get("lower")]
    clean = [result for result in results if "total" in result]
    lines: list[str] = []
    if scored:
        lines += [
            "## Measured",
            "",
            "Token-aligned files through `correct_tokens`, table rule.",
            "",
            "| set | preset | P | R | F0.5 | F0.5, authors' rule | damaged per 1,000 |",
            "|---|---|---|---|---|---|---|",
        ]
    for result in scored:
        part, preset = result["scores"]["all"], result["system"].get("preset", "")
        table = part["table"]
        lines.append(
            f"| {result['name']} | {preset} | {table['precision']:.3f} | {table['recall']:.3f} "
            f"| {table['f05']:.3f} | {part['authors']['f05']:.3f} "
            f"| {result['scores']['damaged_per_1000']:.2f} |"
        )
    if clean:
        lines += [
            "",
            "| clean text | preset | words | flagged per 1,000 words |",
            "|---|---|---|---|",
        ]
    for result in clean:
        names = ", ".join(file["file"].split(".")[0] for file in result["files"])
        total, preset = result["total"], result["system"]["preset"]
        rate = f"{total['alarms_per_1000']:.2f}"
        lines.append(f"| {names} | {preset} | {total['words']:,} | {rate} |")
    return [*lines, ""] if lines else []


def _calibration(results: Sequence[Mapping[str, Any]], plot: str | None) -> list[str]:
    measured = [result["calibration"] for result in results if "calibration" in result]
    if not measured:
        return []
    by_preset = measured[0]
    lines = [
        "## Can the score be believed?",
        "",
        "Share right and expected calibration error (ECE) of the corrections proposed at a preset,",
        "on development sets of so many errors.",
        "",
        "| set | errors | preset | corrections | right | mean score | ECE |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one['set']} | {one['error_rate']:.1%} | {preset} | {one['proposed']:,} "
        f"| {one['right']:.3f} | {one['mean_score']:.3f} | {one['ece']:.3f} |"
        for preset, sets in by_preset.items()
        for one in sets
        if one["part"] == "dev"
    ]
    return [*lines, "", *([f"![share right against score]({plot})", ""] if plot else [])]


_LIMITS = (
    "## What it cannot do",
    "",
    "- It never adds, drops, joins or splits tokens: `alot` and `in to` are beyond it.",
    "- It can only suggest words of its lexicon; other words it keeps.",
    "- English only. Words with letters beyond Latin script are left alone.",
    "- A name or term that looks like a misspelling may be flagged: give it a dictionary.",
    "- It was not trained on names of people who are not in the news, dialects or code.",
)


def _sources(sources: Sequence[Mapping[str, Any]]) -> list[str]:
    if not sources:
        return []
    lines = ["## Text it was trained on", "", "| source | licence | words |", "|---|---|---|"]
    for source in sources:
        lines.append(f"| {source['file']} | {source['licence']} | {source['words']:,} |")
    return lines


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `card`."""
    parser.add_argument("results", type=Path, nargs="*", help="JSON files of evaluate")
    parser.add_argument("--bundle", type=Path, required=True, help="to write it into")
    parser.add_argument("--plot", type=Path, help="of `calibrate`, to be shown by the card")


def run(args: argparse.Namespace) -> int:
    """Render a bundle's card anew, with results measured since it was exported."""
    bundle = Bundle.read(args.bundle)
    path = args.bundle / FACTS
    if not path.is_file():
        raise Error(f"{path} is missing: only exported bundles have a card")
    facts = read_json(path)
    results = [read_json(result) for result in args.results]
    plot = os.path.relpath(args.plot, args.bundle) if args.plot else None
    save_text(render(bundle, facts, results, plot=plot), args.bundle / CARD)
    sys.stdout.write(f"{args.bundle / CARD}\n")
    return 0
