import json
from pathlib import Path

import pytest
import tiny

from fakes import Fake, fake_bundle
from respell.corrector import Corrector
from respell.lab.__main__ import main
from respell.lab.common.presets_file import read_presets
from respell.lab.tune.listing import best_listing, precise_listing, scores_at
from respell.lab.tune.presets import (
    GRID,
    Draft,
    best,
    best_oov,
    choose_rewriting,
    choose_thresholds,
)
from respell.lab.tune.proposals import Outcome, Proposals, dilute, mix, propose, repeat
from respell.model.presets import Preset
from respell.types import Error

NOISY = [["I", "recieve", "it"], ["teh", "cat"], ["fine", "words"]]
GOLD = [["I", "receive", "it"], ["the", "cat"], ["fine", "words"]]
LIGHT_PRESET, NOISY_PRESET = Preset(threshold=0.5), Preset(threshold=0.5, mode="noisy")


def test_proposals_record_errors_and_right_changes() -> None:
    answers = {
        "recieve": [("receive", 0.9)],
        "teh": [("apple", 0.7)],
        "fine": [("zebra", 0.6)],
    }
    corrector = Corrector(fake_bundle(), Fake(answers), threshold=0.05)
    found = propose(corrector, NOISY, GOLD)
    assert found.errors == 2
    expected = [(0.9, True, True), (0.7, True, False), (0.6, False, False)]
    assert [(o.error, o.right) for o in found.outcomes] == [outcome[1:] for outcome in expected]
    assert [o.score for o in found.outcomes] == pytest.approx([o[0] for o in expected], abs=1e-5)
    assert [o.oov for o in found.outcomes] == [True, True, True]


def test_scores_at_a_threshold_follow_the_table_rule() -> None:
    outcomes = Outcome(0.9, True, True), Outcome(0.8, True, False), Outcome(0.6, False, False)
    found = Proposals(4, outcomes)
    assert found.at(0.5) == pytest.approx((0.5, 0.25, 1.25 * 0.125 / 0.375))
    assert found.at(0.7) == pytest.approx((1.0, 0.25, 1.25 * 0.25 / 0.5))
    assert found.at(0.95) == (0.0, 0.0, 0.0)
    assert Proposals(0, ()).at(0.5) == (0.0, 0.0, 0.0)


def test_best_threshold_excludes_harmful_changes() -> None:
    good = (Outcome(0.8, True, True),) * 10
    bad = (Outcome(0.3, False, False),) * 10
    assert 0.3 < best([Proposals(10, good + bad)]) <= 0.8
    mixed = (*good, Outcome(0.85, False, False))
    assert best([Proposals(10, mixed)]) <= 0.8
    precise = Proposals(10, (*good, Outcome(0.7, False, False)))
    assert best([precise], min_precision=0.98) > 0.7


def test_words_are_listed_by_error_probability_and_corrected_by_score() -> None:
    many = (Outcome(0.8, True, True, error_probability=0.9),) * 1000
    unsure = (Outcome(0.3, True, False, error_probability=0.95),) * 50
    faint = Outcome(0.6, True, True, error_probability=0.6)
    harm = Outcome(0.4, False, False, error_probability=0.4)
    found = Proposals(1060, (*many, *unsure, faint, harm))
    strict = best_listing([found], GRID, max_loss=0.0)
    assert 0.4 < strict.listed <= 0.6
    loose = best_listing([found], GRID, max_loss=0.01)
    assert 0.6 < loose.listed <= 0.9
    assert scores_at(found, loose)[:2] == (1.0, 1000 / 1060)
    default = choose_thresholds({"default": Draft(LIGHT_PRESET, [found])})["presets"]["default"]
    assert default["threshold_on"] == "error_probability"
    assert (default["threshold"], default["fix_threshold"]) == (loose.listed, loose.corrected)
    assert default["oov_threshold"] == 1.0  # no lower one would list more errors
    assert default["write_threshold"] >= default["fix_threshold"]


def test_careful_is_precise_in_what_it_lists_and_in_what_it_corrects() -> None:
    plain = (Outcome(0.4, True, False, error_probability=0.99),) * 10  # an unclear correction
    right = (Outcome(0.9, True, True, error_probability=0.95),) * 50
    alarm = (Outcome(0.85, False, False, error_probability=0.9),) * 10
    found = Proposals(100, (*plain, *right, *alarm))
    two = precise_listing([found], GRID, precision=0.98)
    assert 0.9 < two.listed <= 0.95
    assert two.corrected == GRID[0]  # no correct word is listed any more
    assert precise_listing([Proposals(1, alarm)], GRID, precision=0.98) == (GRID[-1],) * 4
    careful = choose_thresholds({"careful": Draft(LIGHT_PRESET, [found])})["presets"]["careful"]
    assert (careful["threshold"], careful["fix_threshold"]) == (two.listed, two.corrected)


def test_unknown_words_in_lower_case_are_listed_from_a_lower_threshold() -> None:
    known = (Outcome(0.9, True, True, error_probability=0.97),) * 50
    alarms = (Outcome(0.9, False, False, error_probability=0.9),) * 50
    unknown = (Outcome(0.8, True, True, oov=True, error_probability=0.8),) * 50
    harm = (Outcome(0.8, False, False, oov=True, error_probability=0.5),) * 50
    found = Proposals(120, (*known, *alarms, *unknown, *harm))
    for two in (
        best_listing([found], GRID, max_loss=0.002),
        precise_listing([found], GRID, precision=0.98),
    ):
        assert 0.9 < two.listed <= 0.97
        assert 0.5 < two.oov <= 0.8
        assert scores_at(found, two)[:2] == (1.0, 100 / 120)
    default = choose_thresholds({"default": Draft(LIGHT_PRESET, [found])})["presets"]["default"]
    assert default["oov_threshold"] < default["threshold"]


def test_names_are_listed_from_a_higher_threshold() -> None:
    known = (Outcome(0.9, True, True, error_probability=0.8),) * 50
    names = (Outcome(0.9, False, False, error_probability=0.9, name=True),) * 50
    misspelled = (Outcome(0.9, True, True, error_probability=0.95, name=True),) * 10
    found = Proposals(60, (*known, *names, *misspelled))
    for two in (
        best_listing([found], GRID, max_loss=0.002),
        precise_listing([found], GRID, precision=0.98),
    ):
        assert two.listed <= 0.8
        assert 0.9 < two.name <= 0.95
        assert scores_at(found, two)[:2] == (1.0, 1.0)
    default = choose_thresholds({"default": Draft(LIGHT_PRESET, [found])})["presets"]["default"]
    assert default["name_threshold"] > default["threshold"]


def test_a_dev_set_is_repeated_until_all_clean_sentences_are_used() -> None:
    clean = mix([[["a", "b"]] * 30, [["c", "d"]] * 10, [["e", "f"]] * 60])
    assert clean[:4] == [["a", "b"], ["c", "d"], ["e", "f"], ["a", "b"]]
    assert len(clean) == 100
    noisy, gold = repeat(NOISY, GOLD, clean, 0.04)  # 43 clean words for each time
    assert (len(noisy), len(gold)) == (12, 12)
    assert repeat(NOISY, GOLD, [], 1.0) == (NOISY, GOLD)


def test_noisy_has_a_lower_threshold_for_unknown_words() -> None:
    good = (Outcome(0.8, True, True),) * 1000
    faint = (Outcome(0.3, True, True, oov=True),) * 10
    harm = (Outcome(0.2, False, False, oov=True),) * 10
    known = (Outcome(0.3, False, False),) * 10
    found = Proposals(1100, good + faint + harm + known)
    threshold = best([found])
    assert threshold > 0.3
    oov_threshold = best_oov([found], threshold)
    assert 0.2 < oov_threshold <= 0.3
    assert found.at(threshold, oov_threshold)[1] == 1010 / 1100
    certain = tuple(one._replace(score=0.4975) for one in harm * 100)
    assert best_oov([Proposals(1100, good + certain)], 0.5) == 1.0
    noisy = choose_thresholds({"noisy": Draft(NOISY_PRESET, [found])})
    assert noisy["presets"]["noisy"]["oov_threshold"] == oov_threshold
    assert noisy["precision_recall_f05_on_dev"]["noisy"][0][1] == 1010 / 1100
    default = choose_thresholds({"default": Draft(LIGHT_PRESET, [found])})
    assert default["presets"]["default"]["oov_threshold"] == 1.0


def test_dilution_reaches_the_rate() -> None:
    clean = [["a", "clean", "sentence", "here"]] * 100
    noisy, gold = dilute(NOISY, GOLD, clean, 0.05)
    errors = sum(
        a != b for n, g in zip(noisy, gold, strict=True) for a, b in zip(n, g, strict=True)
    )
    tokens = sum(map(len, noisy))
    assert errors == 2
    assert errors <= 0.05 * tokens
    assert errors > 0.05 * (tokens - 4)
    assert dilute(NOISY, GOLD, [], 1.0) == (NOISY, GOLD)


def test_too_few_clean_sentences_are_an_error() -> None:
    needed = 200 - sum(map(len, NOISY))
    message = rf"^c\.txt: too few clean sentences .* 1\.0%: it has 8 of {needed} words"
    with pytest.raises(Error, match=f"{message}; give more, or a higher --rate"):
        dilute(NOISY, GOLD, [["a", "clean", "sentence", "here"]] * 2, 0.01, name="c.txt")


def proposals_of(preset: Preset) -> list[Proposals]:
    """A second reading with a rewrite threshold of 0.7 gives five more corrections."""
    more = 5 * (preset.rewrite_threshold == 0.7)
    return [Proposals(100, (Outcome(0.9, True, True),) * (50 + more))]


def test_only_noisy_text_is_read_twice_and_only_if_it_helps() -> None:
    assert choose_rewriting(proposals_of, LIGHT_PRESET).preset == LIGHT_PRESET
    assert choose_rewriting(proposals_of, NOISY_PRESET).preset.rewrite_threshold == 0.7
    once = choose_rewriting(lambda preset: proposals_of(LIGHT_PRESET), NOISY_PRESET)
    assert once.preset.rewrite_threshold == 0.0


def test_command(base: Path, tmp_path: Path) -> None:
    folder, _ = tiny.exported(base)
    noisy, gold = tiny.parity_sentences(20)
    files = [str(tmp_path / "noisy.txt"), str(tmp_path / "gold.txt")]
    for file, side in zip(files, (noisy, gold), strict=True):
        Path(file).write_text("".join(" ".join(s) + "\n" for s in side), encoding="utf-8")
    out = tmp_path / "presets.json"
    command = ["presets", "--bundle", str(folder), "--people", *files, "--noisy", *files]
    assert main([*command, "--clean", files[1], "--rate", "0.9", "--out", str(out)]) == 0
    presets = json.loads(out.read_text(encoding="utf-8"))["presets"]
    assert {name: preset["mode"] for name, preset in presets.items()} == {
        "default": "light",
        "noisy": "noisy",
        "careful": "light",
    }
    assert all(0 < preset["threshold"] < 1 for preset in presets.values())
    assert read_presets(out) == {name: Preset(**preset) for name, preset in presets.items()}


@pytest.mark.parametrize(
    ("noisy", "message"), [("", "noisy.txt: no tokens"), ("a cat\n", "noisy.txt: no errors")]
)
def test_sets_without_errors_are_refused(
    noisy: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(tmp_path / "noisy.txt"), str(tmp_path / "gold.txt")]
    for file in files:
        Path(file).write_text(noisy, encoding="utf-8")
    out = tmp_path / "presets.json"
    command = ["presets", "--people", *files, "--noisy", *files, "--clean", files[1]]
    assert main([*command, "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()
