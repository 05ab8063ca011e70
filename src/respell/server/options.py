"""What `respell serve` can be told."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """What `respell serve` can be told."""

    host: str = "127.0.0.1"
    port: int = 8765
    workers: int = 1
    model: Path | None = None
    preset: str = "default"
    threshold: float | None = None
    dictionary: tuple[str, ...] = ()
    max_body: int = 1_000_000
    max_text: int = 500_000
    timeout: float = 30.0
    cors: tuple[str, ...] = ()
