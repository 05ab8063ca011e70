import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from respell.lab.common.metrics import score
from respell.lab.evaluate.peers import curve, page, speed
from respell.lab.evaluate.peers.ranking import (
    CLEAN,
    SETS,
    alarms,
    mean_f05,
    measured,
    pareto_front,
)

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "peers"
MACHINE = {"cpu": "a CPU", "cores": 2, "python": "3", "platform": "x"}


def record(name: str, right: int, *, alarms: int = 3, done: int = 5) -> dict[str, Any]:
    noisy, gold = [["teh"] * 5 + ["cat"]], [["the"] * 5 + ["cat"]]
    answer = [["the"] * right + ["teh"] * (5 - right) + ["cat"]]
    scores = dataclasses.asdict(score(noisy, gold, answer, is_word={"cat"}.__contains__))
    part = {"clean": False, "sentences": done, "of": 5, "scores": scores}
    clean = {"clean": True, "words": 1000, "alarms": alarms, "alarms_per_1000": float(alarms)}
    return {
        "peer": name,
        "about": "default settings",
        "absent": None,
        "sets": dict.fromkeys(SETS, part) | dict.fromkeys(CLEAN, clean),
        "disk_bytes": 2_000_000,
        "versions": {name: "1.0"},
        "sha256": {"config.json": "f" * 64},
        "respell": "0.1",
    }


def timed(**rates: float) -> dict[str, Any]:
    def spread(value: float) -> dict[str, float]:
        return {"median": value, "least": value / 2, "most": value * 2}

    keys = ("words_per_cpu_second", "load_seconds", "peak_rss_bytes")
    peers = {name: dict.fromkeys(keys, spread(rate)) for name, rate in rates.items()}
    for summary in peers.values():
        summary["ratio"] = spread(1.5)
    made = {"words": 3000, "seconds": 20, "base": "slow", "peers": peers, "absent": {}}
    return made | {"machine": MACHINE, "date": "2030-01-02T"}


ABSENT = {"peer": "gone", "about": "a fake", "absent": "Error: no | weights"}


def test_peers_are_sorted_by_score() -> None:
    records = [record("slow", 2, done=4), ABSENT, record("respell", 4), record("keep", 0)]
    assert [r["peer"] for r in measured(records)] == ["respell", "slow", "keep"]
    assert mean_f05(records[2]) == pytest.approx(1.25 * 0.8 / (0.25 + 0.8))
    assert alarms(records[0]) == (3.0, 5000)
    text = page.render(records, timed(slow=10, respell=5), None)
    assert "- respell beats all others on 5 of 5 sets." in text
    assert re.search(r"^\| respell \| (\*\*0\.952\*\* \| ){5}0\.952 \|$", text, re.MULTILINE)
    assert re.search(r"^\| slow \| (0\.769† \| ){5}0\.769 \|$", text, re.MULTILINE)
    assert "| gone | a fake: Error: no \\| weights |" in text
    assert "| respell | 5 | 1.5 (0.75–3) | 5.00 | 0 | 2.0 |" in text
    assert "bundle ffffffffffff" in text
    assert "curve.svg" not in text


def test_pareto_front() -> None:
    records = [record(name, right) for name, right in zip("abcd", (1, 2, 3, 4), strict=True)]
    assert pareto_front(records, timed(a=9, b=5, c=7, d=1)) == ["a", "c", "d"]
    assert pareto_front(records, timed(b=5)) == ["b"]


def test_page_without_speed_results() -> None:
    assert "Not measured yet" in page.render([record("respell", 4)], None, None)


def test_page_is_written_with_its_plots(tmp_path: Path) -> None:
    for made in (record("slow", 2), record("respell", 4), ABSENT):
        (tmp_path / f"{made['peer']}.json").write_text(json.dumps(made))
    (tmp_path / speed.FILE).write_text(json.dumps(timed(slow=10, respell=5)))
    points = [[0.1, 0.8, 0.9, 0.82], [0.9, 1.0, 0.5, 0.83]]
    curves = {"curves": dict.fromkeys(SETS, points), "presets": {}}
    (tmp_path / curve.FILE).write_text(json.dumps(curves))
    page.write(tmp_path)
    text = (tmp_path / page.FILE).read_text()
    assert text == page.render_folder(tmp_path)
    shown = re.findall(r"\]\((\w+\.svg)\)", text)
    assert sorted(shown) == ["alarms.svg", "curve.svg", "speed.svg"]
    before = {name: (tmp_path / name).read_bytes() for name in shown}
    assert all(b"<svg" in data for data in before.values())
    assert b"respell" in before["speed.svg"]
    page.write(tmp_path)
    assert before == {name: (tmp_path / name).read_bytes() for name in shown}


def test_summary_of_a_peer() -> None:
    assert page.summary(ABSENT) == "gone: not available: Error: no | weights"
    assert page.summary(record("x", 5)).startswith("x: paper 1.000, ")


def test_our_page_is_up_to_date() -> None:
    text = (RESULTS / page.FILE).read_text(encoding="utf-8")
    assert text == page.render_folder(RESULTS), "run: python -m respell.lab peers render"
    for name in re.findall(r"\]\((\w+\.svg)\)", text):
        assert (RESULTS / name).is_file()


def test_every_listed_peer_is_measured_or_explained() -> None:
    from respell.lab.evaluate.peers.registry import read_peers

    listed = {peer.name for peer in read_peers(ROOT / "benchmarks" / "peers" / "peers.toml")}
    records = [json.loads(path.read_text()) for path in RESULTS.glob("*.json")]
    assert {r["peer"] for r in records if "peer" in r} == listed
