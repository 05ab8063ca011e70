"""The `chain` command: run the stages that lead from the training data to a bundle.

A stage is one or more commands that write a folder. The folder is named after the stage and a hash
of its definition, of the files that it reads, and of the results of the stages that it needs. So a
finished stage is never run twice, and a changed one never reuses an old result.
"""

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from respell.lab.common.provenance import provenance
from respell.lab.common.storage import read_json, read_text, save_text, sha256, to_json
from respell.lab.export.lineage import Stage as TrainingStage
from respell.lab.export.lineage import as_json
from respell.lab.train.checkpoint import FACTS, METRICS, OPTIMIZER, RECIPE, WEIGHTS
from respell.types import Error

RECORD = "stage.json"
"""What is known of a finished stage; it is written last."""
LINEAGE = "lineage.json"
UNFINISHED = ".unfinished"
NOT_RESULTS = (RECORD, OPTIMIZER, METRICS, "curve.png")
"""Files that do not belong to the result of a stage."""
HASH_LENGTH = 8
PLACEHOLDERS = ("out", "source", "lineage", "resume")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stage of a chain."""

    name: str
    run: tuple[str, ...]
    """Commands. `lab` stands for `python -m respell.lab`, `{out}` for the folder to write, `{name}`
    for the folder of a stage that is needed, `{source}` for $RESPELL_DATA, `{lineage}` for a file
    that lists the training so far, and `{resume}` for --resume if an earlier try has left a
    checkpoint."""
    needs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Files that the commands read without naming them."""


def read_chain(path: Path) -> list[Step]:
    """Read the stages of a chain, in order."""
    try:
        raw = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Error(f"{path}: not a TOML file ({error})") from error
    entries = raw.get("stage")
    if raw.keys() != {"stage"} or not isinstance(entries, list) or not entries:
        raise Error(f"{path}: must have [[stage]] tables and nothing else")
    steps: list[Step] = []
    for number, entry in enumerate(entries, 1):
        step = _step(entry, f"{path}: stage {number}")
        known = [earlier.name for earlier in steps]
        if step.name in known:
            raise Error(f"{path}: two stages are named {step.name!r}")
        if missing := [name for name in step.needs if name not in known]:
            raise Error(f"{path}: {step.name} needs {missing[0]!r}, which is no earlier stage")
        steps.append(step)
    return steps


def _step(entry: Any, where: str) -> Step:
    lists = ("run", "needs", "files")
    if not isinstance(entry, dict) or not {"name", "run"} <= entry.keys():
        raise Error(f"{where}: must have name and run")
    if unknown := sorted(entry.keys() - {field.name for field in fields(Step)}):
        raise Error(f"{where}: unknown key {unknown[0]!r}")
    for key in lists:
        value = entry.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise Error(f"{where}: {key} must be a list of strings")
    name = entry["name"]
    if not isinstance(name, str) or not name.replace("-", "").isalnum() or not entry["run"]:
        raise Error(f"{where}: needs a name of letters, digits and hyphens, and a command")
    if name in PLACEHOLDERS:
        raise Error(f"{where}: {name!r} means something else in commands; choose another name")
    return Step(name=name, **{key: tuple(entry.get(key, ())) for key in lists})


class Chain:
    """The stages of a chain and their folders."""

    def __init__(self, steps: Sequence[Step], work: Path, root: Path) -> None:
        self.steps, self.work, self.root = steps, work, root

    def folder(self, step: Step) -> Path:
        """Where a stage writes; the stages that it needs must be finished."""
        parts = [
            step.name,
            *step.run,
            *self._files(step).values(),
            *(self.record(self.step(name))["result"] for name in step.needs),
        ]
        key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:HASH_LENGTH]
        return self.work / f"{step.name}-{key}"

    def _files(self, step: Step) -> dict[str, str]:
        """The hashes of the files that a stage reads, such as recipes and scripts."""
        words = [word for command in step.run for word in command.split()]
        named = [word for word in words if "{" not in word and (self.root / word).is_file()]
        return {file: sha256(self.root / file) for file in (*named, *step.files)}

    def step(self, name: str) -> Step:
        """The stage with this name."""
        for step in self.steps:
            if step.name == name:
                return step
        names = ", ".join(step.name for step in self.steps)
        raise Error(f"no stage is named {name!r}; the stages are {names}")

    def record(self, step: Step) -> dict[str, Any]:
        """What is known of a finished stage."""
        folder = self.folder(step)
        if not (folder / RECORD).is_file():
            raise Error(f"{step.name} is not finished: {folder / RECORD} is missing")
        return read_json(folder / RECORD)

    def is_finished(self, step: Step) -> bool:
        """Whether a stage and all that it needs are finished."""
        needed = all(self.is_finished(self.step(name)) for name in step.needs)
        return needed and (self.folder(step) / RECORD).is_file()

    def run(self, step: Step) -> None:
        """Run a stage; an unfinished try is continued or replaced, as its commands do."""
        final = self.folder(step)
        out = final.with_name(final.name + UNFINISHED)
        out.mkdir(parents=True, exist_ok=True)
        spent = 0.0
        for command in step.run:
            started = time.monotonic()
            self._call(step, command, out)
            spent += time.monotonic() - started
        record = {
            "stage": step.name,
            "run": list(step.run),
            "files": self._files(step),
            "needs": {name: self.folder(self.step(name)).name for name in step.needs},
            "result": _hash_folder(out),
            "seconds": round(spent, 1),
            **_training(out),
            **{k: v for k, v in provenance().items() if k != "command"},
        }
        save_text(to_json(record), out / RECORD)
        out.rename(final)

    def _call(self, step: Step, command: str, out: Path) -> None:
        folders = {name: str(self.folder(self.step(name))) for name in step.needs}
        values = {
            **folders,
            "out": str(out),
            "resume": "--resume" if (out / WEIGHTS).is_file() else "",
            "source": os.environ.get("RESPELL_DATA", ""),
        }
        if "{lineage}" in command:
            save_text(json.dumps(self.lineage(step), indent=1), out / LINEAGE)
            values["lineage"] = str(out / LINEAGE)
        if "{source}" in command and not values["source"]:
            raise Error("set RESPELL_DATA to the folder of the training data")
        try:
            words = shlex.split(command.format_map(values))
        except (KeyError, ValueError) as error:
            raise Error(f"{step.name}: cannot fill in {command!r} ({error})") from error
        program = [sys.executable, "-m", "respell.lab"] if words[0] == "lab" else [words[0]]
        sys.stderr.write(f"{step.name}: {' '.join(words)}\n")
        environment = {**os.environ, "PYTHON": sys.executable}
        status = subprocess.run([*program, *words[1:]], cwd=self.root, env=environment).returncode
        if status:
            raise Error(f"{step.name}: {words[0]} {words[1]} ended with exit status {status}")

    def lineage(self, step: Step) -> list[dict[str, Any]]:
        """The training stages that a stage needs, the first one first."""
        found: dict[str, TrainingStage] = {}

        def visit(one: Step) -> None:
            for name in one.needs:
                visit(self.step(name))
            record = self.record(one) if one is not step else {}
            if "checkpoint" in record:
                found[one.name] = _as_training_stage(record)

        visit(step)
        return as_json(list(found.values()))


def _training(folder: Path) -> dict[str, Any]:
    """What a checkpoint says about its training, if the folder is one."""
    if not all((folder / name).is_file() for name in (WEIGHTS, FACTS, RECIPE)):
        return {}  # an encoder that was downloaded has weights too
    facts = read_json(folder / FACTS)
    recipe = tomllib.loads(read_text(folder / RECIPE))
    return {
        "checkpoint": sha256(folder / WEIGHTS),
        "recipe": recipe.get("name"),
        "seed": recipe.get("train", {}).get("seed"),
        "steps": facts["step"],
        "words": facts["words"],
        "training_minutes": round(facts["seconds"] / 60, 2),
    }


def _as_training_stage(record: Mapping[str, Any]) -> TrainingStage:
    command = " ".join(record["run"])
    others = ", ".join(record["needs"].values())
    return TrainingStage(
        stage=record["stage"],
        started_from=others or "random weights",
        recipe=record["recipe"],
        checkpoint=record["checkpoint"],
        steps=record["steps"],
        words=record["words"],
        note=f"{command}; seed {record['seed']}, {record['training_minutes']} minutes",
    )


def _hash_folder(folder: Path) -> str:
    """One hash of all results in a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = [
        f"{path.relative_to(folder).as_posix()} {sha256(path)}\n"
        for path in paths
        if path.name not in NOT_RESULTS and not path.name.startswith(".")
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `chain`."""
    parser.add_argument("chain", type=Path, help="TOML file with the stages")
    parser.add_argument("--work", type=Path, required=True, help="the folder of all stages")
    parser.add_argument("--only", nargs="+", metavar="STAGE", help="run only these stages")
    parser.add_argument("--list", action="store_true", help="show the stages, run nothing")
    parser.add_argument(
        "--out", type=Path, metavar="JSON", help="write what is known of all finished stages"
    )


def run(args: argparse.Namespace) -> int:
    """Run the stages that are not finished, in order."""
    root = Path.cwd()
    chain = Chain(read_chain(args.chain), args.work.resolve(), root)
    wanted = [chain.step(name) for name in args.only] if args.only else chain.steps
    for step in () if args.list else wanted:
        if not chain.is_finished(step):
            chain.run(step)
    records = [chain.record(step) for step in chain.steps if chain.is_finished(step)]
    done = {record["stage"]: record for record in records}
    for step in chain.steps:
        state = done[step.name]["result"][:HASH_LENGTH] if step.name in done else "not finished"
        sys.stdout.write(f"{step.name}: {state}\n")
    if args.out:
        save_text(to_json({"stages": records}), args.out)
    return 0
