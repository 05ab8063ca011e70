"""The `golden` command: write the exact corrections of a bundle, for tests of all interfaces."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from respell.corrector import load
from respell.lab.common.storage import read_text, save_text
from respell.model.bundle import GOLDEN
from respell.types import PRESETS


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `golden`."""
    parser.add_argument("texts", type=Path, help="texts, one per line")
    parser.add_argument("--tokens", type=Path, help="split sentences, tokens between single spaces")
    parser.add_argument(
        "--bundle",
        type=Path,
        required=True,
        help="the bundle to run and to write the corrections into",
    )


def run(args: argparse.Namespace) -> int:
    """Correct the texts at every preset and write the corrections into the bundle."""
    texts = _lines(args.texts)
    sentences = [line.split(" ") for line in _lines(args.tokens)] if args.tokens else []
    rows = [
        json.dumps(row, ensure_ascii=False)
        for preset in PRESETS
        for row in _rows(args.bundle, preset, texts, sentences)
    ]
    save_text("".join(row + "\n" for row in rows), args.bundle / GOLDEN)
    return 0


def _rows(
    bundle: Path, preset: str, texts: list[str], sentences: list[list[str]]
) -> Iterator[dict[str, Any]]:
    corrector = load(bundle, preset=preset)
    for text, found in zip(texts, corrector.check_many(texts), strict=True):
        yield {"preset": preset, "text": text, "corrections": [c.to_dict() for c in found]}
    for tokens, found in zip(sentences, corrector.check_tokens_many(sentences), strict=True):
        yield {"preset": preset, "tokens": tokens, "corrections": [c.to_dict() for c in found]}


def _lines(path: Path) -> list[str]:
    return read_text(path).removesuffix("\n").split("\n")
