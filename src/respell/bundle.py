"""A deployable model is a folder: config.json, lexicon.txt, model.onnx and its card.

It may hold capitals.txt: how people write the words that have capitals of their own.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from respell.capitals import read_capitals
from respell.features import Encoder, FormStyle
from respell.lexicon import Lexicon
from respell.types import Error

FORMAT = 1
CONFIG, LEXICON, MODEL, CAPITALS, CARD, GOLDEN = (
    "config.json",
    "lexicon.txt",
    "model.onnx",
    "capitals.txt",
    "README.md",
    "golden.jsonl",
)
LARGEST_FILE = 1 << 30
LARGEST_CONFIG = 1 << 20
# A blank inside a suggestion would make two tokens of one; control characters speak to terminals.
_UNFIT = re.compile(r"[^\S\n]|[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """An operating point: the least score of a correction, and who decides on its case."""

    threshold: float
    unlisted: float = 1.0
    """Where lower than the threshold, it stands in for it for words that are in small letters and
    not in the lexicon: in heavily corrupted text hardly one of them is right."""
    restore_case: bool = False
    """Write the case the model prefers instead of the original's."""
    wild: bool = False
    """Tell the model that the text is heavily corrupted; it must have been trained to be told."""
    told: float = 1.0
    """With `wild`: the weight of what a model says that was told so; the rest is what it says of
    the text as of any other. Told, it knows absurd misspellings better, untold those of no list."""
    sure: float = 0.0
    """Above 0: corrections of at least this score are written in, and the rest is read again."""
    slope: float = 1.0
    shift: float = 0.0
    """The log odds that a word is wrong are believed to be the model's times slope plus shift."""
    dictionary_bias: float = 0.0
    """Added to the scores of the dictionary's words: how much likelier listing makes them, as the
    logarithm of a ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleConfig:
    """What config.json holds."""

    format: int
    name: str
    model: str
    style: FormStyle
    keep: bool
    """Whether the model can leave a word alone; without, it names a word for every token."""
    folded: bool
    characters: str
    length: int
    """Most words a sentence may have; longer ones are read in overlapping windows."""
    presets: Mapping[str, Preset]
    sha256: Mapping[str, str]

    def to_json(self) -> str:
        """As stored in config.json."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A model folder that has been read and checked."""

    path: Path
    config: BundleConfig
    lexicon: Lexicon
    capitals: Mapping[str, str] = field(default_factory=dict)
    """Words of the lexicon with capitals of their own -> as people write them."""

    @classmethod
    def read(cls, path: Path) -> "Bundle":
        """Read a folder; an incomplete or altered one is refused."""
        if not path.is_dir():
            raise Error(f"{path}: no such model folder")
        _need(path, (CONFIG, LEXICON, MODEL))
        config = _parse(path / CONFIG)
        capitals = path / CAPITALS
        more = (CAPITALS,) if CAPITALS in config.sha256 or capitals.is_file() else ()
        _need(path, more)
        for name in (LEXICON, MODEL, *more):
            if digest(path / name) != config.sha256.get(name):
                raise Error(f"{path / name}: damaged, its SHA-256 differs from {CONFIG}")
        lexicon = Lexicon.read(path / LEXICON)
        words = "\n".join(lexicon.words)
        if unfit := _UNFIT.search(words):
            line = words.count("\n", 0, unfit.start()) + 1
            raise Error(f"{path / LEXICON}:{line}: the word holds a blank or a control character")
        return cls(path, config, lexicon, read_capitals(capitals, lexicon) if more else {})

    @property
    def model(self) -> Path:
        """The ONNX file."""
        return self.path / MODEL

    @property
    def encoder(self) -> Encoder:
        """The encoder that fits this model."""
        config = self.config
        return Encoder(self.lexicon, config.characters, config.style, config.folded)

    def preset(self, name: str) -> Preset:
        """A named operating point."""
        if name not in self.config.presets:
            known = ", ".join(self.config.presets)
            raise Error(f"no preset {name!r} in this model; it has {known}")
        return self.config.presets[name]


def _need(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        if not (folder / name).is_file():
            raise Error(f"{folder}: not a model folder, {name} is missing")


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    if path.stat().st_size > LARGEST_FILE:
        raise Error(f"{path}: larger than any model file ({LARGEST_FILE >> 20} MiB)")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def default_path() -> Path:
    """The bundle inside the package."""
    return Path(__file__).parent / "models" / "default"


def _parse(path: Path) -> BundleConfig:
    if path.stat().st_size > LARGEST_CONFIG:
        raise Error(f"{path}: larger than any {CONFIG} ({LARGEST_CONFIG >> 10} KiB)")
    try:
        raw: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Error(f"{path}: not readable as JSON ({error})") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise Error(f"{path}: not a model of format {FORMAT}; another version of respell wrote it")
    names = {field.name for field in fields(BundleConfig)}
    if set(raw) != names:
        wrong = ", ".join(sorted(names ^ set(raw)))
        raise Error(f"{path}: missing or unknown keys: {wrong}")
    try:
        raw["presets"] = {name: Preset(**value) for name, value in raw["presets"].items()}
        config = BundleConfig(**raw)
        _check(config)
    except (TypeError, AttributeError, ValueError) as error:
        raise Error(f"{path}: {error}") from error
    return config


def _check(config: BundleConfig) -> None:
    types: dict[str, type] = {"name": str, "model": str, "characters": str, "length": int}
    types |= {"keep": bool, "folded": bool, "sha256": dict}
    for key, wanted in types.items():
        if type(getattr(config, key)) is not wanted:
            raise ValueError(f"{key} must be {wanted.__name__}")
    if not all(name.isprintable() for name in (config.name, config.model, *config.presets)):
        raise ValueError("names must be printable")
    if config.style not in ("lower", "exact"):
        raise ValueError('style must be "lower" or "exact"')
    if not config.characters or not 1 <= config.length <= 10_000:
        raise ValueError("length must lie between 1 and 10000, characters must not be empty")
    check_presets(config.presets)


def check_presets(presets: Mapping[str, Preset]) -> None:
    """Refuse operating points that cannot be meant, with a ValueError."""
    if "default" not in presets:
        raise ValueError("presets must hold a default")
    for preset in presets.values():
        flags = (preset.restore_case, preset.wild)
        if not 0 <= preset.threshold <= 1 or not all(isinstance(flag, bool) for flag in flags):
            raise ValueError(
                "a preset needs a threshold from 0 to 1, restore_case and wild true or false"
            )
        if not 0 <= preset.sure <= 1 or not 0 <= preset.unlisted <= 1:
            raise ValueError("sure and unlisted must lie between 0 and 1")
        if not 0 < preset.told <= 1:
            raise ValueError("told must be above 0, at most 1")
        if not 0.01 <= preset.slope <= 100 or not -100 <= preset.shift <= 100:
            raise ValueError("a preset needs a slope from 0.01 to 100, a shift from -100 to 100")
        if not -20 <= preset.dictionary_bias <= 20:
            raise ValueError("dictionary_bias must lie between -20 and 20")
