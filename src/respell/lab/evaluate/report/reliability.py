"""The page's section about the reliability of scores."""

from collections.abc import Mapping, Sequence
from typing import Any

from respell.lab.common.markdown import head, row
from respell.lab.tune.reliability import FIGURE

Record = Mapping[str, Any]
_DEV = {
    "neuspell_jfleg_dev": "learners' sentences (JFLEG, dev half)",
    "holbrook_dev": "very poor spellers (Holbrook, dev half)",
    "lm1b_known": "news with heavy noise (1-Billion-Word, dev)",
}
_ABOUT = """The score of a correction is the probability that its first suggestion is right. The
table shows how many of the corrections that a preset reports are right, their mean score, and the
expected calibration error (ECE): the mean distance between the score and the share of right
corrections, over bins of the score. Some dev sets are shown twice, once diluted with clean
sentences."""


def section(record: Record, titles: Mapping[str, str]) -> list[str]:
    """The calibration error of every set and preset, and the bins of the default preset."""
    measured = record["reliability"]
    names = {**titles, **_DEV}
    lines = ["## Reliability of scores", "", _ABOUT, "", *_errors(measured, names)]
    lines += ["", f"![share of right corrections by score]({FIGURE})", ""]
    shown = [one for one in measured["default"] if one["part"] == "dev"]
    threshold = record["presets"]["default"]["threshold"]
    lines += [
        "Share of right corrections (and their number) by score. The default preset reports "
        f"corrections from {threshold:.3f} on.",
        "",
        *head("score", *(_column(one, names) for one in shown)),
    ]
    edges = sorted({(bin_["least"], bin_["most"]) for one in shown for bin_ in one["bins"]})
    for least, most in edges:
        cells = [_bin(one["bins"], least) for one in shown]
        lines.append(row(f"{least:g} to {most:g}", *cells))
    return lines


def _errors(measured: Mapping[str, Sequence[Record]], names: Mapping[str, str]) -> list[str]:
    cells = [cell for preset in measured for cell in (f"{preset}: right", "score", "ECE")]
    lines = head("set", "part", "error rate", *cells, words=2)
    for rows in zip(*measured.values(), strict=True):
        one = rows[0]
        numbers = [f"{r[key]:.3f}" for r in rows for key in ("right", "mean_score", "ece")]
        name = names.get(one["set"], one["set"])
        lines.append(row(name, one["part"], f"{one['error_rate']:.1%}", *numbers))
    return lines


def _column(one: Record, names: Mapping[str, str]) -> str:
    return f"{names.get(one['set'], one['set'])}, {one['error_rate']:.0%} errors"


def _bin(bins: Sequence[Record], least: float) -> str:
    found = next((bin_ for bin_ in bins if bin_["least"] == least), None)
    return f"{found['right']:.2f} ({found['count']:,})" if found else "–"
