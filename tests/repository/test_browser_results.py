"""The numbers in docs/browser.md are those of the results."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "browser.md").read_text(encoding="utf-8")


def results(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_text(encoding="utf-8"))


def test_the_numbers_of_the_page() -> None:
    found = results("browser")
    page, answers, decisions = found["page"], found["answers"], found["decisions"]
    shown = [
        f"{page['first_visit_bytes'] / 1e6:.1f} MB",
        f"{page['first_visit_seconds']:.1f} s, {page['later_visit_seconds']:.1f} s",
        f"{found['processor_seconds']:.1f} s",
        f"{page['check_seconds']:.1f} s",
        f"{page['median_key_stroke_ms']:.0f} ms, {page['longest_key_stroke_ms']:.0f} ms",
        f"{page['longest_task_ms']:.0f} ms",
        f"{answers['different']} of {answers['answers']:,}",
        f"{answers['different_near_a_threshold']['0.001']}",
        f"{answers['change_of_probability']['of_99_percent']:.2f}",
        f"{decisions['different']} of {decisions['texts']:,}",
    ]
    assert [row for row in shown if f"| {row} |" not in PAGE] == []
    assert f"a text of {page['characters']:,} characters" in PAGE


def test_the_page_is_small_and_fast_and_decides_alike() -> None:
    found = results("browser")
    assert found["page"]["first_visit_bytes"] < 40_000_000
    assert found["processor_seconds"] < 1.5
    assert found["page"]["longest_task_ms"] < 50
    assert found["page"]["longest_key_stroke_ms"] < 50
    assert (found["decisions"]["texts"], found["decisions"]["different"]) == (10_000, 0)
    assert found["decisions"]["same"]


def test_exact_sums_give_the_same_answers() -> None:
    found = results("rounding")
    same = found["operators_with_the_same_inputs"]
    assert same["QuantizeLinear"]["different"] == same["MatMulIntegerToFloat"]["different"] == 0
    exact, plain = found["answers"]["exact_sums"], found["answers"]["as_it_is"]
    assert exact["different"] == 0 < plain["different"]
    assert exact["change_of_probability"]["most"] < 1e-4
    assert exact["native_seconds"] < 1.2 * plain["native_seconds"]
    assert found["answers"]["both_in_64_bits"]["native_seconds"] > 1.9 * plain["native_seconds"]
