"""Context-aware English spelling correction that keeps every token in its place."""

import typing as _typing

from respell.text.apply import apply
from respell.text.tokenize import tokenize
from respell.types import Correction, Error, Explanation, Suggestion, Token

if _typing.TYPE_CHECKING:
    from respell.corrector import Corrector, load
    from respell.model.bundle import Bundle

__version__ = "0.1.0"
__all__ = [
    "Bundle",
    "Correction",
    "Corrector",
    "Error",
    "Explanation",
    "Suggestion",
    "Token",
    "__version__",
    "apply",
    "load",
    "tokenize",
]


def __getattr__(name: str) -> _typing.Any:
    """Import what needs numpy only when it is used, so that `respell --help` is fast."""
    if name == "Bundle":
        from respell.model.bundle import Bundle

        return Bundle
    if name in ("Corrector", "load"):
        from respell import corrector

        return getattr(corrector, name)
    raise AttributeError(f"module 'respell' has no attribute {name!r}")
