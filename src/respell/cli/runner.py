"""Check many sources in one run, and report what happens."""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from respell.cli import files
from respell.cli.progress import Progress
from respell.formats.languages import language_of
from respell.formats.masker import Masker
from respell.types import Correction, Error, TextChecker


@dataclass(frozen=True, slots=True)
class _Part:
    """A checked block of a source. The last part of a source is empty and may have an error."""

    source: files.Source
    text: str = ""
    corrections: Sequence[Correction] = ()
    error: Error | None = None


def _pieces(source: files.Source) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a source, each as it is and masked."""
    masker = Masker(language_of(source.name).name)
    for block in files.read(source):
        prose = masker.mask(block)
        yield from ((block[piece], prose[piece]) for piece in files.pieces(block))


def plural(count: int, noun: str) -> str:
    """A number with its noun: "1 file", "2 files"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


@dataclass(slots=True)
class Run:
    """One run over many sources: the number of problems, and whether there were errors."""

    corrector: TextChecker[list[Correction] | Error]
    progress: Progress
    count_words: bool = False
    trouble: bool = False
    done: int = 0
    words: int = 0
    problems: int = 0
    clock: Callable[[], float] = time.process_time  # CPU seconds of all processes
    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(init=False)

    def __post_init__(self) -> None:
        self.cpu = self.clock()

    def checked(
        self, sources: Iterable[files.Source]
    ) -> Iterator[tuple[files.Source, Iterator[tuple[str, Sequence[Correction]]]]]:
        """Yield each source with its blocks and their corrections.

        A source that cannot be read raises its Error when its blocks are read.
        """
        for source, parts in groupby(self._parts(sources), key=lambda part: part.source):
            yield source, self._blocks(parts)

    def _blocks(self, parts: Iterable[_Part]) -> Iterator[tuple[str, Sequence[Correction]]]:
        for part in parts:
            if part.error:
                raise part.error
            if part.text:
                yield part.text, part.corrections
                self.words += len(part.text.split()) if self.count_words else 0
                self.problems += len(part.corrections)
                self.progress.advance(part.text, label=part.source.name)
            else:
                self.done += 1

    def _parts(self, sources: Iterable[files.Source]) -> Iterator[_Part]:
        """Check the blocks of all sources in one stream, so that batches are full."""
        waiting: deque[_Part] = deque()

        def masked() -> Iterator[str]:
            for source in sources:
                error = None
                try:
                    for text, prose in _pieces(source):
                        waiting.append(_Part(source, text))
                        yield prose
                except Error as caught:
                    error = caught
                waiting.append(_Part(source, error=error))

        for corrections in self.corrector.check_many(masked()):
            while not waiting[0].text:
                yield waiting.popleft()
            part = waiting.popleft()
            if isinstance(corrections, Error):
                yield _Part(part.source, error=Error(f"{part.source.name}: {corrections}"))
                continue
            yield _Part(part.source, part.text, corrections)
        yield from waiting

    def complain(self, message: str) -> None:
        """Report an error, and go on."""
        self.trouble = True
        self.note(message)

    def note(self, message: str) -> None:
        """Print a message on stderr."""
        self.progress.hide()
        sys.stderr.write(f"respell: {message}\n")

    def fail(self, source: files.Source, error: Error | OSError) -> None:
        """Report why a source was skipped; a binary file found in a folder is not an error."""
        harmless = isinstance(error, files.BinaryError) and not source.named
        text = f"{source.name}: {error.strerror}" if isinstance(error, OSError) else str(error)
        (self.note if harmless else self.complain)(text)

    def emit(self, pieces: Iterable[str]) -> None:
        """Write to stdout in UTF-8; file names keep their bytes."""
        terminal = sys.stdout.isatty()
        for piece in pieces:
            self.progress.hide()
            sys.stdout.buffer.write(piece.encode("utf-8", "surrogateescape"))
            if terminal:
                sys.stdout.buffer.flush()

    def stats(self) -> str:
        """A line with words and speed, without the time to load the model."""
        wall, cpu = time.perf_counter() - self.wall, self.clock() - self.cpu
        return (
            f"{plural(self.done, 'file')}, {plural(self.words, 'word')}, "
            f"{plural(self.problems, 'problem')} in {wall:.2f} s: "
            f"{self.words / wall:.0f} words/s, {self.words / max(cpu, 1e-9):.0f} words/CPU-second"
        )
