"""The options of a corrector: checked and merged here, for every interface."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal

from respell.types import PRESETS, VARIANTS, Error

MAX_SUGGESTIONS = 5
Spacing = bool | Literal["auto"]
"""Whether corrections may add or remove a blank; with "auto", if the model knows about blanks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectorOptions:
    """The options that change an answer. None means: not set.

    Raises an Error for a value of the wrong type or out of range.
    """

    model: Path | None = None
    """A bundle; not set, it is the one inside the package."""
    preset: str | None = None
    threshold: float | None = None
    """The least score of a correction; not set, the preset's."""
    fix_threshold: float | None = None
    """The least score of an automatic correction; not set, the preset's."""
    strict_fixes: bool | None = None
    """Whether corrections are written into files: then fewer are automatic."""
    dictionary: frozenset[str] = frozenset()
    """Words that are always accepted, and may be suggested."""
    max_suggestions: int | None = None
    variant: str | None = None
    """The spelling variant: with "en-GB" or "en-US", the other spelling is reported."""
    spacing: Spacing | None = None
    """Whether corrections may add or remove a blank (*alot*, *to gether*)."""

    def __post_init__(self) -> None:
        check_preset(self.preset)
        check_threshold(self.threshold)
        check_threshold(self.fix_threshold, name="fix_threshold")
        check_variant(self.variant)
        check_spacing(self.spacing)
        if self.max_suggestions is not None:
            check_count("max_suggestions", self.max_suggestions)
        object.__setattr__(self, "dictionary", check_words(self.dictionary))

    def over(self, base: "CorrectorOptions") -> "CorrectorOptions":
        """These options on top of others.

        Dictionaries add up. A preset brings its own thresholds: the others' are dropped.
        """
        given = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) is not None
        }
        given["dictionary"] = self.dictionary | base.dictionary
        if self.preset is not None:
            given |= {"threshold": self.threshold, "fix_threshold": self.fix_threshold}
        return replace(base, **given)

    def for_reading(self) -> "CorrectorOptions":
        """The options where people read the text: blanks are checked too, if the model can."""
        return replace(self, spacing="auto") if self.spacing is None else self

    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of a Corrector."""
        return {
            "preset": self.preset or "default",
            "threshold": self.threshold,
            "fix_threshold": self.fix_threshold,
            "strict_fixes": bool(self.strict_fixes),
            "dictionary": self.dictionary,
            "max_suggestions": self.max_suggestions or MAX_SUGGESTIONS,
            "variant": self.variant or "auto",
            "spacing": self.spacing or False,
        }


def check_preset(value: object) -> None:
    """Raise an Error unless the value is None or a string; whether it exists, the model says."""
    if value is not None and not isinstance(value, str):
        raise Error(f"preset must be one of {', '.join(PRESETS)}, not {value!r}")


def check_spacing(value: object) -> None:
    """Raise an Error unless the value is None, True, False or "auto"."""
    if value is not None and value != "auto" and not isinstance(value, bool):
        raise Error(f"spacing must be true, false or 'auto', not {value!r}")


def check_variant(value: object) -> None:
    """Raise an Error unless the value is None or a spelling variant."""
    if value is not None and value not in VARIANTS:
        raise Error(f"variant must be one of {', '.join(VARIANTS)}, not {value!r}")


def check_threshold(value: object, *, name: str = "threshold") -> None:
    """Raise an Error unless the value is None or a number between 0 and 1."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (number and 0 <= value <= 1):  # type: ignore[operator]
        raise Error(f"{name} must be a number between 0 and 1, not {value!r}")


def check_count(name: str, value: object) -> None:
    """Raise an Error unless the value is a whole number of at least 1."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not (whole and int(value) >= 1):  # type: ignore[call-overload]
        raise Error(f"{name} must be a whole number of at least 1, not {value!r}")


def check_words(dictionary: Iterable[str]) -> frozenset[str]:
    """The words of a dictionary. Raises an Error unless each is a string."""
    if isinstance(dictionary, str) or not isinstance(dictionary, Iterable):
        raise Error(f"dictionary must be a list of words, not {type(dictionary).__name__}")
    words = list(dictionary)
    if wrong := [word for word in words if not isinstance(word, str)]:
        raise Error(f"dictionary must be a list of words, not of {type(wrong[0]).__name__}")
    return frozenset(words)
