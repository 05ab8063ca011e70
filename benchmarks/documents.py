"""Real documents: evidence from the whole text, planted misspellings, and judged findings.

python benchmarks/documents.py fit DIR...                  fit the weights on dev documents
python benchmarks/documents.py planted DIR --name NAME     how many planted misspellings are found
python benchmarks/documents.py findings DIR --name NAME    a sample of the findings, with verdicts

Planted misspellings come from the lists in $RESPELL_DATA/misspellings; each form is planted into
the prose of a document. Verdicts are in benchmarks/document_verdicts.tsv: a finding that a reader
has judged is recognised by its word, its replacement and the words around it.

Weights are fitted on dev documents only. The documentation of git, Node and Python and the Debian
policy are not unseen: rules and a hand list of terms were written after reading findings there
(docs/internals/design.md). Report on other documents.
"""

import argparse
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import respell
from respell.decision.evidence import Evidence, Weights, base, log_odds
from respell.formats.languages import LANGUAGES, language_of
from respell.formats.masker import mask
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import read_text, save_text
from respell.model.bundle import default_path
from respell.types import PRESETS, Correction

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "documents"
VERDICTS = ROOT / "benchmarks" / "document_verdicts.tsv"
LISTS = ("codespell", "typos_rs", "wikipedia_machines", "misspell_go")
PER_FILE = 12
TIMES = (1, 1, 1, 1, 1, 1, 1, 2, 2, 3)
"""How often a form is planted to fit the weights: people repeat their misspellings."""
LOWEST = 0.2
RIDGE = 0.05
AROUND = 2  # words on either side by which a finding is recognised


@dataclass(frozen=True)
class Document:
    """A file of a collection."""

    path: Path
    format: str
    text: str

    @property
    def masked(self) -> str:
        """The prose of the document."""
        return mask(self.text, self.format)


def read(folders: Iterable[Path], suffixes: Sequence[str]) -> list[Document]:
    """The documents below some folders."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix[1:] in suffixes:
                text = path.read_text(encoding="utf-8", errors="replace")
                found.append(Document(path.relative_to(folder), language_of(path.name).name, text))
    return found


def gather(documents: Iterable[Document], corrector: respell.Corrector) -> Evidence:
    """The evidence of all documents together, as in one run of the command line."""
    evidence = Evidence(corrector.bundle.lexicon)
    for document in documents:
        evidence.add(document.text, document.masked)
        evidence.add_code(document.path.as_posix())
    return evidence


def misspellings(data: Path, lexicon: Iterable[str]) -> dict[str, list[str]]:
    """Listed misspellings that are not words: word -> misspellings."""
    known = frozenset(lexicon)
    found: dict[str, list[str]] = {}
    for name in LISTS:
        for line in read_text(data / "misspellings" / f"{name}.tsv").splitlines():
            word, wrong = line.split("\t")[:2]
            plain = all(one.isascii() and one.isalpha() and one.islower() for one in (word, wrong))
            if plain and len(wrong) > 3 and wrong not in known:
                found.setdefault(word, []).append(wrong)
    return found


def plant(
    documents: Sequence[Document],
    lists: Mapping[str, Sequence[str]],
    times: Sequence[int],
    present: Mapping[str, int],
) -> tuple[list[Document], dict[str, str]]:
    """The documents with planted misspellings, and which were planted: misspelling -> word."""
    dice = random.Random(20)
    planted: dict[str, str] = {}
    pending: dict[str, list[str]] = {}
    changed = []
    for document in documents:
        words = [m for m in re.finditer(r"(?<![\w-])[a-z]{4,}(?![\w-])", document.masked)]
        words = [m for m in words if m[0] in lists]
        dice.shuffle(words)
        places = []
        for match in words[:PER_FILE]:
            if pending.get(match[0]):
                places.append((match.start(), match.end(), pending[match[0]].pop()))
                continue
            free = [w for w in lists[match[0]] if w not in planted and not present.get(w)]
            if free:
                wrong = dice.choice(free)
                planted[wrong] = match[0]
                pending.setdefault(match[0], []).extend([wrong] * (dice.choice(times) - 1))
                places.append((match.start(), match.end(), wrong))
        text = document.text
        for start, end, wrong in sorted(places, reverse=True):
            text = text[:start] + wrong + text[end:]
        changed.append(replace(document, text=text))
    return changed, planted


def check(
    corrector: respell.Corrector, documents: Sequence[Document]
) -> Iterator[tuple[Document, list[Correction]]]:
    """The findings of each document."""
    found = corrector.check_many(document.masked for document in documents)
    return zip(documents, found, strict=True)


def fit(args: argparse.Namespace, data: Path) -> int:
    """Fit the weights: planted misspellings against all other findings."""
    corrector = respell.load(threshold=LOWEST)
    rows: list[tuple[dict[str, float], float, bool]] = []
    lists = misspellings(data, corrector.bundle.lexicon)
    listed = {wrong for forms in lists.values() for wrong in forms}
    for folder in args.folders:
        documents = read([folder], args.suffixes)
        present = gather(documents, corrector).words
        documents, planted = plant(documents, lists, TIMES, present)
        evidence = gather(documents, corrector)
        seen = set()
        for _, corrections in check(corrector, documents):
            for found in corrections:
                word = base(found.original)
                unsure = word in listed and word not in planted
                if found.kind == "nonword" and word not in seen and not unsure:
                    seen.add(word)
                    odds = log_odds(found.error_probability)
                    rows.append((evidence.features(found), odds, word in planted))
    names = list(rows[0][0])
    x = np.array([[features[name] for name in names] for features, _, _ in rows])
    offset = np.array([odds for _, odds, _ in rows])
    y = np.array([right for _, _, right in rows], float)
    fitted = dict(zip(names, logistic(x, offset, y).tolist(), strict=True))
    weights = Weights(**{name: round(value, 2) for name, value in fitted.items()})
    record = {
        "weights": asdict(weights),
        "planted": int(y.sum()),
        "other_findings": int((1 - y).sum()),
        "folders": [folder.name for folder in args.folders],
        "system": {"bundle": hash_bundle(default_path()), "threshold": LOWEST},
        **provenance("python benchmarks/documents.py"),
    }
    write_json(RESULTS / "weights.json", record)
    sys.stdout.write(f"{weights}\n{int(y.sum())} planted, {int((1 - y).sum())} other findings\n")
    return 0


def logistic(x: Any, offset: Any, y: Any) -> Any:
    """Weights of a logistic regression on top of the model's odds; both classes count alike."""
    importance = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    weights = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-offset - x @ weights))
        slope = x.T @ (importance * (y - p)) - RIDGE * weights
        curve = (x * (importance * p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def count_planted(args: argparse.Namespace, data: Path) -> int:
    """Plant each form once; count what is found, with and without evidence."""
    corrector = respell.load(preset=args.preset)
    documents = read(args.folders, args.suffixes)
    lists = misspellings(data, corrector.bundle.lexicon)
    present = gather(documents, corrector).words
    documents, planted = plant(documents, lists, (1,), present)
    adapted = corrector.with_evidence(gather(documents, corrector))
    figures = {}
    for name, one in (("sentences", corrector), ("documents", adapted)):
        hits, right, others = set(), set(), 0
        for _, corrections in check(one, documents):
            for found in corrections:
                word = base(found.original)
                if word in planted:
                    hits.add(word)
                    if base(found.replacement) == planted[word]:
                        right.add(word)
                else:
                    others += 1
        figures[name] = {"found": len(hits), "corrected": len(right), "other_findings": others}
    record = {"planted": len(planted), **figures, **_about(args, documents)}
    write_json(RESULTS / f"{args.name}.planted.{args.preset}.json", record)
    sys.stdout.write(f"{len(planted)} planted: {figures}\n")
    return 0


def findings(args: argparse.Namespace, data: Path) -> int:
    """A random sample of the findings with the verdicts of a reader."""
    corrector = respell.load(preset=args.preset)
    documents = read(args.folders, args.suffixes)
    adapted = corrector.with_evidence(gather(documents, corrector))
    before = sum(len(found) for _, found in check(corrector, documents))
    every = [(d, found) for d, all_ in check(adapted, documents) for found in all_]
    sample = sorted(
        random.Random(20).sample(range(len(every)), min(args.count, len(every))),
    )
    verdicts = read_verdicts()
    lines = ["path\tline\tword\treplacement\tscore\tbefore\tafter\tverdict\n"]
    counts: Counter[str] = Counter()
    for index in sample:
        document, found = every[index]
        key = key_of(document, found)
        verdict = verdicts.get(key, "")
        counts[verdict or "not judged"] += 1
        line = document.text.count("\n", 0, found.start) + 1
        row = (document.path.as_posix(), str(line), *key[:2], f"{found.score:.2f}", *key[2:])
        lines.append("\t".join((*row, verdict)) + "\n")
    save_text("".join(lines), RESULTS / f"{args.name}.{args.preset}.tsv")
    record = {
        "findings": len(every),
        "findings_without_evidence": before,
        "sample": len(sample),
        "verdicts": dict(sorted(counts.items())),
        **_about(args, documents),
    }
    write_json(RESULTS / f"{args.name}.{args.preset}.json", record)
    sys.stdout.write(f"{args.name}: {len(every)} findings ({before} before), {dict(counts)}\n")
    return 0


def key_of(document: Document, found: Correction) -> tuple[str, str, str, str]:
    """What identifies a finding: the word, its replacement, and the words around it."""
    before = document.masked[: found.start].split()[-AROUND:]
    after = document.masked[found.end :].split()[:AROUND]
    return found.original, found.replacement, " ".join(before)[-40:], " ".join(after)[:40]


def read_verdicts() -> dict[tuple[str, str, str, str], str]:
    """Verdicts by finding: "true" or "false"."""
    if not VERDICTS.is_file():
        return {}
    rows = [line.split("\t") for line in read_text(VERDICTS).splitlines()[1:]]
    return {(row[0], row[1], row[2], row[3]): row[4] for row in rows}


def _about(args: argparse.Namespace, documents: Sequence[Document]) -> dict[str, Any]:
    words = sum(len(document.masked.split()) for document in documents)
    return {
        "documents": len(documents),
        "words": words,
        "system": {"bundle": hash_bundle(default_path()), "preset": args.preset},
        **provenance("python benchmarks/documents.py"),
    }


COMMANDS = {"fit": fit, "planted": count_planted, "findings": findings}


def main() -> int:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--name", default="documents", help="the name in the results")
    parser.add_argument("--preset", choices=PRESETS, default="default")
    parser.add_argument("--count", type=int, default=100, help="findings to judge (%(default)s)")
    every = " ".join(language.extensions for language in LANGUAGES).split()
    parser.add_argument("--suffixes", nargs="+", default=every, help="file name extensions")
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ and args.command != "findings":
        sys.exit("set RESPELL_DATA to the folder of the data, see docs/internals/data.md")
    return COMMANDS[args.command](args, Path(os.environ.get("RESPELL_DATA", "")))


if __name__ == "__main__":
    sys.exit(main())
