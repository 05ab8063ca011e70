"""Write every correction of a fixed set of texts, to show that a change of code changes no answer.

python benchmarks/answers.py --out work/before      write the answers: $RESPELL_DATA, ten minutes
python benchmarks/answers.py --out work/after       the same after the change
python benchmarks/answers.py --compare work/before work/after

The texts are the token-aligned benches, the paper's sentences, the prose pages of the tests, and
200,000 words of clean text that recipes/corpora.toml keeps from training; each is read at every
preset. A file holds one JSON line per correction: text number, offset, original, score, error
probability, and all suggestions with their probabilities. The files contain words of the corpora,
so they are not committed; results/answers.json keeps their hashes and the comparison.
"""

import argparse
import gzip
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import alarms

import prose
import respell
from respell.decision.policy import NEGLIGIBLE
from respell.formats.languages import language_of
from respell.formats.masker import mask
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.storage import replacing
from respell.lab.data.corpus import first_words, heldout_lines
from respell.types import PRESETS, Correction

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "results" / "answers.json"
CLEAN_WORDS = 200_000
DIGITS = 6
NEGLIGIBLE_DROPPED = "only negligible suggestions dropped"

Check = Callable[[respell.Corrector], Iterator[list[Correction]]]


def tokens(path: Path) -> Check:
    """Check the token-aligned sentences of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return lambda corrector: corrector.check_tokens_many(line.split() for line in lines)


def texts(lines: Sequence[str]) -> Check:
    """Check raw texts."""
    return lambda corrector: corrector.check_many(lines)


def sets(data: Path) -> Iterator[tuple[str, Check]]:
    """All named sets."""
    for path in sorted((data / "bench").glob("*.noisy.txt")):
        yield path.name.removesuffix(".noisy.txt"), tokens(path)
    yield "paper", tokens(data / "paper" / "test.noisy.txt")
    for path in sorted((data / "bench").glob("neuspell_*.noisy.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield f"{path.name.removesuffix('.noisy.txt')}.raw", texts(lines)
    pages = [(page, page.read_text(encoding="utf-8")) for page in prose.pages()]
    yield "prose", texts([mask(text, language_of(page.name).name) for page, text in pages])
    sources = alarms.texts(alarms.CORPORA)
    share = CLEAN_WORDS // len(sources)
    for source in sources:
        path = data / "corpora" / source.file
        lines = list(first_words(heldout_lines(path, source.heldout), share))
        yield f"clean.{source.file.split('.')[0]}", texts(lines)


def row(number: int, found: Correction) -> str:
    """One correction as a line of JSON."""
    value = [
        number,
        found.start,
        found.original,
        round(found.score, DIGITS),
        round(found.error_probability, DIGITS),
        [[s.text, round(s.probability, DIGITS)] for s in found.suggestions],
    ]
    return json.dumps(value, ensure_ascii=False) + "\n"


def write(out: Path, data: Path) -> None:
    """Write the answers to all sets at all presets."""
    out.mkdir(parents=True, exist_ok=True)
    for preset in PRESETS:
        corrector = respell.load(preset=preset)
        for name, check in sets(data):
            count = 0
            path = out / f"{name}.{preset}.jsonl.gz"
            with replacing(path) as draft, gzip.open(draft, "wb") as file:
                for number, corrections in enumerate(check(corrector)):
                    count += len(corrections)
                    file.writelines(row(number, found).encode() for found in corrections)
            sys.stderr.write(f"{path.name}: {count} corrections\n")


def read(path: Path) -> list[Any]:
    """Read the answers to a set."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def content_hash(path: Path) -> str:
    """SHA-256 of the answers, uncompressed."""
    with gzip.open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def difference(old: Sequence[Any], new: Sequence[Any]) -> str:
    """Name what differs between two answers to the same word; empty if nothing does."""
    if old[:5] != new[:5]:
        return "another answer"
    if old[5] == new[5]:
        return ""
    first, *others = old[5]
    likely = [first, *(other for other in others if other[1] >= NEGLIGIBLE)]
    return NEGLIGIBLE_DROPPED if new[5] == likely else "other suggestions"


def compare(before: Path, after: Path) -> dict[str, Any]:
    """Compare two folders, file by file."""
    files: dict[str, Any] = {}
    total: Counter[str] = Counter()
    for path in sorted(before.glob("*.jsonl.gz")):
        found: Counter[str] = Counter()
        old = {tuple(row[:3]): row for row in read(path)}
        new = {tuple(row[:3]): row for row in read(after / path.name)}
        for key in old.keys() | new.keys():
            if key in old and key in new:
                found[difference(old[key], new[key]) or "equal"] += 1
            else:
                found["only before" if key in old else "only after"] += 1
        total += found
        hashes = {"before": content_hash(path), "after": content_hash(after / path.name)}
        files[path.name.removesuffix(".jsonl.gz")] = {**dict(sorted(found.items())), **hashes}
    return {"total": dict(sorted(total.items())), "files": files}


def lines(record: dict[str, Any]) -> Iterable[str]:
    """The comparison, to be shown."""
    hidden = ("before", "after")
    for name, counts in record["files"].items():
        yield f"{name}: { {k: v for k, v in counts.items() if k not in hidden} }\n"
    yield f"total: {record['total']}\n"


def main() -> int:
    """Write the answers or compare two folders of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the answers into a folder")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    args = parser.parse_args()
    if args.out:
        if "RESPELL_DATA" not in os.environ:
            sys.exit("set RESPELL_DATA to the folder of the data, see docs/internals/data.md")
        write(args.out, Path(os.environ["RESPELL_DATA"]))
    if args.compare:
        record = compare(*args.compare)
        sys.stdout.writelines(lines(record))
        command = "python benchmarks/answers.py --compare"
        write_json(RESULT, {**record, **provenance(command)})
        return 0 if set(record["total"]) <= {"equal", NEGLIGIBLE_DROPPED} else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
