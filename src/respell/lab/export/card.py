"""The `card` command: write the model card of a bundle from measured results."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.markdown import head, row
from respell.lab.common.provenance import hash_bundle
from respell.lab.common.storage import read_json, save_text
from respell.model.bundle import CARD, TRUECASE, Bundle, default_path
from respell.types import Error

FACTS = "facts.json"


def equal_bundles() -> list[str]:
    """The hashes of the shipped bundle, and of bundles that give the same answers."""
    path = default_path()
    return [hash_bundle(path), *read_json(path / FACTS).get("equal_bundles", [])]


def render(
    bundle: Bundle,
    facts: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    *,
    plot: str | None = None,
) -> str:
    """The card as Markdown; `plot` is the path of the reliability diagram."""
    sections = [
        _summary(bundle, facts),
        _lineage(facts),
        _presets(bundle),
        _scores(results),
        _false_alarms(results),
        _reliability(results, plot),
        _limits(bundle),
        _sources(facts["sources"]),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _summary(bundle: Bundle, facts: Mapping[str, Any]) -> list[str]:
    parity, training, config = facts["parity"], facts["training"], bundle.config
    lines = [
        f"# {config.name}, edition {config.edition}",
        "",
        "Corrects the spelling of English text, token by token.",
        "",
        f"- Model: `{config.model}`, {facts['parameters'] / 1e6:.1f}M parameters, "
        f"{len(bundle.lexicon):,} words in the lexicon.",
        f"- Last training run: {training['words'] / 1e6:,.0f}M words "
        f"({training['step']:,} steps, {training['seconds'] / 60:.1f} minutes).",
        f"- Hashes: data {training['data_hash'][:16]}, checkpoint {facts['checkpoint'][:16]}, "
        f"model.onnx {config.sha256['model.onnx'][:16]}.",
        f"- Size: {parity['bundle']['bytes'] / 1e6:.1f} MB with 8-bit weights. On "
        f"{parity['tokens']:,} dev tokens, {parity['bundle']['agreement']:.3%} of its decisions "
        f"are those of the 32-bit checkpoint; F0.5 is {parity['torch']['f05']:.4f} before "
        f"quantization and {parity['bundle']['f05']:.4f} after it.",
    ]
    if count := len(bundle.truecase):
        lines.append(f"- `{TRUECASE}` lists the usual capitals of {count:,} words, as in YouTube.")
    return lines


def _lineage(facts: Mapping[str, Any]) -> list[str]:
    stages = facts.get("lineage")
    if not stages:
        return []
    lines = ["## Origin of the weights", ""]
    return lines + [f"{number}. {_stage(stage)}" for number, stage in enumerate(stages, 1)]


def _stage(stage: Mapping[str, Any]) -> str:
    """A stage of training in one line."""
    parts = []
    if "started_from" in stage:
        parts.append(f"started from {stage['started_from']}")
    if "recipe" in stage:
        parts.append(f"recipe {stage['recipe']}")
    if "steps" in stage:
        parts.append(f"{stage['steps']:,} steps")
    if "words" in stage:
        parts.append(f"{stage['words'] / 1e6:,.0f}M words")
    if "teacher" in stage:
        parts.append(f"teacher: {stage['teacher']}")
    if "checkpoint" in stage:
        parts.append(f"checkpoint {stage['checkpoint'][:16]}")
    if "note" in stage:
        parts.append(stage["note"])
    name = f"**{stage['stage']}**"
    return f"{name}: {'; '.join(parts)}." if parts else name


def _presets(bundle: Bundle) -> list[str]:
    lines = ["## Presets", "", *head("preset", "mode", "threshold", "for unknown words", words=2)]
    for name, preset in bundle.config.presets.items():
        unknown = min(preset.threshold, preset.oov_threshold)
        lines.append(row(name, preset.mode, f"{preset.threshold:.3f}", f"{unknown:.3f}"))
    measure = _measure(bundle)
    return [
        *lines,
        "",
        f"Corrections with {measure} below the threshold are not reported. Unknown words are",
        "lower-case words outside the lexicon.",
    ]


def _measure(bundle: Bundle) -> str:
    """What the thresholds are about."""
    by_error = [
        name
        for name, preset in bundle.config.presets.items()
        if preset.threshold_on == "error_probability"
    ]
    if not by_error:
        return "a score"
    return f"an error probability ({', '.join(by_error)}) or a score (others)"


def _limits(bundle: Bundle) -> list[str]:
    """What the model cannot do."""
    spaces = "It never adds, removes, joins or splits tokens: `alot` and `in to` are not corrected."
    if bundle.config.spacing:
        spaces = "It finds missing and extra spaces only where the option `spacing` is on."
    words = "It only suggests words of its lexicon and of the user's dictionary."
    if any(preset.vocabulary_bias is not None for preset in bundle.config.presets.values()):
        words = "It only suggests words of its lexicon, its vocabulary and the user's dictionary."
    letters = "English only. Words with non-Latin letters are left alone."
    if bundle.vocabulary is not None:
        letters = "English only. Words in other alphabets are left alone."
    return [
        "## Limitations",
        "",
        f"- {spaces}",
        f"- {words}",
        f"- {letters}",
        "- Names and terms that look like misspellings may be flagged: add them to a dictionary.",
        "- It was not trained on the names of private persons, on dialects or on code.",
    ]


def _scores(results: Sequence[Mapping[str, Any]]) -> list[str]:
    scored = [result for result in results if "scores" in result and not result.get("lower")]
    if not scored:
        return []
    columns = ("P", "R", "F0.5", "F0.5, authors' rule", "damaged per 1,000")
    lines = [
        "## Test sets",
        "",
        "Token-aligned files corrected with `correct_tokens`, scored by the table rule.",
        "",
        *head("set", "preset", *columns, words=2),
    ]
    for result in scored:
        part, preset = result["scores"]["all"], result["system"].get("preset", "")
        scores = [part["table"][key] for key in ("precision", "recall", "f05")]
        cells = [f"{score:.3f}" for score in (*scores, part["authors"]["f05"])]
        damaged = f"{result['scores']['damaged_per_1000']:.2f}"
        lines.append(row(result["name"], preset, *cells, damaged))
    return lines


def _false_alarms(results: Sequence[Mapping[str, Any]]) -> list[str]:
    clean = [result for result in results if "total" in result]
    if not clean:
        return []
    lines = ["## Clean text", "", *head("text", "preset", "words", "flagged per 1,000", words=2)]
    for result in clean:
        names = ", ".join(file["file"].split(".")[0] for file in result["files"])
        total, preset = result["total"], result["system"]["preset"]
        lines.append(row(names, preset, f"{total['words']:,}", f"{total['alarms_per_1000']:.2f}"))
    return lines


def _reliability(results: Sequence[Mapping[str, Any]], plot: str | None) -> list[str]:
    measured = next((result["reliability"] for result in results if "reliability" in result), None)
    if measured is None:
        return []
    lines = [
        "## Reliability of scores",
        "",
        "How many of the corrections that a preset reports are right, their mean score, and the",
        "expected calibration error (ECE), on dev sets with different error rates.",
        "",
        *head("set", "error rate", "preset", "corrections", "right", "mean score", "ECE"),
    ]
    lines += [
        row(
            one["set"],
            f"{one['error_rate']:.1%}",
            preset,
            f"{one['proposed']:,}",
            *(f"{one[key]:.3f}" for key in ("right", "mean_score", "ece")),
        )
        for preset, sets in measured.items()
        for one in sets
        if one["part"] == "dev"
    ]
    return [*lines, "", f"![share of right corrections by score]({plot})"] if plot else lines


def _sources(sources: Sequence[Mapping[str, Any]]) -> list[str]:
    if not sources:
        return []
    lines = ["## Training text", "", *head("source", "licence", "words", words=2)]
    return lines + [row(one["file"], one["licence"], f"{one['words']:,}") for one in sources]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `card`."""
    parser.add_argument("results", type=Path, nargs="*", help="JSON files of measured results")
    parser.add_argument("--bundle", type=Path, required=True, help="the bundle to describe")
    parser.add_argument("--plot", type=Path, help="the diagram that `reliability` drew")


def run(args: argparse.Namespace) -> int:
    """Write the card again, with the results given."""
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
