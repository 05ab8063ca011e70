"""Rank peers by their scores, their false alarms and their speed."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

Record = Mapping[str, Any]
"""A results file."""
OURS = "respell"
SETS = {
    "paper": "the paper's sentences",
    "neuspell_bea60k_sub1000": "learners' essays (1,000 of BEA-60K)",
    "neuspell_jfleg_test": "learners' sentences (JFLEG)",
    "neuspell_bea322": "ambiguous without context (BEA-322)",
    "holbrook_test": "very poor spellers (Holbrook)",
}
CLEAN = {
    "abc_news_au": "radio news",
    "bbc_news": "news",
    "scotus_oral": "court transcripts",
    "mdn_docs": "technical documentation",
    "wikipedia_new2018": "encyclopedia",
}


def f05(record: Record, name: str) -> float:
    """F0.5 of a peer on a set, table rule."""
    return float(record["sets"][name]["scores"]["all"]["table"]["f05"])


def mean_f05(record: Record) -> float:
    """The mean F0.5 over all sets with misspellings."""
    return fmean(f05(record, name) for name in SETS)


def alarms(record: Record) -> tuple[float, int]:
    """The mean number of words changed per 1,000 of clean text, and the number of words."""
    parts = [record["sets"][name] for name in CLEAN]
    return fmean(part["alarms_per_1000"] for part in parts), sum(part["words"] for part in parts)


def measured(records: Sequence[Record]) -> list[Record]:
    """The peers that could be run, the best mean F0.5 first."""
    present = [record for record in records if not record["absent"]]
    return sorted(present, key=lambda record: (-mean_f05(record), record["peer"]))


def pareto_front(records: Sequence[Record], timed: Record) -> list[str]:
    """The peers that no other one beats in both F0.5 and speed, the fastest first."""
    points = {
        record["peer"]: (
            timed["peers"][record["peer"]]["words_per_cpu_second"]["median"],
            mean_f05(record),
        )
        for record in records
        if record["peer"] in timed["peers"]
    }
    names: list[str] = []
    best = 0.0
    for name, (_, score) in sorted(points.items(), key=lambda item: (-item[1][0], -item[1][1])):
        if score > best:
            names.append(name)
            best = score
    return names
