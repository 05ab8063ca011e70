"""Check texts in several processes; the answers keep the order of the texts."""

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from respell.types import Correction, Error, TextChecker

SHARE = 1 << 15
"""Characters that a worker gets at once, at least: enough for full batches, and few enough that
all workers finish at about the same time."""
_AHEAD = 3  # shares per worker that are read ahead
_LIVES = 2  # workers that may die of one text before it is skipped
Answer = list[Correction] | Error


Open = Callable[[], TextChecker[list[Correction]]]
"""Opens a corrector. It is sent to the worker processes, so it must be picklable."""


@dataclass(slots=True, eq=False)
class _Share:
    """Texts for one worker, and its answers."""

    texts: list[str]
    answers: Sequence[Answer] | None = None
    deaths: int = 0


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection
    share: _Share | None = None
    cpu: float = 0.0


class Workers:
    """Checks texts in `count` processes.

    A worker that dies is replaced, and its texts are tried again one by one. If a text kills two
    workers, its answer is an Error and the remaining texts are still checked.
    """

    def __init__(self, count: int, open_corrector: Open) -> None:
        self._open = open_corrector
        self._ended_cpu = 0.0
        self._workers: list[_Worker] = []
        try:
            self._workers += [self._start() for _ in range(count)]
            for worker in self._workers:
                _await_ready(worker)
        except BaseException:
            self.close()
            raise

    def check_many(self, texts: Iterable[str]) -> Iterator[Answer]:
        """The corrections of each text, in order. Reads some texts ahead."""
        shares = _shares(texts)
        todo: deque[_Share] = deque()  # not sent yet
        order: deque[_Share] = deque()  # not yielded yet
        more = True
        while more or order:
            while more and len(order) < _AHEAD * len(self._workers):
                share = next(shares, None)
                more = share is not None
                if share is not None:
                    todo.append(share)
                    order.append(share)
                    self._turn(todo, order, patient=False)
            while order and order[0].answers is None:
                self._turn(todo, order, patient=True)
            if order:
                for answer in order.popleft().answers or ():
                    self._turn(todo, order, patient=False)
                    yield answer

    def cpu(self) -> float:
        """CPU seconds of this process and the workers, without loading the model."""
        return time.process_time() + self._ended_cpu + sum(worker.cpu for worker in self._workers)

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(there, self._open), daemon=True)
        process.start()
        there.close()  # otherwise the pipe would not close when the worker ends
        return _Worker(process, here)

    def _turn(self, todo: deque[_Share], order: deque[_Share], *, patient: bool) -> None:
        """Give shares to idle workers and take answers; `patient` waits until something arrives."""
        for worker in list(self._workers):
            if worker.share is None and todo:
                alive = worker.process.is_alive()  # an idle worker did not die of a text
                self._send(worker if alive else self._replace(worker), todo.popleft())
        busy = {worker.pipe: worker for worker in self._workers if worker.share is not None}
        for pipe in wait(list(busy), None if patient else 0):
            worker = busy[pipe]  # type: ignore[index]
            share = worker.share
            assert share is not None
            try:
                said = worker.pipe.recv()
            except (EOFError, OSError):
                self._requeue(worker, share, todo, order)
                continue
            if isinstance(said, Error):
                raise said
            share.answers, worker.cpu = said
            worker.share = None

    def _send(self, worker: _Worker, share: _Share) -> None:
        worker.share = share
        try:
            worker.pipe.send(share.texts)
        except OSError:
            return  # it is dead: there will be nothing to receive either

    def _requeue(
        self, worker: _Worker, share: _Share, todo: deque[_Share], order: deque[_Share]
    ) -> None:
        """Replace a worker that died at work, and queue its texts again."""
        self._replace(worker)
        share.deaths += 1
        if len(share.texts) > 1:  # one by one, to find the text that kills the worker
            alone = [_Share([text]) for text in share.texts]
            at = order.index(share)
            order.remove(share)
            for i, single in enumerate(alone):
                order.insert(at + i, single)
            todo.extendleft(reversed(alone))
        elif share.deaths < _LIVES:
            todo.appendleft(share)
        else:
            cause = _cause(worker.process.exitcode)
            share.answers = [Error(f"it crashed two worker processes ({cause})")]

    def _replace(self, worker: _Worker) -> _Worker:
        """Start a new worker in the place of a dead one."""
        worker.pipe.close()
        worker.process.join()
        self._ended_cpu += worker.cpu
        fresh = self._start()
        self._workers[self._workers.index(worker)] = fresh
        _await_ready(fresh)
        return fresh


def _shares(texts: Iterable[str]) -> Iterator[_Share]:
    """Group texts into shares of at least SHARE characters."""
    held: list[str] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text)
        if size >= SHARE:
            yield _Share(held)
            held, size = [], 0
    if held:
        yield _Share(held)


def _await_ready(worker: _Worker) -> None:
    """Wait until the worker has loaded the model; raise its error if it failed."""
    try:
        said = worker.pipe.recv()
    except (EOFError, OSError):
        worker.process.join()
        cause = _cause(worker.process.exitcode)
        raise Error(
            f"a worker process died while loading the model ({cause}); try fewer --jobs"
        ) from None
    if said is not None:
        raise said


def _cause(status: int | None) -> str:
    names = {one.value: one.name for one in signal.Signals}
    if status is not None and status < 0:
        return f"killed by {names.get(-status, f'signal {-status}')}"
    return f"exit status {status}"


def _work(pipe: Connection, open_corrector: Open) -> None:
    """The loop of a worker: texts in, corrections out, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    try:
        corrector = open_corrector()
        pipe.send(None)
        loaded = time.process_time()
        while True:
            texts = pipe.recv()
            pipe.send((list(corrector.check_many(texts)), time.process_time() - loaded))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except Error as error:
        pipe.send(error)
    except Exception as error:
        pipe.send(Error(f"{type(error).__name__}: {error}"))
