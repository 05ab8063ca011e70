"""Nothing that reads data can run it: no pickle, no eval, no shell, and no network."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import respell

ROOT = Path(__file__).parents[2]
SOURCE = Path(respell.__file__).parent
FILES = sorted([*SOURCE.rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")])
MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "runpy"}
CALLS = {"eval", "exec", "compile", "__import__"}
METHODS = {"os.system", "os.popen", "yaml.load", "builtins.eval", "builtins.exec"}


def names(tree: ast.AST) -> Iterator[str]:
    """What a file imports and calls that could run data."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield str(node.module)
        elif isinstance(node, ast.Call):
            yield from _dangerous(node)


def _dangerous(call: ast.Call) -> Iterator[str]:
    name = ast.unparse(call.func)
    options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    if name in CALLS | METHODS:
        yield name
    if name in ("np.load", "numpy.load") and options.get("allow_pickle", "False") != "False":
        yield f"{name}(allow_pickle)"
    if name == "torch.load" and options.get("weights_only") != "True":
        yield "torch.load without weights_only=True"
    if options.get("shell", "False") != "False":
        yield f"{name}(shell)"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_executes_from_data(path: Path) -> None:
    assert list(names(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from marshal import loads",
        "eval(x)",
        "np.load(x, allow_pickle=True)",
        "torch.load(x)",
        "torch.load(x, weights_only=False)",
        "subprocess.run(x, shell=True)",
        "os.system(x)",
    ],
)
def test_the_watch_is_awake(code: str) -> None:
    assert list(names(ast.parse(code)))


OFFLINE = """
import socket, sys
def hook(event, arguments):
    if event.startswith("socket.") and event != "socket.__new__":
        raise AssertionError(f"{event}{arguments}")
    if event == "socket.__new__" and arguments[1] != socket.AF_UNIX:
        raise AssertionError("a socket")
sys.addaudithook(hook)
from respell.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def offline(*arguments: str, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*prefix, sys.executable, "-c", OFFLINE, *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_block_blocks() -> None:
    code = OFFLINE.replace(
        "from respell.cli.main import main", "socket.create_connection(('x', 1))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "AssertionError" in done.stderr


@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")], ids=["alone", "jobs"])
def test_the_command_line_opens_no_socket(jobs: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("I recieve teh mail.\n")
    done = offline("check", "--no-config", "--format", "json", *jobs, str(path))
    assert (done.returncode, done.stderr) == (1, "")
    found = [json.loads(line)["original"] for line in done.stdout.splitlines()]
    assert found == ["recieve", "teh"]


def test_it_works_where_there_is_no_network_at_all() -> None:
    unshare = shutil.which("unshare")
    prefix = (str(unshare), "--map-root-user", "--net")
    if not unshare or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("needs the right to make a namespace without a network")
    assert offline("I recieve teh mail.", prefix=prefix).stdout == "I receive the mail.\n"


def test_nothing_is_left_in_the_home_folder(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    env.pop("ORT_DISABLE_TELEMETRY", None)
    env |= {"HOME": str(tmp_path), "PYTHONPATH": str(SOURCE.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "respell", "I recieve teh mail"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("I receive the mail\n", "")
    assert list(tmp_path.rglob("*")) == []
