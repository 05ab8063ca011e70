"""Merge scanned corpora: drop repeated lines, count and renumber word forms, plan shards."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from respell.lab.data.scan import SHAPE_BITS, Scan
from respell.lab.data.shards import Shard, join

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """A scanned corpus with the sentences to keep and the final numbers of its forms."""

    scan: Scan
    keep: Mask  # [sentences]
    numbers: NDArray[np.int32]  # [forms of the scan] final number, -1 outside a closed lexicon

    def lengths(self) -> NDArray[np.uint16]:
        """Tokens of each kept sentence."""  # [kept sentences]
        return self.scan.lengths()[self.keep]


@dataclass(frozen=True, slots=True)
class Cut:
    """A range of the kept sentences of a part: from `first` to before `last`."""

    part: int
    first: int
    last: int


def first_seen(scans: Sequence[Scan]) -> list[Mask]:
    """For each scan, which sentences do not repeat an earlier line."""  # [sentences] each
    hashes = [scan.hashes() for scan in scans]
    everything = np.concatenate([*hashes, np.zeros(0, np.uint64)])
    new = np.zeros(len(everything), np.bool_)
    new[np.unique(everything, return_index=True)[1]] = True
    return np.split(new, np.cumsum([len(h) for h in hashes]))[: len(scans)]


def count_forms(scans: Sequence[Scan], keeps: Sequence[Mask]) -> list[tuple[str, int]]:
    """All forms of the kept sentences with their counts, sorted by frequency, then alphabet."""
    total: Counter[str] = Counter()
    for scan, keep in zip(scans, keeps, strict=True):
        codes = scan.codes()[np.repeat(keep, scan.lengths())]
        forms = scan.forms()
        counts = np.bincount(codes >> SHAPE_BITS, minlength=len(forms)).tolist()
        for form, count in zip(forms, counts, strict=True):
            if count:
                total[form] += count
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))


def renumber(scan: Scan, keep: Mask, index: Mapping[str, int]) -> Part:
    """Give every form its number in `index`; drop sentences with forms that have none."""
    numbers = np.array([index.get(form, -1) for form in scan.forms()], np.int32)
    lengths = scan.lengths()
    if (numbers < 0).any() and len(lengths):
        unknown = numbers[scan.codes() >> SHAPE_BITS] < 0  # [tokens]
        starts = np.cumsum(lengths, dtype=np.int64) - lengths
        keep = keep & ~np.logical_or.reduceat(unknown, starts)
    return Part(scan, keep, numbers)


def plan(parts: Sequence[Part], tokens: int) -> list[list[Cut]]:
    """Divide the parts into shards of about `tokens` tokens each, in order."""
    shards: list[list[Cut]] = []
    before = 0
    for i, part in enumerate(parts):
        lengths = part.lengths().astype(np.int64)
        starts = before + np.cumsum(lengths) - lengths  # [kept sentences] tokens before each
        shard_of = starts // tokens
        for number in np.unique(shard_of).tolist():
            first, last = np.searchsorted(shard_of, [number, number + 1]).tolist()
            while len(shards) <= number:
                shards.append([])
            shards[number].append(Cut(i, first, last))
        before += int(lengths.sum())
    return [cuts for cuts in shards if cuts]


def gather(parts: Mapping[int, Part], cuts: Sequence[Cut], *, lexicon_size: int) -> Shard:
    """The shard that the cuts describe."""
    return join(_pieces(parts, cuts, lexicon_size))


def _pieces(parts: Mapping[int, Part], cuts: Sequence[Cut], lexicon_size: int) -> Iterator[Shard]:
    for cut in cuts:
        part = parts[cut.part]
        lengths = part.scan.lengths()
        ends = np.cumsum(lengths, dtype=np.int64)
        chosen = np.flatnonzero(part.keep)[cut.first : cut.last]
        a, b = int(chosen[0]), int(chosen[-1]) + 1
        codes = np.asarray(part.scan.codes()[ends[a] - lengths[a] : ends[b - 1]])
        codes = codes[np.repeat(part.keep[a:b], lengths[a:b])]
        yield Shard.from_numbers(
            part.numbers[codes >> SHAPE_BITS],
            (codes & (1 << SHAPE_BITS) - 1).astype(np.uint8),
            lengths[chosen],
            lexicon_size=lexicon_size,
        )
