"""Read the CPU time and the memory of a process and its children from /proc."""

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from respell.types import Error

INTERVAL = 0.05  # seconds between two measurements of memory
_PROC = Path("/proc")


def process_tree(pid: int) -> list[int]:
    """The process and its running descendants."""
    found = [pid]
    for member in found:
        for children in _PROC.glob(f"{member}/task/*/children"):
            found += map(int, _read(children).split())
    return found


def cpu_seconds(pid: int) -> float:
    """User and system time of the process, its running descendants and those it waited for."""
    if not _PROC.is_dir():
        raise Error("CPU times are read from /proc, which only Linux has")
    seconds, ticks = 0.0, 0
    for member in process_tree(pid):
        with suppress(OSError):  # it has ended
            seconds += time.clock_gettime(_clock(member))
        # The name, in brackets, may contain spaces; cutime and cstime are fields 16 and 17.
        columns = _read(_PROC / str(member) / "stat").rpartition(")")[2].split()
        ticks += sum(map(int, columns[13:15]))
    return seconds + ticks / os.sysconf("SC_CLK_TCK")


def _clock(pid: int) -> int:
    """The ID of a process's CPU clock, as clock_getcpuclockid(3) computes it on Linux.

    It has nanoseconds, while /proc has hundredths of a second.
    """
    return (~pid << 3) | 2


def peak_bytes(pid: int) -> int:
    """The sum of the peak memory of all running processes of the tree."""
    total = 0
    for member in process_tree(pid):
        for line in _read(_PROC / str(member) / "status").split("\n"):
            if line.startswith("VmHWM:"):
                total += 1024 * int(line.split()[1])
    return total


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended
        return ""


@dataclass(slots=True)
class MemoryWatch:
    """Measures the memory of a process tree repeatedly; `peak` is the maximum."""

    pid: int
    peak: int = 0
    _done: threading.Event | None = None
    _thread: threading.Thread | None = None

    def __enter__(self) -> "MemoryWatch":
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._measure, args=(self._done,), daemon=True)
        self._thread.start()
        return self

    def _measure(self, done: threading.Event) -> None:
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
