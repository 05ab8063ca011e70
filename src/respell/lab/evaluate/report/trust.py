"""The page's sections on what can be believed: scores, rare words, two spellings both right."""

from collections.abc import Mapping, Sequence
from typing import Any

from respell.lab.common.markdown import head, plain, row
from respell.lab.tune.reliability import FIGURE

Record = Mapping[str, Any]
_DEV = {
    "neuspell_jfleg_dev": "learners' sentences (JFLEG, dev half)",
    "holbrook_dev": "very poor spellers (Holbrook, dev half)",
    "lm1b_known": "news with heavy noise (1-Billion-Word, dev)",
}
_ABOUT = """`score` is the probability that the first suggestion is right. Of the corrections that
are proposed at a preset, how many are right? ECE, the expected calibration error, is the mean
distance between the score and the share that is right, over bins of the score. Development sets are
shown as they are and diluted with clean sentences."""
_SLIPS = """One letter too many, too few, wrong or out of order in one word of a sentence that
training has not seen. Places are those in the lexicon, the most frequent word first; what is
neither put right nor left became another word."""


def calibration(record: Record, titles: Mapping[str, str]) -> list[str]:
    """ECE of every set and preset, and what lies in the bins of the default preset."""
    measured = record["calibration"]
    names = {**titles, **_DEV}
    lines = ["## Can the score be believed?", "", _ABOUT, "", *errors(measured, names)]
    lines += ["", f"![share right against score]({FIGURE})", ""]
    shown = [one for one in measured["default"] if one["part"] == "dev"]
    lines += ["Share right (and how many) by score, default preset; below its threshold of"]
    lines[-1] += f" {record['presets']['default']['threshold']:.3f} nothing is proposed."
    lines += ["", *head("score", *(_column(one, names) for one in shown))]
    edges = sorted({(bin_["least"], bin_["most"]) for one in shown for bin_ in one["bins"]})
    for least, most in edges:
        cells = [_bin(one["bins"], least) for one in shown]
        lines.append(row(f"{least:g} to {most:g}", *cells))
    return lines


def errors(measured: Mapping[str, Sequence[Record]], names: Mapping[str, str]) -> list[str]:
    """The table of calibration errors."""
    cells = [cell for preset in measured for cell in (f"{preset}: right", "score", "ECE")]
    lines = head("set", "part", "errors", *cells, words=2)
    for rows in zip(*measured.values(), strict=True):
        one = rows[0]
        figures = [f"{r[key]:.3f}" for r in rows for key in ("right", "mean_score", "ece")]
        name = names.get(one["set"], one["set"])
        lines.append(row(name, one["part"], f"{one['error_rate']:.1%}", *figures))
    return lines


def _column(one: Record, names: Mapping[str, str]) -> str:
    return f"{names.get(one['set'], one['set'])}, {one['error_rate']:.0%} errors"


def _bin(bins: Sequence[Record], least: float) -> str:
    found = next((bin_ for bin_ in bins if bin_["least"] == least), None)
    return f"{found['right']:.2f} ({found['count']:,})" if found else "–"


def rare(record: Record) -> list[str]:
    """Slips put right and left, by how frequent the word is."""
    lines = ["## Slips in rare words", "", _SLIPS]
    presets = record["presets"]
    cells = [cell for preset in presets for cell in (f"{preset}: put right", "left")]
    lines += ["", *head("place of the word", "slips", *cells)]
    first = 1
    for last, counted in next(iter(presets.values())).items():
        found = [presets[preset][last] for preset in presets]
        shares = [f"{100 * one[key]:.1f} %" for one in found for key in ("put_right", "left")]
        lines.append(row(f"{first:,} to {int(last):,}", f"{counted['slips']:,}", *shares))
        first = int(last) + 1
    return lines


def variants(record: Record) -> list[str]:
    """How many of the pairs are left alone, and what is not."""
    pairs = record["pairs"]["count"]
    lines = ["## Spellings that are both right", ""]
    lines += [
        f"{pairs} pairs in sentences of our own ([list](../../tests/variants/pairs.tsv)): "
        + ", ".join(f"{count} {kind}" for kind, count in record["kinds"].items())
        + ". Neither form should be flagged; a new failure breaks a test."
    ]
    lines += ["", *head("preset", "what is flagged", "forms", "flagged", "pairs", words=2)]
    for preset, found in record["variants"].items():
        which = [
            f"{plain(one['flagged'])} → {plain(one['suggestion'])}" for one in found["flagged"]
        ]
        counts = found["forms"], len(which), found["pairs_flagged"]
        lines.append(row(preset, ", ".join(which) or "–", *counts))
    return lines
