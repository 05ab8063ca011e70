"""Fixed test sets: the `freeze` command and the share of new misspellings."""

import json
from collections import Counter
from pathlib import Path

import pytest

from respell.lab.__main__ import main
from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.freeze import freeze, mix

SENTENCES = [["The", "cat", "sat", "on", "the", "mat", "."], ["A", "dog", "ran", "."]] * 50
PAIRS = {"cat": ["kat", "catt"], "sat": ["satt"], "dog": ["dgo"], "The": ["Teh"]}


def test_only_listed_misspellings_are_used() -> None:
    noisy = freeze(SENTENCES, PAIRS, NoiseConfig(), seed=3)
    changed = 0
    for words, gold in zip(noisy, SENTENCES, strict=True):
        assert len(words) == len(gold)
        wrong = [(w, g) for w, g in zip(words, gold, strict=True) if w != g]
        assert wrong, "at least one word of a sentence is misspelled"
        assert all(w in PAIRS[g] for w, g in wrong)
        changed += len(wrong)
    assert changed >= len(SENTENCES)


def test_the_seed_determines_the_noise() -> None:
    config = NoiseConfig()
    once, again = (freeze(SENTENCES, PAIRS, config, seed=3) for _ in range(2))
    assert once == again
    assert once != freeze(SENTENCES, PAIRS, config, seed=4)


def test_synthetic_noise_uses_the_letters_of_the_text() -> None:
    config = NoiseConfig(synthetic=1.0, methods={"keyboard": 1.0})
    noisy = freeze(SENTENCES, PAIRS, config, seed=3)
    letters = {c for words in (*SENTENCES, *PAIRS.values()) for word in words for c in word}
    written = {c for words in noisy for word in words for c in word}
    assert written <= letters
    assert noisy != SENTENCES


def test_the_command_writes_both_sides(tmp_path: Path) -> None:
    text, pairs = tmp_path / "clean.txt", tmp_path / "pairs.tsv"
    text.write_text("".join(" ".join(s) + "\n" for s in SENTENCES), encoding="utf-8")
    pairs.write_text("cat\tkat\ndog\tdgo\n", encoding="utf-8")
    command = ["freeze", str(text), "--lists", str(pairs), "--out", str(tmp_path / "dev")]
    assert main(command) == 0
    noisy, gold = ((tmp_path / f"dev.{kind}.txt").read_text() for kind in ("noisy", "gold"))
    assert gold == text.read_text()
    assert noisy != gold
    assert noisy.count("\n") == gold.count("\n")
    facts = json.loads((tmp_path / "dev.json").read_text())
    assert facts["seed"] == 1


def test_text_without_usable_sentences_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, pairs = tmp_path / "clean.txt", tmp_path / "pairs.tsv"
    text.write_text("a" * 30 + "\n", encoding="utf-8")
    pairs.write_text("cat\tkat\n", encoding="utf-8")
    assert main(["freeze", str(text), "--lists", str(pairs), "--out", str(tmp_path / "x")]) == 2
    assert "no sentence" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("pairs", "message"),
    [("", "pairs.tsv: no pairs"), ("bird\tbrid\n", "clean.txt: no word was misspelled")],
)
def test_lists_without_usable_pairs_are_an_error(
    pairs: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, lists = tmp_path / "clean.txt", tmp_path / "pairs.tsv"
    text.write_text("the cat sat\n", encoding="utf-8")
    lists.write_text(pairs, encoding="utf-8")
    assert main(["freeze", str(text), "--lists", str(lists), "--out", str(tmp_path / "x")]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("x.*"))


def test_words_outside_the_alphabet_stay_clean() -> None:
    rare = [chr(0x4E00 + i) for i in range(300)]  # more characters than fit into a byte
    sentences = [["cat", "act", "tact", word] for word in rare]
    pairs = {"cat": ["catt", "caat"], **{word: [word * 2] for word in rare}}
    config = NoiseConfig(synthetic=0.5)
    noisy = freeze(sentences, pairs, config, seed=3)
    assert noisy != sentences
    assert not any("\0" in word for words in noisy for word in words)


def test_new_misspellings_are_a_share_of_the_noise() -> None:
    pairs = {"The": ["Teh", "Hte", "Th"], "of": ["fo"]}
    mixed = mix(pairs, {"the": ["thee", "teh"], "and": ["adn"]}, 0.25)
    assert Counter(mixed["The"]) == {"Teh": 3, "Hte": 3, "Th": 3, "Thee": 3}  # "Teh" is known
    assert mixed["of"] == ["fo"]
    assert "and" not in mixed


def test_share_of_new_misspellings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, line in {"text": "the cat sat", "pairs": "the\tteh", "new": "the\tthhe"}.items():
        (tmp_path / name).write_text(f"{line}\n")
    command = ["freeze", str(tmp_path / "text"), "--lists", str(tmp_path / "pairs")]
    command += ["--out", str(tmp_path / "dev"), "--new", str(tmp_path / "new")]
    assert main([*command, "--new-share", "0.99"]) == 0
    assert (tmp_path / "dev.noisy.txt").read_text() in ("thhe cat sat\n", "teh cat sat\n")
    assert json.loads((tmp_path / "dev.json").read_text())["new_share"] == 0.99
    assert main([*command, "--new-share", "1"]) == 2
    assert "--new-share 1.0: write a share" in capsys.readouterr().err
