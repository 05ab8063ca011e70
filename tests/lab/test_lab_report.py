import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from respell.lab.__main__ import main
from respell.lab.common.markdown import heading, plain
from respell.lab.common.metrics import score
from respell.lab.evaluate.peers.ranking import CLEAN, SETS
from respell.lab.evaluate.report.command import FILE, PUBLISHED
from respell.lab.evaluate.report.page import render_folder
from respell.lab.evaluate.report.published import read_published

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "model"
NOISY = [["teh"] * 5 + ["cat"]]
GOLD = [["the"] * 5 + ["cat"]]
MACHINE = {"machine": {"cpu": "a CPU", "cores": 2}, "date": "2030-01-02T03:04"}


def scored(right: int) -> dict[str, Any]:
    predicted = [["the"] * right + ["teh"] * (5 - right) + ["cat"]]
    return dataclasses.asdict(score(NOISY, GOLD, predicted))


def write(folder: Path, name: str, record: dict[str, Any], *, sha256: str = "a" * 64) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    system = {"system": {"sha256": sha256, "preset": "default"}}
    (folder / f"{name}.json").write_text(json.dumps(system | MACHINE | record), encoding="utf-8")


def reliability(name: str) -> dict[str, Any]:
    bins = [{"least": 0.9, "most": 0.95, "count": 7, "score": 0.93, "right": 0.86}]
    one = {"set": name, "part": "dev", "error_rate": 0.02, "right": 0.9}
    one |= {"mean_score": 0.95, "ece": 0.05, "bins": bins}
    return {"reliability": {"default": [one]}, "presets": {"default": {"threshold": 0.5}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "model"
    write(made, "paper.default", {"scores": scored(4)})
    other_case = score(NOISY, GOLD, [["The"] * 5 + ["cat"]])
    lower = {"scores": dataclasses.asdict(other_case), "lower": True}
    write(made, "paper.default.lower", lower)
    total = {"words": 1000, "alarms": 2, "alarms_per_1000": 2.0}
    write(made, "clean.bbc_news.careful", {"total": total, "files": []})
    return made


def test_scores_are_shown_in_original_and_lower_case(folder: Path) -> None:
    text = render_folder(folder)
    assert "| default | original | 1.000 | 0.800 | 0.952 |" in text
    assert "| default | lower case | 1.000 | 1.000 | 1.000 |" in text
    assert "| 4 of 5 (80.0%) | 0.00 |" in text
    assert "| news | 1,000 | – | – | 2.00 |" in text
    assert f"Bundle {'a' * 16}; a CPU, 2 cores; 2030-01-02." in text
    assert "different bundles" not in text
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert sections == ["Test sets", "Clean text", "How to repeat the measurements"]
    assert "### The paper's sentences" in text


def test_files_about_two_bundles_are_reported(folder: Path) -> None:
    write(folder, "paper.noisy", {"scores": scored(1)}, sha256="b" * 64)
    assert "**These files are about 2 different bundles: measure again.**" in render_folder(folder)


def test_other_systems_are_shown(folder: Path) -> None:
    part = {"clean": False, "sentences": 2, "of": 5, "scores": scored(3)}
    clean = {"clean": True, "words": 9, "alarms_per_1000": 7.0}
    peer = {"peer": "other", "absent": None}
    peer["sets"] = dict.fromkeys(SETS, part) | dict.fromkeys(CLEAN, clean)  # type: ignore[assignment]
    for name in ("respell", "other"):
        write(folder.parent / "peers", name, {**peer, "peer": name})
    write(folder.parent / "paper", "row11", {"scores": scored(2)})
    published = {"set": "paper", "system": "them", "corrected": 0.7, "source": "their page"}
    text = render_folder(folder, [published])
    assert re.search(r"^\| \*other\* \| original \|.* 3 of 5 ", text, re.MULTILINE)
    assert "/peers/README.md), on 2 sentences" in text
    assert re.search(r"^\| \*the paper's row 11\* \|.* 2 of 5 ", text, re.MULTILINE)
    assert re.search(r"^\| \*them\* \|.*\| 70\.0% \| – \|$", text, re.MULTILINE)
    assert "- them: their page" in text
    assert "*respell*" not in text
    assert "| news | 1,000 | – | – | 2.00 | 7.00 |" in text


def test_reliability_variants_and_mistakes(folder: Path) -> None:
    write(folder, "reliability", reliability("holbrook_dev"))
    failed = {"flagged": "fiance", "suggestion": "finance"}
    found = {"forms": 4, "pairs_flagged": 1, "flagged": [failed]}
    pairs = {"pairs": {"count": 2}, "kinds": {"spelling": 2}, "variants": {"default": found}}
    write(folder, "variants", pairs)
    example = {"before": "a", "token": "b|c", "after": "d", "answer": "e", "gold": "f*"}
    kinds = [{"kind": "wrong", "count": 9, "examples": [example]}]
    alarm = {"before": "", "token": "b", "after": "d", "answer": "e", "gold": "b"}
    alarms = [{"kind": "flagged", "count": 3, "examples": [alarm]}]
    sets = [{"set": "paper", "kinds": kinds}, {"set": "bbc_news", "kinds": alarms}]
    write(folder, "mistakes", {"mistakes": sets})
    text = render_folder(folder)
    name = "very poor spellers (Holbrook, dev half)"
    assert f"| {name} | dev | 2.0% | 0.900 | 0.950 | 0.050 |" in text
    assert "| 0.9 to 0.95 | 0.86 (7) |" in text
    assert "| default | fiance → finance | 4 | 1 | 1 |" in text
    assert r"| a **b\|c** d → e (right: f\*) | 9 |" in text
    assert "### Flagged in clean text" in text
    assert "| news | **b** d → e | 3 |" in text


def test_rare_words(folder: Path) -> None:
    def counted(corrected: float) -> dict[str, object]:
        return {"corrected": corrected, "missed": 0.1, "typos": 1000}

    groups = {"1000": counted(0.9), "3000": counted(0.75)}
    write(folder, "rare", {"presets": {"default": groups, "noisy": groups}})
    text = render_folder(folder)
    assert "| rank of the word | typos | default: corrected | missed | noisy: corrected |" in text
    assert "| 1 to 1,000 | 1,000 | 90.0 % | 10.0 % | 90.0 % | 10.0 % |" in text
    assert "| 1,001 to 3,000 | 1,000 | 75.0 % | 10.0 % | 75.0 % | 10.0 % |" in text


def test_ablations_and_training_curve(folder: Path) -> None:
    dev = {"people": [[0.9, 0.5, 0.7], [0.9, 0.5, 0.8]], "noisy": [[0.9, 0.9, 0.9]]}
    sets = {"people": [["a.noisy.txt", "a"], ["b_c.txt", "b"]], "noisy": [["d.noisy.txt", "d"]]}
    base = {"name": "base", "change": "none", "against": None, "steps": 2000, "sets": sets}
    write(folder / "ablations", "base", base | {"dev": dev})
    better = {"people": [[0.9, 0.6, 0.8], [0.9, 0.6, 0.8]], "noisy": [[0.9, 0.8, 0.89]]}
    other = base | {"name": "other", "change": "x", "against": "base", "dev": better}
    write(folder / "ablations", "another", other)
    curve = [{"step": 9, "words": 4_000_000, "seconds": 60}, {"step": 9, "dev_f05": 1}]
    lines = "".join(json.dumps(row) + "\n" for row in curve)
    (folder / "training.jsonl").write_text(lines, encoding="utf-8")
    text = render_folder(folder)
    assert "| run | difference | steps | a | b\\_c | d |" in text
    assert "| base | none | 2,000 | 0.700 | 0.800 | 0.900 |\n| other |" in text
    assert "| other | x | 2,000 | 0.800 (+0.100) | 0.800 (+0.000) | 0.890 (-0.010) |" in text
    assert "9 steps, 4 million words, 1.0 minutes" in text


def test_markdown_helpers() -> None:
    assert heading(3, "news of BBC") == "### News of BBC"
    assert plain("a_b|c*<d>`") == r"a\_b\|c\*\<d\>\`"


def test_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "reliability", reliability("essays"))
    nothing = str(folder / "none.toml")
    assert main(["report", str(folder), "--published", nothing]) == 0
    assert (folder / FILE).read_text(encoding="utf-8") == render_folder(folder)
    assert capsys.readouterr().out == f"{folder / FILE}\n"
    assert "essays, 2% errors" in (folder / "reliability.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("result = [", "bad.toml: not a TOML file"),
        ("results = 1", "bad.toml: no results"),
        ("result = [1]", "bad.toml: no results"),
        ('[[result]]\nset = "paper"', "bad.toml: result 1 has no system"),
    ],
)
def test_invalid_published_results_are_an_error(
    text: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "bad.toml"
    path.write_text(text, encoding="utf-8")
    assert main(["report", str(folder), "--published", str(path)]) == 2
    assert message in capsys.readouterr().err
    assert not (folder / FILE).exists()


def test_missing_folder_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "none")]) == 2
    assert "none: no such folder" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_our_page_is_up_to_date() -> None:
    text = (RESULTS / FILE).read_text(encoding="utf-8")
    published = read_published(ROOT / PUBLISHED)
    assert text == render_folder(RESULTS, published), "run: python -m respell.lab report"
    for name in re.findall(r"\]\((\w+\.(?:svg|png|jsonl))\)", text):
        assert (RESULTS / name).is_file()
