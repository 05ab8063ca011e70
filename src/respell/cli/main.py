"""The command line: parse the arguments, run the command, return an exit status."""

import argparse
import contextlib
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from respell import __version__
from respell.cli import args, files, hints, ispell
from respell.cli.check import check
from respell.cli.files import Source
from respell.cli.fix import fix
from respell.cli.gather import read_evidence
from respell.cli.gitignore import Patterns
from respell.cli.job import CLEAN, TROUBLE, Job, Outcome
from respell.cli.loading import Load, load, open_corrector
from respell.cli.progress import Progress
from respell.cli.reports.render import FORMATS
from respell.cli.runner import Run
from respell.cli.words import words
from respell.model.version import default_path, read_version
from respell.text.apply import apply, automatic
from respell.types import Error

if TYPE_CHECKING:  # needs numpy
    from respell.decision.evidence import Evidence

_INTERRUPTED, _BROKEN_PIPE = 130, 141  # 128 + the number of the signal, as in shells
_FILE_COMMANDS: dict[str, Callable[[Job], Outcome]] = {"check": check, "fix": fix, "words": words}


@contextlib.contextmanager
def _clean_exit_on_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit, so that no temporary file is left behind."""

    def end(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    wanted = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    before = {
        number: signal.signal(number, end)
        for number in wanted
        if number and signal.getsignal(number) is signal.SIG_DFL and _in_main_thread()
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_main_thread() -> bool:
    """Whether signals can be handled here."""
    return threading.current_thread() is threading.main_thread()


def _run(options: argparse.Namespace, load: Load) -> int:
    """Run a command that reads files."""
    names = options.paths or ["-" if _piped() else "."]
    _check_usage(options, names)
    config = args.read_config(options)
    find = partial(
        files.find,
        names,
        extensions=tuple(options.extension) or config.extension,
        exclude=(
            Patterns.typed(config.base, config.exclude),
            Patterns.typed(Path(), [f"/{files.WORDS_FILE}", *options.exclude]),
        ),
    )
    with contextlib.ExitStack() as stack:
        corrector_options = args.corrector_options(options, config)
        if options.command == "fix" and (options.write or options.diff):
            corrector_options = replace(corrector_options, strict_fixes=True)
        stdin: list[Source] = []
        total = files.total_size(find(on_error=_ignore)) if sys.stderr.isatty() else None

        def gather(evidence: "Evidence") -> None:
            with Progress(total, "reading") as progress:
                found = read_evidence(find(on_error=_ignore), evidence, progress)
            stdin.extend([found] if found else [])

        collect = None if options.no_evidence else gather
        corrector, clock = open_corrector(corrector_options, load, options.jobs, stack, collect)
        # After the model is loaded, which is not part of the progress.
        progress = stack.enter_context(Progress(total))
        run = Run(corrector, progress, count_words=options.stats, clock=clock)
        sources = find(on_error=run.complain, on_note=_ignore if options.quiet else run.note)
        sources = (stdin[0] if s.path is None and stdin else s for s in sources)
        if options.command == "fix" and (options.write or options.interactive):
            stack.enter_context(_clean_exit_on_signals())
        outcome = _FILE_COMMANDS[options.command](Job(run, sources, options, config))
        sys.stdout.flush()  # errors of stdout come before the summary
        if options.stats:
            run.note(run.stats())
        progress.hide()
        if outcome.summary and not options.quiet:
            sys.stderr.write(f"{outcome.summary}\n")
    return TROUBLE if run.trouble else outcome.status


def _check_usage(options: argparse.Namespace, names: Sequence[str]) -> None:
    """Raise an Error for options that do not fit together."""
    if options.command == "check" and options.update_baseline and options.baseline is None:
        raise Error("--update-baseline needs --baseline FILE")
    if options.command != "fix" or options.write or options.diff:
        return
    if options.interactive:
        from respell.cli.interactive import need_terminal

        need_terminal()
    elif len(names) > 1 or files.is_folder(names[0]):
        raise Error("fix prints only one file: add --write to change files, or --diff to see how")


def _ignore(message: str) -> None:
    """Print nothing."""


def _correct_text(options: argparse.Namespace, load: Load) -> int:
    if options.write or options.diff or options.interactive:
        raise Error("--write, --diff and --interactive are for files: respell fix --diff FILE")
    text = " ".join(options.paths)
    corrector_options = args.corrector_options(options, args.read_config(options))
    corrector = load(corrector_options.model, **corrector_options.arguments())
    for corrections in corrector.check_many([text]):
        corrected = apply(text, automatic(corrections)) + "\n"
        sys.stdout.buffer.write(corrected.encode("utf-8", "surrogateescape"))
    return CLEAN


def _piped() -> bool:
    """Whether stdin has something to read; /dev/null does not count."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except OSError:  # not a file of the system, but a text put there by a caller
        return True
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _lsp(parser: args.Parser, options: argparse.Namespace) -> int:
    from respell.lsp import serve

    serve()
    return CLEAN


def _serve(parser: args.Parser, options: argparse.Namespace) -> int:
    try:
        from respell.server.run import start
    except ModuleNotFoundError as error:
        raise Error(f"serve needs {error.name}: pip install '.[server]' in a checkout") from error
    start(options, args.corrector_options(options, args.read_config(options)))
    return CLEAN


def _page(parser: args.Parser, options: argparse.Namespace) -> int:
    from respell.server.page import write_page

    size = write_page(options.out, model=options.model or default_path(), assets=options.assets)
    print(f"{options.out}: written; a first visit transfers {size / 1e6:.1f} MB", file=sys.stderr)
    return CLEAN


def _completion(parser: args.Parser, options: argparse.Namespace) -> int:
    from respell.cli.completion import completion

    print(completion(parser, options.shell), end="")
    return CLEAN


def _man(parser: args.Parser, options: argparse.Namespace) -> int:
    from datetime import date

    from respell.cli.man import man_page

    print(man_page(parser, __version__, str(date.today())), end="")
    return CLEAN


_OTHER_COMMANDS = {
    "lsp": _lsp,
    "serve": _serve,
    "page": _page,
    "completion": _completion,
    "man": _man,
}
_WITH_ARGUMENTS = (*_FILE_COMMANDS, "serve", "page", "lsp", "completion")


def _as_ispell(parser: args.Parser, arguments: list[str], load: Load) -> int:
    if ispell.corrects_file(arguments):
        from respell.cli.ispell.options import for_fix

        return _run(for_fix(arguments, args.parse(parser, ["fix", "--interactive"])), load)
    from respell.cli.ispell.command import run

    return run(arguments, load)


def _dispatch(arguments: list[str], load: Load) -> int:
    parser = args.parser(formats=FORMATS)
    first = arguments[0] if arguments else ""
    if first == "--version":
        print(_version())
        return CLEAN
    if ispell.wanted(arguments, piped=_piped):
        return _as_ispell(parser, arguments, load)
    if first in _OTHER_COMMANDS:
        return _OTHER_COMMANDS[first](parser, args.parse(parser, arguments))
    if first in _FILE_COMMANDS or first in ("-h", "--help"):
        return _run(args.parse(parser, arguments), load)
    if first and not first.startswith("-"):
        hints.reject_mistyped_command(args.before_dashes(arguments), _WITH_ARGUMENTS)
    options = args.parse(parser, arguments, text=True)
    if options.paths not in ([], ["-"]):
        _reject_commands(options.paths, arguments)
        return _correct_text(options, load)
    if not options.paths and not _piped():
        parser.print_help(sys.stderr)
        return TROUBLE
    return _run(options, load)


def _reject_commands(words: Sequence[str], arguments: Sequence[str]) -> None:
    """Raise an Error if a text was probably meant as a command or as paths."""
    front = args.before_dashes(arguments)
    text = words[0]
    if text in front:
        if text in (*_FILE_COMMANDS, *_OTHER_COMMANDS):
            raise Error(f"options go after the command: respell {text} ...; a text goes after --")
        hints.reject_mistyped_command(words, _WITH_ARGUMENTS)
    if len(front) == len(arguments):
        hints.reject_paths(words)


def _version() -> str:
    """The versions of the package and of the model inside it."""
    return f"respell {__version__} (model {read_version(default_path())})"


def _open_streams() -> None:
    """Replace standard streams that were closed before the start by empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def main(argv: Sequence[str] | None = None, *, load: Load = load) -> int:
    """Run the command line. Returns 0 if clean, 1 if misspellings were found, 2 on errors."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    try:
        status = _dispatch(arguments, load)
        sys.stdout.flush()
    except SystemExit as stop:  # 0 after --help; a signal during a rewrite
        return stop.code if isinstance(stop.code, int) else TROUBLE
    except BrokenPipeError:
        # Python would fail again when it flushes the rest: send that to /dev/null.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Error as error:
        print(f"respell: {error}", file=sys.stderr)
        return TROUBLE
    except Exception as error:
        if os.environ.get("RESPELL_DEBUG"):
            import traceback

            traceback.print_exc()
        print(f"respell: {type(error).__name__}: {error}", file=sys.stderr)
        return TROUBLE
    return status
