"""A pool of worker processes for a build."""

import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any


class _InProcess(Executor):
    """Runs tasks in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def workers(jobs: int) -> Iterator[Executor]:
    """An executor with `jobs` processes; one job runs in this process."""
    if jobs == 1:
        yield _InProcess()
        return
    # Forking a process that has run torch or numpy threads can hang.
    spawn = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    # Ctrl-C reaches every process. The workers ignore it; this process ends them.
    ignore = (signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(jobs, spawn, initializer=signal.signal, initargs=ignore) as pool:
        try:
            yield pool
        except BaseException:  # the results of the workers are no longer needed
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise
