"""Real documents: evidence from the whole text, planted misspellings, and judged findings.

python benchmarks/documents.py fit DIR...                  fit the weights on dev documents
python benchmarks/documents.py planted DIR --name NAME     how many planted misspellings are found
python benchmarks/documents.py findings DIR --name NAME    a sample of the findings, with verdicts
python benchmarks/documents.py judge                       new verdicts in all samples
python benchmarks/documents.py letters                     what `careful` finds in short texts

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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import planting
from planting import Document, Planted

import respell
from respell.decision import adjust as adjust_module
from respell.decision.adjust import (
    DOUBT,
    WEIGHTS,
    Features,
    adjust,
    find_features,
    log_odds,
    rejects,
)
from respell.decision.evidence import Evidence, base
from respell.formats.languages import FORMATS, LANGUAGES
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import read_json, read_text, save_text
from respell.lab.common.tokens import read_tokens
from respell.model.bundle import Bundle, default_path, digest
from respell.types import PRESETS, Correction

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "documents"
VERDICTS = ROOT / "benchmarks" / "document_verdicts.tsv"
TIMES = (1, 1, 1, 1, 1, 1, 1, 2, 2, 3)
"""How often a form is planted to fit the weights: people repeat their misspellings."""
LOWEST = 0.2
RIDGE = 0.05
IMPORTANCE = {"nonword": 1.5, "realword": 1.0}
"""How much more the errors count than the other findings, both taken together."""
DOUBTS = [round(1 + step / 10, 1) for step in range(21)]
RIGHT = 0.9
"""The share of what `careful` lists that is to be right, with the chosen doubt and any higher."""
Weights = Mapping[str, Mapping[str, float]]
LETTERS = ("neuspell_jfleg_dev", "holbrook_dev")
"""Dev sets of errors made by people."""
SENTENCES = 15
"""Sentences of a short text."""
AROUND = 2  # words on either side by which a finding is recognised
HEAD = "path\tline\tword\treplacement\tscore\tbefore\tafter\tverdict\twith evidence\n"
Finding = tuple[Document, Correction]


@dataclass(frozen=True)
class Row:
    """A finding to fit the weights on."""

    kind: str
    features: Features
    measure: float
    """What the threshold of the preset `default` is about: the score or the error probability."""
    error_probability: float
    wrong: bool
    """Whether it is an error."""
    planted: bool

    def remains(self, weights: Weights, doubt: float, threshold: float) -> bool:
        """Whether it is listed with the evidence."""
        own = weights[self.kind]
        change = sum(own[name] * value for name, value in self.features.items())
        even = _threshold("default")
        changed = adjust(self.measure, self.error_probability, change, doubt, even)
        return min(self.measure, changed) >= threshold


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
    held_out: list[tuple[Row, Weights]] = []
    for name in rows:
        without = _fit([row for other, some in rows.items() if other != name for row in some])
        held_out += [(row, without) for row in rows[name]]
    careful = {doubt: _listed(held_out, _threshold("careful"), doubt) for doubt in DOUBTS}
    too_low = [d for d, row in careful.items() if row["errors"] < RIGHT * sum(row.values())]
    doubt = next(d for d in DOUBTS if d > max(too_low, default=0))
    record = {
        "weights": weights,
        "doubt": doubt,
        "rows": dict(Counter(_name(row) for some in rows.values() for row in some)),
        "held_out_folder": _effect(held_out, _threshold("default"), doubt),
        "held_out_careful_by_doubt": careful,
        "folders": list(rows),
        "words_per_folder": args.words,
        "words_to_plant_in": args.planted_words,
        "system": {"bundle": hash_bundle(default_path()), "threshold": LOWEST},
        **provenance("python benchmarks/documents.py"),
    }
    write_json(RESULTS / "weights.json", record)
    sys.stdout.write(f"{weights}\n{doubt}\n{record['rows']}\n{record['held_out_folder']}\n")
    return 0


def _rows(
    corrector: respell.Corrector, folder: Path, args: argparse.Namespace, data: Path
) -> list[Row]:
    """What was found in documents as they are, and after planting."""
    lexicon = corrector.bundle.lexicon
    every = planting.read_documents([folder], args.suffixes, args.markup)
    natural = planting.sample(every, args.words)
    documents = planting.sample(every, args.planted_words)
    misspellings = planting.read_misspellings(data, lexicon)
    listed = {wrong for forms in misspellings.values() for wrong in forms}
    present = planting.gather(documents, lexicon).words
    wrong_words = planting.read_confusions(data, lexicon)
    nothing: list[dict[int, Planted]] = [{} for _ in natural]
    versions = [
        (natural, nothing),
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
                elif version is natural:
                    verdict = verdicts.get(key_of(document, found))
                    wrong = _is_error(found, listed, verdict)
                else:
                    continue
                word = base(found.original)
                if wrong is None or (found.kind == "nonword" and word in seen):
                    continue
                seen.add(word)
                rows.append(
                    Row(
                        found.kind,
                        find_features(evidence, document.masked, found),
                        corrector.policy.measure_of(found),
                        found.error_probability,
                        wrong,
                        found.start in planted,
                    )
                )
    return rows


def _is_error(found: Correction, listed: set[str], verdict: str | None) -> bool | None:
    """Whether a finding that was not planted is an error of the document; None if in doubt."""
    if verdict is None and base(found.original) in listed:
        return None
    return verdict == "true"


def _name(row: Row) -> str:
    return f"{'planted' if row.planted else 'error' if row.wrong else 'other'} {row.kind}"


def _fit(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """The weights of each kind."""
    weights = {}
    for kind in WEIGHTS:
        own = [row for row in rows if row.kind == kind]
        names = list(own[0].features)
        x = np.array([[row.features[name] for name in names] for row in own])
        offset = np.array([log_odds(row.error_probability) for row in own])
        y = np.array([row.wrong for row in own], float)
        fitted = logistic(x, offset, y, IMPORTANCE[kind]).tolist()
        weights[kind] = {n: round(value, 2) for n, value in zip(names, fitted, strict=True)}
    return weights


def _effect(
    rows: Iterable[tuple[Row, Weights]], threshold: float, doubt: float
) -> dict[str, dict[str, int]]:
    """How many findings reach the threshold, with and without evidence."""
    alone = Counter(_name(row) for row, _ in rows if row.measure >= threshold)
    with_evidence = Counter(
        _name(row) for row, weights in rows if row.remains(weights, doubt, threshold)
    )
    return {n: {"alone": alone[n], "with_evidence": with_evidence[n]} for n in sorted(alone)}


def _listed(rows: Iterable[tuple[Row, Weights]], threshold: float, doubt: float) -> dict[str, int]:
    """How many errors and other findings in documents as they are reach the threshold."""
    wrong = [
        row.wrong
        for row, weights in rows
        if not row.planted and row.remains(weights, doubt, threshold)
    ]
    return {"errors": sum(wrong), "others": len(wrong) - sum(wrong)}


def logistic(x: Any, offset: Any, y: Any, errors: float) -> Any:
    """Weights of a logistic regression on top of the model's odds.

    All errors together count `errors` times as much as all other findings together.
    """
    importance = np.where(y == 1, errors / y.mean(), 1 / (1 - y.mean())) / 2
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
    loosest = min(args.presets, key=_threshold)
    corrector = respell.load(preset=loosest)
    documents = planting.read_documents(args.folders, args.suffixes, args.markup)
    evidence = planting.gather(documents, corrector.bundle.lexicon)
    every = _findings(corrector.with_evidence(evidence), documents)
    for preset in args.presets:
        policy, lexicon = respell.load(preset=preset).policy, corrector.bundle.lexicon
        found = [
            (d, c)
            for d, c in every
            if policy.measure_of(c) >= policy.threshold_for(c.original, lexicon)
            and not rejects(evidence, d.masked, c, policy)
        ]
        _write_sample(args, documents, found, f"{args.name}.{preset}", preset)
    if args.sentences:
        alone = _findings(corrector, documents)
        remaining = {(d.path, c.start) for d, c in every}
        _write_sample(args, documents, alone, f"{args.name}.sentences", loosest, remaining)
    return 0


def _findings(corrector: respell.Corrector, documents: Sequence[Document]) -> list[Finding]:
    return [(document, c) for document, found in check(corrector, documents) for c in found]


@cache
def _threshold(preset: str) -> float:
    return Bundle.read(default_path()).preset(preset).threshold


def _write_sample(
    args: argparse.Namespace,
    documents: Sequence[Document],
    every: Sequence[Finding],
    name: str,
    preset: str,
    remaining: Collection[tuple[Path, int]] | None = None,
) -> None:
    """Write a sample; if `remaining` is given, say which of it remain with evidence."""
    chosen = sorted(random.Random(20).sample(range(len(every)), min(args.count, len(every))))
    lines = [HEAD]
    for document, found in (every[index] for index in chosen):
        key = key_of(document, found)
        line = document.text.count("\n", 0, found.start) + 1
        with_evidence = remaining is None or (document.path, found.start) in remaining
        row = (document.path.as_posix(), str(line), *key[:2], f"{found.score:.2f}", *key[2:])
        lines.append("\t".join((*row, "", "yes" if with_evidence else "no")) + "\n")
    save_text("".join(lines), RESULTS / f"{name}.tsv")
    record = {
        "findings": len(every),
        "sample": len(chosen),
        "verdicts": {},
        **_about(args, documents, preset),
    }
    write_json(RESULTS / f"{name}.json", record)
    _judge(RESULTS / f"{name}.tsv", read_verdicts())


def letters(args: argparse.Namespace, data: Path) -> int:
    """What `careful` finds in short texts: without evidence, with it, and with the full doubt."""
    corrector = respell.load(preset="careful")
    figures: dict[str, Counter[str]] = {}
    for name in LETTERS:
        noisy, gold = (
            read_tokens(data / "bench" / f"{name}.{side}.txt") for side in ("noisy", "clean")
        )
        for first in range(0, len(noisy), SENTENCES):
            part = slice(first, first + SENTENCES)
            text = "\n".join(" ".join(tokens) for tokens in noisy[part])
            wrong = _wrong_places(noisy[part], gold[part])
            evidence = Evidence(corrector.bundle.lexicon)
            evidence.add(text, text)
            found = {
                "sentences_alone": corrector.check(text),
                "with_evidence": corrector.with_evidence(evidence).check(text),
            }
            with patch.object(adjust_module, "doubt_in", lambda evidence: DOUBT):
                found["with_full_doubt"] = corrector.with_evidence(evidence).check(text)
            for how, corrections in found.items():
                counts = figures.setdefault(how, Counter(errors=0, found=0, other_findings=0))
                counts["errors"] += len(wrong)
                for correction in corrections:
                    counts["found" if correction.start in wrong else "other_findings"] += 1
    texts = {
        f"{name}.{side}": digest(data / "bench" / f"{name}.{side}.txt")
        for name in LETTERS
        for side in ("noisy", "clean")
    }
    system = {"bundle": hash_bundle(default_path()), "preset": "careful"}
    record = {"sentences": SENTENCES, **figures, "texts": texts, "system": system}
    write_json(RESULTS / "letters.json", record | provenance("python benchmarks/documents.py"))
    sys.stdout.write(f"{ {how: dict(counts) for how, counts in figures.items()} }\n")
    return 0


def _wrong_places(noisy: Sequence[list[str]], gold: Sequence[list[str]]) -> set[int]:
    """The offsets of the wrong tokens of sentences that are joined by single characters."""
    places, start = set(), 0
    for written, meant in zip(noisy, gold, strict=True):
        for token, right in zip(written, meant, strict=True):
            if token != right:
                places.add(start)
            start += len(token) + 1
    return places


def judge(args: argparse.Namespace, data: Path) -> int:
    """Put verdicts that were given since into samples that `findings` wrote."""
    verdicts = read_verdicts()
    for path in sorted(RESULTS.glob("*.tsv")):
        _judge(path, verdicts)
    return 0


def _judge(path: Path, verdicts: Mapping[tuple[str, ...], str]) -> None:
    rows = [line.split("\t") for line in read_text(path).splitlines()[1:]]
    for row in rows:
        row[7] = verdicts.get((row[2], row[3], row[5], row[6]), "")
    save_text(HEAD + "".join("\t".join(row) + "\n" for row in rows), path)
    counts = Counter(row[7] or "not judged" for row in rows)
    if path.stem.endswith(".sentences"):
        counts["true, with evidence too"] = sum(row[7:] == ["true", "yes"] for row in rows)
    record = {**read_json(path.with_suffix(".json")), "verdicts": dict(sorted(counts.items()))}
    write_json(path.with_suffix(".json"), record)
    sys.stdout.write(f"{path.stem}: {record['findings']} findings, {record['verdicts']}\n")


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


COMMANDS = {
    "fit": fit,
    "planted": count_planted,
    "findings": findings,
    "judge": judge,
    "letters": letters,
}


def main() -> int:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--name", default="documents", help="the name in the results")
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=["default"])
    parser.add_argument("--count", type=int, default=100, help="findings to judge (%(default)s)")
    parser.add_argument(
        "--sentences",
        action="store_true",
        help="also sample what sentences alone find, and say how much of it remains",
    )
    parser.add_argument(
        "--words", type=int, default=100_000, help="words of a folder to fit on (%(default)s)"
    )
    parser.add_argument(
        "--planted-words",
        type=int,
        default=25_000,
        help="words of a folder to plant misspellings in (%(default)s)",
    )
    every = " ".join(language.extensions for language in LANGUAGES).split()
    parser.add_argument("--markup", choices=FORMATS, help="the markup, if not by extension")
    parser.add_argument("--suffixes", nargs="+", default=every, help="file name extensions")
    args = parser.parse_args()
    if "RESPELL_DATA" not in os.environ and args.command in ("fit", "planted", "letters"):
        sys.exit("set RESPELL_DATA to the folder of the data, see docs/internals/data.md")
    return COMMANDS[args.command](args, Path(os.environ.get("RESPELL_DATA", "")))


if __name__ == "__main__":
    sys.exit(main())
