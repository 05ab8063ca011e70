"""The command line: parse the arguments, run the command, return an exit status."""

import argparse
import contextlib
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn, Protocol

from respell import __version__
from respell.cli import args, files
from respell.cli.gitignore import Patterns
from respell.cli.progress import Progress
from respell.cli.reports.diff import diff
from respell.cli.reports.finding import Finding, locate
from respell.cli.reports.render import FORMATS, render
from respell.cli.reports.text import color_wanted
from respell.cli.rewrite import Rewrite
from respell.cli.runner import Run
from respell.model.version import default_path, read_version
from respell.options import CorrectorOptions
from respell.text.apply import apply
from respell.types import Correction, Error, TextChecker

CLEAN, FOUND, TROUBLE = 0, 1, 2
_INTERRUPTED, _BROKEN_PIPE = 130, 141  # 128 + the number of the signal, as in shells


class Load(Protocol):
    """Loads a corrector; `respell.load` is one."""

    def __call__(
        self,
        path: str | Path | None = None,
        *,
        preset: str = "default",
        threshold: float | None = None,
        fix_threshold: float | None = None,
        dictionary: Iterable[str] = (),
        max_suggestions: int = 5,
        threads: int = 0,
    ) -> TextChecker[list[Correction]]:
        """Load the bundle in the folder `path`, or the one inside the package."""


def _check(run: Run, sources: Iterable[files.Source], options: argparse.Namespace) -> int:
    def findings() -> Iterator[Finding]:
        for source, blocks in run.checked(sources):
            try:
                yield from locate(source.name, blocks)
            except Error as error:
                run.fail(source, error)

    color = color_wanted(sys.stdout)
    run.emit(render(options.format, findings(), color=color, version=__version__))
    return FOUND if run.findings else CLEAN


def _fix(run: Run, sources: Iterable[files.Source], options: argparse.Namespace) -> int:
    for source, blocks in run.checked(sources):
        changes = ((text, apply(text, corrections)) for text, corrections in blocks)
        try:
            if options.write:
                _write(source, changes)
            elif options.diff:
                run.emit(diff(source.name, changes, color=color_wanted(sys.stdout)))
            else:
                run.emit(new for _, new in changes)
        except BrokenPipeError:
            raise
        except (Error, OSError) as error:
            run.fail(source, error)
    return FOUND if options.diff and run.findings else CLEAN


def _write(source: files.Source, changes: Iterator[tuple[str, str]]) -> None:
    if source.path is None:
        raise Error("stdin cannot be changed in place; leave out --write")
    with Rewrite(source, source.path) as rewrite:
        for old, new in changes:
            rewrite.write(old, new)


def _writable(run: Run, sources: Iterable[files.Source]) -> Iterator[files.Source]:
    """Skip pipes and devices: reading one may never end, and it cannot be replaced."""
    for source in sources:
        if source.stat and not stat.S_ISREG(source.stat.st_mode):
            run.complain(f"{source.name}: not a regular file, cannot be changed in place")
        else:
            yield source


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


_COMMANDS = {"check": _check, "fix": _fix}


def _run(options: argparse.Namespace, load: Load) -> int:
    names = options.paths or ["-" if _piped() else "."]
    to_stdout = options.command == "fix" and not (options.write or options.diff)
    if to_stdout and (len(names) > 1 or files.is_folder(names[0])):
        raise Error("fix prints only one file: add --write to change files, or --diff to see how")
    config = args.read_config(options)
    exclude = (
        Patterns.typed(config.base, config.exclude),
        Patterns.typed(Path(), options.exclude),
    )
    with contextlib.ExitStack() as stack:
        corrector_options = args.corrector_options(options, config)
        corrector, clock = _open(corrector_options, load, options.jobs, stack)
        # After the model is loaded, which is not part of the progress.
        progress = stack.enter_context(Progress(files.size(names)))
        run = Run(corrector, progress, count_words=options.stats, clock=clock)
        sources = files.find(
            names,
            extensions=tuple(options.extension) or config.extension,
            exclude=exclude,
            on_error=run.complain,
            on_note=run.note,
        )
        if options.command == "fix" and options.write:
            stack.enter_context(_clean_exit_on_signals())
            sources = _writable(run, sources)
        status = _COMMANDS[options.command](run, sources, options)
        if options.stats:
            run.note(run.stats())
    return TROUBLE if run.trouble else status


def _correct_text(options: argparse.Namespace, load: Load) -> int:
    words = options.paths
    if options.write or options.diff:
        raise Error("--write and --diff are for files: respell fix --diff FILE")
    if len(words) == 1 and files.size(words) is not None:
        print(
            f"respell: read as text; to correct the file: respell fix {words[0]}", file=sys.stderr
        )
    text = " ".join(words)
    corrector_options = args.corrector_options(options, args.read_config(options))
    corrector = load(corrector_options.model, **corrector_options.arguments())
    for corrections in corrector.check_many([text]):
        corrected = apply(text, corrections) + "\n"
        sys.stdout.buffer.write(corrected.encode("utf-8", "surrogateescape"))
    return CLEAN


def _open(
    options: CorrectorOptions, load: Load, jobs: int | None, stack: contextlib.ExitStack
) -> tuple[TextChecker[list[Correction] | Error], Callable[[], float]]:
    """A corrector, or several in worker processes, and a clock of their CPU time."""
    if jobs is None:
        return load(options.model, **options.arguments()), time.process_time
    one_thread = partial(load, options.model, threads=1, **options.arguments())
    if jobs == 1:
        return one_thread(), time.process_time
    from respell.cli.workers import Workers  # imported here because one process does not need it

    workers = Workers(jobs, one_thread)
    stack.callback(workers.close)
    return workers, workers.cpu


def _piped() -> bool:
    """Whether stdin has something to read; /dev/null does not count."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except OSError:  # not a file of the system, but a text put there by a caller
        return True
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _load(
    path: str | Path | None = None,
    *,
    preset: str = "default",
    threshold: float | None = None,
    fix_threshold: float | None = None,
    dictionary: Iterable[str] = (),
    max_suggestions: int = 5,
    threads: int = 0,
) -> TextChecker[list[Correction]]:
    from respell.corrector import load  # imported here because it needs numpy and onnxruntime

    return load(
        path,
        preset=preset,
        threshold=threshold,
        fix_threshold=fix_threshold,
        dictionary=dictionary,
        max_suggestions=max_suggestions,
        threads=threads,
    )


def _lsp(options: argparse.Namespace) -> int:
    from respell.lsp import serve

    serve()
    return CLEAN


def _serve(options: argparse.Namespace) -> int:
    try:
        from respell.server.run import start
    except ModuleNotFoundError as error:
        raise Error(f"serve needs {error.name}: pip install '.[server]' in a checkout") from error
    start(options, args.corrector_options(options, args.read_config(options)))
    return CLEAN


_SERVICES = {"lsp": _lsp, "serve": _serve}


def _dispatch(arguments: list[str], load: Load) -> int:
    parser = args.parser(formats=FORMATS)
    first = arguments[0] if arguments else ""
    if first == "--version":
        print(_version())
        return CLEAN
    if first in _SERVICES:
        return _SERVICES[first](args.parse(parser, arguments))
    if first in _COMMANDS or first in ("-h", "--help"):
        return _run(args.parse(parser, arguments), load)
    options = args.parse(parser, ["fix", *arguments])  # a text takes the options of fix
    text = options.paths[0] if options.paths else ""
    if text in (*_COMMANDS, *_SERVICES) and text in args.before_dashes(arguments):
        raise Error(f"options go after the command: respell {text} ...; a text goes after --")
    if options.paths not in ([], ["-"]):
        return _correct_text(options, load)
    if not options.paths and not _piped():
        parser.print_help(sys.stderr)
        return TROUBLE
    return _run(options, load)


def _version() -> str:
    """The versions of the package and of the model inside it."""
    return f"respell {__version__} (model {read_version(default_path())})"


def _open_streams() -> None:
    """Replace standard streams that were closed before the start by empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def main(argv: Sequence[str] | None = None, *, load: Load = _load) -> int:
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
