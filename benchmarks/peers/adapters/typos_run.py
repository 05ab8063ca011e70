"""typos, run once for many sentences; the first correction of each word."""

import json
import os
import subprocess
from pathlib import Path

from words import single


def correct_many(sentences: list[list[str]]) -> list[list[str]]:
    """Apply every finding to the sentences."""
    program = Path(os.environ["PEER_FOLDER"]) / "venv" / "bin" / "typos"
    text = "".join(" ".join(tokens) + "\n" for tokens in sentences)
    command = [str(program), "--isolated", "--format", "json", "-"]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
    answers = [list(tokens) for tokens in sentences]
    for line in done.stdout.splitlines():
        finding = json.loads(line)
        if finding["type"] == "typo":
            _apply(answers[finding["line_num"] - 1], sentences[finding["line_num"] - 1], finding)
    return answers


def _apply(answers: list[str], tokens: list[str], finding: dict[str, object]) -> None:
    """Apply the first correction to the token at the byte offset of the finding."""
    start, offset = 0, finding["byte_offset"]
    assert isinstance(offset, int)
    corrections = finding["corrections"]
    for index, token in enumerate(tokens):
        end = start + len(token.encode())
        if start <= offset < end:
            best = single(corrections[0]) if isinstance(corrections, list) and corrections else None
            answers[index] = token.replace(str(finding["typo"]), best) if best else token
        start = end + 1
