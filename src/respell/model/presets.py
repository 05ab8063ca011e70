"""Presets: the operating points of a model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Mode = Literal["light", "noisy"]
"""How corrupted the text is.

"light" is text that people have written: the case of a word is kept, a single letter is never
replaced by another word, a negation stays one, and shorthand and drawn-out words (*btw*, *sooo*)
are left alone. "noisy" is heavily corrupted text: these rules do not apply, the model gets a noise
flag, and it also chooses the case of a replacement.
"""
MODES: tuple[Mode, ...] = ("light", "noisy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """An operating point of a model."""

    threshold: float
    """The least score of a correction."""
    fix_threshold: float = 0.0
    """The least score of a correction that is written without asking."""
    oov_threshold: float = 1.0
    """If lower, it replaces `threshold` for lower-case words outside the lexicon: in heavily
    corrupted text hardly one of them is right."""
    spacing_threshold: float = 0.5
    """The least score of a correction that adds or removes a blank."""
    mode: Mode = "light"
    rewrite_threshold: float = 0.0
    """Above 0: corrections with at least this score are put into the text, and the rest of the
    sentence is read again."""
    dictionary_bias: float = 0.0
    """Added to the logits of the user's words: how much likelier it makes a word to be listed."""
    vocabulary_bias: float | None = None
    """Added to the logits of valid words outside the lexicon. None: they are not suggested."""


_SHARES = (
    *("threshold", "fix_threshold", "oov_threshold"),
    *("spacing_threshold", "rewrite_threshold"),
)


def check_presets(presets: Mapping[str, Preset]) -> None:
    """Raise a ValueError if a preset is out of range."""
    if "default" not in presets:
        raise ValueError("presets must include a default")
    for preset in presets.values():
        for name in _SHARES:
            if not 0 <= getattr(preset, name) <= 1:
                raise ValueError(f"{name} must be between 0 and 1")
        if preset.mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}")
        for name in ("dictionary_bias", "vocabulary_bias"):
            if not -20 <= (getattr(preset, name) or 0) <= 20:
                raise ValueError(f"{name} must be between -20 and 20")
