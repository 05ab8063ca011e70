import argparse
import csv
import dataclasses
import io
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.corrector import Corrector
from respell.lab.common.metrics import Pairs, score
from respell.lab.common.storage import save_text
from respell.lab.common.tokens import read_tokens
from respell.lab.evaluate import command, false_alarms, systems
from respell.lab.evaluate.false_alarms import flag
from respell.lab.misspellings.word_lists import read_tsv
from respell.lab.train import checkpoint as ck
from respell.lab.train.models.base import Sizes
from respell.lab.train.recipe import parse_recipe
from respell.model.bundle import digest
from respell.model.encode import FIRST_CHARACTER
from respell.types import Correction, Error, Suggestion

TRIPLES = st.lists(st.tuples(*[st.sampled_from(["a", "A", "b", "c", ""])] * 3), max_size=30)

LEXICON = ("the", "cat", "a", "from", "of", "to", "and", "in", "is", "it", "for", "on")


def one_sentence(text: str) -> list[list[str]]:
    return [text.split(" ")]


def test_both_rules_on_an_example() -> None:
    # missed, corrected, miscorrected, damaged, unchanged
    scores = score(
        one_sentence("teh recieve thier cat ."),
        one_sentence("the receive their cat ."),
        one_sentence("teh receive there car ."),
    )
    table, authors = scores.all.table, scores.all.authors
    assert (table.tp, table.fp, table.fn, table.tn) == (1, 1, 2, 1)
    assert (authors.tp, authors.fp, authors.fn, authors.tn) == (1, 2, 1, 1)
    assert (table.precision, table.recall) == (1 / 2, 1 / 3)
    assert table.f05 == pytest.approx(1.25 * (1 / 6) / (0.25 / 2 + 1 / 3))
    assert (scores.all.tokens, scores.all.errors, scores.all.accuracy) == (5, 3, 0.4)
    assert (scores.false_alarms, scores.damaged_per_1000) == (1, 500)
    assert scores.real_words is None
    assert scores.known is None


def test_real_words_are_those_of_the_input() -> None:
    scores = score(
        one_sentence("form teh cat"),
        one_sentence("from the cat"),
        one_sentence("from teh cat"),
        is_word={"form", "from", "the", "cat"}.__contains__,
    )
    assert scores.real_words is not None
    assert scores.non_words is not None
    assert (scores.real_words.tokens, scores.real_words.errors) == (2, 1)
    assert (scores.real_words.table.tp, scores.real_words.accuracy) == (1, 1)
    assert (scores.non_words.tokens, scores.non_words.table.fn) == (1, 1)


def test_known_pairs_ignore_case() -> None:
    scores = score(
        one_sentence("Teh teh hte cat"),
        one_sentence("The the the cat"),
        one_sentence("The teh the cat"),
        known={("the", "TEH")},
    )
    assert scores.known == Pairs(count=2, corrected=1, share=0.5)
    assert scores.unknown == Pairs(count=1, corrected=1, share=1)


def test_case_is_ignored_in_the_lower_cased_scores() -> None:
    scores = score(one_sentence("Teh cat"), one_sentence("The cat"), one_sentence("the Cat"))
    assert (scores.all.accuracy, scores.false_alarms) == (0, 1)
    assert scores.lower_cased is not None
    assert (scores.lower_cased.all.accuracy, scores.lower_cased.false_alarms) == (1, 0)
    assert scores.lower_cased.lower_cased is None


def test_misaligned_lines_are_an_error() -> None:
    with pytest.raises(Error, match="gold:1: 2 tokens where 1 were expected"):
        score([["a"]], [["a", "b"]], [["a"]])
    with pytest.raises(Error, match="predictions: 0 lines where 1 were expected"):
        score([["a"]], [["a"]], [])


@given(TRIPLES)
def test_counts_are_consistent(triples: list[tuple[str, str, str]]) -> None:
    noisy, gold, predicted = ([[t[i] for t in triples]] for i in range(3))
    scores = score(noisy, gold, predicted, is_word=str.islower, known={("a", "b")})
    for part in (scores.all, scores.real_words, scores.non_words):
        assert part is not None
        for rule in (part.table, part.authors):
            assert rule.tp + rule.fp + rule.fn + rule.tn == part.tokens
            assert part.accuracy * part.tokens == pytest.approx(rule.tp + rule.tn)
        assert part.table.tp + part.table.fn == part.errors
    assert scores.real_words is not None
    assert scores.non_words is not None
    assert scores.real_words.tokens + scores.non_words.tokens == len(triples)
    assert scores.known is not None
    assert scores.unknown is not None
    assert scores.known.count + scores.unknown.count == scores.all.errors
    assert scores.known.corrected + scores.unknown.corrected == scores.all.table.tp
    json.dumps(dataclasses.asdict(scores))


@given(TRIPLES)
def test_each_token_is_counted_by_the_rules(triples: list[tuple[str, str, str]]) -> None:
    noisy, gold, predicted = ([[t[i] for t in triples]] for i in range(3))
    scores = score(noisy, gold, predicted)
    expected = {"tp": 0, "fp": 0, "fn": 0, "tn": 0}
    for t, g, p in triples:
        if p != t:
            expected["tp" if p == g else "fp"] += 1
        else:
            expected["fn" if p != g else "tn"] += 1
    authors = scores.all.authors
    assert expected == {name: getattr(authors, name) for name in expected}
    assert scores.all.table.fp == sum(t == g != p for t, g, p in triples)
    assert scores.all.table.fn == sum(t != g != p for t, g, p in triples)


@pytest.mark.skipif("RESPELL_DATA" not in os.environ, reason="needs the data of RESPELL_DATA")
def test_scores_of_published_predictions() -> None:
    data = Path(os.environ["RESPELL_DATA"])
    noisy, gold, row11 = (
        read_tokens(data / "paper" / f"test.{name}.txt") for name in ("noisy", "gold", "row11")
    )
    lists = read_tsv(data / "misspellings" / "omega_train80.tsv")
    known = {(word, wrong) for word, spellings in lists.items() for wrong in spellings}
    scores = score(noisy, gold, row11, known=known)
    table, authors = scores.all.table, scores.all.authors
    measured = [scores.all.accuracy, table.precision, table.recall, table.f05]
    measured += [authors.precision, authors.recall, authors.f05]
    assert [round(value, 4) for value in measured] == [
        *(0.9805, 0.9556, 0.9085, 0.9458),
        *(0.8992, 0.9662, 0.9118),
    ]
    assert scores.unknown is not None
    assert (scores.unknown.corrected, scores.unknown.count) == (993, 1538)


def run(*arguments: str | Path) -> int:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    return command.run(parser.parse_args([str(argument) for argument in arguments]))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    contents = {
        "noisy": "Teh cat\na form\n",
        "gold": "The cat\na from\n",
        "answers": "The \na from\n",
        "known": "the\tteh\n",
        "lexicon": "the\ncat\na\nform\nfrom\n",
    }
    paths = {name: tmp_path / f"{name}.txt" for name in contents}
    for name, path in paths.items():
        path.write_text(contents[name])
    return paths


def test_evaluate_command(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, written = tmp_path / "results" / "x.json", tmp_path / "written.txt"
    code = run(
        *("--noisy", files["noisy"], "--gold", files["gold"], "--predictions", files["answers"]),
        *("--known", files["known"], "--lexicon", files["lexicon"], "--name", "mine"),
        *("--output", output, "--write-predictions", written),
    )
    assert code == 0
    record: dict[str, Any] = json.loads(output.read_text())
    scores = record["scores"]
    assert scores["all"]["table"] == {
        "tp": 2,
        "fp": 1,
        "fn": 0,
        "tn": 1,
        "precision": 2 / 3,
        "recall": 1.0,
        "f05": pytest.approx(5 / 7),
    }
    assert scores["known"]["count"] == scores["unknown"]["count"] == 1
    assert scores["real_words"]["tokens"] == 3
    assert record["name"] == "mine"
    assert record["words_per_second"] is None
    assert record["noisy"]["file"] == "noisy.txt"
    assert len(record["gold"]["sha256"]) == len(record["system"]["sha256"]) == 64
    assert written.read_text() == "The \na from\n"
    assert "unknown pairs corrected: 1 of 1" in capsys.readouterr().out


def test_known_pairs_may_come_from_several_lists(files: dict[str, Path], tmp_path: Path) -> None:
    noisy = [line.split(" ") for line in files["noisy"].read_text().splitlines()]
    gold = [line.split(" ") for line in files["gold"].read_text().splitlines()]
    more = tmp_path / "more.tsv"
    pairs = [p for lines in zip(gold, noisy, strict=True) for p in zip(*lines, strict=True)]
    more.write_text("".join(f"{word}\t{wrong}\n" for word, wrong in pairs if word != wrong))
    output = tmp_path / "x.json"
    run(
        *("--noisy", files["noisy"], "--gold", files["gold"], "--predictions", files["answers"]),
        *("--known", files["known"], more, "--output", output),
    )
    record: dict[str, Any] = json.loads(output.read_text())
    assert (record["scores"]["known"]["count"], record["scores"]["unknown"]["count"]) == (2, 0)
    assert [known["file"] for known in record["known"]] == [files["known"].name, "more.tsv"]


def test_lower_option_changes_the_input(files: dict[str, Path], tmp_path: Path) -> None:
    written = tmp_path / "written.txt"
    run(
        *("--noisy", files["noisy"], "--gold", files["gold"], "--system", "keep", "--lower"),
        *("--write-predictions", written),
    )
    assert written.read_text() == "teh cat\na form\n"


def test_misaligned_line_is_named(files: dict[str, Path]) -> None:
    files["gold"].write_text("The cat\na b from\n")
    with pytest.raises(Error, match=r"gold\.txt:2: 3 tokens where 2"):
        run("--noisy", files["noisy"], "--gold", files["gold"], "--system", "keep")


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_empty_files_are_an_error(text: str, files: dict[str, Path]) -> None:
    for name in ("noisy", "gold"):
        files[name].write_text(text)
    with pytest.raises(Error, match=r"noisy\.txt: no tokens"):
        run("--noisy", files["noisy"], "--gold", files["gold"], "--system", "keep")


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A checkpoint of a tiny model with random weights."""
    raw = {"name": "tiny", "kind": "scrnn", "data": {"lists": []}, "model": {"width": 8}}
    recipe = parse_recipe(raw, "test")
    facts = ck.Facts(
        characters="abcdefghijklmnopqrstuvwxyz", casing="exact", length=8, data_hash=""
    )
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    save_text("\n".join(LEXICON) + "\n", folder / ck.LEXICON)
    save_text(recipe.to_toml(), folder / ck.RECIPE)
    save_text(json.dumps(dataclasses.asdict(facts)), folder / ck.FACTS)
    sizes = Sizes(lexicon=len(LEXICON), characters=26 + FIRST_CHARACTER, length=8)
    ck.save_tensors(ck.build_model(recipe, sizes).state_dict(), folder / ck.WEIGHTS)
    return folder


def test_checkpoint_is_evaluated(files: dict[str, Path], checkpoint: Path, tmp_path: Path) -> None:
    output, written = tmp_path / "x.json", tmp_path / "written.txt"
    run(
        *("--noisy", files["noisy"], "--gold", files["gold"], "--checkpoint", checkpoint),
        *("--output", output, "--write-predictions", written),
    )
    record = json.loads(output.read_text())
    assert record["name"] == "x"
    assert record["system"]["name"] == "tiny"
    assert record["system"]["sha256"] == digest(checkpoint / ck.WEIGHTS)
    assert record["words_per_second"] > 0
    # A closed model chooses a word of its lexicon for every token.
    answers = {token for tokens in read_tokens(written) for token in tokens}
    assert answers <= set(LEXICON)
    assert record["scores"]["real_words"]["tokens"] == 2


class FlagsColour:
    """Flags the word "colour"."""

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            at = text.find("colour")
            found = Correction(at, "colour", (Suggestion("color", 0.9),), 0.9)
            yield [found] if at >= 0 else []


def test_flagged_words_are_written_with_context() -> None:
    output = io.StringIO()
    lines = ["no alarm here", "x" * 80 + "\ta colour\tfilm", "colour"]
    assert flag(FlagsColour(), lines, output, name="f.txt") == (3 + 4 + 1, 2)
    rows = list(csv.reader(io.StringIO(output.getvalue()), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert rows[0] == ["f.txt", "colour", "color", "0.9000", "x" * 47 + " a [colour] film"]
    assert rows[1][-1] == "[colour]"
    assert len(rows) == 2


def test_false_alarms_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("a colour\n" * 19 + "one colour more\n")
    model = systems.Model(cast(Corrector, FlagsColour()), {"kind": "fake"})
    monkeypatch.setattr(systems, "load_model", lambda args: model)
    parser = argparse.ArgumentParser()
    false_alarms.configure(parser)
    output, findings = tmp_path / "r.json", tmp_path / "f.tsv"
    common = [str(text), "--output", str(output), "--findings", str(findings)]
    assert false_alarms.run(parser.parse_args([*common, "--part", "last-tenth"])) == 0
    record = json.loads(output.read_text())
    assert record["total"] == {"words": 5, "alarms": 2, "alarms_per_1000": 400.0}
    assert len(findings.read_text().splitlines()) == 3
    false_alarms.run(parser.parse_args([*common, "--limit-words", "5"]))
    assert json.loads(output.read_text())["total"]["words"] == 6
    assert "per 1,000 words" in capsys.readouterr().out
