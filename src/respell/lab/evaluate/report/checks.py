"""The page's sections about targeted checks: typos in rare words, and spelling variants."""

from collections.abc import Mapping
from typing import Any

from respell.lab.common.markdown import head, plain, row

Record = Mapping[str, Any]
_RARE = """One typo (a letter inserted, deleted, replaced or swapped) in one word of a sentence that
was not used in training. The rank is the place of the word in the lexicon, which starts with the
most frequent word. Typos that were neither corrected nor missed were changed to another word."""


def rare_words(record: Record) -> list[str]:
    """Typos corrected and missed, by the frequency of the word."""
    lines = ["## Typos in rare words", "", _RARE]
    presets = record["presets"]
    cells = [cell for preset in presets for cell in (f"{preset}: corrected", "missed")]
    lines += ["", *head("rank of the word", "typos", *cells)]
    first = 1
    for last, counted in next(iter(presets.values())).items():
        found = [presets[preset][last] for preset in presets]
        shares = [f"{100 * one[key]:.1f} %" for one in found for key in ("corrected", "missed")]
        lines.append(row(f"{first:,} to {int(last):,}", f"{counted['typos']:,}", *shares))
        first = int(last) + 1
    return lines


def variants(record: Record) -> list[str]:
    """Spelling variants that were flagged."""
    pairs = record["pairs"]["count"]
    kinds = ", ".join(f"{count} {kind}" for kind, count in record["kinds"].items())
    lines = [
        "## Spelling variants",
        "",
        f"{pairs} pairs of correct spellings in our own sentences "
        f"([list](../../tests/variants/pairs.tsv)): {kinds}. Neither spelling should be flagged; "
        "a new failure breaks a test.",
        "",
        *head("preset", "flagged", "spellings", "flagged", "pairs", words=2),
    ]
    for preset, found in record["variants"].items():
        flagged = [
            f"{plain(one['flagged'])} → {plain(one['suggestion'])}" for one in found["flagged"]
        ]
        counts = found["forms"], len(flagged), found["pairs_flagged"]
        lines.append(row(preset, ", ".join(flagged) or "–", *counts))
    return lines
