"""Every correction the shipped model makes in large clean texts, with the verdicts of a reader.

python benchmarks/alarms.py             ask the model: $RESPELL_DATA, ten minutes
python benchmarks/alarms.py --again     only judge the list again, after new verdicts

Texts are those that recipes/corpora.toml keeps from training. The list shows one word on either
side of a correction and no more, since the texts are not ours to publish. What a reader found right
or wrong stands in verdicts.tsv and is found again by the word and its neighbours, whatever a later
model suggests. It is for reporting: nothing is tuned on it.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import judged

from respell.corrector import Corrector, load
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import read_json, save_text, sha256
from respell.lab.data.corpus import Source, first_words, heldout_lines, read_sources
from respell.model.bundle import default_path
from respell.types import PRESETS

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT / "recipes" / "corpora.toml"
VERDICTS = ROOT / "benchmarks" / "verdicts.tsv"
RESULTS = ROOT / "results" / "alarms"
CONTEXT = 60  # characters on either side, for the reader alone


def texts(corpora: Path) -> list[Source]:
    """The texts as they were written that are kept from training."""
    return [s for s in read_sources(corpora) if s.heldout != "none" and s.style == "raw"]


def flagged(
    corrector: Corrector, lines: Iterable[str], name: str, wide: TextIO
) -> Iterator[judged.Alarm]:
    """Every correction of some lines; `wide` is given more of their context."""
    kept = list(lines)
    for line, corrections in zip(kept, corrector.check_many(kept), strict=True):
        for correction in corrections:
            alarm = judged.alarm(name, line, correction)
            around = line[max(0, correction.start - CONTEXT) : correction.end + CONTEXT]
            wide.write("\t".join((*alarm.key, alarm.suggestion, name, around)) + "\n")
            yield alarm


def ask(args: argparse.Namespace) -> tuple[list[judged.Row], dict[str, Any]]:
    """Let the model read all texts."""
    if "RESPELL_DATA" not in os.environ:
        sys.exit("set RESPELL_DATA to the folder of the corpora, see docs/data.md")
    folder = Path(os.environ["RESPELL_DATA"]) / "corpora"
    corrector = load(preset=args.preset)
    alarms: list[judged.Alarm] = []
    read: dict[str, Any] = {}
    args.wide.parent.mkdir(parents=True, exist_ok=True)
    with args.wide.open("w", encoding="utf-8") as wide:
        for source in texts(args.corpora):
            path, name = folder / source.file, source.file.split(".")[0]
            lines = list(first_words(heldout_lines(path, source.heldout), args.limit_words))
            words = sum(len(line.split()) for line in lines)
            alarms += flagged(corrector, lines, name, wide)
            read[name] = {"part": source.heldout, "words": words, "sha256": sha256(path)}
            sys.stderr.write(f"{name}: {words:,} words\n")
    system = {
        "bundle": hash_bundle(default_path()),
        "preset": args.preset,
        "threshold": corrector.policy.threshold,
    }
    return judged.rows(alarms), {"texts": read, "system": system}


def keep(rows: list[judged.Row], record: Mapping[str, Any], preset: str) -> str:
    """Judge the rows, write the list and the figures; the figures as lines to be shown."""
    verdicts = judged.read_verdicts(VERDICTS)
    figures = {
        name: {**text, **judged.figures(rows, verdicts, text["words"], name=name)}
        for name, text in record["texts"].items()
    }
    words = sum(text["words"] for text in figures.values())
    total = {"words": words, **judged.figures(rows, verdicts, words)}
    save_text(judged.render(rows, verdicts), RESULTS / f"{preset}.tsv")
    told = {**record, "texts": figures, "total": total, "verdicts_sha256": sha256(VERDICTS)}
    write_json(RESULTS / f"{preset}.json", told)
    return "".join(f"{name}: {f}\n" for name, f in [*figures.items(), ("total", total)])


def main() -> int:
    """Ask the model or judge again."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--again", action="store_true", help="judge the list there is")
    parser.add_argument("--preset", choices=PRESETS, default="default")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="(%(default)s)")
    parser.add_argument("--limit-words", type=int, metavar="N", help="of each text; default: all")
    parser.add_argument("--wide", type=Path, default=Path("work/alarms.tsv"), help="for the reader")
    args = parser.parse_args()
    if args.again:
        rows = judged.read_rows(RESULTS / f"{args.preset}.tsv")
        record: Mapping[str, Any] = read_json(RESULTS / f"{args.preset}.json")
    else:
        rows, asked = ask(args)
        record = {**asked, **provenance("python benchmarks/alarms.py")}
    sys.stdout.write(keep(rows, record, args.preset))
    return 0


if __name__ == "__main__":
    sys.exit(main())
