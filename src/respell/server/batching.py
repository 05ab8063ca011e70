"""Share batches among the requests of many clients; long requests do not hold up short ones."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from respell.corrector import Corrector
from respell.decision.evidence import Evidence
from respell.decision.terms import confirmed, frequent
from respell.formats.masker import mask
from respell.model.bundle import Bundle
from respell.model.forward import Forward
from respell.options import CorrectorOptions
from respell.server.metrics import Metrics
from respell.text.windows import Window
from respell.types import Correction

T = TypeVar("T")
Texts = Sequence[str] | Sequence[Sequence[str]]
"""Texts, or split sentences."""
BATCH_WORDS = 1536
"""Words of a batch."""
TURN_WORDS = 256
"""Words that a request puts into a batch before the next request has its turn."""
COLLECT_SECONDS = 0.002
"""How long an idle server waits for more requests before it starts a batch."""
MAX_CHARACTERS = 4_000_000
"""Characters of all waiting requests together."""
MAX_REQUESTS = 1024
"""Requests that may wait."""
_SMALL = 2000  # characters: below this, tokenizing is faster than a switch to another thread
_THREADS = 4
_MAX_CORRECTORS = 32


class BusyError(Exception):
    """Too many requests are waiting already."""


@dataclass(slots=True, eq=False)
class _Job:
    """The windows of one request that still have to be checked, and the corrections so far."""

    corrector: Corrector
    windows: deque[Window]
    done: asyncio.Future[None]
    found: list[list[Correction]]


@dataclass(slots=True)
class _Batch:
    """Windows of several jobs that run together.

    `owners` maps a job and the index of one of its texts to the owner in this batch.
    """

    corrector: Corrector
    windows: list[Window] = field(default_factory=list)
    owners: dict[tuple[_Job, int], int] = field(default_factory=dict)
    words: int = 0

    def take(self, job: _Job, words: int) -> None:
        """Move windows of a job into the batch: at least one, and about so many words."""
        end = self.words + words
        while job.windows and self.words < end:
            window = job.windows.popleft()
            owner = self.owners.setdefault((job, window.owner), len(self.owners))
            self.windows.append(replace(window, owner=owner))
            self.words += len(window.tokens)

    def jobs(self) -> list[_Job]:
        """The jobs in this batch, each once."""
        return list(dict.fromkeys(job for job, _ in self.owners))


class Batcher:
    """Runs one model for all requests of a process, in one thread; others prepare long texts."""

    def __init__(
        self, bundle: Bundle, forward: Forward, *, defaults: CorrectorOptions, metrics: Metrics
    ) -> None:
        self._bundle = bundle
        self._forward = forward
        self._defaults = defaults
        self._metrics = metrics
        self._correctors: OrderedDict[CorrectorOptions, Corrector] = OrderedDict()
        self._waiting: deque[_Job] = deque()
        self._characters = self._requests = 0
        self._model_thread = ThreadPoolExecutor(1, "model")
        self._other_threads = ThreadPoolExecutor(_THREADS, "text")
        self._arrived = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start to work; needs a running event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Stop; all accepted requests must have been answered."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._model_thread.shutdown()
        self._other_threads.shutdown()

    def corrector(self, options: CorrectorOptions) -> Corrector:
        """The corrector for the options of a request; requests with equal options share it."""
        if options in self._correctors:
            self._correctors.move_to_end(options)
            return self._correctors[options]
        merged = options.over(self._defaults)
        corrector = Corrector(self._bundle, self._forward, **merged.arguments())
        self._correctors[options] = corrector
        if len(self._correctors) > _MAX_CORRECTORS:
            self._correctors.popitem(last=False)
        return corrector

    async def check(
        self, texts: Texts, options: CorrectorOptions, *, format: str = "plain"
    ) -> list[list[Correction]]:
        """The misspellings of texts in some format, or of split sentences, in order."""
        corrector = self.corrector(options)
        with self._admitted(count_characters(texts)):
            return await self._check(texts, corrector, format)

    async def check_document(
        self, parts: Sequence[str], options: CorrectorOptions, *, format: str = "plain"
    ) -> list[list[Correction]]:
        """The misspellings of the parts of one document, given the evidence of all parts."""
        corrector, size = self.corrector(options), count_characters(parts)
        with self._admitted(size):
            masked = await self.offload(size, lambda: [mask(part, format) for part in parts])
            evidence = Evidence(self._bundle.lexicon)

            def gather() -> list[str]:
                for part, shown in zip(parts, masked, strict=True):
                    evidence.add(part, shown)
                return frequent(evidence)

            words = await self.offload(size, gather)
            found = await self._check([evidence.contexts[word] for word in words], corrector)
            terms = confirmed(evidence, words, found, corrector.policy)
            adapted = await self.run_model(lambda: corrector.with_terms(evidence, terms))
            found = await self._check(masked, adapted)
        return [adapted.agreeing(*both) for both in zip(masked, found, strict=True)]

    @contextmanager
    def _admitted(self, size: int) -> Iterator[None]:
        """Count a request and its characters; raise a BusyError if there are too many."""
        if self._characters + size > MAX_CHARACTERS or self._requests >= MAX_REQUESTS:
            raise BusyError
        self._characters += size
        self._requests += 1
        try:
            yield
        finally:
            self._characters -= size
            self._requests -= 1

    async def _check(
        self, texts: Texts, corrector: Corrector, format: str = "plain"
    ) -> list[list[Correction]]:
        size = count_characters(texts)
        windows = await self.offload(size, lambda: deque(_split(corrector, texts, format)))
        done = asyncio.get_running_loop().create_future()
        job = _Job(corrector, windows, done, [[] for _ in texts])
        if windows:
            self._waiting.append(job)
            self._arrived.set()
            await done
        for corrections in job.found:
            corrections.sort(key=lambda correction: correction.start)
        return job.found

    async def offload(self, size: int, work: Callable[[], T]) -> T:
        """Do work on a text of that many characters; in another thread if the text is long."""
        if size <= _SMALL:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._other_threads, work)

    async def run_model(self, work: Callable[[], T]) -> T:
        """Do work that needs the model, between two batches."""
        return await asyncio.get_running_loop().run_in_executor(self._model_thread, work)

    async def _run(self) -> None:
        while True:
            await self._arrived.wait()
            await asyncio.sleep(COLLECT_SECONDS)
            while (batch := self._next()) is not None:
                await self._run_batch(batch)
            self._arrived.clear()

    async def _run_batch(self, batch: _Batch) -> None:
        check, owners = batch.corrector.check_windows, len(batch.owners)
        try:
            found = await self.run_model(lambda: check(batch.windows, owners))
        except Exception as error:
            for job in batch.jobs():
                if not job.done.done():
                    job.done.set_exception(error)
        else:
            _deliver(batch, found)

    def _next(self) -> _Batch | None:
        """Fill a batch from the waiting jobs, round-robin; unfinished jobs are requeued."""
        waiting = [job for job in self._waiting if not job.done.done()]
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
        in_batch = set(taken)
        others = [job for job in waiting if job not in in_batch]
        self._waiting = deque([*others, *(job for job in taken if job.windows)])
        self._metrics.count_batch(len(taken), batch.words)
        return batch


def count_characters(texts: Texts) -> int:
    """The characters of texts or split sentences, plus one for each text or token."""
    total = 0
    for text in texts:
        total += len(text) + 1
        if not isinstance(text, str):
            total += sum(map(len, text))
    return total


def _split(corrector: Corrector, texts: Texts, format: str) -> Iterable[Window]:
    for owner, text in enumerate(texts):
        if isinstance(text, str):
            yield from corrector.split(mask(text, format), owner=owner)
        else:
            yield from corrector.split_tokens(text, owner=owner)


def _deliver(batch: _Batch, found: Iterable[list[Correction]]) -> None:
    for (job, owner), corrections in zip(batch.owners, found, strict=True):
        job.found[owner].extend(corrections)
    for job in batch.jobs():
        if not job.windows and not job.done.done():
            job.done.set_result(None)
