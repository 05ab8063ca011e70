"""Find out which spelling variants (pairs of correct spellings) the model flags.

python benchmarks/variants.py            show what has changed since the list was written
python benchmarks/variants.py --write    write the list and results/model/variants.json again
"""

import argparse
import difflib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import respell
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import save_text
from respell.model.bundle import default_path, digest
from respell.types import PRESETS, Correction

ROOT = Path(__file__).resolve().parent.parent
PAIRS = ROOT / "tests" / "variants" / "pairs.tsv"
KNOWN = ROOT / "tests" / "variants" / "known.tsv"
RESULT = ROOT / "results" / "model" / "variants.json"
HEADER = "kind\tform\tflagged\tsuggestion\n"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two correct spellings, and a sentence with a placeholder for them."""

    kind: str
    first: str
    second: str
    sentence: str

    @property
    def texts(self) -> tuple[str, str]:
        """The sentence with each spelling."""
        return self.sentence.format(self.first), self.sentence.format(self.second)


def read_pairs(path: Path = PAIRS) -> list[Pair]:
    """Read pairs from a TSV file with a header."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Pair(*line.split("\t")) for line in lines[1:]]


def flagged(
    pairs: Sequence[Pair], preset: str = "default"
) -> Iterator[tuple[Pair, str, Correction]]:
    """Every correction in a sentence of a pair, with the spelling that was in it."""
    forms = [(pair, form) for pair in pairs for form in (pair.first, pair.second)]
    texts = [text for pair in pairs for text in pair.texts]
    found = respell.load(preset=preset).check_many(texts)
    for (pair, form), corrections in zip(forms, found, strict=True):
        for correction in corrections:
            yield pair, form, correction


def listed(failures: Iterable[tuple[Pair, str, Correction]]) -> list[str]:
    """Failures as lines of the list, without scores, whose last digits depend on the CPU."""
    return [HEADER] + [
        "\t".join((pair.kind, form, found.original, found.replacement)) + "\n"
        for pair, form, found in failures
    ]


def changes(old: Sequence[str], new: Sequence[str]) -> str:
    """The changes as a diff."""
    diff = difflib.unified_diff(list(old), list(new), "known", "now", n=0)
    return "".join(diff)


def write(pairs: Sequence[Pair]) -> None:
    """Write the list of known failures and the counts of every preset."""
    by_preset = {preset: list(flagged(pairs, preset)) for preset in PRESETS}
    save_text("".join(listed(by_preset["default"])), KNOWN)
    record = {
        "variants": {preset: _summary(pairs, found) for preset, found in by_preset.items()},
        "kinds": Counter(pair.kind for pair in pairs),
        "pairs": {"file": PAIRS.name, "count": len(pairs), "sha256": digest(PAIRS)},
        "system": {"kind": "bundle", "sha256": hash_bundle(default_path())},
        **provenance("python benchmarks/variants.py"),
    }
    write_json(RESULT, record)


def _summary(
    pairs: Sequence[Pair], failures: Sequence[tuple[Pair, str, Correction]]
) -> dict[str, object]:
    return {
        "forms": 2 * len(pairs),
        "pairs_flagged": len({pair for pair, _, _ in failures}),
        "flagged": [
            {
                "kind": pair.kind,
                "form": form,
                "flagged": found.original,
                "suggestion": found.replacement,
                "score": round(found.score, 2),
            }
            for pair, form, found in failures
        ],
    }


def main() -> int:
    """Compare with the list, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    pairs = read_pairs()
    if args.write:
        write(pairs)
        return 0
    known = KNOWN.read_text(encoding="utf-8").splitlines(keepends=True)
    diff = changes(known, listed(flagged(pairs)))
    print(diff or "no changes")
    return 1 if diff else 0


if __name__ == "__main__":
    sys.exit(main())
