"""The `golden` command: exact answers of a bundle, which every face must give."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from respell.corrector import load
from respell.lab.common.storage import read_text, save_text
from respell.model.bundle import GOLDEN
from respell.types import Correction


def as_json(correction: Correction) -> dict[str, object]:
    """A correction with its derived end, as golden answers store it."""
    stored = asdict(correction)
    del stored["wrong"]  # not in any JSON
    return {"end": correction.end, **stored}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `golden`."""
    parser.add_argument("texts", type=Path, help="texts, one a line")
    parser.add_argument("--bundle", type=Path, required=True, help="to write them into")


def run(args: argparse.Namespace) -> int:
    """Write the bundle's answers into its folder."""
    texts = read_text(args.texts).removesuffix("\n").split("\n")
    answers = load(args.bundle).check_many(texts)
    rows = [
        json.dumps({"text": text, "corrections": list(map(as_json, found))}, ensure_ascii=False)
        for text, found in zip(texts, answers, strict=True)
    ]
    save_text("".join(row + "\n" for row in rows), args.bundle / GOLDEN)
    return 0
