"""Inputs to begin with: valid ones, so that the fuzzer need not guess what a model looks like."""

import json

from fuzz.targets import SEPARATOR
from respell.bundle import CONFIG, LEXICON, MODEL

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
            lists = b"$the\nteh\nhte\n", b"the\tteh\n", b"the teh hte\n"
            return [b"\0" + content for content in lists]
        case _:
            return [TEXT.encode()]


def _bundles() -> list[bytes]:
    from fuzz.targets import seed_bundle

    parts = seed_bundle()
    whole = SEPARATOR.join((b"", b"", parts[MODEL]))
    return [b"\0" + parts[CONFIG], b"\1" + SEPARATOR + parts[LEXICON], b"\2" + whole]
