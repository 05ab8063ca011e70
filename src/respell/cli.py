"""The command line: parses, calls, and turns what happened into an exit status."""

import argparse
import os
import stat
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from pathlib import Path
from typing import Protocol

from respell import __version__, config, files, report
from respell.markup import FILLER, Masker
from respell.progress import Progress
from respell.text import apply
from respell.types import Correction, Error

CLEAN, FOUND, TROUBLE = 0, 1, 2
_INTERRUPTED, _BROKEN_PIPE = 130, 141  # 128 + the number of the signal, as shells have it


class Checks(Protocol):
    """What the command line needs of a corrector."""

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
    ) -> Checks:
        """Load the bundle in the folder `path`, or the one inside the package."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A checked block of a source; the last part of a source is empty and may hold an error."""

    source: files.Source
    text: str = ""
    corrections: Sequence[Correction] = ()
    error: Error | None = None


@dataclass(slots=True)
class _Run:
    """One run over many sources: what it found, and whether there was trouble."""

    corrector: Checks
    progress: Progress
    count_words: bool = False
    trouble: bool = False
    done: int = 0
    words: int = 0
    findings: int = 0
    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=time.process_time)

    def checked(
        self, sources: Iterable[files.Source]
    ) -> Iterator[tuple[files.Source, Iterator[tuple[str, Sequence[Correction]]]]]:
        """Yield each source with its blocks and their corrections; a bad source raises late."""
        for source, parts in groupby(self._parts(sources), key=lambda part: part.source):
            yield source, self._blocks(parts)

    def _blocks(self, parts: Iterable[_Part]) -> Iterator[tuple[str, Sequence[Correction]]]:
        for part in parts:
            if part.error:
                raise part.error
            if part.text:
                yield part.text, part.corrections
                self.words += len(part.text.split()) if self.count_words else 0
                self.findings += len(part.corrections)
                self.progress.advance(len(part.text), label=part.source.name)
            else:
                self.done += 1

    def _parts(self, sources: Iterable[files.Source]) -> Iterator[_Part]:
        """Send the blocks of all sources through the model in one stream, so batches are full."""
        waiting: deque[_Part] = deque()

        def masked() -> Iterator[str]:
            for source in sources:
                masker, error = Masker(Path(source.name).suffix[1:]), None
                try:
                    for text in files.read(source):
                        waiting.append(_Part(source, text))
                        yield masker.mask(text)
                except Error as caught:
                    error = caught
                waiting.append(_Part(source, error=error))

        for corrections in self.corrector.check_many(masked()):
            while not waiting[0].text:
                yield waiting.popleft()
            part = waiting.popleft()
            prose = [found for found in corrections if FILLER not in found.original]
            yield _Part(part.source, part.text, prose)
        yield from waiting

    def complain(self, message: str) -> None:
        """Tell of trouble, and go on."""
        self.trouble = True
        self.note(message)

    def note(self, message: str) -> None:
        """Say something about the work on standard error."""
        self.progress.hide()
        print(f"respell: {message}", file=sys.stderr)

    def fail(self, source: files.Source, error: Error | OSError) -> None:
        """Tell why a source was left out; a binary file nobody named is no trouble."""
        harmless = isinstance(error, files.BinaryError) and not source.named
        text = f"{source.name}: {error.strerror}" if isinstance(error, OSError) else str(error)
        (self.note if harmless else self.complain)(text)

    def emit(self, pieces: Iterable[str]) -> None:
        """Write to standard output: UTF-8, and names of files with the bytes they have."""
        terminal = sys.stdout.isatty()
        for piece in pieces:
            self.progress.hide()
            sys.stdout.buffer.write(piece.encode("utf-8", "surrogateescape"))
            if terminal:
                sys.stdout.buffer.flush()

    def stats(self) -> str:
        """Sum the run up in a line; the time to load the model is not in it."""
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        return (
            f"{self.done} files, {self.words} words, {self.findings} findings in {wall:.2f} s: "
            f"{self.words / wall:.0f} words/s, {self.words / max(cpu, 1e-9):.0f} words/CPU-second"
        )


def _check(run: _Run, sources: Iterable[files.Source], options: argparse.Namespace) -> int:
    def findings() -> Iterator[report.Finding]:
        for source, blocks in run.checked(sources):
            try:
                yield from report.locate(source.name, blocks)
            except Error as error:
                run.fail(source, error)

    color = report.color_wanted(sys.stdout)
    run.emit(report.render(options.format, findings(), color=color, version=__version__))
    return FOUND if run.findings else CLEAN


def _fix(run: _Run, sources: Iterable[files.Source], options: argparse.Namespace) -> int:
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
    first = next(changes, None)  # a file that cannot be read says so here, before a draft is made
    if first is not None:
        with files.Rewrite(source, source.path) as rewrite:
            for old, new in chain([first], changes):
                rewrite.write(old, new)


_COMMANDS = {"check": _check, "fix": _fix}


def _run(options: argparse.Namespace, load: Load) -> int:
    names = options.paths or ["-" if _piped() else "."]
    to_stdout = options.command == "fix" and not (options.write or options.diff)
    if to_stdout and (len(names) > 1 or Path(names[0]).is_dir()):
        raise Error("fix prints one file only: add --write to change files, or --diff to see how")
    settings = config.settle(options)
    exclude = (
        files.Patterns.parse(settings.base, settings.exclude),
        files.Patterns.parse(Path(), options.exclude),
    )
    with Progress(files.size(names)) as progress:
        run = _Run(_corrector(settings, load), progress, count_words=options.stats)
        sources = files.find(
            names, extensions=settings.extension, exclude=exclude, on_error=run.complain
        )
        status = _COMMANDS[options.command](run, sources, options)
    if options.stats:
        run.note(run.stats())
    return TROUBLE if run.trouble else status


def _correct_words(words: Sequence[str], options: argparse.Namespace, load: Load) -> int:
    if len(words) == 1 and files.size(words) is not None:
        print(f"respell: taken as text; for the file: respell fix {words[0]}", file=sys.stderr)
    text = " ".join(words)
    for corrections in _corrector(config.settle(options), load).check_many([text]):
        corrected = apply(text, corrections) + "\n"
        sys.stdout.buffer.write(corrected.encode("utf-8", "surrogateescape"))
    return CLEAN


def _corrector(settings: config.Settings, load: Load) -> Checks:
    return load(
        settings.model,
        preset=settings.preset,
        threshold=settings.threshold,
        dictionary=settings.words(),
    )


def _piped() -> bool:
    """Whether something is meant to be read from standard input; /dev/null is not."""
    if sys.stdin is None:
        return False
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
) -> Checks:
    from respell.corrector import load  # here, because it brings numpy and onnxruntime

    return load(path, preset=preset, threshold=threshold, dictionary=dictionary)


def _lsp(options: argparse.Namespace) -> int:
    from respell.lsp import serve

    serve()
    return CLEAN


def _serve(options: argparse.Namespace) -> int:
    try:
        from respell.server.run import start
    except ModuleNotFoundError as error:
        raise Error(f"{error}; serve needs: pip install 'respell[server]'") from error
    start(options, config.settle(options))
    return CLEAN


_SERVICES = {"lsp": _lsp, "serve": _serve}


def _dispatch(arguments: list[str], load: Load) -> int:
    parser = config.parser(version=__version__, formats=report.FORMATS)
    if arguments in ([], ["-"]):
        if not arguments and not _piped():
            parser.print_help(sys.stderr)
            return TROUBLE
        arguments = ["fix", "-"]
    if arguments[0] in _SERVICES:
        return _SERVICES[arguments[0]](parser.parse_args(arguments))
    if arguments[0] in _COMMANDS or arguments[0].startswith("-"):
        return _run(parser.parse_args(arguments), load)
    return _correct_words(arguments, parser.parse_args(["fix"]), load)


def main(argv: Sequence[str] | None = None, *, load: Load = _load) -> int:
    """Run the command line; 0 clean, 1 misspellings found, 2 trouble."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _dispatch(arguments, load)
        sys.stdout.flush()
    except SystemExit as stop:  # argparse: 0 after --help, 2 for a wrong option
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
