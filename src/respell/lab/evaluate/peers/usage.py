"""What a process and its children have used, as Linux tells under /proc."""

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from respell.types import Error

INTERVAL = 0.05  # seconds between two looks at the memory
_PROC = Path("/proc")


def family(pid: int) -> list[int]:
    """The process and its living descendants."""
    found = [pid]
    for member in found:
        for children in _PROC.glob(f"{member}/task/*/children"):
            found += map(int, _read(children).split())
    return found


def cpu_seconds(pid: int) -> float:
    """User and system time of the process, its living descendants and those it waited for."""
    if not _PROC.is_dir():
        raise Error("the time of processes is read from /proc: run this on Linux")
    seconds, ticks = 0.0, 0
    for member in family(pid):
        with suppress(OSError):  # it has ended since
            seconds += time.clock_gettime(_clock(member))
        # The name, in brackets, may hold blanks; cutime and cstime are fields 16 and 17.
        columns = _read(_PROC / str(member) / "stat").rpartition(")")[2].split()
        ticks += sum(map(int, columns[13:15]))
    return seconds + ticks / os.sysconf("SC_CLK_TCK")


def _clock(pid: int) -> int:
    """The number of a process's CPU clock, as clock_getcpuclockid(3) makes it on Linux.

    It counts nanoseconds where /proc counts hundredths of a second.
    """
    return (~pid << 3) | 2


def peak_bytes(pid: int) -> int:
    """The most memory each living member of the family has held, added up."""
    total = 0
    for member in family(pid):
        for line in _read(_PROC / str(member) / "status").split("\n"):
            if line.startswith("VmHWM:"):
                total += 1024 * int(line.split()[1])
    return total


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended since
        return ""


@dataclass(slots=True)
class Watch:
    """Look at a family's memory now and then; `peak` is the most that was seen."""

    pid: int
    peak: int = 0
    _done: threading.Event | None = None
    _thread: threading.Thread | None = None

    def __enter__(self) -> "Watch":
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, args=(self._done,), daemon=True)
        self._thread.start()
        return self

    def _look(self, done: threading.Event) -> None:
        while True:
            self.peak = max(self.peak, peak_bytes(self.pid))
            if done.wait(INTERVAL):
                return

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._done and self._thread:
            self._done.set()
            self._thread.join()
