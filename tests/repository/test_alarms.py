"""Corrections of large clean texts, and what a reader's verdicts make of them."""

import io
import sys
from pathlib import Path

import pytest

from fakes import Fake, fake_bundle
from respell.corrector import Corrector
from respell.lab.common.provenance import hash_bundle
from respell.lab.common.storage import read_json
from respell.model.bundle import default_path
from respell.types import Correction, Error, Suggestion

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import alarms  # noqa: E402
import judged  # noqa: E402
from judged import Alarm, Row  # noqa: E402

TEH = Alarm("news", "teh", "the", "in", "end")
THYME = Alarm("news", "thyme", "time", "of", "and")
ROWS = [Row(TEH, 2), Row(THYME, 3), Row(Alarm("talks", "wich", "which", "", "way"), 1)]
VERDICTS = {TEH.key: "the", THYME.key: "thyme"}


def test_typos_of_the_source_are_set_apart() -> None:
    figures = judged.figures(ROWS, VERDICTS, 1000)
    assert figures["flagged"] == 6
    assert figures["typos_of_the_source"] == figures["of_these_put_right"] == 2
    assert figures["false_alarms"] == 3
    assert figures["not_judged"] == 1
    assert figures["flagged_per_1000"] == 6
    assert figures["per_1000_without_typos"] == 4
    assert judged.figures(ROWS, VERDICTS, 1000, name="talks")["flagged"] == 1


def test_a_verdict_outlives_the_suggestion() -> None:
    other = [Row(Alarm("news", "teh", "ten", "in", "end"), 1)]
    figures = judged.figures(other, VERDICTS, 1000)
    assert figures["typos_of_the_source"] == 1
    assert figures["of_these_put_right"] == 0


def test_only_the_neighbours_are_kept() -> None:
    line = "Some secret words in teh end are not ours."
    found = judged.alarm("news", line, Correction(21, "teh", (Suggestion("the", 0.9),), 0.9))
    assert found == TEH
    first = judged.alarm("news", "teh", Correction(0, "teh", (Suggestion("the", 0.9),), 0.9))
    assert (first.before, first.after) == ("", "")


def test_the_list_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text(judged.render(ROWS, VERDICTS), encoding="utf-8")
    assert set(judged.read_rows(path)) == set(ROWS)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[1].split("\t") == [*"thyme time 3 news of and 3 thyme".split(), "false alarm"]
    assert lines[2].endswith("\tthe\ttypo of the source")
    assert lines[3].endswith("\t\t")


@pytest.mark.parametrize("row", ["teh\tin\tend\tthe\nteh\tin\tend\tten\n", "teh\tthe\n"])
def test_verdicts_that_disagree_or_are_cut_short_are_refused(tmp_path: Path, row: str) -> None:
    path = tmp_path / "verdicts.tsv"
    path.write_text(judged.MARK + row, encoding="utf-8")
    with pytest.raises(Error, match=r"verdicts\.tsv"):
        judged.read_verdicts(path)


def test_texts_are_those_kept_from_training() -> None:
    names = {source.file.split(".")[0] for source in alarms.texts(alarms.CORPORA)}
    assert names == {"abc_news_au", "bbc_news", "scotus_oral", "mdn_docs", "wikipedia_new2018"}


def test_a_model_is_asked_line_by_line() -> None:
    wide = io.StringIO()
    lines = ["Sit down.", "In zzq end", "zzq"]
    corrector = Corrector(fake_bundle(), Fake({"zzq": (("zebra", 0.9),)}))
    found = list(alarms.flagged(corrector, lines, "news", wide))
    assert [(a.before, a.original, a.suggestion, a.after) for a in found] == [
        ("In", "zzq", "zebra", "end"),
        ("", "zzq", "zebra", ""),
    ]
    assert len(wide.getvalue().splitlines()) == 2


def test_what_is_published_is_of_the_shipped_model() -> None:
    record = read_json(alarms.RESULTS / "default.json")
    assert record["system"]["bundle"] == hash_bundle(default_path()), (
        "run: python benchmarks/alarms.py --limit-words 300000"
    )


def test_what_is_published_fits_the_verdicts() -> None:
    verdicts = judged.read_verdicts(alarms.VERDICTS)
    for path in sorted(alarms.RESULTS.glob("*.tsv")):
        text = path.read_text(encoding="utf-8")
        assert text == judged.render(judged.read_rows(path), verdicts), (
            "run: python benchmarks/alarms.py --again"
        )
