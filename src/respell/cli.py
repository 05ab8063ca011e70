"""The command line: parses, calls, and turns what happened into an exit status."""

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
from typing import Any, NoReturn, Protocol

from respell import __version__, config, files, report
from respell.progress import Progress
from respell.run import Checks, Run
from respell.text import apply
from respell.types import Correction, Error

CLEAN, FOUND, TROUBLE = 0, 1, 2
_INTERRUPTED, _BROKEN_PIPE = 130, 141  # 128 + the number of the signal, as shells have it


class Corrector(Protocol):
    """What is loaded; `respell.Corrector` is one."""

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        """Yield the corrections of each text, in order."""


class Load(Protocol):
    """What loads a corrector; `respell.load` is one."""

    def __call__(
        self,
        path: str | Path | None = None,
        *,
        preset: str = "default",
        threshold: float | None = None,
        dictionary: Iterable[str] = (),
        threads: int = 0,
    ) -> Corrector:
        """Load the bundle in the folder `path`, or the one inside the package."""


def _check(run: Run, sources: Iterable[files.Source], options: argparse.Namespace) -> int:
    def findings() -> Iterator[report.Finding]:
        for source, blocks in run.checked(sources):
            try:
                yield from report.locate(source.name, blocks)
            except Error as error:
                run.fail(source, error)

    color = report.color_wanted(sys.stdout)
    run.emit(report.render(options.format, findings(), color=color, version=__version__))
    return FOUND if run.findings else CLEAN


def _fix(run: Run, sources: Iterable[files.Source], options: argparse.Namespace) -> int:
    for source, blocks in run.checked(sources):
        changes = ((text, apply(text, corrections)) for text, corrections in blocks)
        try:
            if options.write:
                _write(source, changes)
            elif options.diff:
                run.emit(report.diff(source.name, changes, color=report.color_wanted(sys.stdout)))
            else:
                run.emit(new for _, new in changes)
        except BrokenPipeError:
            raise
        except (Error, OSError) as error:
            run.fail(source, error)
    return FOUND if options.diff and run.findings else CLEAN


def _write(source: files.Source, changes: Iterator[tuple[str, str]]) -> None:
    if source.path is None:
        raise Error("standard input cannot be written in place; leave out --write")
    with files.Rewrite(source, source.path) as rewrite:
        for old, new in changes:
            rewrite.write(old, new)


def _writable(run: Run, sources: Iterable[files.Source]) -> Iterator[files.Source]:
    """Leave out pipes and devices: reading one may never end, and it cannot be replaced."""
    for source in sources:
        if source.stat and not stat.S_ISREG(source.stat.st_mode):
            run.complain(f"{source.name}: not a regular file, cannot be written in place")
        else:
            yield source


@contextlib.contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let no draft be left behind by who is told to end."""

    def end(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    told = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    before = {
        number: signal.signal(number, end)
        for number in told
        if number and signal.getsignal(number) is signal.SIG_DFL and _in_main_thread()
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_main_thread() -> bool:
    """Whether signals may be handled here."""
    return threading.current_thread() is threading.main_thread()


_COMMANDS = {"check": _check, "fix": _fix}


def _run(options: argparse.Namespace, load: Load) -> int:
    names = options.paths or ["-" if _piped() else "."]
    to_stdout = options.command == "fix" and not (options.write or options.diff)
    if to_stdout and (len(names) > 1 or files.is_folder(names[0])):
        raise Error("fix prints one file only: add --write to change files, or --diff to see how")
    settings = config.settle(options)
    exclude = (
        files.Patterns.typed(settings.base, settings.exclude),
        files.Patterns.typed(Path(), options.exclude),
    )
    with contextlib.ExitStack() as stack:
        corrector, clock = _team(settings, load, options.jobs, stack)
        # After the model is loaded: that is not what the bar measures.
        progress = stack.enter_context(Progress(files.size(names)))
        run = Run(corrector, progress, count_words=options.stats, clock=clock)
        sources = files.find(
            names,
            extensions=settings.extension,
            exclude=exclude,
            on_error=run.complain,
            on_note=run.note,
        )
        if options.command == "fix" and options.write:
            stack.enter_context(_ending_in_order())
            sources = _writable(run, sources)
        status = _COMMANDS[options.command](run, sources, options)
        if options.stats:
            run.note(run.stats())
    return TROUBLE if run.trouble else status


def _correct_words(options: argparse.Namespace, load: Load) -> int:
    words = options.paths
    if options.write or options.diff:
        raise Error("--write and --diff are for files: respell fix --diff FILE")
    if len(words) == 1 and files.size(words) is not None:
        print(f"respell: taken as text; for the file: respell fix {words[0]}", file=sys.stderr)
    text = " ".join(words)
    for corrections in _corrector(config.settle(options), load).check_many([text]):
        corrected = apply(text, corrections) + "\n"
        sys.stdout.buffer.write(corrected.encode("utf-8", "surrogateescape"))
    return CLEAN


def _corrector(settings: config.Settings, load: Load) -> Corrector:
    return load(settings.model, **_options(settings))


def _options(settings: config.Settings) -> dict[str, Any]:
    return {
        "preset": settings.preset,
        "threshold": settings.threshold,
        "dictionary": settings.words(),
    }


def _team(
    settings: config.Settings, load: Load, jobs: int | None, stack: contextlib.ExitStack
) -> tuple[Checks, Callable[[], float]]:
    """A corrector, or several in processes of their own, and the clock of their CPU time."""
    if jobs is None:
        return _corrector(settings, load), time.process_time
    alone = partial(load, settings.model, threads=1, **_options(settings))
    if jobs == 1:
        return alone(), time.process_time
    from respell.jobs import Jobs  # here, because one process needs none of it

    team = Jobs(jobs, alone)
    stack.callback(team.close)
    return team, team.cpu


def _piped() -> bool:
    """Whether something is meant to be read from standard input; /dev/null is not."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except OSError:  # not a file of the system: somebody has put a text there
        return True
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _load(
    path: str | Path | None = None,
    *,
    preset: str = "default",
    threshold: float | None = None,
    dictionary: Iterable[str] = (),
    threads: int = 0,
) -> Corrector:
    from respell.corrector import load  # here, because it brings numpy and onnxruntime

    return load(path, preset=preset, threshold=threshold, dictionary=dictionary, threads=threads)


def _lsp(options: argparse.Namespace) -> int:
    from respell.lsp import serve

    serve()
    return CLEAN


def _serve(options: argparse.Namespace) -> int:
    try:
        from respell.server.run import start
    except ModuleNotFoundError as error:
        raise Error(f"serve needs {error.name}: pip install 'respell[server]'") from error
    start(options, config.settle(options))
    return CLEAN


_SERVICES = {"lsp": _lsp, "serve": _serve}


def _dispatch(arguments: list[str], load: Load) -> int:
    parser = config.parser(version=__version__, formats=report.FORMATS)
    first = arguments[0] if arguments else ""
    if first in _SERVICES:
        return _SERVICES[first](config.parse(parser, arguments))
    if first in _COMMANDS or first in ("-h", "--help", "--version"):
        return _run(config.parse(parser, arguments), load)
    options = config.parse(parser, ["fix", *arguments])  # a text takes the options of fix
    text = options.paths[0] if options.paths else ""
    if text in (*_COMMANDS, *_SERVICES) and text in config.before_dashes(arguments):
        raise Error(f"options go behind the command: respell {text} ...; a text goes behind --")
    if options.paths not in ([], ["-"]):
        return _correct_words(options, load)
    if not options.paths and not _piped():
        parser.print_help(sys.stderr)
        return TROUBLE
    return _run(options, load)


def _open_streams() -> None:
    """Put nothing in the place of the standard streams that were closed before we started."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def main(argv: Sequence[str] | None = None, *, load: Load = _load) -> int:
    """Run the command line; 0 clean, 1 misspellings found, 2 trouble."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    try:
        status = _dispatch(arguments, load)
        sys.stdout.flush()
    except SystemExit as stop:  # 0 after --help; a signal that ended a rewrite
        return stop.code if isinstance(stop.code, int) else TROUBLE
    except BrokenPipeError:
        # Python would complain when it flushes what is left: give it a place to go.
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
