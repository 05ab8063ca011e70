"""Options of the command line, keys of the configuration file, and the settings they make."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from respell.types import PRESETS as PRESETS
from respell.types import Error

_EXAMPLES = """\
examples:
  respell "I recieve teh mail"     print the corrected text
  echo teh | respell               the same for what comes down a pipe
  respell check docs README.md     list the misspellings
  respell fix --diff .             show what would change
  respell fix --write .            change the files
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """What `[tool.respell]` or respell.toml may set; `base` is the folder of that file."""

    base: Path
    threshold: float | None = None
    preset: str = "default"
    dictionary: tuple[str, ...] = ()
    dictionary_files: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    extension: tuple[str, ...] = ()
    model: Path | None = None

    def words(self) -> list[str]:
        """All words the user knows: those of the configuration and of the files it names."""
        files = (word for path in self.dictionary_files for word in read_words(path))
        return [*self.dictionary, *files]


class _Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line, as everything else does."""

    def error(self, message: str) -> NoReturn:
        """Raise an Error in place of printing the usage."""
        raise Error(f"{' '.join(message.split())}; see {self.prog} --help")


def parser(*, version: str, formats: Sequence[str]) -> argparse.ArgumentParser:
    """Build the parser of the command line."""
    parser = _Parser(
        prog="respell",
        usage="respell [-h] [--version] [OPTIONS] TEXT... | check ... | fix ... | lsp | serve ...",
        description="Context-aware English spelling correction.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"respell {version}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog="respell"
    )
    check = commands.add_parser("check", help="list the misspellings of files; never writes")
    check.add_argument("--format", choices=formats, default="text", help="default: text")
    fix = commands.add_parser("fix", help="print the corrected text, or correct files")
    how = fix.add_mutually_exclusive_group()
    how.add_argument("--write", action="store_true", help="change the files")
    how.add_argument("--diff", action="store_true", help="show the changes as a unified diff")
    lsp = commands.add_parser("lsp", help="serve an editor: LSP on standard input and output")
    lsp.add_argument("--stdio", action="store_true", help="as always; some editors say it")
    for command in (check, fix):
        _add_options(command)
    serve = commands.add_parser("serve", help="answer over HTTP, with a page for the browser")
    _add_serve_options(serve)
    return parser


def parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; paths may stand between options, and all behind `--` are paths."""
    front = before_dashes(arguments)
    options, rest = parser.parse_known_args(front)
    behind = arguments[len(front) + 1 :]
    if not hasattr(options, "paths"):
        unknown = [*rest, *behind]
    else:
        unknown = [one for one in rest if one.startswith("-") and one != "-"]
        options.paths = [*options.paths, *rest, *behind]
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return options


def before_dashes(arguments: Sequence[str]) -> Sequence[str]:
    """Cut off `--` and what stands behind it."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _add_serve_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--host", default="127.0.0.1", help="default: 127.0.0.1, this machine only")
    add("--port", type=port, default=8765, help="default: 8765; 0 takes any that is free")
    add("--workers", type=count, default=1, metavar="N", help="processes; default: 1")
    add("--max-body", type=count, default=1_000_000, metavar="BYTES", help="default: 1000000")
    add("--timeout", type=seconds, default=30.0, metavar="SECONDS", help="default: 30")
    add("--cors", action="append", default=[], metavar="ORIGIN", help="let pages of it ask")
    _add_model_options(command)
    command.set_defaults(extension=[])


def _add_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("paths", nargs="*", metavar="PATH", help="file, folder, or - for standard input")
    add(
        "--exclude", action="append", default=[], metavar="GLOB", help="leave out; as in .gitignore"
    )
    add(
        "--extension",
        action="append",
        default=[],
        type=extension,
        metavar="EXT",
        help="look for these only",
    )
    add("--jobs", type=count, metavar="N", help="processes with one thread each; for many files")
    add("--stats", action="store_true", help="say on standard error how much was done how fast")
    _add_model_options(command)


def _add_model_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--threshold", type=probability, metavar="P", help="least probability of a correction")
    add("--preset", choices=PRESETS, help="default: default")
    add("--dictionary", action="append", default=[], type=Path, metavar="FILE", help="known words")
    add("--model", type=Path, metavar="DIR", help="a bundle other than the one inside the package")
    add("--no-config", action="store_true", help="read no configuration file")


def extension(text: str) -> str:
    """The end of a file's name; no list and no pattern."""
    if set(text) & set(",*/"):
        raise argparse.ArgumentTypeError(f"{text!r} is not one extension, such as md or .md")
    return text


def probability(text: str) -> float:
    """A number from 0 to 1; argparse names this function in its complaints."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError
    return value


def count(text: str) -> int:
    """A whole number above 0."""
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def port(text: str) -> int:
    """A number that a port may have."""
    value = int(text)
    if not 0 <= value < 1 << 16:
        raise ValueError
    return value


def seconds(text: str) -> float:
    """A time to wait."""
    value = float(text)
    if not 0 < value < 1e6:
        raise ValueError
    return value


def settle(options: argparse.Namespace) -> Settings:
    """Put the command line over the configuration file found from the current folder."""
    settings = Settings(base=Path()) if options.no_config else find(Path.cwd())
    threshold = options.threshold
    if threshold is None and options.preset is None:  # a preset asked for brings its own threshold
        threshold = settings.threshold
    return replace(
        settings,
        threshold=threshold,
        preset=options.preset or settings.preset,
        dictionary_files=(*settings.dictionary_files, *options.dictionary),
        extension=tuple(options.extension) or settings.extension,
        model=options.model or settings.model,
    )


def find(start: Path) -> Settings:
    """Read the nearest configuration at or above the folder `start`; without one, the defaults."""
    start = start.resolve()
    for folder in (start, *start.parents):
        own, shared = folder / "respell.toml", folder / "pyproject.toml"
        if _is_file(own):
            return _settings(own, _parse(own))
        if _is_file(shared):
            tool = _parse(shared).get("tool")
            if isinstance(tool, dict) and "respell" in tool:
                return _settings(shared, tool["respell"])
    return Settings(base=start)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # in a folder that one may not enter
        return False


def read_words(path: Path) -> list[str]:
    """Read a list of words, one a line; `#` starts a comment."""
    words = []
    for number, line in enumerate(_text(path).splitlines(), start=1):
        parts = line.split()
        comment = next((i for i, part in enumerate(parts) if part.startswith("#")), len(parts))
        if comment > 1:
            raise Error(f"{path}:{number}: more than one word; write one word a line")
        words += parts[:comment]
    return words


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Error(f"{path}: not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from error


def _parse(path: Path) -> dict[str, Any]:
    import tomllib  # here, because most runs of --help and --version need none of it

    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Error(f"{path}: not valid TOML: {error}") from error


def _settings(path: Path, table: object) -> Settings:
    if not isinstance(table, dict):
        raise Error(f"{path}: tool.respell must be a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key in ("dictionary", "exclude"):
            values[key] = _strings(path, key, value)
        elif key == "extension":
            values[key] = _extensions(path, value)
        elif key == "dictionary_files":
            values[key] = tuple(path.parent / name for name in _strings(path, key, value))
        elif key in _SINGLE:
            values[key] = _SINGLE[key](path, value)
        else:
            raise Error(f"{path}: unknown key {key!r}; known are {', '.join(_KNOWN)}")
    return Settings(base=path.parent, **values)


def _strings(path: Path, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Error(f"{path}: {key} must be a list of strings")
    return tuple(value)


def _extensions(path: Path, value: object) -> tuple[str, ...]:
    try:
        return tuple(map(extension, _strings(path, "extension", value)))
    except argparse.ArgumentTypeError as error:
        raise Error(f"{path}: extension: {error}") from error


def _threshold(path: Path, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Error(f"{path}: threshold must be a number between 0 and 1")
    return float(value)


def _preset(path: Path, value: object) -> str:
    if value not in PRESETS:
        raise Error(f"{path}: preset must be one of {', '.join(PRESETS)}")
    return str(value)


def _model(path: Path, value: object) -> Path:
    if not isinstance(value, str):
        raise Error(f"{path}: model must be a string, the folder of a bundle")
    return path.parent / value


_SINGLE = {"threshold": _threshold, "preset": _preset, "model": _model}
_KNOWN = (*_SINGLE, "dictionary", "dictionary_files", "exclude", "extension")
