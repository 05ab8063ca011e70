"""Build folders are read into memory; damaged ones are errors."""

import lzma
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny

from respell.lab.data.build import build
from respell.lab.data.corpus import Source
from respell.lab.data.shards import ESCAPE, Shard, read_shard, write_shard
from respell.lab.noise.surfaces import alphabet
from respell.lab.train.dataset import Corpus
from respell.model.encode import FIRST_CHARACTER
from respell.text.tokenize import is_single_word
from respell.types import Error


def test_a_corpus_has_the_sentences_of_the_text(corpus: Corpus) -> None:
    words = [*corpus.lexicon.words, *corpus.surfaces]
    first = [words[i] for i in corpus.tokens[: corpus.lengths[0]]]
    assert "".join(first) == "".join(tiny.sentences(1)[0].lower().split())
    assert len(corpus.lexicon) == tiny.SIZE
    assert corpus.lengths.sum() == len(corpus.tokens) == len(corpus.shapes)
    assert 0 < (corpus.tokens >= tiny.SIZE).sum() < len(corpus.tokens) / 10


@pytest.fixture
def copied(base: Path, tmp_path: Path) -> Path:
    return shutil.copytree(tiny.build_folder(base, "lower"), tmp_path / "data")


def test_only_text_with_free_licences(tmp_path: Path) -> None:
    texts = {"a.txt": ["one two three"], "b.txt": ["four five six", "six five four"]}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    sources = [Source("a.txt", permissive=True), Source("b.txt")]
    build(sources, tmp_path / "data", data=tmp_path, size=6)
    assert len(Corpus.read(tmp_path / "data").lengths) == 3
    free = Corpus.read(tmp_path / "data", permissive=True)
    assert [free.lexicon.words[i] for i in free.tokens] == ["one", "two", "three"]
    assert free.lengths.tolist() == [3]
    shutil.rmtree(tmp_path / "data")
    build(sources[1:], tmp_path / "data", data=tmp_path, size=3)
    with pytest.raises(Error, match="has no sources with free licences"):
        Corpus.read(tmp_path / "data", permissive=True)


def test_a_folder_without_shards_is_an_error(copied: Path) -> None:
    (copied / "shard-000.npz.xz").unlink()
    with pytest.raises(Error, match="no shards"):
        Corpus.read(copied)


@pytest.mark.parametrize("name", ["shard-000.npz.xz", "surfaces.txt.xz"])
@pytest.mark.parametrize("damage", ["cut", "garbage"])
def test_a_damaged_file_is_an_error(name: str, damage: str, copied: Path) -> None:
    path = copied / name
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2] if damage == "cut" else b"garbage")
    with pytest.raises(Error, match=name):
        Corpus.read(copied)


def test_a_shard_with_arrays_of_different_sizes_is_an_error(copied: Path) -> None:
    path = copied / "shard-000.npz.xz"
    whole = read_shard(path)
    one = np.zeros(1, np.int32)
    for broken in (
        replace(whole, lengths=whole.lengths[1:]),
        replace(whole, shapes=whole.shapes[1:]),
        replace(whole, escapes=whole.escapes[1:]),
        replace(whole, escapes=whole.escapes[:1]),
        replace(whole, escapes=np.concatenate((whole.escapes, one))),
    ):
        write_shard(broken, path)
        with pytest.raises(Error, match="damaged"):
            Corpus.read(copied)


def test_a_shard_of_another_folder_is_an_error(copied: Path) -> None:
    path = copied / "shard-000.npz.xz"
    whole = read_shard(path)
    for broken in (
        replace(whole, escapes=whole.escapes + 10_000),
        replace(whole, ids=np.where(whole.ids == 0, ESCAPE - 1, whole.ids).astype(np.uint16)),
    ):
        write_shard(broken, path)
        with pytest.raises(Error, match="words that the folder does not list"):
            Corpus.read(copied)


def test_several_shards_are_read_in_order(copied: Path) -> None:
    whole = Corpus.read(copied)
    one = np.ones(1, np.uint16)
    second = Shard(one, np.zeros(1, np.uint8), np.zeros(0, np.int32), lengths=one)
    write_shard(second, copied / "shard-001.npz.xz")
    both = Corpus.read(copied)
    assert both.tokens.tolist() == [*whole.tokens.tolist(), 1]
    assert both.lengths.tolist() == [*whole.lengths.tolist(), 1]


def test_missing_surfaces_are_an_error(copied: Path) -> None:
    spelled = copied / "surfaces.txt.xz"
    count = len(lzma.decompress(spelled.read_bytes()).splitlines())
    assert len(Corpus.read(copied).surfaces) == count > 0
    spelled.unlink()
    with pytest.raises(Error, match="words that the folder does not list"):
        Corpus.read(copied)


def test_the_alphabet_is_sorted_by_frequency_and_fits_a_byte() -> None:
    assert alphabet(["banana", "bob", "c"]) == "abnco"
    many = [chr(0x4E00 + i) for i in range(400)]
    assert len(alphabet(many)) == 256 - FIRST_CHARACTER


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        *[(word, True) for word in ("cat", "don't", "naïve")],
        *[(other, False) for other in (".", "42", "0th", "'s", "<code>", "well-known", "москва")],
    ],
)
def test_which_surfaces_are_single_words(surface: str, expected: bool) -> None:
    assert is_single_word(surface) is expected
