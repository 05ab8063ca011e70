"""Build folders read into memory, sentences packed into rows, rows made distinct."""

import lzma
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from respell.lab.data.build import READINGS, build
from respell.lab.data.corpus import Source
from respell.lab.data.shards import ESCAPE, Shard, read_shard, write_shard
from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.surfaces import alphabet
from respell.lab.train.dataset import Corpus, Packed, Packer, distinct_rows
from respell.model.encode import FIRST_CHARACTER, WORD_OFFSET, WORD_UNKNOWN
from respell.model.lexicon import Lexicon
from respell.text.tokenize import is_single_word
from respell.types import Error

CPU = torch.device("cpu")


# Reading


def test_a_corpus_holds_the_sentences(corpus: Corpus) -> None:
    words = [*corpus.lexicon.words, *corpus.surfaces]
    first = [words[i] for i in corpus.tokens[: corpus.lengths[0]]]
    said = "".join(tiny.sentences(1)[0].lower().split())
    assert "".join(first) == said
    assert len(corpus.lexicon) == tiny.SIZE
    assert corpus.lengths.sum() == len(corpus.tokens) == len(corpus.shapes)
    assert 0 < (corpus.tokens >= tiny.SIZE).sum() < len(corpus.tokens) / 10


@pytest.fixture
def copied(base: Path, tmp_path: Path) -> Path:
    return shutil.copytree(tiny.build_folder(base, "lower"), tmp_path / "data")


def test_only_text_with_free_licences(tmp_path: Path) -> None:
    spoken = {"a.txt": ["one two three"] * 1, "b.txt": ["four five six", "six five four"]}
    for name, lines in spoken.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    sources = [Source("a.txt", permissive=True), Source("b.txt")]
    build(sources, tmp_path / "data", data=tmp_path, size=6, reading=READINGS["lower"])
    assert len(Corpus.read(tmp_path / "data").lengths) == 3
    free = Corpus.read(tmp_path / "data", permissive=True)
    assert [free.lexicon.words[i] for i in free.tokens] == ["one", "two", "three"]
    assert free.lengths.tolist() == [3]
    shutil.rmtree(tmp_path / "data")
    build(sources[1:], tmp_path / "data", data=tmp_path, size=3, reading=READINGS["lower"])
    with pytest.raises(Error, match="names no sources with free licences"):
        Corpus.read(tmp_path / "data", permissive=True)


def test_a_folder_without_shards(copied: Path) -> None:
    (copied / "shard-000.npz.xz").unlink()
    with pytest.raises(Error, match=r"no shards here"):
        Corpus.read(copied)


@pytest.mark.parametrize("name", ["shard-000.npz.xz", "surfaces.txt.xz"])
@pytest.mark.parametrize("damage", ["cut", "garbage"])
def test_a_damaged_file(name: str, damage: str, copied: Path) -> None:
    path = copied / name
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2] if damage == "cut" else b"garbage")
    with pytest.raises(Error, match=name):
        Corpus.read(copied)


def test_a_shard_whose_arrays_do_not_fit(copied: Path) -> None:
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


def test_a_shard_of_another_folder(copied: Path) -> None:
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


def test_a_closed_corpus_has_no_surfaces(copied: Path) -> None:
    spelled = copied / "surfaces.txt.xz"
    count = len(lzma.decompress(spelled.read_bytes()).splitlines())
    assert len(Corpus.read(copied).surfaces) == count > 0
    spelled.unlink()
    with pytest.raises(Error, match="words that the folder does not list"):
        Corpus.read(copied)


def test_the_alphabet() -> None:
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
def test_what_can_be_wrong(surface: str, expected: bool) -> None:
    assert is_single_word(surface) is expected


# Packing


def rows_of(packed: Packed) -> list[list[tuple[int, ...]]]:
    """The sentences of each row, as surface ids."""
    found = []
    for surfaces, segments in zip(packed.surfaces.tolist(), packed.segments.tolist(), strict=True):
        row: list[list[int]] = [[] for _ in range(max(segments))]
        for surface, segment in zip(surfaces, segments, strict=True):
            if segment:
                row[segment - 1].append(surface)
        found.append([tuple(sentence) for sentence in row])
    return found


def make_corpus(lengths: list[int]) -> Corpus:
    """Sentences of all different tokens."""
    total = sum(lengths)
    return Corpus(
        lexicon=Lexicon(f"w{i}" for i in range(total)),
        surfaces=(),
        tokens=np.arange(total, dtype=np.int32),
        shapes=(np.arange(total) % 4).astype(np.uint8),
        lengths=np.array(lengths, np.int32),
    )


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 12), min_size=1, max_size=60),
    rows=st.integers(1, 5),
    length=st.integers(1, 16),
    number=st.integers(0, 3),
)
def test_every_sentence_once_an_epoch(
    lengths: list[int], rows: int, length: int, number: int
) -> None:
    corpus = make_corpus(lengths)
    if min(lengths) > length:
        with pytest.raises(Error, match=f"at most {length} words"):
            Packer(corpus, rows=rows, length=length, device=CPU)
        return
    batches = list(Packer(corpus, rows=rows, length=length, device=CPU).epoch(7, number))
    ends = np.cumsum(lengths)
    every = {tuple(range(e - n, e)) for e, n in zip(ends, lengths, strict=True) if n <= length}
    seen = Counter(s for packed in batches for row in rows_of(packed) for s in row)
    assert set(seen) <= every
    assert set(seen.values()) == {1}
    assert all(packed.surfaces.shape[1] == length for packed in batches)
    if len(batches) > 1:
        assert {len(packed.surfaces) for packed in batches} == {rows}
    # Only what would not have filled a batch is left out, and any two neighbours fill a row.
    left = sum(len(sentence) for sentence in every - set(seen))
    assert left <= (rows - 1) * length
    if len(batches) == 1 and len(batches[0].surfaces) < rows:
        assert left == 0


@settings(max_examples=40, deadline=None)
@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=40))
def test_places_and_segments_count_within_a_row(lengths: list[int]) -> None:
    corpus = make_corpus(lengths)
    for packed in Packer(corpus, rows=2, length=10, device=CPU).epoch(1, 0):
        for row in range(len(packed.surfaces)):
            sentences = rows_of(packed)[row]
            used = sum(map(len, sentences))
            padding = [0] * (10 - used)
            segments = [i for i, s in enumerate(sentences, 1) for _ in s]
            assert packed.segments[row].tolist() == segments + padding
            assert packed.places[row].tolist() == [j for s in sentences for j in range(len(s))] + (
                padding
            )
            tokens = [token for s in sentences for token in s]
            assert packed.surfaces[row].tolist() == tokens + [-1] * len(padding)
            assert packed.shapes[row].tolist() == [token % 4 for token in tokens] + padding


def test_epochs_differ_and_repeat(corpus: Corpus) -> None:
    def order(seed: int, number: int) -> list[int]:
        packer = Packer(corpus, rows=4, length=40, device=CPU)
        return [s for p in packer.epoch(seed, number) for s in p.surfaces.flatten().tolist()]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


# Distinct rows


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=40),
    room=st.integers(1, 40),
)
def test_distinct_rows(rows: list[list[int]], room: int) -> None:
    tensor = torch.tensor(rows, dtype=torch.uint8)
    slots, distinct, fits = distinct_rows(tensor[None], [(room, 3)])
    assert slots.shape == fits.shape == (1, len(rows))
    slots, fits = slots[0], fits[0]
    assert distinct.shape == (room, 3)
    assert 0 <= int(slots.min()) <= int(slots.max()) < room
    assert torch.equal(distinct[slots[fits]], tensor[fits])
    unique = np.unique(np.array(rows), axis=0)
    spelled = np.unique(tensor[fits].numpy(), axis=0)
    assert len(spelled) == min(room, len(unique))
    assert len(set(slots[fits].tolist())) == len(spelled)
    kept = {tuple(row) for row in spelled.tolist()}
    assert fits.tolist() == [tuple(row) in kept for row in rows]


@settings(max_examples=150, deadline=None)
@given(
    words=st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=60),
    long=st.integers(1, 12),
    short=st.integers(1, 12),
)
def test_the_longest_rows_come_first_and_none_is_cut(
    words: list[str], long: int, short: int
) -> None:
    spelled = [[ord(c) for c in word.ljust(6, "\0")] for word in words]
    tensor = torch.tensor(spelled, dtype=torch.uint8)
    slots, distinct, fits = distinct_rows(tensor, [(long, 6), (short, 3)])
    assert torch.equal(distinct[slots[fits]], tensor[fits])
    lengths = (distinct != 0).sum(1)[slots]
    assert (lengths[fits & (slots >= long)] <= 3).all()
    ranked = sorted(set(words), key=len, reverse=True)
    if len(ranked) <= long + short and all(len(word) <= 3 for word in ranked[long:]):
        assert fits.all()


def test_distinct_rows_of_real_spellings(corpus: Corpus) -> None:
    words = [a + b for a in corpus.lexicon.words for b in corpus.lexicon.words][:2000]
    codes = np.array(words, "<U20").view(np.uint32).reshape(len(words), 20).astype(np.uint8)
    rows = torch.from_numpy(np.concatenate((codes, codes[::-1])))
    slots, distinct, fits = distinct_rows(rows, [(2000, 20)])
    assert fits.all()
    assert torch.equal(distinct[slots], rows)
    assert len(set(slots.tolist())) == len(np.unique(codes, axis=0))


def test_planted_words_are_what_should_be_said(base: Path) -> None:
    case = "word_char_keep"
    made = tiny.batcher(base, case)
    noise = NoiseConfig(
        sigmas=(0.0,), at_least_one=False, synthetic=0.5, mixed=True, inserted_rare_words=0.5
    )
    made.noiser.config = noise
    packed = tiny.packed_rows(base, case, rows=16)
    batch, targets = made(packed, torch.Generator().manual_seed(5))
    planted = (targets.labels != packed.surfaces) & (targets.labels >= 0)
    assert planted.sum() > 20
    assert targets.wrong[planted].all()
    assert targets.judged[planted].all()
    assert (batch.words[planted] == WORD_UNKNOWN).all()
    as_it_was = (targets.labels >= 0) & ~planted & ~targets.wrong
    assert torch.equal(batch.words[as_it_was], targets.labels[as_it_was] + WORD_OFFSET)
