import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from respell.lab.common.metrics import score
from respell.lab.common.plots import plot_metrics
from respell.lab.evaluate import table
from respell.types import Error

PNG = b"\x89PNG\r\n\x1a\n"


def record(**changes: Any) -> dict[str, Any]:
    scores = score(
        [["teh", "cat", "form"]],
        [["the", "cat", "from"]],
        [["the", "car", "form"]],
        known=[("the", "teh")],
    )
    made = {"name": "a|b", "scores": dataclasses.asdict(scores), "words_per_second": 12345.6}
    return made | changes


def size(png: Path) -> tuple[int, int]:
    data = png.read_bytes()
    assert data.startswith(PNG)
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def test_metrics_are_plotted(tmp_path: Path) -> None:
    metrics, png = tmp_path / "metrics.jsonl", tmp_path / "plots" / "curve.png"
    rows: list[dict[str, float]] = [{"step": i, "loss": 9 / (1 + i)} for i in range(9)]
    rows[4]["dev_f05"] = 0.8
    rows[8] = {"step": 8, "dev_f05": 0.9, "dev_recall": 0.7}
    metrics.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plot_metrics(metrics, png)
    assert min(size(png)) > 300
    assert list(png.parent.iterdir()) == [png]


def test_dev_scores_are_plotted(tmp_path: Path) -> None:
    metrics, png = tmp_path / "metrics.jsonl", tmp_path / "curve.png"
    metrics.write_text('{"step": 1, "loss": 2}\n{"step": 2, "loss": 1}\n')
    plot_metrics(metrics, png)
    without = png.read_bytes()
    metrics.write_text('{"step": 1, "loss": 2}\n{"step": 2, "loss": 1, "dev_f05": 0.5}\n')
    plot_metrics(metrics, png)
    assert png.read_bytes() != without


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no metrics to plot"),
        ('{"step": 1, "loss": 1}\n{"step"', r"metrics\.jsonl:2: not JSON"),
        ("[1]", r"metrics\.jsonl:1: not a JSON object"),
        ('{"loss": 1}', r"metrics\.jsonl:1: no step"),
    ],
)
def test_invalid_metrics_are_an_error(tmp_path: Path, text: str, message: str) -> None:
    metrics = tmp_path / "metrics.jsonl"
    metrics.write_text(text)
    with pytest.raises(Error, match=message):
        plot_metrics(metrics, tmp_path / "curve.png")
    assert list(tmp_path.iterdir()) == [metrics]


def test_missing_matplotlib_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    metrics = tmp_path / "metrics.jsonl"
    metrics.write_text('{"step": 1, "loss": 2.0}')
    with pytest.raises(Error, match=r"pip install '\.\[lab\]'"):
        plot_metrics(metrics, tmp_path / "x.png")


def test_table_rows() -> None:
    lines = table.table([record(), record(name="c", words_per_second=None)]).splitlines()
    assert len(lines) == 4
    assert lines[2] == (
        "| a\\|b | 0.5000 | 0.5000 | 0.5000 | 0.5000 | 0.0000 (0/1) | 1000.00 | 12,346 |"
    )
    assert lines[3].endswith("| – |")
    assert {line.replace("\\|", "").count("|") for line in lines} == {len(table.COLUMNS) + 1}


def test_table_without_a_list_of_pairs() -> None:
    scores = dataclasses.asdict(score([["a"]], [["a"]], [["a"]]))
    assert "| – | 0.00 |" in table.table([record(scores=scores)])


def test_summary_shows_all_parts() -> None:
    lines = table.summary(record()).splitlines()
    assert lines[0] == "a|b: 3 tokens, 2 misspelled"
    assert [line.split()[0] for line in lines[2:4]] == ["all", "lower-cased"]
    assert lines[2].split()[1:] == ["0.3333"] + ["0.5000"] * 6
    assert "correct words damaged: 1 (1000.00 per 1,000)" in lines
    assert lines[-1] == "12,346 words/s"


def test_table_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, other = tmp_path / "good.json", tmp_path / "other.json"
    good.write_text(json.dumps(record()))
    parser = argparse.ArgumentParser()
    table.configure(parser)
    assert table.run(parser.parse_args([str(good)])) == 0
    assert capsys.readouterr().out == table.table([record()])
    for text in ('{"total": 1}', '{"name": "x", "scores": {}, "words_per_second": 1}'):
        other.write_text(text)
        with pytest.raises(Error, match=r"other\.json: not written by `evaluate`"):
            table.run(parser.parse_args([str(good), str(other)]))
