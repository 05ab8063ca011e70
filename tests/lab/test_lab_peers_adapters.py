import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from respell.lab.data.corpus import Source
from respell.lab.evaluate.peers.training_text import TEXT, WORDS, read_words, write_sample
from respell.types import Error

PEERS = Path(__file__).parents[2] / "benchmarks" / "peers"
COUNTS = {"the": 90, "then": 20, "them": 30, "hello": 5, "receive": 3, "don't": 2}


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PEERS))
    monkeypatch.delitem(sys.modules, "words", raising=False)
    return importlib.import_module("words")


def adapter(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, PEERS / "adapters" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_norvig_is_trained_and_corrects(
    tmp_path: Path, words: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    norvig = adapter("norvig")
    text = tmp_path / "text.txt"
    text.write_text("The cat saw the cat. Don't! don't they?\n")
    norvig.train(text, tmp_path)
    assert json.loads((tmp_path / "counts.json").read_text()) == {"the": 2, "cat": 2, "don't": 2}
    monkeypatch.setenv("PEER_FOLDER", str(tmp_path))
    answers = norvig.correct(["Teh", "CTA", "dont", "17", "cat"])
    assert answers == ["The", "CAT", "don't", "17", "cat"]


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("then", "then"),  # known
        ("thex", "the"),  # one edit, the most frequent word
        ("thenm", "them"),
        ("recieve", "receive"),  # a swap is one edit
        ("reciev", "receive"),  # two edits
        ("helo", "hello"),
        ("zzzzzz", "zzzzzz"),  # no known word is near
        ("", ""),
    ],
)
def test_norvig_prefers_fewer_edits_then_frequent_words(
    words: ModuleType, word: str, answer: str
) -> None:
    assert adapter("norvig").best(word, COUNTS) == answer


def test_edits_of_norvig(words: ModuleType) -> None:
    norvig = adapter("norvig")
    found = set(norvig.edits("ab"))
    assert {"a", "b", "ba", "xb", "ax", "xab", "axb", "abx", "ab"} <= found
    assert len(found) == len({s for s in found if abs(len(s) - 2) <= 1})


def test_halves_of_contractions_are_skipped(words: ModuleType) -> None:
    upper = words.each(str.upper)
    tokens = ["I", "didn", "'t", "do", "n't", "it", "17th", ".", "twenty-one"]
    expected = ["I", "didn", "'t", "do", "n't", "IT", "17th", ".", "TWENTY-ONE"]
    assert upper(tokens) == expected


def test_answers_of_two_words_are_ignored(words: ModuleType) -> None:
    assert words.each(lambda word: "a lot")(["alot"]) == ["alot"]
    assert words.each(lambda word: None)(["alot"]) == ["alot"]
    assert words.first_single(["a lot", "allot"]) == "allot"
    assert words.first_single(["a lot"]) is None


@pytest.mark.parametrize(
    ("word", "answer", "cased"),
    [("teh", "the", "the"), ("Teh", "the", "The"), ("TEH", "the", "THE"), ("I", "it", "It")],
)
def test_case_is_transferred(words: ModuleType, word: str, answer: str, cased: str) -> None:
    assert words.like(word, answer) == cased


def test_sample_has_no_held_out_lines(tmp_path: Path) -> None:
    lines = [f"Didn't it rain on day {'x' * i}?" for i in range(20)]
    for name in ("all.txt", "open.txt", "tenth.txt"):
        (tmp_path / name).write_text("".join(f"{name} {line}\n" for line in lines))
    sources = [
        Source("all.txt", heldout="all"),
        Source("open.txt"),
        Source("tenth.txt", heldout="last-tenth"),
    ]
    size, count = write_sample(sources, tmp_path, tmp_path / "out", one_in=1)
    text = (tmp_path / "out" / TEXT).read_text()
    assert size == len(text.encode())
    assert len(text.splitlines()) == 20 + 18
    assert "all.txt" not in text
    assert "x" * 19 not in "".join(line for line in text.splitlines() if "tenth" in line)
    assert any("n 't" in line or " n't" in line for line in text.splitlines())
    assert count == len((tmp_path / "out" / WORDS).read_text().split())


def test_real_words_are_those_of_the_list(tmp_path: Path) -> None:
    with pytest.raises(Error, match="peers text"):
        read_words(tmp_path / WORDS)
    (tmp_path / WORDS).write_text("it's\nyear\nold\n")
    is_word = read_words(tmp_path / WORDS)
    assert all(map(is_word, ("It’s", "17", ",", "17-Year-old", "")))
    assert not any(map(is_word, ("yaer", "year-odl")))


def test_sample_is_deterministic(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line number {i} of many\n" for i in range(200)))
    for out in ("one", "two"):
        write_sample([Source("a.txt")], tmp_path, tmp_path / out, one_in=4)
    text = (tmp_path / "one" / TEXT).read_text()
    assert text == (tmp_path / "two" / TEXT).read_text()
    assert 20 < len(text.splitlines()) < 80
