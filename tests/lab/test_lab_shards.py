"""Shards: written and read back, and damaged ones."""

import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.data.shards import ESCAPE, Shard, join, read_shard, write_shard
from respell.types import Error

SIZE = 5


def _shard(numbers: list[int]) -> Shard:
    return Shard.from_numbers(
        np.array(numbers, np.int32),
        np.zeros(len(numbers), np.uint8),
        np.array([len(numbers)], np.uint16),
        lexicon_size=SIZE,
    )


def test_words_outside_the_lexicon_are_escaped() -> None:
    shard = _shard([4, 5, 0, 2**31 - 1])
    assert shard.ids.tolist() == [4, ESCAPE, 0, ESCAPE]
    assert shard.escapes.tolist() == [0, 2**31 - 1 - SIZE]


@given(st.lists(st.lists(st.integers(0, 99), max_size=5), min_size=1, max_size=4))
def test_shards_survive_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[int]]
) -> None:
    path = tmp_path_factory.mktemp("shards") / "shard.npz.xz"
    write_shard(join(map(_shard, parts)), path)
    shard = read_shard(path)
    assert shard.numbers(SIZE).tolist() == [number for part in parts for number in part]
    assert shard.lengths.tolist() == list(map(len, parts))
    dtypes = [a.dtype for a in (shard.ids, shard.shapes, shard.escapes, shard.lengths)]
    assert dtypes == [np.uint16, np.uint8, np.int32, np.uint16]
    assert [p.name for p in path.parent.iterdir()] == ["shard.npz.xz"]


@pytest.mark.parametrize("content", [b"", b"rubbish", lzma.compress(b"rubbish")])
def test_a_damaged_shard_is_an_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "shard.npz.xz"
    path.write_bytes(content)
    with pytest.raises(Error, match="not a shard, or damaged"):
        read_shard(path)


def test_a_missing_shard_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Error, match="cannot read the shard"):
        read_shard(tmp_path / "shard.npz.xz")
