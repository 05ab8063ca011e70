"""Train rows and score each at once; try learning rates for a family of rows."""

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
from respell.lab.data.corpus import read_lines
from respell.lab.evaluate.paper.cost import curve, read_metrics
from respell.lab.evaluate.paper.rows import Row
from respell.lab.evaluate.paper.score import score_checkpoint, summary
from respell.lab.evaluate.paper.sets import DEV, World, find
from respell.lab.train import checkpoint as ck
from respell.lab.train import command
from respell.lab.train.recipe import read_recipe
from respell.lab.train.trainer import forget_compiled
from respell.types import Error

ROWS, RATES = "rows", "rates.json"
"""In the folder of results: a folder with a file for each row, and the rates that were tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where training finds its data and leaves what it makes."""

    data: Path
    lists: Path
    folders: tuple[Path, ...]  # of the sets, the lexicon and the known pairs
    work: Path
    results: Path
    save_minutes: float
    dev_sentences: int
    settings: tuple[str, ...] = ()

    def train(self, row: Row, out: Path, budget: Sequence[str], *, again: bool) -> int:
        """Train a row as `train` does; a run that was cut short goes on, unless `again`."""
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
        """The first sentences of the dev set: scoring it again and again costs time."""
        found = [find(self.folders, f"{DEV}.{side}.txt") for side in ("noisy", "gold")]
        short = [out / path.name for path in found]
        for path, copy in zip(found, short, strict=True):
            lines = islice(read_lines(path), self.dev_sentences)
            save_text("".join(f"{line}\n" for line in lines), copy)
        return short

    def _unfinished(self, row: Row, out: Path, settings: tuple[str, ...]) -> bool:
        """Whether there is a checkpoint of this very recipe on this very data to go on from."""
        if not (out / ck.OPTIMIZER).is_file():
            return False
        saved = ck.Checkpoint.read(out)
        same = saved.facts.data_hash == read_json(self.data / "manifest.json")["data_hash"]
        return same and saved.recipe == read_recipe(row.recipe, settings)


def run_rows(
    bench: Bench,
    rows: Sequence[Row],
    budget: Sequence[str],
    *,
    answers: Path,
    again: bool,
    trained_on: str | None = None,
) -> int:
    """Train and score rows one after another; a row with a result is done.

    A row that fails is told and passed over. Each result is written as soon as there is one, and
    what the row said to all sets lies in the folder `answers`.
    """
    world = World.read(bench.folders)
    device = ck.pick_device()
    status = 0
    for row in rows:
        path = bench.results / ROWS / row.file
        if path.is_file() and not again:
            sys.stdout.write(f"row {row.row}: {path} is there already\n")
            continue
        out = bench.work / f"row{row.row}"
        try:
            if (ended := bench.train(row, out, budget, again=again)) in ENDED:
                return ended
            record = score_checkpoint(
                out,
                world,
                row=row.row,
                device=device,
                trained_on=trained_on,
                answers=answers / row.row,
            )
        except (Error, RuntimeError) as error:  # as a GPU's memory that does not suffice
            sys.stderr.write(f"row {row.row} failed: {error}\n")
            status = 1
            continue
        write_json(path, record)
        sys.stdout.write(summary(record) + "\n")
        sys.stdout.flush()
    return status


def try_rates(
    bench: Bench,
    row: Row,
    rates: Sequence[float],
    budget: Sequence[str],
    *,
    again: bool,
) -> int:
    """Train a family's row at several rates and note the dev scores of each, best first."""
    path = bench.results / RATES
    manifest = read_json(bench.data / "manifest.json")
    setting = {"row": row.row, "budget": " ".join(budget), "data_hash": manifest["data_hash"]}
    setting |= {"settings": list(bench.settings)}
    for rate in rates:
        tried = _tried(path, row.family, setting)
        if not again and any(point["rate"] == rate for point in tried):
            continue
        out = bench.work / f"rate-{row.family}"
        at_rate = replace(row, settings=(*row.settings, f"train.learning_rate={rate}"))
        if (ended := bench.train(at_rate, out, budget, again=True)) in ENDED:
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
    hint = "; it is the last one tried on its side, try one beyond" if edge else ""
    sys.stdout.write(f"[families.{row.family}] learning_rate = {best['rate']:g}{hint}\n")
    return 0


def _tried(path: Path, family: str, setting: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was tried before in just this way."""
    trials = read_json(path).get(family, []) if path.is_file() else []
    return [point for trial in trials if _same(trial, setting) for point in trial["points"]]


def _same(trial: Mapping[str, Any], setting: Mapping[str, Any]) -> bool:
    return all(trial.get(key) == value for key, value in setting.items())


def _point(out: Path, rate: float) -> dict[str, Any]:
    noted = curve(read_metrics(out))
    return {"rate": rate, "loss": noted["loss"][-1]["loss"], **noted["dev"][-1]}
