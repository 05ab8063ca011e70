"""Context-aware English spelling correction that keeps every token in its place."""

from typing import TYPE_CHECKING, Any

from respell.text import apply
from respell.types import Correction, Error, Example, Suggestion, Token

if TYPE_CHECKING:
    from respell.bundle import Bundle
    from respell.corrector import Corrector, load

__version__ = "0.1.0"
__all__ = [
    "Bundle",
    "Correction",
    "Corrector",
    "Error",
    "Example",
    "Suggestion",
    "Token",
    "__version__",
    "apply",
    "load",
]


def __getattr__(name: str) -> Any:
    """Import what needs numpy only when it is used: `respell --help` stays quick."""
    if name == "Bundle":
        from respell.bundle import Bundle

        return Bundle
    if name in ("Corrector", "load"):
        from respell import corrector

        return getattr(corrector, name)
    raise AttributeError(f"module 'respell' has no attribute {name!r}")
