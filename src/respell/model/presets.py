"""Presets: the operating points of a model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Mode = Literal["light", "noisy"]
"""How corrupted the text is.

"light" is text that people have written: the case of a word is kept, a single letter is never
replaced by another word, a negation stays one, and shorthand and drawn-out words (*btw*, *sooo*)
are left alone. "noisy" is heavily corrupted text: these rules do not apply, the model gets a noise
flag, and it also chooses the case of a replacement.
"""
MODES: tuple[Mode, ...] = ("light", "noisy")
ThresholdOn = Literal["score", "error_probability"]
"""The score is the probability of one replacement, so it is never above the error probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """An operating point of a model."""

    threshold: float
    """The least error probability or score of a correction that is listed."""
    threshold_on: ThresholdOn = "score"
    """Which of them `threshold` is about."""
    fix_threshold: float = 0.0
    """The least score of an automatic correction: only these are made in corrected text."""
    write_threshold: float = 0.0
    """The least score of a correction that is written into a file without asking."""
    oov_threshold: float = 1.0
    """If lower, it replaces `threshold` for lower-case words outside the lexicon: in heavily
    corrupted text hardly one of them is right."""
    name_threshold: float = 0.0
    """If higher, it replaces `threshold` for capitalized words outside the lexicon: most are
    names."""
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


_RANGES = {
    "threshold": (0, 1),
    "fix_threshold": (0, 1),
    "write_threshold": (0, 1),
    "oov_threshold": (0, 1),
    "name_threshold": (0, 1),
    "spacing_threshold": (0, 1),
    "rewrite_threshold": (0, 1),
    "dictionary_bias": (-20, 20),
    "vocabulary_bias": (-20, 20),
}
_CHOICES = {"mode": MODES, "threshold_on": get_args(ThresholdOn)}


def check_presets(presets: Mapping[str, Preset]) -> None:
    """Raise a ValueError if a preset is out of range."""
    if "default" not in presets:
        raise ValueError("presets must include a default")
    for preset in presets.values():
        for name, (lowest, highest) in _RANGES.items():
            value = getattr(preset, name)
            if value is None and name == "vocabulary_bias":
                continue
            if not (type(value) in (int, float) and lowest <= value <= highest):
                limits = f"between {lowest} and {highest}"
                raise ValueError(f"{name} must be {limits}, not {value!r:.40}")
        for name, choices in _CHOICES.items():
            if getattr(preset, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}")
