"""The comments that the local engine of the VS Code extension adds are those of the server."""

import json
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="needs the extra lsp")

from code_server import EXTENSION
from javascript import PACKAGE, install
from lsprotocol import types

from respell.formats.languages import LANGUAGES, language_named
from respell.lsp.documents import Document
from respell.lsp.ignoring import ignore_edits
from respell.lsp.positions import Lines
from respell.types import Correction, Suggestion

pytestmark = pytest.mark.clients
TEXTS = [
    "teh",
    "a\n  teh b \r\nc\n",
    "a\n\nb teh\nc\n\nd teh\n",
    "  teh\n  b\n \n  teh",
    "x = 1 # teh\ny = 2 // teh\n",
    "/* teh,\n teh. */\n",
    '"""Teh teh.\n\nb\n"""\nx = {-1: "/*"}  # teh\n',
    "<p>teh <a\nhref='x'>teh</a>\n",
    "#define A /* teh */ \\\n  1 -- teh ; teh\n",
    "😀 teh\r\r\n% teh \\\n",
]
SCRIPT = """
import { readFileSync } from "node:fs";
import { ignoring } from "./ignoring.mjs";
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([text, format, at]) => ignoring(text, format, at, at + 3))));
"""


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def of_the_server(text: str, format: str, start: int) -> list[dict[str, object]]:
    lines = Lines(text)
    document = Document(uri="file:///a", language=language_named(format), version=1, lines=lines)
    edits = ignore_edits(document, Correction(start, "teh", (Suggestion("the", 0.9),), 0.9))
    assert all(isinstance(edit, types.TextEdit) for edit in edits)
    places = [lines.offset(edit.range.start) for edit in edits]
    return [
        {"at": utf16(text[:at]), "text": edit.new_text}
        for at, edit in zip(places, edits, strict=True)
    ]


def test_the_comments_are_those_of_the_server(tmp_path: Path) -> None:
    for folder in (PACKAGE, EXTENSION):
        install(folder)
    command = ["npx", "esbuild", "src/ignoring.ts", "--bundle", "--format=esm", "--platform=node"]
    command += [f"--outfile={tmp_path / 'ignoring.mjs'}"]
    subprocess.run(command, cwd=EXTENSION, check=True, capture_output=True, timeout=120)
    cases = [
        (text, language.name, at)
        for text in TEXTS
        for language in LANGUAGES
        for at in range(len(text))
        if text.startswith("teh", at)
    ]
    expected = [of_the_server(*case) for case in cases]
    assert sum(map(bool, expected)) > len(expected) / 2
    (tmp_path / "run.mjs").write_text(SCRIPT, encoding="utf-8")
    given = json.dumps([(text, name, utf16(text[:at])) for text, name, at in cases])
    run = subprocess.run(
        ["node", tmp_path / "run.mjs"], input=given, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    for case, found, wanted in zip(cases, json.loads(run.stdout), expected, strict=True):
        assert found == wanted, case
