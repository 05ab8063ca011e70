"""What is kept of a run of the fuzzer."""

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from fuzz import record  # noqa: E402
from fuzz.targets import TARGETS  # noqa: E402

LOG = """INFO: Using built-in libfuzzer
#2\tINITED cov: 15 ft: 16 corp: 1/1b exec/s: 0 rss: 40Mb
#14924\tDONE   cov: 81 ft: 400 corp: 108/5566b lim: 4096 exec/s: 1356 rss: 52Mb
Done 14924 runs in 11 second(s)
stat::number_of_executed_units: 14924
"""


def test_figures_are_read_from_the_last_lines() -> None:
    figures = record.summary(LOG, seconds=12.34, cpu_seconds=6, findings=["crash-1"])
    assert figures == {
        "seconds": 12.3,
        "cpu_seconds": 6,
        "executions": 14924,
        "edges": 81,
        "features": 400,
        "inputs_kept": 108,
        "findings": ["crash-1"],
    }
    assert record.summary("", seconds=1, cpu_seconds=1, findings=[])["executions"] is None


def test_a_target_takes_the_place_of_its_older_figures(tmp_path: Path) -> None:
    path = tmp_path / "fuzz.json"
    for target, executions in (("lsp", 1), ("apply", 2), ("lsp", 3)):
        record.keep(path, target, {"executions": executions})
    targets = json.loads(path.read_text(encoding="utf-8"))["targets"]
    assert {name: figures["executions"] for name, figures in targets.items()} == {
        "apply": 2,
        "lsp": 3,
    }
    assert targets["lsp"]["code_sha256"] == record.code_hash()
    assert targets["lsp"]["machine"]


def test_the_hash_is_of_names_and_contents(tmp_path: Path) -> None:
    code = tmp_path / "fuzz" / "a.py"
    code.parent.mkdir()
    code.write_text("1")
    before = record.code_hash(tmp_path)
    code.write_text("2")
    changed = record.code_hash(tmp_path)
    code.rename(code.with_name("b.py"))
    assert len({before, changed, record.code_hash(tmp_path)}) == 3


def published() -> dict[str, dict[str, Any]]:
    text = (ROOT / "results" / "fuzz.json").read_text(encoding="utf-8")
    targets: dict[str, dict[str, Any]] = json.loads(text)["targets"]
    return targets


def test_every_target_was_run_for_ten_minutes_and_what_was_found_is_kept() -> None:
    targets = published()
    assert set(targets) == set(TARGETS)
    for name, figures in targets.items():
        assert figures["findings"] or figures["seconds"] >= 600
        for finding in figures["findings"]:
            assert (ROOT / "tests" / "findings" / name / finding).is_file()


def test_the_page_of_faults_tells_what_was_measured() -> None:
    page = (ROOT / "docs" / "internals" / "testing.md").read_text(encoding="utf-8")
    for name, run in published().items():
        cells = f"{run['cpu_seconds']:.0f} | {run['executions']:,} | {len(run['findings'])}"
        assert f"| {name} | {cells} |" in page
