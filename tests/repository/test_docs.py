"""Every code block of README and docs runs, and its output is what the page says."""

import ast
import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OPTIONAL = ("spacy", "ray", "pandas", "polars", "pyarrow", "datasets")
NOT_RUN = re.compile(r"\s*(?:pip|make|git|cd|docker|npm|code|respell (?:serve|lsp|page))\b")
"""Commands that install, start a server, or change the repository."""
PORT = 8765
SAMPLES = {
    "README.md": "Our readme.\n",
    "docs/guide.md": "# Guide\n\nWe beleive it.\n",
    "draft.md": "I recieve teh mail.\n",
    "src/app.py": "x = 1  # a comment\n",
}
"""The files that commands of the pages may name."""


@dataclass(frozen=True)
class Block:
    """A fenced code block; `output` is a text block right after it."""

    page: Path
    line: int
    language: str
    code: str
    output: str | None

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"

    @property
    def needs(self) -> str:
        """What the block says it needs, such as training data."""
        found = re.match(r"# needs (.*)\n", self.code)
        return found[1] if found else ""


_FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n(?:\n*```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def blocks(*languages: str) -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in _FENCE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(page, line, match[1], match[2], match[3]))
    return [block for block in found if block.language in languages]


def imports(code: str) -> set[str]:
    names = re.findall(r"^\s*(?:import|from) ([a-z_]+(?:\.[a-z_]+)*)", code, re.MULTILINE)
    wanted = {name.split(".")[0] for name in names}
    return wanted | {n.split(".")[-1] for n in names if n.startswith("respell.integrations.")}


def needs_client(block: Block) -> bool:
    return bool(imports(block.code) & set(OPTIONAL))


def needs_server(block: Block) -> bool:
    return f":{PORT}" in block.code and "respell serve" not in block.code


PYTHON, SHELL = blocks("python"), blocks("sh", "console")
PLAIN = [block for block in PYTHON if not needs_client(block) and not needs_server(block)]
CLIENTS = [block for block in PYTHON if needs_client(block)]
SERVER = [block for block in PYTHON + SHELL if needs_server(block)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in SAMPLES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def promised(line: str) -> str | None:
    """The expected value in a comment at the end of a line."""
    _, mark, comment = line.rpartition("  # ")
    return comment if mark and "…" not in comment else None


def run_python(block: Block) -> None:
    names: dict[str, object] = {"__name__": "example"}
    lines = block.code.split("\n")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for statement in ast.parse(block.code).body:
            wanted = promised(lines[(statement.end_lineno or 1) - 1])
            before = len(printed.getvalue())
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), block.name, "eval"), names)
            else:
                exec(compile(ast.Module([statement], []), block.name, "exec"), names)
                continue
            if wanted is not None:
                shown = printed.getvalue()[before:].rstrip("\n") or repr(value)
                assert shown == wanted, f"{block.name}: {ast.unparse(statement)}"
    if block.output is not None:
        assert printed.getvalue() == block.output, block.name


@pytest.mark.parametrize("block", PLAIN, ids=lambda block: block.name)
def test_python_block(block: Block, folder: Path) -> None:
    if block.needs:
        pytest.skip(f"needs {block.needs}")
    run_python(block)


@pytest.mark.clients
@pytest.mark.filterwarnings("ignore")  # other packages warn about each other
@pytest.mark.parametrize("block", CLIENTS, ids=lambda block: block.name)
def test_python_block_with_a_client(block: Block, folder: Path) -> None:
    for name in sorted(imports(block.code) & set(OPTIONAL)):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    run_python(block)


def shell(command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-c", command],
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def commands(block: Block) -> list[tuple[str, list[str]]]:
    """The commands of a shell block, each with the output that the page promises."""
    found: list[tuple[str, list[str]]] = []
    console = block.language == "console"
    for line in block.code.replace("\\\n", "").splitlines():
        if console and not line.startswith("$ "):
            found[-1][1].append(line)
        elif not console and line.startswith("# ") and found:
            found[-1][1].append(line[2:])
        elif line.strip() and not line.startswith("#"):
            found.append((line.removeprefix("$ "), []))
    return found


@pytest.mark.parametrize(
    "block", [block for block in SHELL if not needs_server(block)], ids=lambda block: block.name
)
def test_shell_block(block: Block, folder: Path) -> None:
    if block.needs:
        assert "internals" in block.page.parts, "only pages for maintainers may need more"
        pytest.skip(f"needs {block.needs}")
    run_shell(block)


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    """A server on the port that the pages name."""
    command = [sys.executable, "-m", "respell", "serve", "--no-config", "--port", str(PORT)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        if "serving on" not in line:
            pytest.skip(line.strip())
        yield
        process.terminate()


@pytest.mark.clients
@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("block", SERVER, ids=lambda block: block.name)
def test_block_with_a_server(block: Block, folder: Path) -> None:
    if block.language == "python":
        run_python(block)
    else:
        run_shell(block)


def run_shell(block: Block) -> None:
    for command, output in commands(block):
        command = re.sub(r"^pip install \S+ && ", "", command)
        if NOT_RUN.match(command):
            continue
        done = shell(command)
        assert done.returncode in (0, 1), f"{block.name}: {command}: {done.stderr}"
        assert "no file to check" not in done.stderr, f"{block.name}: {command}: {done.stderr}"
        if output:
            assert done.stdout.splitlines() == output, f"{block.name}: {command}"


NO_RELEASE = re.compile(r"pip install [^\n&|;`]*(?<![/\w])respell(?! @ |\.?[/\w])")


def test_nobody_is_told_to_install_a_release_that_does_not_exist() -> None:
    assert NO_RELEASE.search("pip install 'respell[lsp]'")
    assert NO_RELEASE.search("pip install --upgrade respell==1.0")
    assert NO_RELEASE.search("pip install respell.")
    assert not NO_RELEASE.search("pip install git+https://github.com/respell/respell")
    listed = subprocess.run(
        ["git", "ls-files", "--", "*.md", "*.py", "*.ts", "*.json", "*.yml", "*.yaml", "*.html"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert "editors/vscode/src/extension.ts" in listed
    future = ("docs/internals/releasing.md", "tests/repository/test_docs.py")
    wrong = [
        name
        for name in listed
        if name not in future and NO_RELEASE.search((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert wrong == []


def test_the_ray_example_needs_two_cpus_only() -> None:
    (actors,) = re.findall(r"concurrency=(\d+)", (ROOT / "docs/scale.md").read_text("utf-8"))
    assert int(actors) == 1  # the tasks that read and write need the other CPU


def test_most_blocks_are_found() -> None:
    assert len(PLAIN) >= 8
    assert len(CLIENTS) >= 3
    assert len(SHELL) >= 8
    assert len(SERVER) >= 2


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_exist(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
