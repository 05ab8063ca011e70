"""SIGTERM asks for an end: the caller notices, saves what it has, and can go on another day."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STOPPED = 143
"""The exit status of who was stopped: 128 + the number of SIGTERM, as shells have it."""


@contextmanager
def watched() -> Iterator[Callable[[], bool]]:
    """Gives a function that says whether SIGTERM has come; until the end of the block, it waits."""
    come = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # only that one hears signals
        yield come.is_set
        return
    before = signal.signal(signal.SIGTERM, lambda *_: come.set())
    try:
        yield come.is_set
    finally:
        signal.signal(signal.SIGTERM, before)
