"""Measure a model on missing and extra blanks and make the record of the results."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from respell.corrector import Corrector
from respell.lab.common.storage import sha256
from respell.lab.data.corpus import read_sources
from respell.lab.evaluate.confusions.record import rounded
from respell.lab.evaluate.confusions.sentences import Part, read_heldout, texts_of
from respell.lab.evaluate.peers.install import versions
from respell.lab.evaluate.spaces import freiburg, measure, peers
from respell.lab.evaluate.spaces.blanks import BlankScore, gaps, score
from respell.lab.evaluate.spaces.cases import TOGETHER, Case, Material, known_words, make_cases
from respell.lab.evaluate.systems import Model
from respell.lab.misspellings.spacing import read_spacing
from respell.lab.misspellings.word_lists import read_tsv
from respell.model.bundle import LEXICON, default_path
from respell.model.lexicon import Lexicon
from respell.text.apply import apply
from respell.types import SPACING, Error

LISTS = ("codespell.tsv", "omega_train80.tsv", "birkbeck.tsv")
HELD_OUT = "omega_heldout20.tsv"
Texts = Callable[[Sequence[str]], Sequence[str]]
"""Takes texts and returns them corrected."""


class Measured(NamedTuple):
    """The record, the cases and what was found in their sentences."""

    record: dict[str, Any]
    material: Material
    found: measure.Found


def measure_part(
    model: Model, part: Part, *, data: Path, corpora: Path, limit: int | None = None
) -> Measured:
    """The scores of a model on one part; the record has no sentences, because of copyright.

    `limit` is the most cases of a group, for a quick look.
    """
    if not model.corrector.bundle.config.spacing:
        raise Error(f"{model.corrector.bundle.path}: this model does not find blanks")
    sources = texts_of(part, read_sources(corpora))
    material = read_material(part, data=data, corpora=corpora)
    if limit is not None:
        material = _limited(material, limit)
    corrector = measure.with_spacing(model.corrector)
    found = measure.read(corrector, material)
    lowest = measure.read(measure.with_spacing(model.corrector, lowest=True), material)
    points = measure.curve(material, lowest)
    best = measure.best_point(points)
    cases = material.cases
    words = measure.count_words(material.clean)
    clean = list(measure.alarms(material, found))
    by_context = [case for case in cases if case.group.endswith("by context")]
    together = [case for case in cases if case.group == f"{TOGETHER}: listed"]
    systems: dict[str, Texts] = {_own_name(model): _blanks_of(corrector)}
    symspell = peers.symspell()
    if symspell is not None:
        systems["SymSpell compound"] = lambda texts: peers.ask(symspell, texts)
    record: dict[str, Any] = {
        "part": part,
        "groups": {name: c.to_dict() for name, c in measure.by_group(cases, found).items()},
        "words": {name: c.to_dict() for name, c in measure.by_words(by_context, found).items()},
        "clean": {
            "words": words,
            "alarms": len(clean),
            "per_1000": round(1000 * len(clean) / max(words, 1), 4),
        },
        "curve": points,
        "best_point": best and best._asdict(),
        "without_the_option": measure.changed_without(model.corrector, together),
        "blanks": {"cases": _score_cases(cases, systems)},
        "texts": {
            source.file.split(".")[0]: {
                "part": source.heldout,
                "sha256": sha256(data / "corpora" / source.file),
            }
            for source in sources
        },
        "lists": {name: sha256(_list(data, name)) for name in (*LISTS, HELD_OUT)},
        "system": {
            **model.description,
            "spacing_threshold": corrector.policy.spacing_threshold,
        },
        "symspellpy": versions(symspell).get(peers.SYMSPELL) if symspell else None,
    }
    if part == "test":
        record["blanks"] |= {
            each.name: _score_freiburg(each, systems) for each in freiburg.read_sets(data)
        }
    return Measured(rounded(record), material, found)


def read_material(part: Part, *, data: Path, corpora: Path) -> Material:
    """The cases and clean sentences of one part."""
    lines = read_heldout(data / "corpora", texts_of(part, read_sources(corpora)))
    held = {
        (word, spelling)
        for word, spellings in read_tsv(_list(data, HELD_OUT)).items()
        for spelling in spellings
    }
    lists = read_spacing([_list(data, name) for name in LISTS], held)
    lexicon = Lexicon.read(default_path() / LEXICON)
    return make_cases(lines, lists, known_words(lexicon))


def _list(data: Path, name: str) -> Path:
    return data / "misspellings" / name


def _limited(material: Material, limit: int) -> Material:
    kept: list[Case] = []
    left: dict[str, int] = {}
    for case in material.cases:
        left[case.group] = left.get(case.group, limit) - 1
        if left[case.group] >= 0:
            kept.append(case)
    return Material(kept, material.clean[: 8 * limit])


def _own_name(model: Model) -> str:
    return f"{model.description['name']} {model.description['preset']}"


def _blanks_of(corrector: Corrector) -> Texts:
    """Corrects nothing but blanks."""

    def correct(texts: Sequence[str]) -> list[str]:
        answers = corrector.check_many(texts)
        return [
            apply(text, (c for c in found if c.kind in SPACING))
            for text, found in zip(texts, answers, strict=True)
        ]

    return correct


def _score_cases(cases: Iterable[Case], systems: dict[str, Texts]) -> dict[str, Any]:
    """The blanks in the sentences of the cases whose letters are right."""
    spelled = [case for case in cases if gaps(case.text)[0] == gaps(case.right)[0]]
    corrupt, correct = [case.text for case in spelled], [case.right for case in spelled]
    return {name: _row(corrupt, correct, texts(corrupt)) for name, texts in systems.items()}


def _score_freiburg(each: freiburg.FreiburgSet, systems: dict[str, Texts]) -> dict[str, Any]:
    """The scores of our own and of the stored answers: for all lines, and for the first ones.

    The first ones are those that every system has answered; Google's answers are fewer.
    """
    answers = {name: list(texts(each.corrupt)) for name, texts in systems.items()}
    answers |= {freiburg.NAMES.get(name, name): list(a) for name, a in each.answers.items()}
    few = min(map(len, answers.values()))
    found = {}
    for name, lines in answers.items():
        row = _row(each.corrupt, each.correct, lines) if len(lines) == len(each.corrupt) else None
        first = _row(each.corrupt[:few], each.correct[:few], lines[:few])
        found[name] = {"all": row, "first": first}
    return found


def _row(corrupt: Sequence[str], correct: Sequence[str], answers: Sequence[str]) -> dict[str, Any]:
    made: BlankScore = score(zip(corrupt, correct, answers, strict=True))
    scores = {"precision": made.precision, "recall": made.recall, "f1": made.f1}
    return {**made._asdict(), **scores}
