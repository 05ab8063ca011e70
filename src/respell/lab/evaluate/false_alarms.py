"""TODO respell.lab.evaluate.false_alarms."""

import argparse
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from respell.cli.args import count
from respell.lab.common.metrics import _share
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.storage import replacing
from respell.lab.data.corpus import first_words, heldout_lines
from respell.lab.evaluate import systems

FINDINGS = "file\toriginal\tsuggestion\tscore\tcontext"  # the head of what is flagged
CONTEXT = 50  # characters shown on either side of a flagged word


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the `false-alarms` command."""
    parser.add_argument("files", nargs="+", type=Path, help="clean text, one sentence a line")
    systems.add_model_arguments(parser)
    parser.add_argument("--part", choices=("all", "last-tenth"), default="all")
    parser.add_argument("--limit-words", type=count, metavar="N", help="of each file, at most")
    parser.add_argument("--output", type=Path, required=True, metavar="JSON")
    parser.add_argument("--findings", type=Path, required=True, metavar="TSV", help="to be read")


def run(args: argparse.Namespace) -> int:
    """Count what a model flags in clean text; whether an alarm is false is for a reader to say."""
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
    corrector: systems.Checks, lines: Iterable[str], findings: TextIO, *, name: str
) -> tuple[int, int]:
    """Write what is flagged in some lines, in context, as TSV; count words and flagged words."""
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
            best = c.suggestions[0].text
            findings.write(f"{name}\t{c.original}\t{best}\t{c.score:.4f}\t{context}\n")
    return words, alarms


def _rates(words: int, alarms: int) -> dict[str, Any]:
    return {"words": words, "alarms": alarms, "alarms_per_1000": 1000 * _share(alarms, words)}
