"""The benchmark of missing and extra blanks: cases, counts, blanks, records, the page."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from respell.lab.evaluate.spaces import freiburg, measure, page, peers, record
from respell.lab.evaluate.spaces.blanks import gaps, projected, score
from respell.lab.evaluate.spaces.cases import (
    APART,
    BY_CONTEXT,
    GROUPS,
    TOGETHER,
    Case,
    Material,
    Sample,
    make_cases,
)
from respell.lab.evaluate.spaces.misses import misses
from respell.lab.misspellings.spacing import SpacingLists, read_spacing
from respell.types import Correction, CorrectionKind, Error, Suggestion

ROOT = Path(__file__).parents[2]
WORDS = frozenset(
    "a lot of people like to go every day everyday into in the house together we are all ready "
    "already there quite often because they can".split()
)
LINES = [
    "A lot of people like to go there quite often.",
    "People like to go every day because they can.",
    "We like everyday people because they can go.",
    "They are together in the house quite often.",
    "They go into the house because they are all ready there.",
    "We are already in the house because they like it.",
]
LISTS = SpacingLists(
    together={("a", "lot"), ("every", "day"), ("in", "to")},
    apart={("to", "gether"), ("every", "day")},
)


@pytest.fixture(scope="module")
def material() -> Material:
    return make_cases(LINES, LISTS, WORDS.__contains__)


def of(material: Material, group: str) -> dict[str, str]:
    return {c.written: c.meant for c in material.cases if c.group == group}


def test_every_case_has_one_mistake(material: Material) -> None:
    assert {case.group for case in material.cases} == set(GROUPS)
    for case in material.cases:
        assert case.right in LINES
        assert case.text != case.right
        assert case.text[: case.start] == case.right[: case.start]
        assert case.text[case.end :] == case.right[case.right_end :]
        if not case.group.endswith("misspelled"):
            assert case.written.count(" ") == (1 if case.group.startswith(APART) else 0)
    assert set(material.clean) == set(LINES)


def test_the_words_of_the_cases(material: Material) -> None:
    assert of(material, f"{TOGETHER}: listed") == {"Alot": "A lot"}
    assert of(material, f"{APART}: listed") == {"to gether": "together"}
    assert of(material, f"{TOGETHER}: by context") == {
        "everyday": "every day",
        "already": "all ready",
    }
    assert of(material, f"{APART}: by context") == {
        "every day": "everyday",
        "in to": "into",
        "all ready": "already",
    }


def test_misspelled_cases_are_no_words(material: Material) -> None:
    for case in material.cases:
        if case.group.endswith("misspelled"):
            parts = case.written.lower().split()
            assert "".join(parts) not in WORDS
            assert not WORDS.issuperset(parts)
            assert case.written[0] == case.meant[0]


def test_cases_do_not_depend_on_the_order_of_the_lines(material: Material) -> None:
    other = make_cases(reversed(LINES), LISTS, WORDS.__contains__)
    assert set(other.cases) == set(material.cases)


def test_a_sample_takes_the_same_lines_whatever_comes_first() -> None:
    lines = [str(i) for i in range(100)]
    one, other = Sample(lines, 7), Sample(reversed(lines), 7)
    assert list(one) == lines
    assert len(list(other)) == 100
    assert one.taken == other.taken
    assert len(one.taken) == 7


def test_words_decided_by_context_are_listed_once() -> None:
    assert len({whole for whole, _ in BY_CONTEXT}) == len(BY_CONTEXT)
    assert all(len(parts) == 2 for _, parts in BY_CONTEXT)


def test_held_out_pairs_are_left_out_however_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text("a lot\talot\ntogether\tto_gether\nperhaps\tper_haps\nwithout\twith out\n")
    found = read_spacing(
        [path], {("a_lot", "Alot"), ("Together", "to gether"), ("perhaps", "per_haps")}
    )
    # Two words are never the answer to one token of a test, so they are not left out.
    assert found == SpacingLists(together={("a", "lot")}, apart={("with", "out")})


def correction(
    text: str, original: str, new: str, score: float, kind: CorrectionKind
) -> Correction:
    return Correction(text.index(original), original, (Suggestion(new, score),), score, 1.0, kind)


def case(text: str, written: str, meant: str, group: str = GROUPS[0]) -> Case:
    start = text.index(written)
    right = text.replace(written, meant)
    return Case(group, text, start, start + len(written), right, start + len(meant))


FIRST = case("I like it alot now.", "alot", "a lot")
SECOND = case("They came to gether now.", "to gether", "together", GROUPS[4])


def found(*given: tuple[str, Correction]) -> dict[str, list[Correction]]:
    answers: dict[str, list[Correction]] = {
        text: [] for one in (FIRST, SECOND) for text in (one.text, one.right)
    }
    for text, each in given:
        answers[text].append(each)
    return answers


@pytest.mark.parametrize(
    ("original", "new", "kind", "counts"),
    [
        ("alot", "a lot", "split", (1, 1, 0, 0, 0)),
        ("alot", "al ot", "split", (1, 0, 1, 0, 0)),
        ("alot", "aloft", "nonword", (1, 0, 0, 1, 0)),
        ("like", "lick", "realword", (1, 0, 0, 0, 0)),
    ],
)
def test_counts(original: str, new: str, kind: CorrectionKind, counts: tuple[int, ...]) -> None:
    answers = found((FIRST.text, correction(FIRST.text, original, new, 0.8, kind)))
    assert measure.count([FIRST], answers) == counts
    later = measure.count([FIRST], answers, 0.9)
    assert later.right == later.wrong == 0
    assert later.others == (kind == "nonword")  # the threshold is about blanks


def test_an_alarm_at_the_right_words() -> None:
    right = FIRST.right
    answers = found((right, correction(right, "a lot", "alot", 0.8, "join")))
    assert measure.count([FIRST], answers).alarms == 1
    assert measure.count([FIRST], answers).precision == 0
    assert measure.count([FIRST], answers, 0.9).alarms == 0


def test_curve_and_best_point() -> None:
    material = Material([FIRST, SECOND], [FIRST.right])
    answers = found(
        (FIRST.text, correction(FIRST.text, "alot", "a lot", 0.9, "split")),
        (SECOND.text, correction(SECOND.text, "to gether", "together", 0.7, "join")),
        (FIRST.right, correction(FIRST.right, "a lot", "alot", 0.4, "join")),
    )
    points = measure.curve(material, answers)
    by_threshold = {point.threshold: point for point in points}
    assert by_threshold[0.5][1:] == (1.0, 1.0, 1.0, 0.0)
    assert by_threshold[0.8][1:] == (1.0, 1.0, 0.0, 0.0)
    assert by_threshold[0.3][1:] == (0.66667, 1.0, 1.0, 166.6667)
    best = measure.best_point(points)
    assert best is not None
    assert (best.recall_together, best.recall_apart, best.precision) == (1.0, 1.0, 1.0)
    assert measure.best_point([by_threshold[0.3]]) is None
    lines = list(misses(material, answers))
    assert [line.split("\t")[:2] for line in lines] == [["clean", "a lot"]]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("a lot of it", (1, 1, 1)),
        ("alot of it", (1, 0, 0)),
        ("alot o f it", (1, 1, 0)),
        ("A LOT OF IT", (1, 1, 1)),
        ("alot of xit", (1, 0, 0)),
        ("a lots of it", (1, 1, 1)),
        ("", (1, 0, 0)),
    ],
)
def test_only_blanks_count(answer: str, expected: tuple[int, ...]) -> None:
    assert score([("alot of it", "a lot of it", answer)])[:3] == expected


def test_blanks_of_a_text() -> None:
    assert gaps(" a  lot\tof ") == ("alotof", frozenset({1, 4}))
    assert projected("abc", frozenset({1}), "a b-c") == {1}
    with pytest.raises(Error, match="the lines differ in more than blanks"):
        score([("alot", "allot", "alot")])


def test_freiburgs_sets(tmp_path: Path) -> None:
    for name in freiburg.SETS:
        folder = tmp_path / freiburg.FOLDER / name
        folder.mkdir(parents=True)
        (folder / "corrupt.txt").write_text("alot\nto gether\n")
        (folder / "correct.txt").write_text("a lot\ntogether\n")
        (folder / "google.txt").write_text("a lot\n")
    first, _ = freiburg.read_sets(tmp_path)
    assert first.answers == {"google": ["a lot"]}
    rows = record._score_freiburg(first, {"ours": lambda texts: ["alot", "together"]})
    assert rows["Google"]["all"] is None
    assert rows["ours"]["all"]["recall"] == 0.5
    (tmp_path / freiburg.FOLDER / "wiki" / "google.txt").write_text("a\nb\nc\n")
    with pytest.raises(Error, match=r"google\.txt: has 3 lines, corrupt\.txt 2"):
        freiburg.read_sets(tmp_path)
    with pytest.raises(Error, match=r"corrupt\.txt: No such file"):
        freiburg.read_sets(tmp_path / "nowhere")


def test_symspell_gets_whole_texts(tmp_path: Path) -> None:
    assert peers.symspell(homes=tmp_path) is None
    (tmp_path / "symspellpy" / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "symspellpy" / "venv" / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "adapters").mkdir()
    adapter = tmp_path / "adapters" / "fake.py"
    adapter.write_text(
        "def correct(tokens):\n    return [t.replace('alot', 'a lot') for t in tokens]\n"
    )
    serve = (ROOT / "benchmarks" / "peers" / "serve.py").read_text()
    (tmp_path / "serve.py").write_text(serve)
    peer = peers.symspell(homes=tmp_path, adapter=adapter)
    assert peer is not None
    assert peers.ask(peer, ["I like it alot.", ""]) == ["I like it a lot.", ""]


COUNTS = {
    "cases": 2,
    "right": 1,
    "wrong": 0,
    "others": 1,
    "alarms": 0,
    "precision": 1,
    "recall": 0.5,
}
SCORES = {"precision": 0.9, "recall": 0.5, "f1": 0.64286, "lines": 4, "exact": 3}
RECORD: dict[str, Any] = {
    "part": "test",
    "groups": {GROUPS[0]: COUNTS},
    "words": {"everyday → every day": COUNTS},
    "clean": {"words": 1000, "alarms": 1, "per_1000": 1.0},
    "curve": [[0.5, 0.9, 0.8, 0.7, 0.1], [0.9, 1.0, 0.5, 0.4, 0.0]],
    "best_point": {"threshold": 0.9, "recall_together": 0.5, "recall_apart": 0.4},
    "without_the_option": {"cases": 10, "changed": 1},
    "blanks": {
        "cases": {"respell_x": SCORES},
        "wiki": {
            "Google": {"all": None, "first": SCORES},
            "ours": {"all": SCORES, "first": SCORES},
        },
    },
    "system": {"preset": "default", "spacing_threshold": 0.5},
}


def test_page(tmp_path: Path) -> None:
    with pytest.raises(Error, match="no results; run: python benchmarks"):
        page.write(tmp_path)
    (tmp_path / "test.default.json").write_text(json.dumps(RECORD))
    page.write(tmp_path)
    text = (tmp_path / page.FILE).read_text()
    for line in (
        "| together: listed | 2 | 1 | 0 | 1 | 0 | 1.000 | 0.500 |",
        "| everyday → every day | 2 | 1 | 0 | 1 | 0 | 1.000 | 0.500 |",
        "| our cases | respell\\_x | 0.900 | 0.500 | 0.643 | 75.0% |",
        "| wiki, first 4 | Google | 0.900 | 0.500 | 0.643 | 75.0% |",
    ):
        assert line in text
    assert "| wiki | Google |" not in text
    assert (tmp_path / page.PLOT).read_text().startswith("<?xml")


def test_command_needs_data(monkeypatch: pytest.MonkeyPatch) -> None:
    import spaces as command

    monkeypatch.delenv("RESPELL_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["spaces.py", "--part", "dev"])
    with pytest.raises(SystemExit, match="set RESPELL_DATA"):
        command.main()
