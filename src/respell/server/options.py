"""The options of `respell serve`, and their JSON form for worker processes."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from respell.options import CorrectorOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """The options of `respell serve`; `corrector` holds the defaults of every request."""

    host: str = "127.0.0.1"
    port: int = 8765
    workers: int = 1
    max_body: int = 1_000_000
    """Bytes of a request body."""
    max_text: int = 500_000
    """Characters of a request."""
    timeout: float = 30.0
    """Seconds to receive a body, and again to answer it."""
    cors: tuple[str, ...] = ()
    corrector: CorrectorOptions = field(default_factory=CorrectorOptions)

    def to_json(self) -> str:
        """The options as JSON."""
        return json.dumps(asdict(self), default=_plain)

    @classmethod
    def from_json(cls, text: str) -> "ServerOptions":
        """The options from the text that `to_json` has written."""
        values = json.loads(text)
        corrector = values.pop("corrector")
        model = corrector.pop("model")
        values["cors"] = tuple(values["cors"])
        values["corrector"] = CorrectorOptions(model=model and Path(model), **corrector)
        return cls(**values)


def _plain(value: Any) -> list[str] | str:
    return sorted(value) if isinstance(value, frozenset) else str(value)
