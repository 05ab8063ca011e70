"""The `table` command: print results of `evaluate` as a Markdown table."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.markdown import head, row
from respell.lab.common.storage import read_json
from respell.types import Error

COLUMNS = (
    "name",
    "F0.5 (table rule)",
    "P",
    "R",
    "F0.5 (authors' rule)",
    "unknown pairs",
    "damaged/1,000",
    "words/s",
)


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table with one row per result, in the order given."""
    lines = head(*COLUMNS)
    lines += [row(*_cells(record)) for record in records]
    return "\n".join(lines) + "\n"


def summary(record: Mapping[str, Any]) -> str:
    """A few aligned lines about one result."""
    scores, speed = record["scores"], record["words_per_second"]
    everything = scores["all"]
    lines = [
        f"{record['name']}: {everything['tokens']:,} tokens, {everything['errors']:,} misspelled",
        f"{'':12}{'accuracy':>9}"
        f"{'table P':>10}{'R':>8}{'F0.5':>8}{'authors P':>12}{'R':>8}{'F0.5':>8}",
    ]
    parts = {
        "all": everything,
        "real words": scores["real_words"],
        "non-words": scores["non_words"],
        "lower-cased": scores["lower_cased"]["all"],
    }
    for name, part in parts.items():
        if part is not None:
            t, a = part["table"], part["authors"]
            lines.append(
                f"{name:12}{part['accuracy']:9.4f}"
                f"{t['precision']:10.4f}{t['recall']:8.4f}{t['f05']:8.4f}"
                f"{a['precision']:12.4f}{a['recall']:8.4f}{a['f05']:8.4f}"
            )
    for name in ("known", "unknown"):
        if pairs := scores[name]:
            share = f"{pairs['corrected']:,} of {pairs['count']:,} ({pairs['share']:.4f})"
            lines.append(f"{name} pairs corrected: {share}")
    alarms = f"{scores['false_alarms']:,} ({scores['damaged_per_1000']:.2f} per 1,000)"
    lines.append(f"correct words damaged: {alarms}")
    if speed:
        lines.append(f"{speed:,.0f} words/s")
    return "\n".join(lines) + "\n"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `table`."""
    parser.add_argument(
        "results", nargs="+", type=Path, metavar="JSON", help="results of `evaluate`"
    )


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    sys.stdout.write(table([_read_record(path) for path in args.results]))
    return 0


def _cells(record: Mapping[str, Any]) -> list[str]:
    scores, speed = record["scores"], record["words_per_second"]
    rule, unknown = scores["all"]["table"], scores["unknown"]
    return [
        str(record["name"]).replace("|", "\\|"),
        f"{rule['f05']:.4f}",
        f"{rule['precision']:.4f}",
        f"{rule['recall']:.4f}",
        f"{scores['all']['authors']['f05']:.4f}",
        f"{unknown['share']:.4f} ({unknown['corrected']}/{unknown['count']})" if unknown else "–",
        f"{scores['damaged_per_1000']:.2f}",
        f"{speed:,.0f}" if speed else "–",
    ]


def _read_record(path: Path) -> dict[str, Any]:
    record = read_json(path)
    try:
        _cells(record)
    except (KeyError, TypeError, ValueError) as error:
        raise Error(f"{path}: not written by `evaluate`") from error
    return record
