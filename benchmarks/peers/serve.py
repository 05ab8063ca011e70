"""Run an adapter. It reads token lists as JSON lines and answers them after each empty line.

python serve.py ADAPTER.py             answer until the input ends
python serve.py ADAPTER.py TEXT OUT    train on a text and write the model into a folder

This file runs in the environment of the peer and only imports the standard library and the adapter.
An adapter has `correct(tokens)`, or `correct_many(sentences)` if the peer is faster on many
sentences at once, and `train(text, folder)` if it is trained on text.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import TextIO


def load(path: Path) -> ModuleType:
    """Import an adapter."""
    spec = importlib.util.spec_from_file_location("adapter", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def serve(adapter: ModuleType, questions: TextIO, answers: TextIO) -> None:
    """Answer the sentences read so far at each empty line."""
    many = getattr(adapter, "correct_many", None)
    waiting: list[list[str]] = []
    for line in questions:
        if line.strip():
            waiting.append(json.loads(line))
            continue
        corrected = many(waiting) if many else map(adapter.correct, waiting)
        for tokens in corrected:
            answers.write(json.dumps(tokens) + "\n")
        answers.flush()
        waiting = []


def main() -> None:
    """Serve, or train."""
    # The output of a peer must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    adapter = load(Path(sys.argv[1]))
    if len(sys.argv) > 2:
        adapter.train(Path(sys.argv[2]), Path(sys.argv[3]))
        return
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    serve(adapter, sys.stdin, answers)


if __name__ == "__main__":
    main()
