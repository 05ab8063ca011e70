"""Builds: what is written, what is dropped, and the `build` command."""

import argparse
import bz2
import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from respell.lab.data.build import SCAN_OPTIONS, _most_frequent, build, configure, run
from respell.lab.data.corpus import Source
from respell.lab.data.scan import ScanOptions
from respell.lab.data.shards import join, read_shard
from respell.model.lexicon import Lexicon
from respell.types import Error

FIRST = [
    "The cat sat on the mat.",
    "The dog sat on the cat.",
    "A cat sat on a dog.",
    "The cat sat on the mat.",
    "Oh no!",
    "Too short",
]
SECOND = ["The cat sat on the mat .", "The zebra sat on the cat .", "The DOG sat on the mat ."]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "corpora"
    folder.mkdir()
    (folder / "first.txt").write_text("\n".join(FIRST) + "\n")
    (folder / "second.txt.bz2").write_bytes(bz2.compress(("\n".join(SECOND) + "\n").encode()))
    return folder


SOURCES = (Source("first.txt"), Source("second.txt.bz2", "CC0", True, "1b"))


def _words(folder: Path) -> list[str]:
    words = (folder / "lexicon.txt").read_text(encoding="utf-8").splitlines()
    surfaces = folder / "surfaces.txt.xz"
    if surfaces.exists():
        words += lzma.decompress(surfaces.read_bytes()).decode().splitlines()
    return words


def _sentences(folder: Path) -> list[str]:
    """The sentences of a build, as text."""
    words, size = _words(folder), len(Lexicon.read(folder / "lexicon.txt"))
    shard = join(read_shard(path) for path in sorted(folder.glob("shard-*.npz.xz")))
    tokens = [words[number] for number in shard.numbers(size).tolist()]
    ends = shard.lengths.astype(int).cumsum().tolist()
    return [" ".join(tokens[a:b]) for a, b in zip([0, *ends], ends, strict=False)]


def test_every_line_is_built_once_in_order(data: Path, tmp_path: Path) -> None:
    manifest = build(SOURCES, tmp_path / "out", data=data, size=6)
    assert _sentences(tmp_path / "out") == [
        "the cat sat on the mat .",
        "the dog sat on the cat .",
        "a cat sat on a dog .",
        "oh no !",
        "the cat sat on the mat .",
        "the zebra sat on the cat .",
        "the dog sat on the mat .",
    ]
    assert (tmp_path / "out" / "lexicon.txt").read_text().split() == "the . on sat cat dog".split()
    assert _words(tmp_path / "out")[6:] == ["mat", "a", "!", "no", "oh", "zebra"]
    assert manifest["totals"] == {
        "sentences": 7,
        "words": 45,
        "lexicon": 6,
        "surfaces": 6,
        "outside_lexicon": round(9 / 45, 6),
    }


def test_the_manifest_describes_the_sources(data: Path, tmp_path: Path) -> None:
    manifest = build(SOURCES, tmp_path / "out", data=data, size=6)
    written = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert written == manifest
    first, second = manifest["sources"]
    assert (first["lines"], first["sentences"], first["words"]) == (6, 4, 24)
    assert (second["file"], second["licence"], second["permissive"], second["style"]) == (
        "second.txt.bz2",
        "CC0",
        True,
        "1b",
    )
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {*manifest["files"], "manifest.json"}
    assert str(tmp_path) not in json.dumps(manifest)


def test_case_is_stored_as_shapes(data: Path, tmp_path: Path) -> None:
    build(SOURCES, tmp_path / "out", data=data)
    shapes = read_shard(tmp_path / "out" / "shard-000.npz.xz").shapes.tolist()
    assert shapes[:7] == [1, 0, 0, 0, 0, 0, 0]
    assert shapes[-7:] == [1, 2, 0, 0, 0, 0, 0]


def test_the_result_does_not_depend_on_the_number_of_jobs(data: Path, tmp_path: Path) -> None:
    hashes = [
        build(SOURCES, tmp_path / f"out{jobs}", data=data, size=6, jobs=jobs, shard_tokens=10)[
            "data_hash"
        ]
        for jobs in (1, 2)
    ]
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("tokens", [1, 7, 13, 20, 1000])
def test_shards_are_split_between_sentences(tokens: int, data: Path, tmp_path: Path) -> None:
    build(SOURCES, tmp_path / "whole", data=data)
    build(SOURCES, tmp_path / "cut", data=data, shard_tokens=tokens)
    assert _sentences(tmp_path / "cut") == _sentences(tmp_path / "whole")
    if tokens == 1:
        assert len(list((tmp_path / "cut").glob("shard-*"))) == 7


def test_different_data_have_different_hashes(data: Path, tmp_path: Path) -> None:
    one = build(SOURCES, tmp_path / "one", data=data)["data_hash"]
    assert build(SOURCES[:1], tmp_path / "two", data=data)["data_hash"] != one


def test_words_without_their_apostrophe_are_not_in_the_lexicon() -> None:
    counts = [("don't", 900), ("its", 500), ("it's", 400), ("dont", 9), ("its'", 8), ("rare", 1)]
    assert list(_most_frequent(counts, 9, lower=True)) == ["don't", "its", "it's", "its'", "rare"]
    assert list(_most_frequent(counts, 3, lower=True)) == ["don't", "its", "it's"]
    assert "dont" in _most_frequent(counts, 9, lower=False)


def test_a_closed_build_drops_sentences_with_unknown_words(data: Path, tmp_path: Path) -> None:
    manifest = build(SOURCES, tmp_path / "out", data=data, size=7, closed=True)
    assert _sentences(tmp_path / "out") == [
        "the cat sat on the mat .",
        "the dog sat on the cat .",
        "the cat sat on the mat .",
        "the dog sat on the mat .",
    ]
    assert not (tmp_path / "out" / "surfaces.txt.xz").exists()
    assert manifest["totals"]["surfaces"] == 0
    assert manifest["totals"]["outside_lexicon"] == round(6 / 45, 6)


def test_a_given_lexicon_keeps_its_order(data: Path, tmp_path: Path) -> None:
    lexicon = Lexicon(["zebra", "the", "unseen"])
    build(SOURCES, tmp_path / "out", data=data, lexicon=lexicon)
    assert _words(tmp_path / "out")[:4] == ["zebra", "the", "unseen", "."]
    assert _sentences(tmp_path / "out")[5] == "the zebra sat on the cat ."


def test_exact_casing_keeps_capitals(data: Path, tmp_path: Path) -> None:
    build(SOURCES, tmp_path / "out", data=data, options=SCAN_OPTIONS["exact"])
    sentences = _sentences(tmp_path / "out")
    assert sentences[0] == "The cat sat on the mat ."
    assert sentences[-1] == "The DOG sat on the mat ."
    assert "Too short" in sentences


def test_held_out_lines_are_not_built(data: Path, tmp_path: Path) -> None:
    (data / "ten.txt").write_text("".join(f"word number{i} here\n" for i in range(10)))
    sources = [Source("ten.txt", heldout="last-tenth"), Source("missing.txt", heldout="all")]
    manifest = build(sources, tmp_path / "out", data=data)
    assert manifest["totals"]["sentences"] == 9
    assert [source["file"] for source in manifest["sources"]] == ["ten.txt"]


def test_an_empty_corpus_is_ignored(data: Path, tmp_path: Path) -> None:
    (data / "empty.txt").write_text("")
    sources = (Source("empty.txt"), *SOURCES)
    assert build(sources, tmp_path / "out", data=data)["totals"]["sentences"] == 7


@pytest.mark.parametrize(
    ("sources", "options", "message"),
    [
        ((), {}, "nothing to build from"),
        ((Source("lost.txt"),), {}, r"lost\.txt: no such corpus"),
        ((Source("."),), {}, "a folder, not a corpus; name the files in it"),
        ((Source("nothing.txt"),), {}, r"nothing\.txt: no text; write one sentence per line"),
        (SOURCES, {"lexicon": Lexicon(())}, "from 1 to 65534 words, not 0"),
        (SOURCES, {"size": 65_535}, "from 1 to 65534 words, not 65535"),
        (SOURCES, {"size": 0}, "from 1 to 65534 words, not 0"),
        (SOURCES, {"jobs": 0}, "jobs must be 1 or more"),
        (SOURCES, {"options": ScanOptions(min_words=100)}, "no sentence"),
    ],
)
def test_invalid_arguments_are_errors(
    sources: tuple[Source, ...], options: dict[str, Any], message: str, data: Path, tmp_path: Path
) -> None:
    (data / "nothing.txt").touch()
    with pytest.raises(Error, match=message):
        build(sources, tmp_path / "out", data=data, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["corpora"]


def test_a_failed_build_leaves_nothing(data: Path, tmp_path: Path) -> None:
    (data / "bad.txt").write_bytes(b"na\xefve\n")
    with pytest.raises(Error, match=r"bad\.txt:1: not UTF-8"):
        build((*SOURCES, Source("bad.txt")), tmp_path / "out", data=data, jobs=2)
    assert [path.name for path in tmp_path.iterdir()] == ["corpora"]


def test_a_build_is_not_overwritten(data: Path, tmp_path: Path) -> None:
    build(SOURCES, tmp_path / "out", data=data)
    with pytest.raises(Error, match="already exists"):
        build(SOURCES, tmp_path / "out", data=data)


def _run(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    configure(parser)
    return run(parser.parse_args([*map(str, arguments), "--jobs", "1"]))


def test_the_lexicon_file_is_checked(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, out = tmp_path / "words.txt", tmp_path / "out"
    text = data / "ten.txt"
    text.write_text("The cat sat here.\n")
    words.touch()
    with pytest.raises(Error, match=r"words\.txt: no words"):
        _run(text, "--lexicon", words, "--out", out)
    words.write_text("cat\ncat\n")
    with pytest.raises(Error, match=r"words\.txt: a word is listed twice"):
        _run(text, "--lexicon", words, "--out", out)
    words.write_text("\ufeffcat\nThe\nsat\n", encoding="utf-8")
    assert _run(text, "--lexicon", words, "--out", out) == 0
    assert (out / "lexicon.txt").read_text() == "cat\nThe\nsat\n"
    assert "words.txt: 1 words have capitals and match nothing" in capsys.readouterr().err


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    path = tmp_path / "corpora.toml"
    path.write_text(
        '[[source]]\nfile = "first.txt"\n'
        '[[source]]\nfile = "second.txt.bz2"\nstyle = "1b"\npermissive = true\n'
    )
    return path


def test_command_line(
    data: Path, corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    options = ("--size", 6, "--min-words", 4, "--presplit", 0.5)
    assert _run("--corpora", corpora, "--data", data, "--out", out, *options) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "42 words in 6 sentences, " in captured.err
    assert " words/s" in captured.err
    arguments = json.loads((out / "manifest.json").read_text())["arguments"]
    assert arguments == {
        "casing": "lower",
        "presplit": 0.5,
        "min_words": 4,
        "max_words": 120,
        "longest": None,
        "limit": None,
        "size": 6,
        "closed": False,
    }


def test_command_line_with_tokenized_files(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _run(data / "second.txt.bz2", "--style", "1b", "--casing", "exact", "--closed", "--out", out)
    assert _sentences(out) == SECOND


def test_command_line_with_free_corpora_only(data: Path, corpora: Path, tmp_path: Path) -> None:
    out, lexicon = tmp_path / "out", tmp_path / "words.txt"
    lexicon.write_text("the\ncat\n")
    given = ("--corpora", corpora, "--data", data, "--permissive-only", "--out", out)
    _run(*given, "--lexicon", lexicon)
    assert len(_sentences(out)) == len(SECOND)
    assert _words(out)[:2] == ["the", "cat"]
    with pytest.raises(Error, match="--permissive-only: FILEs have no known licence"):
        _run(*given, data / "first.txt")


def test_building_needs_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = sys.modules['zstandard'] = None; "
        "import respell.lab.data.build, respell.lab.misspellings.word_lists"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
