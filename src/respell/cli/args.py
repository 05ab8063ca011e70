"""The arguments of the command line."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from respell.cli.hints import did_you_mean
from respell.config import Config, check_extension, find_config, read_dictionary
from respell.options import CorrectorOptions
from respell.types import PRESETS, VARIANTS, Error

SHELLS = ("bash", "zsh", "fish")
_EXAMPLES = """\
examples:
  respell "I recieve teh mail"     print the corrected text
  echo teh | respell               correct the text of a pipe
  respell check docs README.md     list misspellings
  respell fix --diff .             show what would change
  respell fix --write .            change the files
  respell fix --interactive .      ask before each change
  respell -a                       answer editors that talk to ispell
"""


class Parser(argparse.ArgumentParser):
    """Reports errors in one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        self.commands: dict[str, Parser] = {}

    def error(self, message: str) -> NoReturn:
        """Raise an Error instead of printing the usage."""
        text = " ".join(message.split())
        see = " See" if text.endswith("?") else "; see"
        raise Error(f"{text}{see} {self.prog} --help")

    @property
    def options(self) -> list[argparse.Action]:
        """The options, without positional arguments."""
        return [action for action in self._actions if action.option_strings]

    @property
    def positionals(self) -> list[argparse.Action]:
        """The positional arguments."""
        return [action for action in self._actions if not action.option_strings]


def parser(*, formats: Sequence[str]) -> Parser:
    """Build the parser of the command line."""
    parser = Parser(
        prog="respell",
        usage="respell [-h] [--version] [OPTIONS] TEXT... | COMMAND ...",
        description="Correct English spelling in context. A TEXT takes the options of respell fix.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="store_true", help="print the versions of package and model"
    )
    parser.add_argument(
        "-a",
        "--ispell",
        action="store_true",
        help="answer as ispell -a does, for editors; see respell -a --help",
    )
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog="respell"
    )

    def command(name: str, text: str, *add_options: Callable[[Parser], None]) -> Parser:
        made = parser.commands[name] = commands.add_parser(name, help=text, description=text)
        for add in add_options:
            add(made)
        return made

    check = command("check", "list misspellings, without changing files")
    _add_choice(check, "--format", formats, default="text", help="output format (default: text)")
    _add_check_options(check)
    fix = command("fix", "print the corrected text, or change files", _add_fix_options)
    _add_file_options(check)
    _add_file_options(fix, "print no summary, no notes and no lists of changes")
    for either in (check, fix):
        _add_run_options(either)
        add_model_options(either)
    command("words", "list unknown words, to start a dictionary", _add_words_options)
    command("serve", "start the HTTP server and its web page", _add_serve_options)
    command("page", "write a web page that needs no server", _add_page_options)
    lsp = command("lsp", "start the language server for editors")
    lsp.add_argument(
        "--stdio", action="store_true", help="accepted for compatibility; stdio is always used"
    )
    completion = command("completion", "print a completion script for a shell")
    _add_choice(completion, "shell", SHELLS, metavar="SHELL", help="bash, zsh or fish")
    command("man", "print the manual page")
    return parser


def parse(parser: Parser, arguments: Sequence[str], *, text: bool = False) -> argparse.Namespace:
    """Parse the command line; a `text` takes the options of fix.

    Paths may come between options; everything after `--` is a path.
    """
    front = before_dashes(arguments)
    options, rest = parser.parse_known_args(["fix", *front] if text else front)
    command = parser.commands[options.command]
    behind = arguments[len(front) + 1 :]
    unknown = next((one for one in rest if one.startswith("-") and one != "-"), None)
    if unknown is not None:
        name = unknown.partition("=")[0]
        later = next((word for word in front if word in parser.commands), None) if text else None
        if later is not None:
            raise Error(f"options go after the command: respell {later} {name}")
        if elsewhere := _elsewhere(parser, name):
            raise Error(f"no option {name!r} here; did you mean {elsewhere}?")
        known = [*command.options, *(parser.options if text else ())]
        near = did_you_mean(name, (string for one in known for string in one.option_strings))
        command.error(f"no option {name!r}{near}")
    if not hasattr(options, "paths"):
        if rest or behind:
            command.error(f"unrecognized arguments: {' '.join([*rest, *behind])}")
    else:
        options.paths = [*options.paths, *rest, *behind]
    return options


def _elsewhere(parser: Parser, name: str) -> str:
    """The command with this name or with an option of this name; "" if there is none."""
    if name.startswith("--") and name[2:] in parser.commands:
        return f"respell {name[2:]}"
    owners = (parser, *parser.commands.values())
    return next((f"{one.prog} {name}" for one in owners if _has(one, name)), "")


def _has(parser: Parser, name: str) -> bool:
    return any(name in option.option_strings for option in parser.options)


def before_dashes(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments before `--`."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _add_choice(command: Parser, name: str, choices: Sequence[str], **options: Any) -> None:
    """Add an argument with choices that suggests the nearest one for a wrong value."""

    def choice(text: str) -> str:
        if text in choices:
            return text
        near = did_you_mean(text, choices)
        message = f"must be one of {', '.join(choices)}, not {text!r}{near}"
        raise argparse.ArgumentTypeError(message)

    command.add_argument(name, type=choice, choices=choices, **options)


def _add_check_options(command: Parser) -> None:
    add = command.add_argument
    add(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="report only problems that FILE does not list; if there is no FILE, write it",
    )
    add("--update-baseline", action="store_true", help="write the baseline anew")
    add(
        "--diff-base",
        metavar="REV",
        help="check only lines added or changed since the git revision REV",
    )


def _add_fix_options(command: Parser) -> None:
    how = command.add_mutually_exclusive_group()
    how.add_argument(
        "--write",
        action="store_true",
        help="change the files, where a correction is almost certain",
    )
    how.add_argument("--diff", action="store_true", help="show what --write would change")
    how.add_argument("-i", "--interactive", action="store_true", help="ask before each change")


def _add_words_options(command: Parser) -> None:
    _add_file_options(command)
    command.add_argument(
        "--min-count",
        type=count,
        default=1,
        metavar="N",
        help="list only words found N times or more",
    )
    _add_dictionary_options(command)
    command.set_defaults(
        preset=None, threshold=None, fix_threshold=None, spacing=None, variant=None
    )
    command.set_defaults(jobs=None, stats=False, no_evidence=True)


def _add_serve_options(command: Parser) -> None:
    add = command.add_argument
    add(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: 127.0.0.1, this machine only)",
    )
    add("--port", type=port, default=8765, help="port (default: 8765); 0 chooses a free one")
    add("--workers", type=count, default=1, metavar="N", help="number of processes (default: 1)")
    add(
        "--max-body",
        type=count,
        default=1_000_000,
        metavar="BYTES",
        help="largest request body (default: 1000000)",
    )
    add(
        "--timeout",
        type=seconds,
        default=30.0,
        metavar="SECONDS",
        help="longest time for a request (default: 30)",
    )
    add(
        "--cors",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="allow browser requests from ORIGIN; repeatable",
    )
    add_model_options(command)


def _add_page_options(command: Parser) -> None:
    add = command.add_argument
    add("--out", type=Path, required=True, metavar="DIR", help="folder to write")
    add("--model", type=Path, metavar="DIR", help="model folder (default: the one in the package)")
    add(
        "--assets",
        type=Path,
        metavar="DIR",
        help="the built JavaScript package (default: js/dist/browser of the checkout)",
    )


def _add_file_options(command: Parser, quiet: str = "print no summary and no notes") -> None:
    add = command.add_argument
    add(
        "paths",
        nargs="*",
        metavar="PATH",
        help="file, folder, or - for stdin (default: piped stdin, or this folder)",
    )
    add(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB",
        help="skip paths that match a pattern as in .gitignore; repeatable",
    )
    add(
        "--extension",
        action="append",
        default=[],
        type=_extension,
        metavar="EXT",
        help="in folders, check only files with this extension; repeatable",
    )
    add("-q", "--quiet", action="store_true", help=quiet)


def _add_run_options(command: Parser) -> None:
    add = command.add_argument
    add(
        "--jobs",
        type=count,
        metavar="N",
        help="use N processes, one thread each: faster for many files",
    )
    add(
        "--no-evidence",
        action="store_true",
        help="do not use the rest of the files as evidence",
    )
    add("--stats", action="store_true", help="print the number of words and the speed")


def add_model_options(command: Parser) -> None:
    """Add the options of the corrector."""
    add = command.add_argument
    add(
        "--threshold",
        type=_threshold,
        metavar="P",
        help="how sure respell must be to list a word, 0 to 1 (default: the preset's)",
    )
    add(
        "--fix-threshold",
        type=_threshold,
        metavar="P",
        help="how sure it must be to change a word, 0 to 1 (default: the preset's)",
    )
    _add_choice(
        command,
        "--preset",
        PRESETS,
        help="noisy is for heavily corrupted text; careful reports only what is very likely",
    )
    add(
        "--spacing",
        action=argparse.BooleanOptionalAction,
        help="find missing and extra spaces (default: if the model can)",
    )
    _add_choice(
        command,
        "--variant",
        VARIANTS,
        help="use this spelling, and report the other one (default: auto, as in the text)",
    )
    _add_dictionary_options(command)


def _add_dictionary_options(command: Parser) -> None:
    add = command.add_argument
    add(
        "--dictionary",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="words to accept and to suggest, one per line; repeatable",
    )
    add("--model", type=Path, metavar="DIR", help="model folder (default: the one in the package)")
    add("--no-config", action="store_true", help="read no configuration file")


def _extension(text: str) -> str:
    try:
        return check_extension(text)
    except Error as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _number(
    text: str, parse: Callable[[str], float], fits: Callable[[float], bool], range_text: str
) -> float:
    try:
        value = parse(text)
        if fits(value):
            return value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"must be a {range_text}, not {text!r}")


def _threshold(text: str) -> float:
    return _number(text, float, lambda value: 0 <= value <= 1, "number between 0 and 1")


def count(text: str) -> int:
    """A whole number of at least 1."""
    return int(_number(text, int, lambda value: value >= 1, "whole number of at least 1"))


def port(text: str) -> int:
    """A port number."""
    fits = range(1 << 16).__contains__
    return int(_number(text, int, fits, "whole number between 0 and 65535"))


def seconds(text: str) -> float:
    """A time limit."""
    fits = "number of seconds above 0 and below 1000000"
    return _number(text, float, lambda value: 0 < value < 1e6, fits)


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
        fix_threshold=args.fix_threshold,
        variant=args.variant,
        spacing=args.spacing,
        dictionary=frozenset(words),
    )
    return given.over(config.options()).for_reading()
