"""Inputs to begin with: valid ones, so that the fuzzer need not guess what a model looks like."""

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.targets import SEPARATOR
from respell.model.bundle import CONFIG, LEXICON, MODEL

ROOT = Path(__file__).parent.parent
TEXT = "I recieve teh mail at https://a.b/c, don't you? U.S. R&D `code` 3.5% Quoted\n\nEnd."
_MARKUP = (
    "# Title\n```\ncode\n```\n<b>x</b> [a](b) $x$ \\cite{a} ``lit`` &amp; <!-- respell: off -->"
)
_REQUESTS = (
    {"text": TEXT, "threshold": 0.5, "preset": "noisy", "max_suggestions": 2},
    {"tokens": [["I", "recieve", "mail"]], "offsets": "utf16", "dictionary": ["teh"]},
    {"text": "teh", "start": 0, "max_candidates": 3, "offsets": "codepoint"},
)
_FORMS = (
    "language=en-US&text=I+recieve+teh+mail&disabledRules=RESPELL_REAL_WORD",
    'language=auto&data={"annotation":[{"text":"teh"},{"markup":"<b>","interpretAs":" "}]}',
)
_SETTINGS = {"respell": {"threshold": 0.5, "preset": "careful", "dictionary": ["a"]}}
_TOML = 'threshold = 0.8\npreset = "careful"\ndictionary = ["a"]\nexclude = ["x/"]\nmodel = "m"\n'
_CORPORA = '[[source]]\nfile = "a.xz"\nlicence = "CC0"\nstyle = "1b"\nheldout = "last-tenth"\n'


def seeds(target: str) -> list[bytes]:
    """Valid inputs of a target."""
    match target:
        case "server":
            bodies = [json.dumps(request).encode() for request in _REQUESTS]
            asked = [bytes([i]) + body for i in (0, 1, 3) for body in bodies]
            return asked + [bytes([7]) + form.encode() for form in _FORMS]
        case "bundle":
            return _bundles()
        case "config":
            return [SEPARATOR.join((_TOML.encode(), b"word # comment\n", b"*.md\n!/a/**/b[x-z]\n"))]
        case "lsp":
            return [json.dumps(_SETTINGS).encode(), b"\1\2\1\5    " + TEXT.encode()]
        case "masker":
            return [bytes([i]) + _MARKUP.encode() for i in range(5)]
        case "readers":
            return _files()
        case "noise":
            words = SEPARATOR.join((b"receive", b"I'm", b"well", b"x"))
            return [bytes([i]) + words for i in range(11)]
        case _:
            return [TEXT.encode()]


def _files() -> list[bytes]:
    """Lists, compressed texts, a list of corpora, a recipe and a shard, each of its kind."""
    lists = b"$the\nteh\nhte\n", b"the\tteh\n", b"the teh hte\n"
    packers: tuple[Callable[[bytes], bytes], ...] = (lzma.compress, bz2.compress, gzip.compress)
    arrays = io.BytesIO()
    types = {"ids": np.uint16, "shapes": np.uint8, "escapes": np.int32, "lengths": np.uint16}
    columns: dict[str, Any] = {name: np.zeros(2, kind) for name, kind in types.items()}
    np.savez(arrays, **columns)
    tables = [(ROOT / "recipes" / "small.toml").read_bytes(), _CORPORA.encode()]
    return [
        *(b"\0" + content for content in lists),
        *(bytes([i]) + pack(TEXT.encode()) for i, pack in enumerate(packers, 1)),
        *(b"\5" + table for table in tables),
        b"\x8b" + arrays.getvalue(),
    ]


def _bundles() -> list[bytes]:
    from fuzz.targets import seed_bundle

    parts = seed_bundle()
    whole = SEPARATOR.join((b"", b"", parts[MODEL]))
    words = b"The\nCAT\n" + SEPARATOR + parts[LEXICON]
    return [b"\0" + parts[CONFIG], b"\1" + SEPARATOR + parts[LEXICON], b"\1" + words, b"\2" + whole]
