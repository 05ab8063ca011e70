"""JamSpell with a model trained on our sample of clean text."""

import functools
import os
from pathlib import Path

import jamspell

MODEL, ALPHABET = "model.bin", "alphabet.txt"
LETTERS = "abcdefghijklmnopqrstuvwxyz'"


def train(text: Path, folder: Path) -> None:
    """Train a language model; JamSpell reads its alphabet from a file."""
    (folder / ALPHABET).write_text(LETTERS, encoding="utf-8")
    speller = jamspell.TSpellCorrector()
    if not speller.TrainLangModel(str(text), str(folder / ALPHABET), str(folder / MODEL)):
        raise SystemExit(f"JamSpell cannot train on {text}")


@functools.cache
def _speller() -> jamspell.TSpellCorrector:
    speller = jamspell.TSpellCorrector()
    folder = Path(os.environ["PEER_FOLDER"])
    if not speller.LoadLangModel(str(folder / MODEL)):
        raise SystemExit(f"JamSpell cannot load {MODEL}; it needs the locale en_US.UTF-8")
    return speller


def correct(tokens: list[str]) -> list[str]:
    """Correct the sentence; answers with another number of tokens are ignored."""
    answers = _speller().FixFragment(" ".join(tokens)).split(" ")
    return answers if len(answers) == len(tokens) else tokens
