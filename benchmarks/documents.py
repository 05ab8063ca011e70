"""Real documents: evidence from the whole text, planted misspellings, and judged findings.

python benchmarks/documents.py fit DIR...                  fit the weights on dev documents
python benchmarks/documents.py planted DIR --name NAME     how many planted misspellings are found
python benchmarks/documents.py findings DIR --name NAME    a sample of the findings, with verdicts
python benchmarks/documents.py judge                       new verdicts in all samples

Planted misspellings come from the lists in $RESPELL_DATA/misspellings; each form is planted into
the prose of a document. Verdicts are in benchmarks/document_verdicts.tsv: a finding that a reader
has judged is recognised by its word, its replacement and the words around it.

Weights are fitted on dev documents only, from Debian packages: apache2-doc, bind9-doc,
libboost1.74-doc, cmake-data, libcurl4-doc, python-django-doc, linux-doc-6.1, mercurial-common,
postgresql-doc-15, sqlite3-doc, systemd, valgrind, vim-runtime and zsh-doc. Rules for formats were
written after reading findings in the documentation of git and the Debian policy, so these two are
not unseen; docs/internals/documents.md says more.
"""

import argparse
import os
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import planting
from planting import Document, Planted

import respell
from respell.decision.adjust import WEIGHTS, Features, find_features, log_odds, rejects
from respell.decision.evidence import Evidence, base
from respell.formats.languages import FORMATS, LANGUAGES
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import read_json, read_text, save_text
from respell.model.bundle import Bundle, default_path
from respell.types import PRESETS, Correction

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "documents"
VERDICTS = ROOT / "benchmarks" / "document_verdicts.tsv"
TIMES = (1, 1, 1, 1, 1, 1, 1, 2, 2, 3)
"""How often a form is planted to fit the weights: people repeat their misspellings."""
LOWEST = 0.2
RIDGE = 0.05
IMPORTANCE = 1.5
"""How much more the errors count than the other findings, both taken together."""
AROUND = 2  # words on either side by which a finding is recognised
Row = tuple[str, Features, float, float, bool]
"""Kind, features, log odds of an error, share of the replacement, whether it is an error."""


def check(
    corrector: respell.Corrector, documents: Sequence[Document]
) -> Iterator[tuple[Document, list[Correction]]]:
    """The findings of each document."""
    found = corrector.check_many(document.masked for document in documents)
    return zip(documents, found, strict=True)


def fit(args: argparse.Namespace, data: Path) -> int:
    """Fit the weights, and say what they would do to documents that they were not fitted on."""
    corrector = respell.load(threshold=LOWEST)
    rows = {folder.name: _rows(corrector, folder, args, data) for folder in args.folders}
    weights = _fit([row for some in rows.values() for row in some])
    held_out: Counter[str] = Counter()
    for name in rows:
        rest = [row for other, some in rows.items() if other != name for row in some]
        held_out += _effect(rows[name], _fit(rest), corrector.bundle.preset("default").threshold)
    record = {
        "weights": weights,
        "rows": _count_rows(rows.values()),
        "held_out_folder": dict(sorted(held_out.items())),
        "folders": list(rows),
        "words_per_folder": args.words,
        "system": {"bundle": hash_bundle(default_path()), "threshold": LOWEST},
        **provenance("python benchmarks/documents.py"),
    }
    write_json(RESULTS / "weights.json", record)
    sys.stdout.write(f"{weights}\n{record['rows']}\n{record['held_out_folder']}\n")
    return 0


def _rows(
    corrector: respell.Corrector, folder: Path, args: argparse.Namespace, data: Path
) -> list[Row]:
    """What was found in documents as they are, and after planting."""
    lexicon = corrector.bundle.lexicon
    documents = planting.sample(
        planting.read_documents([folder], args.suffixes, args.markup), args.words
    )
    misspellings = planting.read_misspellings(data, lexicon)
    listed = {wrong for forms in misspellings.values() for wrong in forms}
    present = planting.gather(documents, lexicon).words
    wrong_words = planting.read_confusions(data, lexicon)
    nothing: list[dict[int, Planted]] = [{} for _ in documents]
    versions = [
        (documents, nothing),
        planting.plant(documents, misspellings, "nonword", times=TIMES, present=present),
        planting.plant(documents, wrong_words, "realword"),
    ]
    verdicts = read_verdicts()
    rows: list[Row] = []
    for version, places in versions:
        evidence = planting.gather(version, lexicon)
        seen = set()
        for (document, corrections), planted in zip(check(corrector, version), places, strict=True):
            for found in corrections:
                wrong: bool | None
                if found.start in planted:
                    wrong = planted[found.start].meant == base(found.replacement) or None
                elif version is documents:
                    verdict = verdicts.get(key_of(document, found))
                    wrong = _is_error(found, listed, verdict)
                else:
                    continue
                word = base(found.original)
                if wrong is None or (found.kind == "nonword" and word in seen):
                    continue
                seen.add(word)
                odds, share = (
                    log_odds(found.error_probability),
                    found.score / found.error_probability,
                )
                features = find_features(evidence, document.masked, found)
                rows.append((found.kind, features, odds, share, wrong))
    return rows


def _is_error(found: Correction, listed: set[str], verdict: str | None) -> bool | None:
    """Whether a finding that was not planted is an error of the document; None if in doubt."""
    if verdict is None and base(found.original) in listed:
        return None
    return verdict == "true"


def _count_rows(groups: Iterable[Sequence[Row]]) -> dict[str, int]:
    kinds = (f"{'error' if row[-1] else 'other'} {row[0]}" for rows in groups for row in rows)
    return dict(Counter(kinds))


def _fit(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """The weights of each kind."""
    weights = {}
    for kind in WEIGHTS:
        own = [row for row in rows if row[0] == kind]
        names = list(own[0][1])
        x = np.array([[row[1][name] for name in names] for row in own])
        offset = np.array([row[2] for row in own])
        y = np.array([row[-1] for row in own], float)
        fitted = logistic(x, offset, y).tolist()
        weights[kind] = {n: round(value, 2) for n, value in zip(names, fitted, strict=True)}
    return weights


def _effect(
    rows: Sequence[Row], weights: dict[str, dict[str, float]], threshold: float
) -> Counter[str]:
    """How many findings reach the threshold, with and without evidence."""
    counts: Counter[str] = Counter()
    for kind, features, odds, share, wrong in rows:
        change = sum(weights[kind][name] * value for name, value in features.items())
        name = f"{kind} {'error' if wrong else 'other'}"
        counts[name] += share / (1 + exp(-odds)) >= threshold
        counts[f"{name}, with evidence"] += share / (1 + exp(-odds - change)) >= threshold
    return counts


def logistic(x: Any, offset: Any, y: Any) -> Any:
    """Weights of a logistic regression on top of the model's odds."""
    importance = np.where(y == 1, IMPORTANCE / y.mean(), 1 / (1 - y.mean())) / 2
    weights = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-offset - x @ weights))
        slope = x.T @ (importance * (y - p)) - RIDGE * weights
        curve = (x * (importance * p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def count_planted(args: argparse.Namespace, data: Path) -> int:
    """Plant each common misspelling once; count what is found, with and without evidence."""
    preset = args.presets[0]
    corrector = respell.load(preset=preset)
    lexicon = corrector.bundle.lexicon
    documents = planting.read_documents(args.folders, args.suffixes, args.markup)
    lists = planting.read_misspellings(data, lexicon, planting.COMMON)
    present = planting.gather(documents, lexicon).words
    documents, places = planting.plant(documents, lists, "nonword", present=present)
    adapted = corrector.with_evidence(planting.gather(documents, lexicon))
    figures = {}
    for name, one in (("sentences_alone", corrector), ("with_evidence", adapted)):
        counts = Counter(found=0, corrected=0, other_findings=0)
        for (_, corrections), planted in zip(check(one, documents), places, strict=True):
            for found in corrections:
                meant = planted.get(found.start)
                counts["found" if meant else "other_findings"] += 1
                counts["corrected"] += meant is not None and meant.meant == base(found.replacement)
        figures[name] = dict(counts)
    record = {"planted": sum(map(len, places)), **figures, **_about(args, documents, preset)}
    write_json(RESULTS / f"{args.name}.planted.{preset}.json", record)
    sys.stdout.write(f"{record['planted']} planted: {figures}\n")
    return 0


def findings(args: argparse.Namespace, data: Path) -> int:
    """Random samples of the findings of some presets, with the verdicts of a reader."""
    loosest = min(args.presets, key=lambda name: _threshold(name))
    corrector = respell.load(preset=loosest)
    documents = planting.read_documents(args.folders, args.suffixes, args.markup)
    evidence = planting.gather(documents, corrector.bundle.lexicon)
    adapted = corrector if args.no_evidence else corrector.with_evidence(evidence)
    every = [(d, found) for d, all_ in check(adapted, documents) for found in all_]
    for preset in args.presets:
        threshold = _threshold(preset)
        confident = [
            (document, found)
            for document, found in every
            if found.score >= threshold
            and (args.no_evidence or not rejects(evidence, document.masked, found, threshold))
        ]
        _write_sample(args, documents, evidence, confident, preset)
    return 0


def _threshold(preset: str) -> float:
    return Bundle.read(default_path()).preset(preset).threshold


def _write_sample(
    args: argparse.Namespace,
    documents: Sequence[Document],
    evidence: Evidence,
    every: Sequence[tuple[Document, Correction]],
    preset: str,
) -> None:
    chosen = sorted(random.Random(20).sample(range(len(every)), min(args.count, len(every))))
    verdicts = read_verdicts()
    lines = ["path\tline\tword\treplacement\tscore\tbefore\tafter\tverdict\n"]
    counts: Counter[str] = Counter()
    for document, found in (every[index] for index in chosen):
        key = key_of(document, found)
        verdict = verdicts.get(key, "")
        counts[verdict or "not judged"] += 1
        if args.no_evidence and verdict == "true":
            agrees = not rejects(evidence, document.masked, found, _threshold(preset))
            counts["true, with evidence too"] += agrees
        line = document.text.count("\n", 0, found.start) + 1
        row = (document.path.as_posix(), str(line), *key[:2], f"{found.score:.2f}", *key[2:])
        lines.append("\t".join((*row, verdict)) + "\n")
    name = f"{args.name}.{preset}" + (".sentences" if args.no_evidence else "")
    save_text("".join(lines), RESULTS / f"{name}.tsv")
    record = {
        "findings": len(every),
        "sample": len(chosen),
        "verdicts": dict(sorted(counts.items())),
        **_about(args, documents, preset),
    }
    write_json(RESULTS / f"{name}.json", record)
    sys.stdout.write(f"{name}: {len(every)} findings, {dict(counts)}\n")


def judge(args: argparse.Namespace, data: Path) -> int:
    """Put verdicts that were given since into samples that `findings` wrote."""
    verdicts = read_verdicts()
    for path in sorted(RESULTS.glob("*.tsv")):
        head, *lines = read_text(path).splitlines()
        rows = [line.split("\t") for line in lines]
        for row in rows:
            row[7] = verdicts.get((row[2], row[3], row[5], row[6]), "")
        save_text("\n".join([head, *map("\t".join, rows)]) + "\n", path)
        record = read_json(path.with_suffix(".json"))
        counts = dict(sorted(Counter(row[7] or "not judged" for row in rows).items()))
        others = {k: v for k, v in record["verdicts"].items() if k.endswith("too")}
        write_json(path.with_suffix(".json"), {**record, "verdicts": {**counts, **others}})
        sys.stdout.write(f"{path.stem}: {counts}\n")
    return 0


def key_of(document: Document, found: Correction) -> tuple[str, ...]:
    """What identifies a finding: the word, its replacement, and the words around it."""
    before = document.masked[: found.start].split()[-AROUND:]
    after = document.masked[found.end :].split()[:AROUND]
    return found.original, found.replacement, " ".join(before)[-40:], " ".join(after)[:40]


def read_verdicts() -> dict[tuple[str, ...], str]:
    """Verdicts by finding: "true" or "false"."""
    if not VERDICTS.is_file():
        return {}
    rows = [line.split("\t") for line in read_text(VERDICTS).splitlines()[1:]]
    return {tuple(row[:4]): row[4] for row in rows}


def _about(args: argparse.Namespace, documents: Sequence[Document], preset: str) -> dict[str, Any]:
    words = sum(len(document.masked.split()) for document in documents)
    return {
        "documents": len(documents),
        "words": words,
        "markup": args.markup or "by extension",
        "system": {"bundle": hash_bundle(default_path()), "preset": preset},
        **provenance("python benchmarks/documents.py"),
    }


COMMANDS = {"fit": fit, "planted": count_planted, "findings": findings, "judge": judge}


def main() -> int:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--name", default="documents", help="the name in the results")
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=["default"])
    parser.add_argument("--count", type=int, default=100, help="findings to judge (%(default)s)")
    parser.add_argument("--no-evidence", action="store_true", help="judge sentences alone")
    parser.add_argument(
        "--words", type=int, default=250_000, help="words of a folder to fit on (%(default)s)"
    )
    every = " ".join(language.extensions for language in LANGUAGES).split()
    parser.add_argument("--markup", choices=FORMATS, help="the markup, if not by extension")
    parser.add_argument("--suffixes", nargs="+", default=every, help="file name extensions")
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ and args.command in ("fit", "planted"):
        sys.exit("set RESPELL_DATA to the folder of the data, see docs/internals/data.md")
    return COMMANDS[args.command](args, Path(os.environ.get("RESPELL_DATA", "")))


if __name__ == "__main__":
    sys.exit(main())
