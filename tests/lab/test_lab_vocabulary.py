"""The `vocabulary` command: which words outside a lexicon get which class."""

from pathlib import Path

import pytest

from respell.lab.__main__ import main
from respell.lab.misspellings import vocabulary
from respell.model.lexicon import Lexicon
from respell.model.vocabulary import ABSENT, Vocabulary, class_id


def test_words_of_the_dictionary_are_common_unless_they_are_terms() -> None:
    found = vocabulary.classes(Lexicon(["time"]), {}, (), ("viaduct", "kubernetes", "time", "o'er"))
    assert found["viaduct"] == class_id("common", 0)
    assert found["kubernetes"] == class_id("technical", 0)
    assert not {"time", "o'er"} & found.keys()


def test_frequent_misspellings_are_not_valid() -> None:
    frequencies = {"alot": 3.0, "zzzqw": 1.7, "zzzzq": 0.1}
    found = vocabulary.classes(Lexicon(["time"]), frequencies, {"alot"})
    assert found["zzzqw"] == class_id("unlisted", 1)
    assert not {"alot", "zzzzq"} & found.keys()


def test_the_command_writes_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "read_frequencies", lambda: {"viaduct": 2.5})
    (tmp_path / "lexicon.txt").write_text("time\n")
    (tmp_path / "words.txt").write_text("viaduct\ntime\n")
    out = tmp_path / "vocabulary.gz"
    files = ["--lexicon", f"{tmp_path}/lexicon.txt", "--dictionary", f"{tmp_path}/words.txt"]
    assert main(["vocabulary", *files, "--out", str(out)]) == 0
    table = Vocabulary.read(out)
    assert table.class_of("viaduct") == class_id("common", 2)
    assert table.class_of("time") == ABSENT
