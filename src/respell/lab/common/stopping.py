"""Handle SIGTERM and Ctrl-C so that a command can save its work before it exits."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

INTERRUPTED, STOPPED = 130, 143
"""Exit statuses after SIGINT and SIGTERM: 128 + the number of the signal, as in shells."""
ENDED = (INTERRUPTED, STOPPED)
_WAIT = b"\nrespell.lab: will save at the next logged step; press Ctrl-C again to quit at once\n"


@contextmanager
def watched() -> Iterator[Callable[[], int]]:
    """Delay SIGTERM and SIGINT until the end of the block. A second Ctrl-C interrupts at once.

    Yields a function that returns the exit status to end with, or 0 if no signal was received.
    """
    received: list[int] = []

    def handle(number: int, _frame: object) -> None:
        if number == signal.SIGINT:
            if received:
                raise KeyboardInterrupt
            with suppress(OSError):
                os.write(2, _WAIT)  # sys.stderr may be in the middle of a line
        received.append(128 + number)

    with _handling((signal.SIGTERM, signal.SIGINT), handle):
        yield lambda: received[0] if received else 0


@contextmanager
def unwinding() -> Iterator[None]:
    """Turn SIGTERM into SystemExit, so that temporary files are removed."""

    def leave(*_: object) -> NoReturn:
        raise SystemExit(STOPPED)

    with _handling((signal.SIGTERM,), leave):
        yield


@contextmanager
def _handling(
    signals: tuple[signal.Signals, ...], handler: Callable[[int, object], None]
) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # only it may set handlers
        yield
        return
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
