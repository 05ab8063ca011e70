"""A bundle: a model folder with config.json, lexicon.txt, model.onnx and its card.

It may also have truecase.txt, the usual capitals of words, and vocabulary.gz, valid words outside
the lexicon.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from respell.model.encode import Casing, Encoder
from respell.model.lexicon import Lexicon
from respell.model.presets import Preset, check_presets
from respell.model.truecase import read_truecase
from respell.model.version import CONFIG as CONFIG
from respell.model.version import default_path as default_path
from respell.model.version import version_text
from respell.model.vocabulary import Vocabulary
from respell.types import Error

FORMAT = 2
LEXICON, MODEL, TRUECASE, VOCABULARY, CARD, GOLDEN = (
    "lexicon.txt",
    "model.onnx",
    "truecase.txt",
    "vocabulary.gz",
    "README.md",
    "golden.jsonl",
)
MAX_FILE_SIZE = 1 << 30
MAX_CONFIG_SIZE = 1 << 20
# A space inside a suggestion would make two tokens of one; control characters affect terminals.
INVALID = re.compile(r"[^\S\n]|[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleConfig:
    """The contents of config.json."""

    format: int
    name: str
    edition: int
    """Counts the published versions of the model of this name."""
    model: str
    casing: Casing
    keep: bool
    """Whether the model can leave a word alone; without it, it names a word for every token."""
    spell_oov_only: bool
    """Whether only words outside the lexicon are spelled out for the model."""
    noise_flag: bool
    """Whether the model was trained with a flag for heavily corrupted text."""
    characters: str
    length: int
    """Words of a window at most; longer sentences are read in overlapping windows."""
    presets: Mapping[str, Preset]
    sha256: Mapping[str, str]
    spacing: bool = False
    """Whether the model finds missing and extra blanks."""

    def to_json(self) -> str:
        """The text of config.json."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A model folder that has been read and checked."""

    path: Path
    config: BundleConfig
    lexicon: Lexicon
    truecase: Mapping[str, str] = field(default_factory=dict)
    """Words with capitals of their own: lower case -> usual case."""
    vocabulary: Vocabulary | None = None
    """Valid words outside the lexicon, for models that read their classes."""

    @classmethod
    def read(cls, path: Path) -> "Bundle":
        """Read a folder. Raises an Error if it is incomplete or a file does not match its hash."""
        if not path.is_dir():
            raise Error(f"{path}: no such model folder")
        _require(path, (CONFIG, LEXICON, MODEL))
        config = _parse(path / CONFIG)
        optional = (TRUECASE, VOCABULARY)
        more = [name for name in optional if name in config.sha256 or (path / name).is_file()]
        _require(path, more)
        for name in (LEXICON, MODEL, *more):
            if digest(path / name) != config.sha256.get(name):
                raise Error(f"{path / name}: damaged, its SHA-256 differs from {CONFIG}")
        lexicon = Lexicon.read(path / LEXICON)
        words = "\n".join(lexicon.words)
        if invalid := INVALID.search(words):
            line = words.count("\n", 0, invalid.start()) + 1
            raise Error(f"{path / LEXICON}:{line}: the word has a space or a control character")
        truecase = read_truecase(path / TRUECASE, lexicon) if TRUECASE in more else {}
        vocabulary = Vocabulary.read(path / VOCABULARY) if VOCABULARY in more else None
        return cls(path, config, lexicon, truecase, vocabulary)

    @property
    def model(self) -> Path:
        """The ONNX file."""
        return self.path / MODEL

    @property
    def edition(self) -> int:
        """The edition of the model."""
        return self.config.edition

    @property
    def sha256(self) -> str:
        """The hash of config.json, which contains the hashes of all other files."""
        return digest(self.path / CONFIG)

    @property
    def version(self) -> str:
        """Name, edition and short hash, for people."""
        return version_text(self.config.name, self.config.edition, self.sha256)

    @property
    def encoder(self) -> Encoder:
        """The encoder for this model."""
        config = self.config
        return Encoder(
            self.lexicon,
            config.characters,
            config.casing,
            config.spell_oov_only,
            vocabulary=self.vocabulary,
        )

    def preset(self, name: str) -> Preset:
        """The preset of this name."""
        if name not in self.config.presets:
            known = ", ".join(self.config.presets)
            raise Error(f"no preset {name!r} in this model; it has {known}")
        return self.config.presets[name]


def _require(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        if not (folder / name).is_file():
            raise Error(f"{folder}: not a model folder, {name} is missing")


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    if path.stat().st_size > MAX_FILE_SIZE:
        raise Error(f"{path}: larger than any model file ({MAX_FILE_SIZE >> 20} MiB)")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _parse(path: Path) -> BundleConfig:
    if path.stat().st_size > MAX_CONFIG_SIZE:
        raise Error(f"{path}: larger than any {CONFIG} ({MAX_CONFIG_SIZE >> 10} KiB)")
    try:
        raw: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Error(f"{path}: not readable as JSON ({error})") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        _refuse_format(path, raw)
    names = {field.name for field in fields(BundleConfig)}
    needed = {field.name for field in fields(BundleConfig) if field.default is MISSING}
    if not needed <= set(raw) <= names:
        wrong = ", ".join(sorted((needed - set(raw)) | (set(raw) - names)))
        raise Error(f"{path}: missing or unknown keys: {wrong}")
    try:
        raw["presets"] = {name: Preset(**value) for name, value in raw["presets"].items()}
        config = BundleConfig(**raw)
        _check(config)
    except (TypeError, AttributeError, ValueError) as error:
        raise Error(f"{path}: {error}") from error
    return config


def _refuse_format(path: Path, raw: object) -> None:
    number = raw.get("format") if isinstance(raw, dict) else None
    if isinstance(number, int) and number < FORMAT:
        raise Error(
            f"{path}: a model of the old format {number}; export its checkpoint again with this "
            f"version of respell, which reads format {FORMAT}"
        )
    raise Error(
        f"{path}: not a model of format {FORMAT}; install the version of respell that wrote it"
    )


def _check(config: BundleConfig) -> None:
    types: dict[str, type] = {"name": str, "edition": int, "model": str, "characters": str}
    types |= {
        "length": int,
        "keep": bool,
        "spell_oov_only": bool,
        "noise_flag": bool,
        "spacing": bool,
        "sha256": dict,
    }
    for key, wanted in types.items():
        if type(getattr(config, key)) is not wanted:
            raise ValueError(f"{key} must be {wanted.__name__}")
    if not all(name.isprintable() for name in (config.name, config.model, *config.presets)):
        raise ValueError("names must be printable")
    if config.casing not in ("lower", "exact"):
        raise ValueError('casing must be "lower" or "exact"')
    if not config.characters or not 1 <= config.length <= 10_000:
        raise ValueError("length must be between 1 and 10000, and characters must not be empty")
    check_presets(config.presets)
