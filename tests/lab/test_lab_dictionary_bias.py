"""The `dictionary-bias` command, on tiny data and with a fake model."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import tiny

from fakes import Fake, fake_bundle
from respell.corrector import Corrector
from respell.lab.__main__ import main
from respell.lab.misspellings.edit_model import EditModel
from respell.lab.tune.dictionary_bias import BIASES, RATE, Case, Cases, Collector, Measured, measure
from respell.text.tokenize import tokenize

RARE = ["Gardenia", "Calendula", "Macaroon", "Librarian", "Hospitality"]


def lines(count: int) -> list[str]:
    """Sentences without rare words, and `count` with one each."""
    texts = [line for line in tiny.sentences(3 * count, 5) if not line.startswith('"')]
    return [*texts, *(f"There is a {RARE[i % len(RARE)]} at the school." for i in range(count))]


def collector(words: Sequence[str] = RARE, *, count: int = 3) -> Collector:
    bundle = fake_bundle(words=["there", "is", "a", "at", "the", "school", "."])
    rare = [word.lower() for word in words]
    return Collector(bundle, rare, EditModel(tiny.MISSPELLINGS), count=count, seed=2)


def test_cases_are_sentences_with_one_misspelling() -> None:
    texts = [f"There is a {word} at the school." for word in RARE * 3]
    texts += ["There is a school at the school."] * 9
    made = collector()
    cases = made.collect(texts)
    assert [len(cases.user), len(cases.lexicon), len(cases.clean)] == [3, 3, 3]
    assert len(set(cases.dictionary)) == 3
    for case in (*cases.user, *cases.lexicon):
        (wrong,) = (t.text for t in tokenize(case.text) if t.start == case.start)
        assert wrong != case.word
        end = case.start + len(wrong)
        assert case.text[: case.start] + case.word + case.text[end:] in texts
    assert {case.word for case in cases.lexicon} <= {"There", "school"}
    again = made.collect(texts)
    assert not set(again.dictionary) & set(cases.dictionary)


def test_measure_counts_all_kinds_of_cases() -> None:
    cases = Cases(
        user=[
            Case("teh end", 0, "the"),
            Case("an aple", 3, "apple"),
            Case("its zbra", 4, "zebra"),
            Case("two aples", 4, "apples"),
        ],
        lexicon=[Case("I recieve", 2, "receive")],
        clean=["nothing wrong here"],
    )
    answers = {
        "teh": [("the", 0.9)],
        "aple": [("their", 0.9)],
        "aples": [("apple", 0.9)],
        "recieve": [("receive", 0.9)],
        "wrong": [("apple", 0.9)],
    }
    found = measure(Corrector(fake_bundle(), Fake(answers)), cases, cases.dictionary)
    assert found == Measured(
        dictionary=0,
        user=4,
        user_corrected=1,
        user_miscorrected=2,
        lexicon=1,
        lexicon_corrected=1,
        clean_words=3,
        clean_alarms=1,
        words=13,
        user_confused=1,
        wrongly_suggested=1,
    )
    recall = 1 / 4
    precision = RATE * recall / (RATE * recall + RATE / 4 + 1 / 13)
    assert found.f05(RATE) == pytest.approx(1.25 * precision * recall / (0.25 * precision + recall))


def test_command_chooses_and_measures(base: Path, tmp_path: Path) -> None:
    checkpoint = tiny.checkpoint(base, tiny.COMPOSED).path
    text, rare, presets, out = (
        tmp_path / name for name in ("text.txt", "rare.txt", "presets.json", "dictionary.json")
    )
    text.write_text("\n".join(lines(10)) + "\n", encoding="utf-8")
    rare.write_text("".join(f"{word.lower()}\n" for word in RARE), encoding="utf-8")
    presets.write_text('{"presets": {"default": {"threshold": 0.1}}}', encoding="utf-8")
    command = ["dictionary-bias", "--checkpoint", str(checkpoint), "--device", "cpu"]
    command += ["--rare", str(rare), "--lists", str(tiny.lists_folder(base) / "tiny.tsv")]
    command += ["--dev", str(text), "--test", str(text), "--part", "all", "--count", "2"]
    assert main([*command, "--presets", str(presets), "--output", str(out)]) == 0
    record = json.loads(out.read_text(encoding="utf-8"))
    assert [row["bias"] for row in record["dev"]["tried"]] == list(BIASES)
    assert record["bias"] in BIASES
    best = max(row["f05"] for row in record["dev"]["tried"])
    assert record["dev"]["tried"][BIASES.index(record["bias"])]["f05"] == best > 0
    assert record["system"]["threshold"] == 0.1
    assert record["without"]["user_corrected"] == record["without"]["dictionary"] == 0
    assert record["with"]["dictionary"] == record["with"]["user"] == 2
    written = json.loads(presets.read_text(encoding="utf-8"))["presets"]["default"]
    assert written == {"threshold": 0.1, "dictionary_bias": record["bias"]}


def test_model_must_score_user_words(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint = tiny.checkpoint(base, "word_char_keep").path
    command = ["dictionary-bias", "--checkpoint", str(checkpoint), "--rare", "no", "--lists", "no"]
    assert main([*command, "--test", "no", "--output", str(tmp_path / "x.json")]) == 2
    assert "this model cannot score user words" in capsys.readouterr().err
