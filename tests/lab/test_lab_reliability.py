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
from respell.lab.tune.reliability import Dense, _Set, figures, measure
from respell.model.presets import Preset

OUTCOMES = (
    Outcome(0.9, 0.9, True, True),
    Outcome(0.8, 0.9, True, False),
    Outcome(0.3, 0.4, False, False),
)


def test_only_what_is_proposed_counts_at_a_threshold() -> None:
    made = figures(Dense("essays", "dev", 100, Proposals(4, OUTCOMES)), Preset(threshold=0.5))
    assert (made["set"], made["part"], made["error_rate"]) == ("essays", "dev", 0.04)
    assert (made["proposed"], made["right"]) == (2, 0.5)
    assert made["mean_score"] == pytest.approx(0.85)
    assert made["ece"] == pytest.approx((0.1 + 0.8) / 2)
    assert made["ece_from_lowest"] == pytest.approx((0.1 + 0.8 + 0.3) / 3)
    assert [bin_["count"] for bin_ in made["bins"]] == [1, 1, 1]


def test_words_that_the_lexicon_lacks_are_proposed_from_their_own_threshold_on() -> None:
    outcomes = (*OUTCOMES, OUTCOMES[2]._replace(unlisted=True, right=True))
    dense = Dense("essays", "dev", 100, Proposals(4, outcomes))
    assert figures(dense, Preset(threshold=0.5, unlisted=0.3))["proposed"] == 3
    assert figures(dense, Preset(threshold=0.5, unlisted=0.31))["proposed"] == 2


def test_nothing_proposed_is_no_error() -> None:
    made = figures(Dense("essays", "test", 0, Proposals(0, ())), Preset(threshold=0.5))
    assert (made["proposed"], made["ece"], made["error_rate"]) == (0, 0.0, 0.0)


def test_a_diluted_set_adds_the_alarms_of_clean_text() -> None:
    corrector = Corrector(
        fake_bundle(), Fake({"teh": [("the", 0.9)], "fine": [("zebra", 0.6)]}), threshold=0.05
    )
    one = _Set("essays", "dev", [["teh", "cat"]], [["the", "cat"]], 0.1)
    plain, diluted = measure(corrector, one, [["fine", "words", "of", "ours"]] * 9)
    assert (plain.tokens, plain.rate, len(plain.proposals.outcomes)) == (2, 0.5, 1)
    assert (diluted.tokens, diluted.rate, len(diluted.proposals.outcomes)) == (10, 0.1, 3)
    assert not any(outcome.right for outcome in diluted.proposals.outcomes[1:])


def test_the_command(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = tiny.exported(base)
    files = [str(tmp_path / "noisy.txt"), str(tmp_path / "gold.txt")]
    for file, side in zip(files, tiny.parity_sentences(20), strict=True):
        Path(file).write_text("".join(" ".join(s) + "\n" for s in side), encoding="utf-8")
    command = ["calibrate", "--bundle", str(folder), "--clean", files[1], "--out", str(tmp_path)]
    assert main(command) == 2
    assert "no dev sets to measure" in capsys.readouterr().err
    assert main([*command, "--test", "theirs", *files]) == 2
    assert "no dev sets to measure" in capsys.readouterr().err
    sets = ["--people", "mine", *files, "--test", "theirs", *files, "--rate", "0.9"]
    assert main([*command, *sets]) == 0
    made = json.loads((tmp_path / "calibration.json").read_text(encoding="utf-8"))
    for preset in ("default", "noisy", "careful"):
        parts = [(one["set"], one["part"]) for one in made["calibration"][preset]]
        assert parts == [("mine", "dev"), ("mine", "dev"), ("theirs", "test")]
    assert [file["file"] for file in made["files"]] == ["gold.txt", "noisy.txt"]
    assert made["system"]["sha256"]
    assert "mine, " in (tmp_path / "calibration.svg").read_text(encoding="utf-8")
    assert "theirs" in capsys.readouterr().out


def test_nothing_is_written_where_nothing_is_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = Corrector(fake_bundle(), Fake({}), threshold=0.05)
    monkeypatch.setattr(systems, "load_model", lambda args: systems.Model(silent, {}))
    monkeypatch.setattr(reliability, "PRESETS", ("default",))
    text, out = tmp_path / "text.txt", tmp_path / "out"
    text.write_text("the cat\n", encoding="utf-8")
    command = ["calibrate", "--noisy", "mine", str(text), str(text), "--clean", str(text)]
    assert main([*command, "--out", str(out)]) == 2
    assert "there are no corrections to draw" in capsys.readouterr().err
    assert not out.exists()
