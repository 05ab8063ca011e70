"""The list of corrections in clean texts, and the verdicts about them."""

import io
from pathlib import Path

import alarms
import pytest
import verdicts
from verdicts import Alarm, Row

from fakes import Fake, fake_bundle
from respell.corrector import Corrector
from respell.lab.common.storage import read_json
from respell.lab.export.card import equal_bundles
from respell.types import Correction, Error, Suggestion

TEH = Alarm("news", "teh", "the", "in", "end")
THYME = Alarm("news", "thyme", "time", "of", "and")
ROWS = [Row(TEH, 2), Row(THYME, 3), Row(Alarm("talks", "wich", "which", "", "way"), 1)]
VERDICTS = {TEH.key: "the", THYME.key: "thyme"}


def test_errors_of_the_source_are_counted_separately() -> None:
    counts = verdicts.count(ROWS, VERDICTS, 1000)
    assert counts["flagged"] == 6
    assert counts["typos_of_the_source"] == counts["of_these_corrected"] == 2
    assert counts["false_alarms"] == 3
    assert counts["not_judged"] == 1
    assert counts["flagged_per_1000"] == 6
    assert counts["per_1000_without_typos"] == 4
    assert verdicts.count(ROWS, VERDICTS, 1000, name="talks")["flagged"] == 1


def test_verdicts_apply_to_other_suggestions() -> None:
    other = [Row(Alarm("news", "teh", "ten", "in", "end"), 1)]
    counts = verdicts.count(other, VERDICTS, 1000)
    assert counts["typos_of_the_source"] == 1
    assert counts["of_these_corrected"] == 0


def test_only_neighbouring_words_are_kept() -> None:
    line = "Some secret words in teh end of it."
    found = verdicts.alarm("news", line, Correction(21, "teh", (Suggestion("the", 0.9),), 0.9))
    assert found == TEH
    first = verdicts.alarm("news", "teh", Correction(0, "teh", (Suggestion("the", 0.9),), 0.9))
    assert (first.before, first.after) == ("", "")


def test_list_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text(verdicts.render(ROWS, VERDICTS), encoding="utf-8")
    assert set(verdicts.read_rows(path)) == set(ROWS)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[1].split("\t") == [*"thyme time 3 news of and 3 thyme".split(), "false alarm"]
    assert lines[2].endswith("\tthe\ttypo of the source")
    assert lines[3].endswith("\t\t")


@pytest.mark.parametrize("row", ["teh\tin\tend\tthe\nteh\tin\tend\tten\n", "teh\tthe\n"])
def test_invalid_verdicts_are_errors(tmp_path: Path, row: str) -> None:
    path = tmp_path / "verdicts.tsv"
    path.write_text(verdicts.VERDICT_HEADER + row, encoding="utf-8")
    with pytest.raises(Error, match=r"verdicts\.tsv"):
        verdicts.read_verdicts(path)


def test_texts_are_held_out_from_training() -> None:
    names = {source.file.split(".")[0] for source in alarms.texts(alarms.CORPORA)}
    assert names == {"abc_news_au", "bbc_news", "scotus_oral", "mdn_docs", "wikipedia_new2018"}


def test_texts_used_for_training_are_an_error(tmp_path: Path) -> None:
    corpora = tmp_path / "corpora.toml"
    corpora.write_text('[[source]]\nfile = "bbc_news.txt.xz"\n', encoding="utf-8")
    with pytest.raises(Error, match="is used for training"):
        alarms.texts(corpora)


def test_corrections_are_found_line_by_line() -> None:
    context = io.StringIO()
    lines = ["Sit down.", "In zzq end", "zzq"]
    corrector = Corrector(fake_bundle(), Fake({"zzq": (("zebra", 0.9),)}))
    found = list(alarms.flagged(corrector, lines, "news", context))
    assert [(a.before, a.original, a.suggestion, a.after) for a in found] == [
        ("In", "zzq", "zebra", "end"),
        ("", "zzq", "zebra", ""),
    ]
    assert len(context.getvalue().splitlines()) == 2


def test_results_are_about_the_shipped_model() -> None:
    record = read_json(alarms.RESULTS / "default.json")
    assert record["system"]["bundle"] in equal_bundles(), (
        "run: python benchmarks/alarms.py --limit-words 300000"
    )


def test_results_match_the_verdicts() -> None:
    known = verdicts.read_verdicts(alarms.VERDICTS)
    for path in sorted(alarms.RESULTS.glob("*.tsv")):
        text = path.read_text(encoding="utf-8")
        assert text == verdicts.render(verdicts.read_rows(path), known), (
            "run: python benchmarks/alarms.py --again"
        )
