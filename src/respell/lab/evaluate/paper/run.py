"""Train and score rows, and try learning rates."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from respell.lab.common.provenance import write_json
from respell.lab.common.stopping import ENDED
from respell.lab.common.storage import read_json, save_text
from respell.lab.common.text_files import read_lines
from respell.lab.evaluate.paper.cost import curve, read_metrics
from respell.lab.evaluate.paper.rows import Row
from respell.lab.evaluate.paper.score import score_checkpoint, summary
from respell.lab.evaluate.paper.sets import DEV, ScoringData, find
from respell.lab.train import checkpoint as ck
from respell.lab.train import command
from respell.lab.train.recipe import read_recipe
from respell.lab.train.trainer import forget_compiled
from respell.types import Error

ROWS, RATES = "rows", "rates.json"
"""In the folder of results: the folder with a file per row, and the file of learning rates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSetup:
    """The folders and settings that are the same for all rows."""

    data: Path
    lists: Path
    folders: tuple[Path, ...]  # with the sets, the lexicon and the known pairs
    work: Path
    results: Path
    save_minutes: float
    dev_sentences: int
    settings: tuple[str, ...] = ()

    def train(self, row: Row, out: Path, budget: Sequence[str], *, again: bool) -> int:
        """Train a row with `train`; an interrupted run is continued, unless `again`."""
        settings = (*row.settings, *self.settings)
        folders = ["--data", str(self.data), "--lists", str(self.lists), "--out", str(out)]
        dev = [str(path) for path in self._dev(out)]
        line = [str(row.recipe), *folders, *budget, "--dev", *dev]
        line += ["--save-minutes", str(self.save_minutes)]
        line += [word for setting in settings for word in ("--set", setting)]
        if not again and self._unfinished(row, out, settings):
            line.append("--resume")
        else:
            ck.clear(out)
        parser = argparse.ArgumentParser()
        command.configure(parser)
        forget_compiled()
        return command.run(parser.parse_args(line))

    def _dev(self, out: Path) -> list[Path]:
        """Write the first dev sentences: scoring all of them repeatedly takes too long."""
        found = [find(self.folders, f"{DEV}.{side}.txt") for side in ("noisy", "gold")]
        short = [out / path.name for path in found]
        for path, copy in zip(found, short, strict=True):
            lines = islice(read_lines(path), self.dev_sentences)
            save_text("".join(f"{line}\n" for line in lines), copy)
        return short

    def _unfinished(self, row: Row, out: Path, settings: tuple[str, ...]) -> bool:
        """Whether there is a checkpoint with the same recipe and data to continue from."""
        if not (out / ck.OPTIMIZER).is_file():
            return False
        saved = ck.Checkpoint.read(out)
        same = saved.facts.data_hash == read_json(self.data / "manifest.json")["data_hash"]
        return same and saved.recipe == read_recipe(row.recipe, settings)


def run_rows(
    setup: TrainingSetup,
    rows: Sequence[Row],
    budget: Sequence[str],
    *,
    answers: Path,
    again: bool,
    trained_on: str | None = None,
) -> int:
    """Train and score the rows that have no result yet, one after another.

    A row that fails is reported and skipped. Results are written at once, and the answers of each
    row are written to the folder `answers`.
    """
    data = ScoringData.read(setup.folders)
    device = ck.pick_device()
    status = 0
    for row in rows:
        path = setup.results / ROWS / row.file
        if path.is_file() and not again:
            sys.stdout.write(f"row {row.row}: {path} exists already\n")
            continue
        out = setup.work / f"row{row.row}"
        try:
            if (ended := setup.train(row, out, budget, again=again)) in ENDED:
                return ended
            record = score_checkpoint(
                out,
                data,
                row=row.row,
                device=device,
                trained_on=trained_on,
                answers=answers / row.row,
            )
        except (Error, RuntimeError) as error:  # such as too little GPU memory
            sys.stderr.write(f"row {row.row} failed: {error}\n")
            status = 1
            continue
        write_json(path, record)
        sys.stdout.write(summary(record) + "\n")
        sys.stdout.flush()
    return status


def try_rates(
    setup: TrainingSetup,
    row: Row,
    rates: Sequence[float],
    budget: Sequence[str],
    *,
    again: bool,
) -> int:
    """Train the row of a family at several learning rates; write their dev scores, best first."""
    path = setup.results / RATES
    manifest = read_json(setup.data / "manifest.json")
    setting = {"row": row.row, "budget": " ".join(budget), "data_hash": manifest["data_hash"]}
    setting |= {"settings": list(setup.settings)}
    for rate in rates:
        tried = _tried(path, row.family, setting)
        if not again and any(point["rate"] == rate for point in tried):
            continue
        out = setup.work / f"rate-{row.family}"
        at_rate = replace(row, settings=(*row.settings, f"train.learning_rate={rate}"))
        if (ended := setup.train(at_rate, out, budget, again=True)) in ENDED:
            return ended
        kept = [point for point in tried if point["rate"] != rate]
        points = sorted([*kept, _point(out, rate)], key=lambda point: -point["dev_f05"])
        families = read_json(path) if path.is_file() else {}
        others = [trial for trial in families.get(row.family, []) if not _same(trial, setting)]
        write_json(path, families | {row.family: [*others, {**setting, "points": points}]})
    best, *others = _tried(path, row.family, setting)
    for point in (best, *others):
        sys.stdout.write(f"{point['rate']:g}: dev F0.5 {point['dev_f05']:.4f}\n")
    edge = bool(others) and best["rate"] in (min(rates), max(rates))
    hint = "; this is the lowest or highest rate tried, try one beyond it" if edge else ""
    sys.stdout.write(f"[families.{row.family}] learning_rate = {best['rate']:g}{hint}\n")
    return 0


def _tried(path: Path, family: str, setting: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The results of earlier trials with the same settings."""
    trials = read_json(path).get(family, []) if path.is_file() else []
    return [point for trial in trials if _same(trial, setting) for point in trial["points"]]


def _same(trial: Mapping[str, Any], setting: Mapping[str, Any]) -> bool:
    return all(trial.get(key) == value for key, value in setting.items())


def _point(out: Path, rate: float) -> dict[str, Any]:
    points = curve(read_metrics(out))
    return {"rate": rate, "loss": points["loss"][-1]["loss"], **points["dev"][-1]}
