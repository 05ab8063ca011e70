"""Correctors for worker processes: some texts kill the process that reads them."""

import os
import re
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from respell.types import Correction, Error, Suggestion

KILLER = "kills its reader"
ONCE = re.compile(r"kills once: (\S+)")
"""A text that kills its reader unless the file it names is there."""


class Mortal:
    """Corrects "teh", and dies of some texts."""

    def check_many(self, texts: Iterable[str]) -> Iterator[list[Correction]]:
        for text in texts:
            once = ONCE.search(text)
            if KILLER in text or (once and not Path(once[1]).exists()):
                if once:
                    Path(once[1]).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            if "raises" in text:
                raise Error("this text raises")
            if "divides" in text:
                raise ZeroDivisionError("division by zero")
            yield [
                Correction(m.start(), "teh", (Suggestion("the", 0.9),), 0.9)
                for m in re.finditer("teh", text)
            ]


def open_mortal(path: str | Path | None = None, **options: Any) -> Mortal:
    return Mortal()


def open_nothing(path: str | Path | None = None, **options: Any) -> Mortal:
    raise Error("no such model folder")


def die_at_start(path: str | Path | None = None, **options: Any) -> Mortal:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError
