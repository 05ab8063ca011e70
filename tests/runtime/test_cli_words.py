"""`respell words` lists words that neither the model, its vocabulary nor the dictionary knows."""

import sys
from collections.abc import Iterable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

import respell
from fakes import Fake, fake_bundle
from respell.cli.main import main
from respell.corrector import Corrector

Capture = pytest.CaptureFixture[bytes]
PROSE = """\
Zebra refspec, the refspec! `codeword` Gitweb's gitweb Gitweb
<!-- hidden words --> receive OID x NASA https://example.com/refspec sooo
"""


def load(
    path: str | Path | None = None, *, dictionary: Iterable[str] = (), **options: Any
) -> Corrector:
    return Corrector(fake_bundle(), Fake(), dictionary=dictionary)


def run(*arguments: str) -> int:
    return main(["words", *arguments], load=load)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text(PROSE)
    (tmp_path / "b.txt").write_text("zebra refspec apple prgma\n")
    return tmp_path


def test_unknown_words_with_counts(capsysbinary: Capture) -> None:
    assert run(".") == 0
    expected = b"3\tGitweb\n3\trefspec\n1\tprgma\n"
    assert capsysbinary.readouterr() == (expected, b"")


def test_min_count(capsysbinary: Capture) -> None:
    assert run(".", "--min-count", "2") == 0
    assert capsysbinary.readouterr().out == b"3\tGitweb\n3\trefspec\n"
    assert run(".", "--min-count", "4") == 0
    assert capsysbinary.readouterr() == (b"", b"")


def test_words_of_the_dictionary_are_known(folder: Path, capsysbinary: Capture) -> None:
    (folder / "listed.words").write_text("refspec\n")
    (folder / "respell.toml").write_text("dictionary = ['gitweb']\n")
    assert run(".", "--dictionary", "listed.words") == 0
    assert capsysbinary.readouterr().out == b"1\tprgma\n"


def test_the_output_makes_a_dictionary(folder: Path, capsysbinary: Capture) -> None:
    assert run(".") == 0
    rows = capsysbinary.readouterr().out.decode().splitlines()
    (folder / "listed.words").write_text("".join(row.split("\t")[1] + "\n" for row in rows))
    assert run(".", "--dictionary", "listed.words") == 0
    assert capsysbinary.readouterr() == (b"", b"")


def test_words_of_a_pipe(capsysbinary: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"the refspec\n")))
    assert run() == 0
    assert capsysbinary.readouterr() == (b"1\trefspec\n", b"")


def test_files_that_cannot_be_read_are_reported(folder: Path, capsysbinary: Capture) -> None:
    (folder / "bad.md").write_bytes(b"prgma \xff")
    assert run("bad.md", "none.md", "b.txt") == 2
    out, err = capsysbinary.readouterr()
    assert out == b"1\tprgma\n1\trefspec\n"
    assert err.decode() == (
        "respell: bad.md: not UTF-8 (byte 6)\nrespell: none.md: No such file or directory\n"
    )


def test_the_shipped_model_knows_common_words(folder: Path, capsysbinary: Capture) -> None:
    (folder / "b.txt").write_text("We believe that the refspec doesn't work, btw. Sooo bad!\n")
    assert main(["words", "b.txt"]) == 0
    assert capsysbinary.readouterr() == (b"1\trefspec\n", b"")
    assert "refspec" not in respell.load().bundle.lexicon


def test_words_of_the_vocabulary_are_known(folder: Path, capsysbinary: Capture) -> None:
    """They are not flagged without strong evidence, so a dictionary does not need them."""
    text = "Kneading, haft, stdio's mmaps; Garzik and Munday, but munday, and frobset.\n"
    (folder / "b.txt").write_text(text)
    assert main(["words", "b.txt"]) == 0
    assert capsysbinary.readouterr().out == b"1\tGarzik\n1\tfrobset\n1\tmunday\n"
