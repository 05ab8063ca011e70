"""The benchmark of stored answers: alignment, scores, types of errors, the page."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import stored_peers as command
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.evaluate.stored_answers import page, sets
from respell.lab.evaluate.stored_answers.align import align, distance, fold
from respell.lab.evaluate.stored_answers.error_types import ERROR_TYPES, error_type
from respell.lab.evaluate.stored_answers.score import lines_with_text, score
from respell.types import Error

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "stored_peers"
WORDS = frozenset("a and became cat far for from hat in is not of sat that the then was".split())


def is_word(token: str) -> bool:
    return token.lower() in WORDS


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Word.", "word"),
        ("``It", "it"),
        ("don't!", "don't"),
        ("_x-y_", "x-y"),
        ("...", ""),
        ("Über,", "über"),
    ],
)
def test_words_are_compared_without_case_and_edges(word: str, expected: str) -> None:
    assert fold(word) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("", "", 0), ("cat", "cat", 0), ("cat", "hat", 1 / 3), ("", "cat", 1), ("teh", "the", 2 / 3)],
)
def test_distance(a: str, b: str, expected: float) -> None:
    assert distance(a, b) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "answer", "words", "added"),
    [
        # as many words
        ("the cat sat", "The cat sat.", "the|cat|sat", 0),
        ("teh kat sat", "the cat sat", "the|cat|sat", 0),
        ("i most like it", "we most like it", "we|most|like|it", 0),
        ("aspects with it", "aspects of it", "aspects|of|it", 0),
        # words added
        ("in factory now", "in a factory now", "in|factory|now", 1),
        ("good friend", "a very good friend", "good|friend", 2),
        # words dropped
        ("despite of that", "despite that", "despite||that", 0),
        ("the the cat", "the cat", "|the|cat", 0),
        # one dropped and one added: everything between is shifted
        (
            "with one or more switches in the big box",
            "one or more switches in the very big box",
            "|one|or|more|switches|in|the|big|box",
            1,
        ),
        # split and joined
        ("add ofgirls here", "add of girls here", "add|of girls|here", 0),
        ("a traffic light", "a trafficlight", "a|trafficlight|trafficlight", 0),
        (
            "ever increasing noise",
            "ever-increasing noise",
            "ever-increasing|ever-increasing|noise",
            0,
        ),
        ("to specialize in it", "specializing in it", "|specializing|in|it", 0),
        # contractions that were only split
        ("i've seen it", "I 've seen it", "i've|seen|it", 0),
        ("we don't know", "we do n't know", "we|don't|know", 0),
        ("we dont know", "we do n't know", "we|don't|know", 0),
        # punctuation is no word
        ("cat , sat", "cat, sat", "cat||sat", 0),
        ("cat sat", "cat - sat", "cat|sat", 0),
        ("cat -- sat", "cat and sat", "cat|and|sat", 0),
        # nothing
        ("", "a cat", "", 2),
        ("a cat", "", "|", 0),
        ("", "", "", 0),
    ],
)
def test_answers_are_aligned(given: str, answer: str, words: str, added: int) -> None:
    aligned = align(given.split(), answer.split())
    assert aligned.words == (tuple(words.split("|")) if given else ())
    assert aligned.added == added


TOKENS = "the teh cat sat on a lot alot I 've , --".split()
some_words = st.lists(st.sampled_from(TOKENS), max_size=9)


@given(some_words, some_words)
def test_every_given_word_has_an_answer(words: list[str], answer: list[str]) -> None:
    aligned = align(words, answer)
    assert len(aligned.words) == len(words)
    assert 0 <= aligned.added <= len(answer)


@given(some_words)
def test_an_equal_answer_changes_nothing(words: list[str]) -> None:
    aligned = align(words, words)
    assert aligned.words == tuple(map(fold, words))
    assert aligned.added == 0


@given(some_words, st.data())
def test_one_changed_word_changes_no_other(words: list[str], data: st.DataObject) -> None:
    if not words:
        return
    i = data.draw(st.integers(0, len(words) - 1))
    answer = [*words[:i], "zebra", *words[i + 1 :]]
    assert align(words, answer).words == tuple(map(fold, answer))


@pytest.mark.parametrize(
    ("written", "right", "expected"),
    [
        ("becFame", "became", "stray capital"),
        ("iPhome", "iPhone", "unknown word"),
        ("NASE", "NASA", "unknown word"),
        ("fŕom.", "from.", "foreign letter"),
        ("th(at", "that", "foreign letter"),
        ("caffé", "café", "unknown word"),
        ("(zebar)", "(zebra)", "unknown word"),
        ("than", "that", "other"),
        ("then", "the", "real word"),
        ("Hat", "that", "real word"),
    ],
)
def test_types_of_errors(written: str, right: str, expected: str) -> None:
    assert error_type(written, right, is_word) == expected
    assert expected in ERROR_TYPES


def scores(corrupt: str, correct: str, answer: str) -> dict[str, Any]:
    result = score([corrupt], [correct], {"it": [answer]}, is_word=is_word)
    made: dict[str, Any] = result["systems"]["it"]
    return made


@pytest.mark.parametrize(
    ("answer", "corrected", "alarms"),
    [
        ("Teh cat sat frm then", 0, 0),
        ("the cat sat from then", 2, 0),
        ("THE cat, sat from then.", 2, 0),
        ("ten cat sat from then", 1, 0),
        ("the hat sat from then", 2, 1),
        ("the cat from then", 2, 1),
        ("the cat sat right from then", 2, 0),
        ("the catsat from then", 2, 2),
        ("the c at sat from then", 2, 1),
        ("the cat sat f rm then", 1, 0),
    ],
)
def test_scores_by_the_table_rule(answer: str, corrected: int, alarms: int) -> None:
    made = scores("Teh cat sat frm then", "The cat sat from then", answer)
    assert (made["corrected"], made["alarms"]) == (corrected, alarms)
    assert made["recall"] == corrected / 2
    assert made["precision"] == pytest.approx(
        corrected / (corrected + alarms) if corrected else 0, abs=1e-5
    )


def test_counts_of_a_set() -> None:
    corrupt, correct = ["teh cat", "thEn the hat"], ["the cat", "then the cat"]
    answers = {"all": correct, "none": corrupt, "longer": ["the old cat", "Then the hat"]}
    result = score(corrupt, correct, answers, is_word=is_word)
    assert {key: result[key] for key in ("lines", "tokens", "errors", "error_types")} == {
        "lines": 2,
        "tokens": 5,
        "errors": 2,
        "error_types": {"other": 1, "real word": 1},
    }
    assert result["systems"]["all"]["f05"] == 1
    assert result["systems"]["none"]["f05"] == 0
    longer = result["systems"]["longer"]
    assert (longer["added"], longer["lines_of_other_length"]) == (1, 1)
    assert longer["corrected_by_type"] == {"other": 1, "real word": 0}


def test_lines_are_matched_by_their_letters() -> None:
    lines = ["The cat, sat.", "A dog.", "the cat sat", "The cat sat!"]
    assert lines_with_text(lines, ["the cat , sat .", "THE CAT SAT"]) == [0, 2]
    assert lines_with_text(lines, []) == []


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with two small sets; the second also has development lines."""
    files = {
        "bea322": {"corrupt": "teh end", "correct": "the end", "gpt3_davinci_edit": "the end"},
        "jfleg": {
            "corrupt": "Teh cat.\nA hte.",
            "correct": "The cat.\nA hat.",
            "mine": "Teh cat.\nA hat.",
        },
    }
    for name, texts in files.items():
        (tmp_path / "peers" / name).mkdir(parents=True)
        for stem, text in texts.items():
            (tmp_path / "peers" / name / f"{stem}.txt").write_text(f"{text}\n")
    (tmp_path / "bench").mkdir()
    (tmp_path / sets.TEST_LINES["jfleg"]).write_text("A hte .\n")
    return tmp_path


def test_only_test_lines_are_read(data: Path) -> None:
    read = sets.read_set(data, "jfleg")
    assert (read.corrupt, read.correct, read.of) == (["A hte."], ["A hat."], 2)
    assert read.answers == {"mine": ["A hat."]}
    assert "neuspell_jfleg_test.noisy.txt" in read.sha256
    assert sets.read_set(data, "bea322").of == 1


def test_sets_that_are_not_aligned_are_an_error(data: Path) -> None:
    (data / "peers" / "jfleg" / "mine.txt").write_text("one line\n")
    with pytest.raises(Error, match=r"mine\.txt: needs as many lines as corrupt\.txt"):
        sets.read_set(data, "jfleg")
    with pytest.raises(Error, match=r"needs corrupt\.txt and correct\.txt"):
        sets.read_set(data, "bea4660")


def run_command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["stored_peers.py", *arguments])
    return command.main()


def test_the_command_scores_the_shipped_model(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RESPELL_DATA", str(data))
    out = data / "results"
    assert run_command(monkeypatch, "--set", "bea322", "jfleg", "--output", str(out)) == 0
    assert "bea322: gpt3_davinci_edit 1.000 1.000 1.000" in capsys.readouterr().out
    made = json.loads((out / "bea322.json").read_text())
    assert set(made["systems"]) == {
        "respell default",
        "respell noisy",
        "respell careful",
        "gpt3_davinci_edit",
    }
    assert made["systems"]["respell default"]["corrected"] == 1
    assert {"commit", "machine", "command", "sha256"} <= set(made)
    text = (out / page.FILE).read_text()
    assert "| GPT-3 davinci-edit | – | 1.000 / 1.000 / **1.000** |" in text
    assert "| JFLEG, test lines | 1 | 2 | 2 | 1 |" in text
    (out / page.FILE).unlink()
    assert run_command(monkeypatch, "--render", "--output", str(out)) == 0
    assert (out / page.FILE).read_text() == text


def test_the_command_needs_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RESPELL_DATA", raising=False)
    with pytest.raises(SystemExit, match="set RESPELL_DATA"):
        run_command(monkeypatch)


def test_recall_by_type_is_on_the_page() -> None:
    corrupt, correct = ["teh becFame then"], ["the became the"]
    answers = {"respell noisy": ["the becFame the"], "baseline_aspell": corrupt, "new_one": correct}
    made = score(corrupt, correct, answers, is_word=is_word)
    text = page.render({"wiki_realistic": {**made, "of": 1}})
    table = text.partition("recall by type of error")[2].splitlines()
    assert table[2].count("|") == 5
    assert table[4:8] == [
        "| errors | 1 | 1 | 1 |",
        "| respell noisy | 0.000 | 1.000 | 1.000 |",
        "| Aspell | 0.000 | 0.000 | 0.000 |",
        "| new\\_one | 1.000 | 1.000 | 1.000 |",
    ]


def test_a_folder_without_results_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Error, match=r"no results; run: python benchmarks/stored_peers\.py"):
        page.read_records(tmp_path)


def test_the_committed_page_is_up_to_date() -> None:
    assert (RESULTS / page.FILE).read_text(encoding="utf-8") == page.render(
        page.read_records(RESULTS)
    )


@pytest.mark.skipif("RESPELL_DATA" not in os.environ, reason="needs the data")
def test_the_stored_answers_of_the_data() -> None:
    read = sets.read_set(Path(os.environ["RESPELL_DATA"]), "bea322")
    made = score(read.corrupt, read.correct, read.answers, is_word=is_word)
    assert made["errors"] == 323
    neuspell = made["systems"]["baseline_neuspell_bert"]
    assert (neuspell["corrected"], neuspell["alarms"]) == (234, 76)
