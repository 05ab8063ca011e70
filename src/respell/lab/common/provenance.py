"""Record where results come from: commit, machine, date, command."""

import datetime
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import respell
from respell.lab.common.storage import save_text, to_json
from respell.model.bundle import CONFIG, digest


def hash_bundle(folder: Path) -> str:
    """The hash that identifies a bundle: that of config.json, which has the hashes of its files."""
    return digest(folder / CONFIG)


def provenance(program: str = "python -m respell.lab") -> dict[str, Any]:
    """Version, commit, machine, date and command line, for a results file."""
    return {
        "respell": respell.__version__,
        "commit": commit_of(Path(__file__).parent),
        "machine": {
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "platform": f"{platform.system()} {platform.machine()}",
        },
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": f"{_program(program)} {' '.join(map(_portable, sys.argv[1:]))}",
    }


def _program(program: str) -> str:
    """The program a reader has to run: a script in benchmarks/, or else `program`."""
    script = Path(sys.argv[0])
    return f"python benchmarks/{script.name}" if script.parent.name == "benchmarks" else program


_NO_EFFECT = (":(top,exclude)results", ":(top,exclude)docs", ":(top,exclude,glob)**/*.md")
"""Pages, model cards and results: changes there cannot change a measurement."""


def commit_of(folder: Path) -> str | None:
    """The commit of a folder, with "-dirty" if files that could change a measurement are modified.

    None outside a repository.
    """
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    options = ("--porcelain", "--untracked-files=normal")
    changed = _git(folder, "status", *options, ":(top)", *_NO_EFFECT)
    return commit if changed == "" else f"{commit}-dirty"


def _git(folder: Path, *arguments: str) -> str | None:
    """The output of git in a folder; None without git or outside a repository."""
    command = ["git", "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _portable(argument: str) -> str:
    """An argument, quoted, without paths of this machine, because results are published."""
    option, equals, value = argument.rpartition("=")
    path = Path(value)
    if not path.is_absolute():
        return shlex.quote(argument)
    data = os.environ.get("RESPELL_DATA")
    if data and path.is_relative_to(data):
        # Double quotes, so that the shell expands the variable.
        return f'{option}{equals}"$RESPELL_DATA/{path.relative_to(data).as_posix()}"'
    inside = path.is_relative_to(Path.cwd())
    return option + equals + shlex.quote(str(path.relative_to(Path.cwd()) if inside else path.name))


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON file atomically."""
    save_text(to_json(value), path)
