"""List every correction that the shipped model makes in large clean texts, with human verdicts.

python benchmarks/alarms.py             run the model; needs $RESPELL_DATA, takes ten minutes
python benchmarks/alarms.py --again     only apply new verdicts to the existing list

The texts are held out from training, see recipes/corpora.toml. The list shows only one word
on either side of a correction, because of the texts' copyright. verdicts.tsv has the judgement of a
reader for each word and its neighbours, so that it also applies to the output of later models.
This is only for reporting; nothing is tuned on it.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import verdicts

from respell.corrector import Corrector, load
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import read_json, save_text, sha256
from respell.lab.data.corpus import Source, first_words, heldout_lines, read_sources
from respell.lab.evaluate.peers.ranking import CLEAN
from respell.model.bundle import default_path
from respell.types import PRESETS, Error

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT / "recipes" / "corpora.toml"
VERDICTS = ROOT / "benchmarks" / "verdicts.tsv"
RESULTS = ROOT / "results" / "alarms"
CONTEXT = 60  # characters on either side, for the person who judges


def texts(corpora: Path) -> list[Source]:
    """The clean texts of the results pages; they must be held out from training."""
    found = [source for source in read_sources(corpora) if source.file.split(".")[0] in CLEAN]
    if any(source.heldout == "none" for source in found):
        raise Error(f"{corpora}: a text for false alarms is used for training")
    return found


def flagged(
    corrector: Corrector, lines: Iterable[str], name: str, context: TextIO
) -> Iterator[verdicts.Alarm]:
    """Every correction in some lines; more context is written to `context`."""
    kept = list(lines)
    for line, corrections in zip(kept, corrector.check_many(kept), strict=True):
        for correction in corrections:
            alarm = verdicts.alarm(name, line, correction)
            around = line[max(0, correction.start - CONTEXT) : correction.end + CONTEXT]
            context.write("\t".join((*alarm.key, alarm.suggestion, name, around)) + "\n")
            yield alarm


def run_model(args: argparse.Namespace) -> tuple[list[verdicts.Row], dict[str, Any]]:
    """Run the model on all texts."""
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the corpora, see docs/internals/data.md")
    folder = Path(os.environ["RESPELL_DATA"]) / "corpora"
    corrector = load(preset=args.preset)
    alarms: list[verdicts.Alarm] = []
    read: dict[str, Any] = {}
    args.context.parent.mkdir(parents=True, exist_ok=True)
    with args.context.open("w", encoding="utf-8") as context:
        for source in texts(args.corpora):
            path, name = folder / source.file, source.file.split(".")[0]
            lines = list(first_words(heldout_lines(path, source.heldout), args.limit_words))
            words = sum(len(line.split()) for line in lines)
            alarms += flagged(corrector, lines, name, context)
            read[name] = {"part": source.heldout, "words": words, "sha256": sha256(path)}
            sys.stderr.write(f"{name}: {words:,} words\n")
    system = {
        "bundle": hash_bundle(default_path()),
        "preset": args.preset,
        "threshold": corrector.policy.threshold,
    }
    return verdicts.rows(alarms), {"texts": read, "system": system}


def write(rows: list[verdicts.Row], record: Mapping[str, Any], preset: str) -> str:
    """Apply the verdicts, write the list and the counts, and return the counts as lines."""
    known = verdicts.read_verdicts(VERDICTS)
    counts = {
        name: {**text, **verdicts.count(rows, known, text["words"], name=name)}
        for name, text in record["texts"].items()
    }
    words = sum(text["words"] for text in counts.values())
    total = {"words": words, **verdicts.count(rows, known, words)}
    save_text(verdicts.render(rows, known), RESULTS / f"{preset}.tsv")
    result = {**record, "texts": counts, "total": total, "verdicts_sha256": sha256(VERDICTS)}
    write_json(RESULTS / f"{preset}.json", result)
    return "".join(f"{name}: {each}\n" for name, each in [*counts.items(), ("total", total)])


def main() -> int:
    """Run the model, or apply new verdicts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--again", action="store_true", help="only apply new verdicts to the existing list"
    )
    parser.add_argument("--preset", choices=PRESETS, default="default")
    parser.add_argument(
        "--corpora", type=Path, default=CORPORA, help="list of corpora (default %(default)s)"
    )
    parser.add_argument(
        "--limit-words", type=int, metavar="N", help="words to read of each text (default: all)"
    )
    parser.add_argument(
        "--context",
        type=Path,
        default=Path("work/alarms.tsv"),
        help="where to write more context, for judging (default %(default)s)",
    )
    args = parser.parse_args()
    if args.again:
        rows = verdicts.read_rows(RESULTS / f"{args.preset}.tsv")
        record: Mapping[str, Any] = read_json(RESULTS / f"{args.preset}.json")
    else:
        rows, measured = run_model(args)
        record = {**measured, **provenance("python benchmarks/alarms.py")}
    sys.stdout.write(write(rows, record, args.preset))
    return 0


if __name__ == "__main__":
    sys.exit(main())
