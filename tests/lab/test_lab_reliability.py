import json
from pathlib import Path

import pytest
import tiny

from fakes import Fake, fake_bundle
from respell.corrector import Corrector
from respell.lab.__main__ import main
from respell.lab.evaluate import systems
from respell.lab.tune import reliability
from respell.lab.tune.proposals import Outcome, Proposals
from respell.lab.tune.reliability import SetProposals, _Set, measure, summarize
from respell.model.presets import Preset

OUTCOMES = (
    Outcome(0.9, True, True),
    Outcome(0.8, True, False),
    Outcome(0.3, False, False),
)


def test_only_corrections_above_the_threshold_count() -> None:
    found = SetProposals("essays", "dev", 100, Proposals(4, OUTCOMES))
    made = summarize(found, Preset(threshold=0.5))
    assert (made["set"], made["part"], made["error_rate"]) == ("essays", "dev", 0.04)
    assert (made["proposed"], made["right"]) == (2, 0.5)
    assert made["mean_score"] == pytest.approx(0.85)
    assert made["ece"] == pytest.approx((0.1 + 0.8) / 2)
    assert made["ece_from_lowest"] == pytest.approx((0.1 + 0.8 + 0.3) / 3)
    assert [bin_["count"] for bin_ in made["bins"]] == [1, 1, 1]


def test_unknown_words_have_their_own_threshold() -> None:
    outcomes = (*OUTCOMES, OUTCOMES[2]._replace(oov=True, right=True))
    found = SetProposals("essays", "dev", 100, Proposals(4, outcomes))
    assert summarize(found, Preset(threshold=0.5, oov_threshold=0.3))["proposed"] == 3
    assert summarize(found, Preset(threshold=0.5, oov_threshold=0.31))["proposed"] == 2


def test_a_preset_may_report_by_the_error_probability() -> None:
    likely = (outcome._replace(error_probability=0.95) for outcome in OUTCOMES)
    found = SetProposals("essays", "dev", 100, Proposals(4, tuple(likely)))
    preset = Preset(threshold=0.9, threshold_on="error_probability")
    assert summarize(found, preset)["proposed"] == 3
    assert summarize(found, Preset(threshold=0.95))["proposed"] == 0


def test_set_without_proposals() -> None:
    found = SetProposals("essays", "test", 0, Proposals(0, ()))
    made = summarize(found, Preset(threshold=0.5))
    assert (made["proposed"], made["ece"], made["error_rate"]) == (0, 0.0, 0.0)


def test_diluted_set_includes_false_alarms_in_clean_text() -> None:
    corrector = Corrector(
        fake_bundle(), Fake({"teh": [("the", 0.9)], "fine": [("zebra", 0.6)]}), threshold=0.05
    )
    one = _Set("essays", "dev", [["teh", "cat"]], [["the", "cat"]], 0.1)
    plain, diluted = measure(corrector, one, [["fine", "words", "and", "marks"]] * 9)
    assert (plain.tokens, plain.rate, len(plain.proposals.outcomes)) == (2, 0.5, 1)
    assert (diluted.tokens, diluted.rate, len(diluted.proposals.outcomes)) == (10, 0.1, 3)
    assert not any(outcome.right for outcome in diluted.proposals.outcomes[1:])


def test_command(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = tiny.exported(base)
    files = [str(tmp_path / "noisy.txt"), str(tmp_path / "gold.txt")]
    for file, side in zip(files, tiny.parity_sentences(20), strict=True):
        Path(file).write_text("".join(" ".join(s) + "\n" for s in side), encoding="utf-8")
    command = ["reliability", "--bundle", str(folder), "--clean", files[1], "--out", str(tmp_path)]
    assert main(command) == 2
    assert "no dev sets; give --people or --noisy" in capsys.readouterr().err
    assert main([*command, "--test", "theirs", *files]) == 2
    assert "no dev sets; give --people or --noisy" in capsys.readouterr().err
    sets = ["--people", "mine", *files, "--test", "theirs", *files, "--rate", "0.9"]
    assert main([*command, *sets]) == 0
    made = json.loads((tmp_path / "reliability.json").read_text(encoding="utf-8"))
    for preset in ("default", "noisy", "careful"):
        parts = [(one["set"], one["part"]) for one in made["reliability"][preset]]
        assert parts == [("mine", "dev"), ("mine", "dev"), ("theirs", "test")]
    assert [file["file"] for file in made["files"]] == ["gold.txt", "noisy.txt"]
    assert made["system"]["sha256"]
    assert "mine, " in (tmp_path / "reliability.svg").read_text(encoding="utf-8")
    assert "theirs" in capsys.readouterr().out


def test_nothing_is_written_without_corrections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = Corrector(fake_bundle(), Fake({}), threshold=0.05)
    monkeypatch.setattr(systems, "load_model", lambda args: systems.Model(silent, {}))
    monkeypatch.setattr(reliability, "PRESETS", ("default",))
    text, out = tmp_path / "text.txt", tmp_path / "out"
    text.write_text("the cat\n", encoding="utf-8")
    command = ["reliability", "--noisy", "mine", str(text), str(text), "--clean", str(text)]
    assert main([*command, "--out", str(out)]) == 2
    assert "no corrections to plot" in capsys.readouterr().err
    assert not out.exists()
