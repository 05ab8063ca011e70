import json
from pathlib import Path

import pytest
import tiny

from fakes import Fake, fake_bundle
from respell.corrector import Corrector
from respell.decision.decode import IDENTITY, Calibration
from respell.lab.__main__ import main
from respell.lab.tune.presets import Settled, best, choose, choose_calibration, lenient, settle
from respell.lab.tune.proposals import Outcome, Proposals, dilute, propose
from respell.model.presets import Preset
from respell.types import Error

NOISY = [["I", "recieve", "it"], ["teh", "cat"], ["fine", "words"]]
GOLD = [["I", "receive", "it"], ["the", "cat"], ["fine", "words"]]


def seen(score: float, error: bool, right: bool) -> Outcome:
    return Outcome(score, score, error, right)


def test_proposals_know_what_was_wrong_and_what_is_right() -> None:
    answers = {
        "recieve": [("receive", 0.9)],
        "teh": [("apple", 0.7)],
        "fine": [("zebra", 0.6)],
    }
    corrector = Corrector(fake_bundle(), Fake(answers), threshold=0.05)
    found = propose(corrector, NOISY, GOLD)
    assert found.errors == 2
    wanted = [(0.9, True, True), (0.7, True, False), (0.6, False, False)]
    assert [(o.error, o.right) for o in found.outcomes] == [outcome[1:] for outcome in wanted]
    assert [o.score for o in found.outcomes] == pytest.approx([o[0] for o in wanted], abs=1e-5)
    assert all(o.score <= o.wrong <= 1 for o in found.outcomes)
    assert [o.unlisted for o in found.outcomes] == [True, True, True]


def test_figures_at_a_threshold_follow_the_table_rule() -> None:
    outcomes = seen(0.9, True, True), seen(0.8, True, False), seen(0.6, False, False)
    found = Proposals(4, outcomes)
    assert found.at(0.5) == pytest.approx((0.5, 0.25, 1.25 * 0.125 / 0.375))
    assert found.at(0.7) == pytest.approx((1.0, 0.25, 1.25 * 0.25 / 0.5))
    assert found.at(0.95) == (0.0, 0.0, 0.0)
    assert Proposals(0, ()).at(0.5) == (0.0, 0.0, 0.0)


def test_the_best_threshold_shuts_out_what_harms() -> None:
    good = (seen(0.8, True, True),) * 10
    bad = (seen(0.3, False, False),) * 10
    assert 0.3 < best([Proposals(10, good + bad)]) <= 0.8
    mixed = (*good, seen(0.85, False, False))
    assert best([Proposals(10, mixed)]) <= 0.8
    assert best([Proposals(10, (*good, seen(0.7, False, False)))], precise=0.98) > 0.7


def test_of_thresholds_that_are_about_as_good_the_quietest_is_taken() -> None:
    many = (seen(0.8, True, True),) * 1000
    found = Proposals(1010, (*many, seen(0.6, True, True), seen(0.4, False, False)))
    assert 0.4 < best([found]) <= 0.6
    assert 0.4 < best([found], quiet=0.0001) <= 0.6
    assert 0.6 < best([found], quiet=0.01) <= 0.8


def test_words_that_the_lexicon_lacks_need_less_where_that_does_no_harm() -> None:
    good = (seen(0.8, True, True),) * 1000
    faint = tuple(seen(0.3, True, True)._replace(unlisted=True) for _ in range(10))
    harm = (seen(0.2, False, False)._replace(unlisted=True),) * 10
    listed = (seen(0.3, False, False),) * 10
    found = Proposals(1100, good + faint + harm + listed)
    threshold = best([found])
    assert threshold > 0.3
    unlisted = lenient([found], threshold)
    assert 0.2 < unlisted <= 0.3
    assert found.at(threshold, unlisted)[1] == 1010 / 1100
    certain = tuple(one._replace(score=0.4975) for one in harm * 100)
    assert lenient([Proposals(1100, good + certain)], 0.5) == 1.0
    chosen = choose({"noisy": Settled(Preset(threshold=0.5, noisy=True), [found], {})})
    assert chosen["presets"]["noisy"]["unlisted"] == lenient([found], best([found]))
    assert chosen["precision_recall_f05_on_dev"]["noisy"][0][1] == 1010 / 1100
    tame = choose({"default": Settled(Preset(threshold=0.5), [found], {})})
    assert tame["presets"]["default"]["unlisted"] == 1.0


def test_dilution_reaches_the_rate_and_no_less() -> None:
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
    needed = 200 - sum(map(len, NOISY))
    told = rf"^c\.txt: too few clean sentences .* 1\.0%: {needed} words are needed and 8 are there"
    with pytest.raises(Error, match=f"{told}; give more, or a higher --rate"):
        dilute(NOISY, GOLD, clean[:2], 0.01, name="c.txt")


def boasting(count: int) -> Proposals:
    """Scores of 0.9 that are right half of the time, and of 0.6 that are right at a fifth."""
    high = [seen(0.9, True, i % 4 < 2) for i in range(count)]
    low = [seen(0.6, False, i % 5 == 0) for i in range(count)]
    return Proposals(count, tuple(high + low))


def test_boasts_are_mended_and_true_scores_left() -> None:
    line, told = choose_calibration([boasting(500)])
    assert line.apply(0.9) == pytest.approx(0.5, abs=0.02)
    assert line.apply(0.6) == pytest.approx(0.2, abs=0.02)
    assert told["error_before"] == pytest.approx(0.4)
    assert told["error_after_cross_fitted"] < 0.02
    assert told["f05_lost"] == 0
    honest = Proposals(100, tuple(seen(0.9, True, i % 10 > 0) for i in range(100)))
    assert choose_calibration([honest])[0] == IDENTITY
    assert choose_calibration([Proposals(0, ())])[0] == IDENTITY


def test_a_map_that_costs_accuracy_is_not_taken() -> None:
    """What it would put first harms, and the others are misspelt anyway."""
    first = [Outcome(0.7, 0.7, True, i % 4 > 1) for i in range(1000)]
    harmful = [Outcome(0.65, 0.999, i % 20 < 11, i % 20 < 11) for i in range(200)]
    line, told = choose_calibration([Proposals(1110, (*first, *harmful))])
    assert told["error_after_cross_fitted"] < told["error_before"] / 3
    assert told["f05_lost"] > 0.01
    assert line == IDENTITY


def made(preset: Preset) -> list[Proposals]:
    """A second reading from 0.7 on brings five corrections more; being told brings ten."""
    more = 5 * (preset.sure == 0.7) + 10 * (preset.noise_flag < 1)
    return [Proposals(100, (seen(0.9, True, True),) * (50 + more))]


def test_text_is_read_as_is_best() -> None:
    plain, wild = Preset(threshold=0.5), Preset(threshold=0.5, noisy=True)
    assert settle(made, plain, calibrate=False).preset == plain  # whatever more readings bring
    best = settle(made, wild, calibrate=False).preset
    assert (best.noise_flag, best.sure) == (0.5, 0.7)
    once = settle(lambda preset: made(plain), wild, calibrate=False)
    assert once.preset.sure == 0.0


def test_thresholds_are_of_calibrated_scores() -> None:
    def tries(preset: Preset) -> list[Proposals]:
        line = Calibration(slope=preset.slope, shift=preset.shift)
        plain = boasting(500)
        outcomes = (o._replace(score=line.score(o.score, o.wrong)) for o in plain.outcomes)
        return [Proposals(plain.errors, tuple(outcomes))]

    for calibrate, least, most in ((True, 0.2, 0.52), (False, 0.6, 0.9)):
        default = settle(tries, Preset(threshold=0.5), calibrate=calibrate)
        chosen = choose({"default": default})
        assert (chosen["presets"]["default"]["slope"] != 1) == calibrate
        assert least < chosen["presets"]["default"]["threshold"] <= most
        assert chosen["precision_recall_f05_on_dev"]["default"][0][0] == 1.0


def test_the_command(base: Path, tmp_path: Path) -> None:
    folder, _ = tiny.exported(base)
    noisy, gold = tiny.parity_sentences(20)
    files = [str(tmp_path / "noisy.txt"), str(tmp_path / "gold.txt")]
    for file, side in zip(files, (noisy, gold), strict=True):
        Path(file).write_text("".join(" ".join(s) + "\n" for s in side), encoding="utf-8")
    out = tmp_path / "presets.json"
    command = ["presets", "--bundle", str(folder), "--people", *files, "--noisy", *files]
    assert main([*command, "--clean", files[1], "--rate", "0.9", "--out", str(out)]) == 0
    presets = json.loads(out.read_text(encoding="utf-8"))["presets"]
    assert set(presets) == {"default", "noisy", "careful"}
    assert presets["noisy"]["restore_case"]
    assert all(0 < preset["threshold"] < 1 for preset in presets.values())


@pytest.mark.parametrize(
    ("noisy", "message"), [("", "noisy.txt: no tokens"), ("a cat\n", "noisy.txt: no errors")]
)
def test_nothing_is_chosen_on_sets_without_errors(
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
