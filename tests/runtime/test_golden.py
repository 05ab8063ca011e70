"""The shipped bundle gives its golden answers through Python and the command line."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import respell
from golden_answers import golden
from respell.types import PRESETS, Correction

SAMPLES = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module")
def corrector() -> respell.Corrector:
    return respell.load()


def assert_same(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    assert [(c["start"], c["end"], c["original"]) for c in found] == [
        (c["start"], c["end"], c["original"]) for c in wanted
    ]
    for got, gold in zip(found, wanted, strict=True):
        assert (got["replacement"], got["kind"]) == (gold["replacement"], gold["kind"])
        # Another CPU sums in another order: scores may differ in their last digits.
        assert got["score"] == pytest.approx(gold["score"], abs=0.02)


def assert_same_corrections(found: list[Correction], wanted: list[dict[str, Any]]) -> None:
    assert_same([c.to_dict() for c in found], wanted)


@pytest.mark.parametrize("preset", PRESETS)
def test_golden_answers_cover_the_samples(preset: str) -> None:
    texts = (SAMPLES / "texts.txt").read_text(encoding="utf-8").split("\n")[:-1]
    sentences = (SAMPLES / "tokens.txt").read_text(encoding="utf-8").split("\n")[:-1]
    assert [row["text"] for row in golden(preset)] == texts
    tokens = golden(preset, key="tokens")
    assert [row["tokens"] for row in tokens] == [line.split(" ") for line in sentences]
    assert sum(len(row["corrections"]) for row in golden(preset)) > 20
    assert sum(len(row["corrections"]) for row in tokens) > 8


@pytest.mark.parametrize("preset", PRESETS)
def test_python(preset: str) -> None:
    corrector = respell.load(preset=preset)
    for row in golden(preset):
        assert_same_corrections(corrector.check(row["text"]), row["corrections"])
    for row in golden(preset, key="tokens"):
        assert_same_corrections(corrector.check_tokens(row["tokens"]), row["corrections"])


def test_batches_change_nothing(corrector: respell.Corrector) -> None:
    texts = [row["text"] for row in golden()]
    together = list(corrector.check_many(texts))
    for text, found in zip(texts, together, strict=True):
        alone = corrector.check(text)
        assert [(c.start, c.replacement) for c in found] == [
            (c.start, c.replacement) for c in alone
        ]
        assert [c.score for c in found] == pytest.approx([c.score for c in alone], abs=1e-3)


def test_command_line(tmp_path: Path) -> None:
    for number, row in enumerate(golden()):
        (tmp_path / f"{number:03}.txt").write_text(row["text"], encoding="utf-8", newline="")
    command = [
        sys.executable,
        "-m",
        "respell",
        "check",
        "--no-config",
        "--no-evidence",
        "--format",
        "json",
        ".",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    by_file: dict[str, list[dict[str, Any]]] = {}
    for line in done.stdout.decode().split("\n")[:-1]:
        finding = json.loads(line)
        by_file.setdefault(Path(finding["path"]).name, []).append(finding)
    for number, row in enumerate(golden()):
        assert_same(by_file.get(f"{number:03}.txt", []), row["corrections"])


def test_the_shortest_way_to_see_it_work() -> None:
    command = [sys.executable, "-m", "respell", "I recieve teh mail."]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "I receive the mail.\n"


ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz     '-.,",
    "abc ABC éüßñ \t\r\n\u00a0\u200b\u200d\ufeff\u0301\u0308",
    "😀🎉👩‍👩‍👧🇫🇷 a b.\u2028\u2029\x00\x1b\x85",
    "`*_[](){}<>#@/\\|~$%^&+=:;\"'!? a1.",
    "Приветمرحبا你好ไทย abc",
)


def test_ten_thousand_random_texts(corrector: respell.Corrector) -> None:
    dice = random.Random(20)
    texts = [
        "".join(dice.choices(dice.choice(ALPHABETS), k=dice.randint(0, 40))) for _ in range(10_000)
    ]
    for text, corrections in zip(texts, corrector.check_many(texts), strict=True):
        changed = respell.apply(text, corrections)
        assert len(changed.split()) == len(text.split())
        done = moved = 0
        for c in corrections:  # what lies between corrections is the same, byte for byte
            length = c.start - done
            assert changed[moved : moved + length] == text[done : c.start]
            done, moved = c.end, moved + length + len(c.replacement)
        assert changed[moved:] == text[done:]
    tokens = [text.split(" ") for text in texts[:2000]]
    corrected = respell.load(preset="noisy", threshold=0.2).correct_tokens_many(tokens)
    assert [len(t) for t in corrected] == [len(t) for t in tokens]
