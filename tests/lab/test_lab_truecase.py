import json
import shutil
from pathlib import Path

import pytest
import tiny

from respell.lab.__main__ import main
from respell.lab.export.truecase import MIN_COUNT, CaseCounts, add_truecase
from respell.model.bundle import TRUECASE, Bundle
from respell.model.lexicon import Lexicon
from respell.types import Error

LEXICON = Lexicon("the we youtube o'neill nasa spa rim monday us it tvs u.s. code paris".split())


def _usual(*lines: str, times: int = MIN_COUNT) -> list[str]:
    counts = CaseCounts(LEXICON)
    for line in lines * times:
        counts.read(line)
    return list(counts.usual())


def test_words_with_usual_capitals() -> None:
    text = "We saw NASA, O'Neill and O’Neill's TVs on “YouTube” in the U.S. and Paris on Monday."
    assert _usual(text) == [
        "YouTube",
        "O'Neill",
        "NASA",
        "Monday",
        "TVs",
        "U.S.",
    ]  # in the order of the lexicon


def test_rare_words_are_not_listed() -> None:
    assert _usual("We like YouTube.", times=MIN_COUNT - 1) == []
    assert _usual("We like YouTube.", times=MIN_COUNT) == ["YouTube"]


@pytest.mark.parametrize(
    ("usual", "other", "of_ten", "found"),
    [
        ("YouTube", "Youtube", 2, True),
        ("YouTube", "Youtube", 3, False),
        ("SpA", "spa", 3, False),
        ("SpA", "SPA", 3, False),
        ("RIM", "rim", 1, True),
        ("RIM", "rim", 2, False),
        ("US", "us", 9, False),
        ("Monday", "monday", 0, True),
        ("March", "march", 1, False),
    ],
)
def test_other_capitals_must_be_rare(usual: str, other: str, of_ten: int, found: bool) -> None:
    lines = [f"We like {word} the best" for word in [other] * of_ten + [usual] * (10 - of_ten)]
    assert _usual(*lines) == ([usual] if found else [])


@pytest.mark.parametrize(
    "line",
    [
        "NASA TELLS THE WORLD",  # a headline
        "NASA tells the world",  # the start of a sentence
        "“NASA tells it",
        "All went well. NASA tells it",
        "We use `NASA` and `the NASA` here",
        "We use NASA_FLAG, nasa.gov/NASA and #NASA here",
    ],
)
def test_capitals_without_meaning_are_not_counted(line: str) -> None:
    assert _usual(line) == []


@pytest.fixture
def bundle(tmp_path: Path, base: Path) -> Path:
    folder = tiny.exported(base)[0]
    return shutil.copytree(folder, tmp_path / "bundle")


def _command(tmp_path: Path, bundle: Path, *lines: str) -> list[str]:
    (tmp_path / "text.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (tmp_path / "other.txt").write_text("on the HosPital\n" * 90, encoding="utf-8")
    (tmp_path / "corpora.toml").write_text(
        '[[source]]\nfile = "text.txt"\nheldout = "last-tenth"\n'
        '[[source]]\nfile = "other.txt"\nheldout = "all"\n'
    )
    options = ["--corpora", str(tmp_path / "corpora.toml"), "--data", str(tmp_path)]
    return ["truecase", *options, "--bundle", str(bundle)]


def test_command(tmp_path: Path, bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The held-out last tenth has other capitals.
    lines = ["at the maChine"] * MIN_COUNT * 9 + ["at the MACHINE"] * MIN_COUNT
    before = Bundle.read(bundle).config
    output = tmp_path / "counts.json"
    command = _command(tmp_path, bundle, *lines)
    assert main([*command, "--output", str(output)]) == 0
    assert "the usual capitals of 1 words" in capsys.readouterr().err
    after = Bundle.read(bundle)
    assert after.truecase == {"machine": "maChine"}
    assert (bundle / TRUECASE).read_text(encoding="utf-8") == "maChine\n"
    assert after.config.presets == before.presets
    assert {**after.config.sha256, TRUECASE: ""} == {**before.sha256, TRUECASE: ""}
    record = json.loads(output.read_text(encoding="utf-8"))
    assert record["found"] == {"mixed": 1, "upper": 0, "title": 0}
    assert record["words"] == record["sources"]["text.txt"] == 3 * MIN_COUNT * 9
    assert str(tmp_path) not in output.read_text(encoding="utf-8")


def test_card_has_the_number_of_words(bundle: Path) -> None:
    assert main(["card", "--bundle", str(bundle)]) == 0
    assert "usual capitals" not in (bundle / "README.md").read_text(encoding="utf-8")
    add_truecase(["maChine", "HOSPITAL"], bundle)
    assert main(["card", "--bundle", str(bundle)]) == 0
    card = (bundle / "README.md").read_text(encoding="utf-8")
    assert "the usual capitals of 2 words" in card


def test_errors(tmp_path: Path, bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = _command(tmp_path, bundle, *["at the machine"] * 100)
    assert main([*command, "--limit", "9"]) == 2
    assert "no word has usual capitals" in capsys.readouterr().err
    assert not (bundle / TRUECASE).exists()
    (tmp_path / "text.txt").unlink()
    assert main(command) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(
        Error, match=r"truecase.txt:1: in lower case, the word is not in the lexicon"
    ):
        add_truecase(["NoSuchWord"], bundle)
    assert Bundle.read(bundle).truecase == {}
