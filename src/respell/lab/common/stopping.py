"""SIGTERM and Ctrl-C ask for an end: who hears them can put away what it has."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

INTERRUPTED, STOPPED = 130, 143
"""The exit status of who was stopped: 128 + the number of the signal, as shells have it."""
ENDED = (INTERRUPTED, STOPPED)
_WAIT = b"\nrespell.lab: saves at the next step that is noted; Ctrl-C again ends at once\n"


@contextmanager
def watched() -> Iterator[Callable[[], int]]:
    """Gives a function that says with which status to end; 0 as long as no signal has come.

    Until the end of the block signals wait, but for a second Ctrl-C.
    """
    come: list[int] = []

    def hear(number: int, _frame: object) -> None:
        if number == signal.SIGINT:
            if come:
                raise KeyboardInterrupt
            with suppress(OSError):
                os.write(2, _WAIT)  # sys.stderr may be in the middle of a line
        come.append(128 + number)

    with _heard((signal.SIGTERM, signal.SIGINT), hear):
        yield lambda: come[0] if come else 0


@contextmanager
def unwinding() -> Iterator[None]:
    """SIGTERM ends the block as an exception does, so that nothing is left lying about."""

    def leave(*_: object) -> NoReturn:
        raise SystemExit(STOPPED)

    with _heard((signal.SIGTERM,), leave):
        yield


@contextmanager
def _heard(
    signals: tuple[signal.Signals, ...], hear: Callable[[int, object], None]
) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # only that one hears signals
        yield
        return
    before = {one: signal.signal(one, hear) for one in signals}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
