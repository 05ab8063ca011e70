"""The `false-alarms` command: count the words that a model flags in clean text."""

import argparse
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from respell.cli.args import count
from respell.lab.common.metrics import ratio
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.storage import replacing
from respell.lab.data.corpus import first_words, heldout_lines
from respell.lab.evaluate import systems
from respell.types import Correction, TextChecker

FINDINGS = "file\toriginal\tsuggestion\tscore\tcontext"  # header of the TSV file
CONTEXT = 50  # characters shown on either side of a flagged word


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `false-alarms`."""
    parser.add_argument("files", nargs="+", type=Path, help="clean text, one sentence per line")
    systems.add_model_arguments(parser)
    parser.add_argument("--part", choices=("all", "last-tenth"), default="all")
    parser.add_argument(
        "--limit-words", type=count, metavar="N", help="words to read of each file (default: all)"
    )
    parser.add_argument(
        "--output", type=Path, required=True, metavar="JSON", help="result to write"
    )
    parser.add_argument(
        "--findings", type=Path, required=True, metavar="TSV", help="where to list flagged words"
    )


def run(args: argparse.Namespace) -> int:
    """Count and list flagged words; only a reader can tell which of them are false alarms."""
    model = systems.load_model(args)
    files = []
    with (
        replacing(args.findings) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as findings,
    ):
        findings.write(f"{FINDINGS}\n")
        for path in args.files:
            start = time.perf_counter()
            lines = first_words(heldout_lines(path, args.part), args.limit_words)
            words, alarms = flag(model.corrector, lines, findings, name=path.name)
            seconds = time.perf_counter() - start
            files.append({"file": path.name, **_rates(words, alarms), "seconds": seconds})
            sys.stdout.write(f"{path.name}: {alarms} flagged in {words} words\n")
    total = _rates(sum(f["words"] for f in files), sum(f["alarms"] for f in files))
    record = {"part": args.part, "total": total, "files": files, "system": model.description}
    write_json(args.output, record | provenance())
    sys.stdout.write(f"{total['alarms_per_1000']:.3f} per 1,000 words\n")
    return 0


def flag(
    corrector: TextChecker[list[Correction]], lines: Iterable[str], findings: TextIO, *, name: str
) -> tuple[int, int]:
    """Write the flagged words with their context; return the numbers of words and flagged words."""
    words = alarms = 0
    waiting: deque[str] = deque()

    def feed() -> Iterator[str]:
        for line in lines:
            waiting.append(line)
            yield line

    for corrections in corrector.check_many(feed()):
        line = waiting.popleft()
        words += len(line.split())
        alarms += len(corrections)
        for c in corrections:
            before, after = line[max(0, c.start - CONTEXT) : c.start], line[c.end :][:CONTEXT]
            context = " ".join(f"{before}[{c.original}]{after}".split())
            findings.write(f"{name}\t{c.original}\t{c.replacement}\t{c.score:.4f}\t{context}\n")
    return words, alarms


def _rates(words: int, alarms: int) -> dict[str, Any]:
    return {"words": words, "alarms": alarms, "alarms_per_1000": 1000 * ratio(alarms, words)}
