"""Requests of many clients share batches; long ones are cut so that short ones need not wait."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

from respell.corrector import Corrector
from respell.model.bundle import Bundle
from respell.model.forward import Forward
from respell.server.metrics import Metrics
from respell.text.windows import Window
from respell.types import Correction

T = TypeVar("T")
BATCH_WORDS = 1536
"""Words that go through the model before others get their turn."""
TURN_WORDS = 256
"""Words a request may put into a batch before the next request puts in its own."""
WINDOW = 0.002
"""Seconds an idle server waits for company before it starts a batch."""
MOST_CHARACTERS = 4_000_000
"""Characters of all requests together that may wait."""
MOST_REQUESTS = 1024
_SMALL = 2000  # characters: below, tokenizing takes no longer than going to another thread
_ASIDE = 4
_MOST_CORRECTORS = 32


class BusyError(Exception):
    """So much waits already that this request is turned away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a request, or the command line, asks of the corrector; None is the server's choice."""

    preset: str | None = None
    threshold: float | None = None
    dictionary: frozenset[str] = frozenset()
    max_suggestions: int = 5


@dataclass(slots=True, eq=False)
class _Job:
    """The windows of one request, and what has been found in them."""

    corrector: Corrector
    windows: deque[Window]
    answer: asyncio.Future[None]
    found: list[list[Correction]]


@dataclass(slots=True)
class _Batch:
    """Windows of several jobs that run together; `owners` tells whose text an owner is."""

    corrector: Corrector
    windows: list[Window] = field(default_factory=list)
    owners: dict[tuple[_Job, int], int] = field(default_factory=dict)
    words: int = 0

    def take(self, job: _Job, most: int) -> None:
        """Move windows of a job into the batch, at least one and about `most` words."""
        end = self.words + most
        while job.windows and self.words < end:
            window = job.windows.popleft()
            owner = self.owners.setdefault((job, window.owner), len(self.owners))
            self.windows.append(replace(window, owner=owner))
            self.words += len(window.tokens)

    def jobs(self) -> list[_Job]:
        """Those who have a part in it, each once."""
        return list(dict.fromkeys(job for job, _ in self.owners))


class Batcher:
    """Runs one model for all requests of a process: one thread for it, a few for long texts."""

    def __init__(
        self, bundle: Bundle, forward: Forward, *, defaults: Options, metrics: Metrics
    ) -> None:
        self.bundle = bundle
        self._forward = forward
        self._defaults = defaults
        self._metrics = metrics
        self._correctors: OrderedDict[Options, Corrector] = OrderedDict()
        self._waiting: deque[_Job] = deque()
        self._characters = self._requests = 0
        self._model = ThreadPoolExecutor(1, "model")
        self._aside = ThreadPoolExecutor(_ASIDE, "aside")
        self._arrived = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work; needs a running event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """End; everything that was accepted must have been answered."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._model.shutdown()
        self._aside.shutdown()

    def corrector(self, options: Options) -> Corrector:
        """The corrector for these options, one for all requests that ask for the same."""
        if options in self._correctors:
            self._correctors.move_to_end(options)
            return self._correctors[options]
        defaults = self._defaults
        own = options.preset is not None or options.threshold is not None
        corrector = Corrector(
            self.bundle,
            self._forward,
            preset=options.preset or defaults.preset or "default",
            threshold=options.threshold if own else defaults.threshold,
            dictionary=options.dictionary | defaults.dictionary,
            max_suggestions=options.max_suggestions,
        )
        self._correctors[options] = corrector
        if len(self._correctors) > _MOST_CORRECTORS:
            self._correctors.popitem(last=False)
        return corrector

    async def check(
        self, texts: Sequence[str] | Sequence[Sequence[str]], options: Options
    ) -> list[list[Correction]]:
        """The misspellings of texts, or of split sentences, in order."""
        corrector = self.corrector(options)
        size = measure(texts)
        if self._characters + size > MOST_CHARACTERS or self._requests >= MOST_REQUESTS:
            raise BusyError
        self._characters += size
        self._requests += 1
        try:
            windows = await self.aside(size, lambda: deque(_split(corrector, texts)))
            answer = asyncio.get_running_loop().create_future()
            job = _Job(corrector, windows, answer, [[] for _ in texts])
            if windows:
                self._waiting.append(job)
                self._arrived.set()
                await answer
        finally:
            self._characters -= size
            self._requests -= 1
        for corrections in job.found:
            corrections.sort(key=lambda correction: correction.start)
        return job.found

    async def aside(self, size: int, work: Callable[[], T]) -> T:
        """Do something that takes time with the characters of a request, without blocking."""
        if size <= _SMALL:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._aside, work)

    async def call(self, work: Callable[[], T]) -> T:
        """Do something with the model between two batches."""
        return await asyncio.get_running_loop().run_in_executor(self._model, work)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._arrived.wait()
            await asyncio.sleep(WINDOW)
            while (batch := self._next()) is not None:
                check = batch.corrector.check_windows
                run = loop.run_in_executor(self._model, check, batch.windows, len(batch.owners))
                try:
                    self._deliver(batch, await run)
                except Exception as error:
                    for job in batch.jobs():
                        _fail(job, error)
            self._arrived.clear()

    def _next(self) -> _Batch | None:
        """Fill a batch in turn from those that wait; who is not done goes to the end."""
        waiting = [job for job in self._waiting if not job.answer.done()]
        if not waiting:
            self._waiting.clear()
            return None
        batch = _Batch(waiting[0].corrector)
        same = deque(job for job in waiting if job.corrector is batch.corrector)
        while same and batch.words < BATCH_WORDS:
            job = same.popleft()
            batch.take(job, TURN_WORDS)
            if job.windows:
                same.append(job)
        taken = batch.jobs()
        busy = set(taken)
        untouched = [job for job in waiting if job not in busy]
        self._waiting = deque([*untouched, *(job for job in taken if job.windows)])
        self._metrics.batched(len(taken), batch.words)
        return batch

    def _deliver(self, batch: _Batch, found: Iterable[list[Correction]]) -> None:
        for (job, owner), corrections in zip(batch.owners, found, strict=True):
            job.found[owner].extend(corrections)
        for job in batch.jobs():
            if not job.windows and not job.answer.done():
                job.answer.set_result(None)


def measure(texts: Sequence[str] | Sequence[Sequence[str]]) -> int:
    """Characters of texts or split sentences, and one for each of them."""
    total = 0
    for text in texts:
        total += len(text) + 1
        if not isinstance(text, str):
            total += sum(map(len, text))
    return total


def _split(
    corrector: Corrector, texts: Sequence[str] | Sequence[Sequence[str]]
) -> Iterable[Window]:
    for owner, text in enumerate(texts):
        if isinstance(text, str):
            yield from corrector.split(text, owner=owner)
        else:
            yield from corrector.split_tokens(text, owner=owner)


def _fail(job: _Job, error: Exception) -> None:
    if not job.answer.done():
        job.answer.set_exception(error)
