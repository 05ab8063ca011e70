"""The benchmark of confused words: pairs, sentences, counts, the page."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import confusions as command
import pytest

from fakes import Fake, fake_bundle
from respell.corrector import Corrector
from respell.lab.__main__ import main
from respell.lab.common.tokens import check_aligned, read_tokens
from respell.lab.data.corpus import Source, read_sources
from respell.lab.evaluate.confusions import page, record, sentences
from respell.lab.evaluate.confusions.measure import (
    Answers,
    Clean,
    Outcome,
    Point,
    answer,
    at_lowest_threshold,
    best_point,
    count,
    curve,
    summarize,
)
from respell.lab.evaluate.confusions.pairs import FILE, Direction, read_directions
from respell.lab.evaluate.confusions.sentences import Place, find_places, texts_of
from respell.lab.evaluate.records import read_records
from respell.lab.evaluate.systems import Model
from respell.lab.tune.everyday import CLEAN, GOLD, NOISY
from respell.types import Correction, Error, Suggestion

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "confusions"
COMMAND = "benchmarks/confusions.py"
CORPORA = ROOT / "recipes" / "corpora.toml"
HEADER = "word\tother\tdirected\tprecision\trecall\n"
THEIR = Direction("there", "their", 0.99, 0.5)
WHOSE = Direction("who's", "whose", 1.0, 0.8)


def correction(text: str, original: str, *replacements: str, score: float = 0.9) -> Correction:
    suggestions = tuple(Suggestion(word, score) for word in replacements)
    return Correction(text.index(original), original, suggestions, score)


class Scripted:
    """Corrects words by a dictionary of (replacement, score)."""

    def __init__(self, answers: dict[str, tuple[str, float]]) -> None:
        self.answers = answers

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            yield [
                correction(text, word, new, score=score)
                for word, (new, score) in self.answers.items()
                if word in text.split()
            ]


def test_undirected_pairs_count_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(HEADER + "a\tb\t0\t0.99\t0.5\nthere\ttheir\t1\t1.0\t0.25\n")
    assert read_directions(path) == [
        Direction("a", "b", 0.99, 0.5),
        Direction("b", "a", 0.99, 0.5),
        Direction("there", "their", 1.0, 0.25),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the first line must be word other directed"),
        ("a\tb\t0\t1\t1\n", "the first line must be word other directed"),
        (HEADER + "a\tb\t0\t1\n", "pairs.tsv:2: needs two words, 0 or 1"),
        (HEADER + "a\tb\t2\t1\t1\n", "pairs.tsv:2: needs two words, 0 or 1"),
        (HEADER + "a\tb\t0\thigh\t1\n", "pairs.tsv:2: needs two words, 0 or 1"),
        (HEADER + "a\tb\t0\t1\t1\nb\ta\t1\t1\t1\n", "pairs.tsv:3: b -> a is listed twice"),
    ],
)
def test_invalid_pairs_are_an_error(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(text)
    with pytest.raises(Error, match=message):
        read_directions(path)


def surfaces(line: str, *words: str) -> dict[str, list[str]]:
    return {word: [p.surface for p in found] for word, found in find_places([line], words).items()}


@pytest.mark.parametrize(
    ("line", "word", "surface"),
    [
        ("They sold their old house last year.", "their", "their"),
        ("Their old house was sold last year.", "their", "Their"),
        ("Nobody knows whose house it was then.", "whose", "whose"),
        ("Nobody knows who's in the house now.", "who's", "who's"),
        ("Nobody knows who’s in the house now.", "who's", "who’s"),
        ("They asked the principal's wife to come.", "principal", "principal"),
        ("There are a lot of old houses here.", "a lot", "a lot"),
        ("A lot of houses here are very old.", "a lot", "A lot"),
        ("They moved to Chicago some years ago.", "Chicago", "Chicago"),
        ("THEY HAVE SOLD THEIR OLD HOUSE LATELY.", "their", "THEIR"),
    ],
)
def test_words_are_found_as_whole_tokens(line: str, word: str, surface: str) -> None:
    assert surfaces(line, word) == {word: [surface]}


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("That old house of theirs was sold.", "their"),
        ("Nobody knows who's in the house now.", "who"),
        ("They are all otherwise occupied right now.", "other"),
        ("There are a lots of old houses here.", "a lot"),
        ("They said that tHeir house was sold.", "their"),
        ("Their old house.", "their"),
        ("their " + "very " * 70 + "old house.", "their"),
        ("See https://example.org/their for the old house there.", "their"),
    ],
)
def test_parts_of_words_and_unsuitable_sentences_are_skipped(line: str, word: str) -> None:
    assert surfaces(line, word) == {}


def test_a_line_is_cut_into_sentences() -> None:
    line = "They left the place early. Then they sold their old house. Nobody came."
    (place,) = find_places([line], ["their"])["their"]
    assert place.text == "Then they sold their old house."
    assert place.surface == "their"


def test_a_sentence_counts_once() -> None:
    line = "They sold their house and their car."
    (place,) = find_places([line, line], ["their"])["their"]
    assert place.start == 10


def test_the_choice_of_sentences_does_not_depend_on_their_order() -> None:
    lines = [f"They sold their house number {i} last year." for i in range(40)]
    first = find_places(lines, ["their"], limit=5)["their"]
    assert len(first) == 5
    assert find_places(lines[::-1], ["their", "sold"], limit=5)["their"] == first
    assert find_places(lines, ["their"], limit=3)["their"] == first[:3]


@pytest.mark.parametrize(
    ("text", "surface", "word", "expected"),
    [
        ("so their house", "their", "there", "so there house"),
        ("Their house", "Their", "there", "There house"),
        ("THEIR HOUSE", "THEIR", "there", "THERE HOUSE"),
        ("Who's there", "Who's", "whose", "Whose there"),
        ("Whose house", "Whose", "who's", "Who's house"),
        ("A lot more", "A lot", "alot", "Alot more"),
        ("in Chicago", "Chicago", "Chicano", "in Chicano"),
    ],
)
def test_a_word_is_replaced_in_the_same_case(
    text: str, surface: str, word: str, expected: str
) -> None:
    start = text.index(surface)
    place = Place(text, start, start + len(surface)).replaced(word)
    assert place.text == expected
    assert place.surface.lower() == word.lower()


def places(*texts: str, word: str) -> dict[str, list[Place]]:
    return {word: [Place(t, t.index(word), t.index(word) + len(word)) for t in texts]}


def test_outcomes_of_wrong_and_right_words() -> None:
    drawn = places("sold their house", "in their car", word="their")
    scripted = Scripted({"there": ("their", 0.8), "car": ("cat", 0.6), "house": ("horse", 0.3)})
    (made,), clean = answer(scripted, [THEIR], drawn)
    assert made.direction == THEIR
    assert made.wrong == (Outcome(0.8, True), Outcome(0.8, True))
    assert made.right == (Outcome(None, False), Outcome(None, False))
    assert clean.words == 6
    assert sorted(clean.scores) == [0.3, 0.6]


def test_a_third_word_and_an_alarm() -> None:
    drawn = places("sold their house", word="their")
    scripted = Scripted({"there": ("three", 0.8), "their": ("there", 0.4)})
    (made,), _ = answer(scripted, [THEIR], drawn)
    assert made.wrong == (Outcome(0.8, False),)
    assert made.right == (Outcome(0.4, False),)


class Whole:
    """Flags the same span in every text that contains it."""

    def __init__(self, span: str, replacement: str) -> None:
        self.span, self.replacement = span, replacement

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            yield [correction(text, self.span, self.replacement)] if self.span in text else []


@pytest.mark.parametrize(
    ("direction", "text", "span", "replacement", "restored"),
    [
        (WHOSE, "nobody knows whose house", "who's", "whose", True),
        (Direction("whose", "who's", 1, 1), "knows who's in", "whose", "who\u2019s", True),
        (Direction("alot", "a lot", 1, 1), "quite a lot of it", "alot", "a lot", True),
        (Direction("any way", "anyway", 1, 1), "not anyway so", "any", "an", False),
        (Direction("any way", "anyway", 1, 1), "not anyway so", "way so", "way", False),
    ],
)
def test_apostrophes_and_several_words(
    direction: Direction, text: str, span: str, replacement: str, *, restored: bool
) -> None:
    drawn = places(text, word=direction.meant)
    (made,), _ = answer(Whole(span, replacement), [direction], drawn)
    assert made.wrong == (Outcome(0.9, restored),)


def answers(direction: Direction, wrong: list[Outcome], right: list[Outcome]) -> Answers:
    return Answers(direction, tuple(wrong), tuple(right))


NOTHING = Outcome(None, False)
SOME = [
    answers(
        THEIR,
        [Outcome(0.9, True), Outcome(0.6, True), Outcome(0.7, False), NOTHING],
        [Outcome(0.5, False), NOTHING, NOTHING, NOTHING],
    ),
    answers(WHOSE, [Outcome(0.8, True), NOTHING], [NOTHING, NOTHING]),
]


def test_counts_at_a_threshold() -> None:
    low, high = count(SOME[0]), count(SOME[0], 0.65)
    assert (low.sentences, low.restored, low.miscorrected, low.alarms) == (4, 2, 1, 1)
    assert (high.sentences, high.restored, high.miscorrected, high.alarms) == (4, 1, 1, 0)
    assert not low.behind
    assert high.behind
    assert low.to_dict()["languagetool"] == [0.99, 0.5]


def test_macro_and_micro_averages() -> None:
    summary = summarize([count(each) for each in SOME])
    assert summary["directions"] == 2
    assert summary["sentences"] == 6
    assert summary["macro_recall"] == pytest.approx(0.5)
    assert summary["micro_recall"] == pytest.approx(3 / 6)
    assert summary["macro_precision"] == pytest.approx((2 / 3 + 1) / 2)
    assert summary["balanced_precision"] == pytest.approx(3 / 4)
    assert summary["not_behind_languagetool"] == pytest.approx(1 / 2)
    assert summary["languagetool"]["macro_recall"] == pytest.approx(0.65)
    assert summary["languagetool"]["micro_recall"] == pytest.approx((4 * 0.5 + 2 * 0.8) / 6)
    assert summary["languagetool"]["macro_precision"] == pytest.approx(0.995)


def test_averages_of_nothing_are_zero() -> None:
    assert summarize([])["macro_recall"] == 0


def test_the_curve_follows_the_threshold() -> None:
    points = {point.threshold: point for point in curve(SOME, Clean(100, (0.5, 0.75)))}
    assert points[0.05] == Point(0.05, 0.5, 0.75, 20.0)
    assert points[0.5].balanced_precision == 0.75
    assert points[0.505] == Point(0.505, 0.5, 1.0, 10.0)
    assert points[0.85] == Point(0.85, 0.125, 1.0, 0.0)
    assert max(points) == 0.995
    assert best_point(points.values()) == points[0.505]


def test_without_a_precise_point_there_is_no_best_one() -> None:
    assert best_point([Point(0.1, 0.9, 0.9, 1)]) is None


def test_the_parts_share_no_text_and_are_held_out() -> None:
    sources = read_sources(CORPORA)
    parts = {part: texts_of(part, sources) for part in sentences.TEXTS}
    files = [source.file for some in parts.values() for source in some]
    assert len(files) == len(set(files)) == 15
    assert all(source.heldout != "none" for some in parts.values() for source in some)


def test_a_text_that_is_used_for_training_is_an_error() -> None:
    sources = [Source(f"{name}.txt", heldout="all") for name in sentences.TEXTS["dev"]]
    assert texts_of("dev", sources) == sources
    with pytest.raises(Error, match="must hold out lines of skeptics_qa"):
        texts_of("dev", [*sources[:-1], Source("skeptics_qa.txt")])
    with pytest.raises(Error, match="must hold out lines of skeptics_qa"):
        texts_of("dev", sources[:-1])


def fake_model() -> Model:
    ranking = {"it's": [("its", 0.9)], "the": [("their", 0.3)]}
    description = {"kind": "bundle", "name": "fake", "preset": "default", "threshold": 0.5}
    return Model(Corrector(fake_bundle(), Fake(ranking)), description)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with pairs and a small text; `corpora.toml` lists the text."""
    monkeypatch.setitem(sentences.TEXTS, "dev", ("mine",))
    (tmp_path / "confusions").mkdir()
    rows = "it's\tits\t0\t1.0\t0.5\nthe\ttheir\t1\t0.99\t0.25\nzebra\tapple\t0\t1.0\t0.5\n"
    (tmp_path / FILE).write_text(HEADER + rows)
    (tmp_path / "corpora").mkdir()
    lines = [f"A zebra would receive its apple {word} day." for word in "one two a each".split()]
    lines += [f"I would receive their zebra {word} day." for word in "one two a each".split()]
    (tmp_path / "corpora" / "mine.txt").write_text("\n".join(lines))
    (tmp_path / "corpora.toml").write_text('[[source]]\nfile = "mine.txt"\nheldout = "all"\n')
    return tmp_path


def test_dev_sets_of_everyday_text(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = data / "everyday"
    options = ["--corpora", str(data / "corpora.toml"), "--data", str(data), "--out", str(out)]
    assert main(["everyday", *options]) == 0
    clean, noisy, gold = (read_tokens(out / name) for name in (CLEAN, NOISY, GOLD))
    assert len(clean) == 8
    assert all(sentence[-1] == "." for sentence in clean)
    check_aligned(noisy, gold, "gold")
    pairs = zip(noisy, gold, strict=True)
    wrong = [[(a, b) for a, b in zip(*pair, strict=True) if a != b] for pair in pairs]
    assert all(len(changed) == 1 for changed in wrong)
    # *it's* would be two tokens, so it does not take the place of *its*.
    assert {pair for (pair,) in wrong} == {("the", "their"), ("zebra", "apple"), ("apple", "zebra")}
    assert f"8 clean sentences, {len(gold)} with a confused word" in capsys.readouterr().out


def test_a_model_is_measured(data: Path) -> None:
    made = record.measure(fake_model(), "dev", data=data, corpora=data / "corpora.toml")
    assert json.loads(json.dumps(made))["best_point"]["threshold"] == 0.05
    restored = {(d["written"], d["meant"]): d["restored"] for d in made["directions"]}
    # "it's" does not occur, so that its direction is left out.
    assert restored == {
        ("it's", "its"): 4,
        ("the", "their"): 0,
        ("zebra", "apple"): 0,
        ("apple", "zebra"): 0,
    }
    assert made["left_out"] == 1
    assert made["scores"]["macro_recall"] == 0.25
    assert made["best_point"]["macro_recall"] == 0.5
    assert list(made["texts"]) == ["mine"]
    assert "receive" not in json.dumps(made)


def test_the_lowest_threshold_keeps_the_preset() -> None:
    corrector = Corrector(fake_bundle(), Fake(), preset="noisy")
    lowest = at_lowest_threshold(corrector, "noisy").policy
    assert (lowest.mode, lowest.threshold, lowest.lowest_threshold) == ("noisy", 0.05, 0.05)


def run_command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["confusions.py", *arguments])
    return command.main()


def test_the_command_writes_the_result_and_the_page(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RESPELL_DATA", str(data))
    monkeypatch.setattr(command, "CORPORA", data / "corpora.toml")
    monkeypatch.setattr(command, "RESULTS", data / "results")
    monkeypatch.setattr(command, "load_model", lambda args: fake_model())
    assert run_command(monkeypatch, "--part", "dev") == 0
    assert "dev: 4 directions, 20 sentences; macro recall 0.250" in capsys.readouterr().out
    folder = data / "results"
    assert {path.name for path in folder.iterdir()} == {"dev.default.json", "README.md", page.PLOT}
    written = (folder / "README.md").read_text()
    (folder / "README.md").unlink()
    assert run_command(monkeypatch, "--render") == 0
    assert (folder / "README.md").read_text() == written
    other = data / "other.json"
    assert run_command(monkeypatch, "--output", str(other)) == 0
    assert other.is_file()


def test_the_command_needs_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RESPELL_DATA", raising=False)
    with pytest.raises(SystemExit, match="set RESPELL_DATA"):
        run_command(monkeypatch)


def made_record(part: str, preset: str) -> dict[str, Any]:
    counts = [count(each) for each in SOME]
    summary = summarize(counts)
    return {
        "part": part,
        "left_out": 3,
        "scores": summary,
        "often": {"at_least": 12, **summary},
        "best_point": None,
        "curve": [[0.05, 0.5, 0.99, 2.0], [0.5, 0.4, 1.0, 1.0]],
        "directions": [each.to_dict() for each in counts],
        "texts": {"mine": {"part": "all"}},
        "system": {"name": "small", "preset": preset},
    }


def test_the_page_lists_presets_in_order_and_gaps_of_the_development_text(tmp_path: Path) -> None:
    for part, preset in (("test", "default"), ("dev", "noisy"), ("dev", "default")):
        text = json.dumps(made_record(part, preset))
        (tmp_path / f"{part}.{preset}.json").write_text(text)
    records = read_records(tmp_path, COMMAND)
    assert [(r["part"], r["system"]["preset"]) for r in records] == [
        ("dev", "default"),
        ("dev", "noisy"),
        ("test", "default"),
    ]
    page.write(tmp_path)
    text = (tmp_path / page.FILE).read_text()
    assert "| small `default` | 0.500 | 0.500 | 0.7500 | – | – | – | 50% |" in text
    assert "| LanguageTool's n-grams | 0.650 | 0.600 | 0.9950 | – | – | – | – |" in text
    assert "| who's | whose | 1 | 2 | 0.800 |" in text
    assert "| there | their |" not in text
    assert (tmp_path / page.PLOT).read_text().startswith("<?xml")


def test_a_folder_without_results_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Error, match=r"no results; run: python benchmarks/confusions\.py"):
        read_records(tmp_path, COMMAND)


def test_the_committed_page_is_up_to_date() -> None:
    written = (RESULTS / page.FILE).read_text(encoding="utf-8")
    assert written == page.render(read_records(RESULTS, COMMAND))


@pytest.mark.skipif("RESPELL_DATA" not in os.environ, reason="needs the data")
def test_the_pairs_of_the_data() -> None:
    directions = read_directions(Path(os.environ["RESPELL_DATA"]) / FILE)
    assert len(directions) == 1448
    assert Direction("accept", "except", 0.998, 0.659) in directions
