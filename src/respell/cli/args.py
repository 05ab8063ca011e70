"""The arguments of the command line."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from respell.config import Config, check_extension, find_config, read_dictionary
from respell.options import CorrectorOptions, check_threshold
from respell.types import PRESETS, Error

_EXAMPLES = """\
examples:
  respell "I recieve teh mail"     print the corrected text
  echo teh | respell               correct the text of a pipe
  respell check docs README.md     list misspellings
  respell fix --diff .             show what would change
  respell fix --write .            change the files
"""


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise an Error instead of printing the usage."""
        raise Error(f"{' '.join(message.split())}; see {self.prog} --help")


def parser(*, formats: Sequence[str]) -> argparse.ArgumentParser:
    """Build the parser of the command line."""
    parser = _Parser(
        prog="respell",
        usage="respell [-h] [--version] [OPTIONS] TEXT... | check ... | fix ... | lsp | serve ...",
        description="Context-aware English spelling correction.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="store_true", help="print the versions of package and model"
    )
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog="respell"
    )
    check = commands.add_parser("check", help="list misspellings; never changes a file")
    check.add_argument("--format", choices=formats, default="text", help="default: text")
    fix = commands.add_parser("fix", help="print the corrected text, or change files")
    how = fix.add_mutually_exclusive_group()
    how.add_argument("--write", action="store_true", help="change the files")
    how.add_argument("--diff", action="store_true", help="show the changes as a unified diff")
    lsp = commands.add_parser("lsp", help="start the language server on stdin and stdout")
    lsp.add_argument(
        "--stdio", action="store_true", help="accepted for compatibility; stdio is always used"
    )
    for command in (check, fix):
        _add_options(command)
    serve = commands.add_parser("serve", help="start the HTTP server with its web page")
    _add_serve_options(serve)
    return parser


def parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line. Paths may come between options; everything after `--` is a path."""
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
    """The arguments before `--`."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _add_serve_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: 127.0.0.1, this machine only)",
    )
    add("--port", type=port, default=8765, help="default: 8765; 0 chooses a free port")
    add("--workers", type=count, default=1, metavar="N", help="number of processes (default: 1)")
    add(
        "--max-body",
        type=count,
        default=1_000_000,
        metavar="BYTES",
        help="largest request (default: 1000000)",
    )
    add(
        "--timeout",
        type=seconds,
        default=30.0,
        metavar="SECONDS",
        help="longest request (default: 30)",
    )
    add(
        "--cors",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="allow browser requests from ORIGIN",
    )
    _add_model_options(command)
    command.set_defaults(extension=[])


def _add_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("paths", nargs="*", metavar="PATH", help="file, folder, or - for stdin")
    add(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB",
        help="skip matching paths; as in .gitignore",
    )
    add(
        "--extension",
        action="append",
        default=[],
        type=_argument("extension", check_extension),
        metavar="EXT",
        help="in folders, check only files with this extension",
    )
    add(
        "--jobs",
        type=count,
        metavar="N",
        help="number of processes, one thread each; for many files",
    )
    add("--stats", action="store_true", help="print the number of words and the speed on stderr")
    _add_model_options(command)


def _add_model_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--threshold", type=_threshold, metavar="P", help="least score of a correction, 0 to 1")
    add("--preset", choices=PRESETS, help="default: default")
    add("--dictionary", action="append", default=[], type=Path, metavar="FILE", help="known words")
    add("--model", type=Path, metavar="DIR", help="a model folder; default: the one in the package")
    add("--no-config", action="store_true", help="read no configuration file")


def _argument(name: str, check: Callable[[str], str]) -> Callable[[str], str]:
    """A type of argparse that reports our own message."""

    def parse(text: str) -> str:
        try:
            return check(text)
        except Error as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    parse.__name__ = name
    return parse


def _threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    try:
        check_threshold(value)
    except Error as error:
        message = f"must be a number between 0 and 1, not {text!r}"
        raise argparse.ArgumentTypeError(message) from error
    return value


def _number(text: str, parse: Callable[[str], float], fits: Callable[[float], bool]) -> float:
    value = parse(text)
    if not fits(value):
        raise ValueError
    return value


def count(text: str) -> int:
    """A whole number of at least 1; argparse uses this name in its messages."""
    return int(_number(text, int, lambda value: value >= 1))


def port(text: str) -> int:
    """A port number."""
    return int(_number(text, int, lambda value: 0 <= value < 1 << 16))


def seconds(text: str) -> float:
    """A time limit."""
    return _number(text, float, lambda value: 0 < value < 1e6)


def read_config(args: argparse.Namespace) -> Config:
    """The configuration file for the current folder, unless --no-config is given."""
    return Config(base=Path()) if args.no_config else find_config(Path.cwd())


def corrector_options(args: argparse.Namespace, config: Config) -> CorrectorOptions:
    """The options of the command line on top of those of the configuration file."""
    words = {word for path in args.dictionary for word in read_dictionary(path)}
    given = CorrectorOptions(
        model=args.model,
        preset=args.preset,
        threshold=args.threshold,
        dictionary=frozenset(words),
    )
    return given.over(config.options())
