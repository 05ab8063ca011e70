"""Corpora and lists of corpora: plain, compressed and damaged files, held-out lines."""

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import HeldOut, Source, heldout_lines, read_sources, training_lines
from respell.types import Error

CORPORA = Path(__file__).parents[2] / "recipes" / "corpora.toml"
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".txt": bytes,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_plain_and_compressed_text(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"corpus{suffix}"
    path.write_bytes(COMPRESS[suffix]("\ufeffOne.\r\n\nNaïve\u2028café".encode()))
    assert list(read_lines(path)) == ["One.", "", "Naïve\u2028café"]


def test_zst_with_several_frames(tmp_path: Path) -> None:
    path = tmp_path / "corpus.zst"
    path.write_bytes(COMPRESS[".zst"](b"a\nb") + COMPRESS[".zst"](b"c\nd\n"))
    assert list(read_lines(path)) == ["a", "bc", "d"]


def test_zst_without_zstandard_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(Error, match=r"pip install '\.\[lab\]'"):
        list(read_lines(tmp_path / "corpus.zst"))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_the_line_of_invalid_utf8_is_reported(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"corpus{suffix}"
    path.write_bytes(COMPRESS[suffix](b"fine\nna\xefve\n"))
    with pytest.raises(Error, match=rf"corpus{suffix}:2: not UTF-8 \(byte 2 of the line\)"):
        list(read_lines(path))


@pytest.mark.parametrize("suffix", [".xz", ".bz2", ".gz", ".zst"])
def test_a_damaged_file_is_an_error(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"corpus{suffix}"
    path.write_bytes(b"this is not compressed at all")
    with pytest.raises(Error, match=f"corpus{suffix}"):
        list(read_lines(path))


@pytest.mark.parametrize("suffix", [".xz", ".bz2", ".gz"])
def test_a_truncated_file_is_an_error(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"corpus{suffix}"
    path.write_bytes(COMPRESS[suffix](b"line\n" * 1000)[:-12])
    with pytest.raises(Error, match="damaged after line"):
        list(read_lines(path))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_missing_file_is_an_error(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(Error, match="cannot be read"):
        list(read_lines(tmp_path / f"corpus{suffix}"))


@given(st.integers(0, 45), st.sampled_from(("none", "all", "last-tenth")))
def test_every_line_is_either_for_training_or_held_out(
    tmp_path_factory: pytest.TempPathFactory, count: int, heldout: HeldOut
) -> None:
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("".join(f"{i}\n" for i in range(count)))
    train, held = list(training_lines(path, heldout)), list(heldout_lines(path, heldout))
    assert train + held == [str(i) for i in range(count)]
    assert len(held) == {"none": 0, "all": count, "last-tenth": count // 10}[heldout]


def test_a_list_of_sources(tmp_path: Path) -> None:
    path = tmp_path / "corpora.toml"
    path.write_text('[[source]]\nfile = "a.txt"\n[[source]]\nfile = "b.xz"\nstyle = "1b"\n')
    assert read_sources(path) == (Source("a.txt"), Source("b.xz", style="1b"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lists no corpora"),
        ("[source]\nfile = 'a'", "lists no corpora"),
        ("[[source]]\nfile", "not a TOML file"),
        ("[[source]]\nlicence = 'x'", "source 1: needs file"),
        ("[[source]]\nfile = 'a'\nlicense = 'x'", "source 1: unknown key 'license'"),
        ("[[source]]\nfile = 'a'\nstyle = 'moses'", "style must be one of raw, treebank, 1b"),
        ("[[source]]\nfile = 'a'\nheldout = true", "heldout must be one of"),
        ("[[source]]\nfile = 'a'\npermissive = 'yes'", "permissive must be true or false"),
        ("[[source]]\nfile = 'a'\nlicence = 3", "licence must be a string"),
        ("[[source]]\nfile = 'a'\nfetch = 'x'", "fetch must be a list of tables"),
        ("[[source]]\nfile = 'a'\n[[source]]\nfile = 'a'", "a is listed twice"),
    ],
)
def test_an_invalid_list_of_sources_is_an_error(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "corpora.toml"
    path.write_text(text)
    with pytest.raises(Error, match=message):
        read_sources(path)


def test_a_missing_list_of_sources_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Error, match="cannot read the list of corpora"):
        read_sources(tmp_path / "corpora.toml")


def test_text_of_the_test_sets_is_not_used_for_training() -> None:
    sources = read_sources(CORPORA)
    held = {s.file.split(".")[0]: s.heldout for s in sources if s.heldout != "none"}
    last_tenths = (
        "app_manuals bbc_news children_stories commonlit_passages counsel_chat dialogues "
        "enron_mail howto_docs mdn_docs recipes scotus_oral skeptics_qa stackexchange_small "
        "wikipedia_new2018"
    ).split()
    assert held == {
        "lm1b_heldout_10_11": "all",
        "lm1b_heldout_00000": "all",
        "abc_news_au": "all",
        **dict.fromkeys(last_tenths, "last-tenth"),
    }
    assert all(s.licence and s.fetch for s in sources)
    assert not [s.file for s in sources if s.permissive and "NC" in s.licence]
