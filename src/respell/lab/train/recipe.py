"""Recipes: TOML files with data, noise, model and training settings; unknown keys are errors."""

import json
import math
import tomllib
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from respell.lab.misspellings.config import DataConfig
from respell.lab.noise.config import NoiseConfig
from respell.lab.train.models import MODELS
from respell.types import Error


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """The `[train]` section of a recipe."""

    rows: int = 256
    """Rows of a batch."""
    length: int = 128
    """Words of a row; sentences are packed into rows, longer sentences are dropped."""
    spellings: float = 0.35
    """Room for distinct spellings, as a share of the words of a large batch."""
    learning_rate: float = 5e-4
    warmup: int = 300
    """Steps until the learning rate reaches its peak."""
    weight_decay: float = 0.01
    clip: float = 1.0
    """Largest norm of the gradient."""
    muon: float = 0.0
    """Above 0: use Muon instead of AdamW for the matrices inside transformer layers. The value is
    the root mean square of a step, in learning rates; that of AdamW is about 0.2."""
    beta2: float = 0.98
    distill_weight: float = 0.5
    """With a teacher: the weight of its soft targets against the labels."""
    distill_top_n: int = 0
    """Above 0: ignore the teacher for misspelled words that are not among the first N words of the
    lexicon, since it has seen them too rarely itself."""
    seed: int = 1
    log_every: int = 50
    """Steps between two entries of the log."""

    def __post_init__(self) -> None:
        _check_ranges("train", self, _TRAIN)


LONGEST = 10_000
"""Most words of a row, as for a bundle."""
_Range = tuple[Callable[[float], bool], str]
_COUNT: _Range = (lambda x: x >= 1, "at least 1")
_ABOVE: _Range = (lambda x: x > 0, "a number above 0")
_FROM: _Range = (lambda x: x >= 0, "0 or more")
_SHARE: _Range = (lambda x: 0 <= x <= 1, "a share from 0 to 1")
_BELOW: _Range = (lambda x: 0 <= x < 1, "a share from 0 to below 1")
_TRAIN: dict[str, _Range] = {
    **dict.fromkeys(("rows", "warmup", "log_every"), _COUNT),
    "length": (lambda x: 1 <= x <= LONGEST, f"a number from 1 to {LONGEST}"),
    "spellings": (lambda x: 0 < x <= 1, "a share above 0, at most 1"),
    **dict.fromkeys(("learning_rate", "clip"), _ABOVE),
    **dict.fromkeys(("weight_decay", "muon"), _FROM),
    "beta2": _BELOW,
    "distill_weight": _SHARE,
    "distill_top_n": _FROM,
    # The seed of each step and process is derived from this one and must fit into 64 bits.
    "seed": (lambda x: 0 <= x < 2**32, "a number from 0 to below 2**32"),
}
_MODEL: dict[str, _Range] = {
    **dict.fromkeys(("width", "char_width", "reader_width", "pieces", "positions"), _COUNT),
    **dict.fromkeys(("layers", "char_layers", "heads", "char_heads", "beta"), _FROM),
    "epsilon": _ABOVE,
    "dropout": _BELOW,
    "capacity": _SHARE,
}
"""The ranges of common keys; the configuration class of a model checks its other keys."""


def _check_ranges(section: str, config: object, ranges: Mapping[str, _Range]) -> None:
    for name, (fits, expected) in ranges.items():
        value = getattr(config, name, None)
        if value is not None and not fits(value):
            raise Error(f"{section}.{name} = {value}: write {expected}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A complete recipe; the class of `model` depends on `kind`."""

    name: str
    kind: str
    data: DataConfig
    noise: NoiseConfig = field(default_factory=NoiseConfig)
    model: Any
    train: TrainConfig = field(default_factory=TrainConfig)

    @property
    def keep(self) -> bool:
        """Whether the model has the label KEEP."""
        return bool(self.model.keep)

    @property
    def noise_flag(self) -> bool:
        """Whether the model has an input feature for noisy text."""
        return bool(getattr(self.model, "noise_flag", False))

    def to_toml(self) -> str:
        """The recipe as TOML, including all defaults."""
        lines = [f"name = {_literal(self.name)}", f"kind = {_literal(self.kind)}"]
        for section in ("data", "noise", "model", "train"):
            lines += ["", f"[{section}]"]
            for key, value in asdict(getattr(self, section)).items():
                lines.append(f"{key} = {_literal(value)}")
        return "\n".join(lines) + "\n"


def read_recipe(path: Path, settings: tuple[str, ...] = ()) -> Recipe:
    """Read a recipe; `settings` such as "train.rows=64" override it."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Error(f"{path}: cannot read the recipe ({error})") from error
    for setting in settings:
        _override(raw, setting)
    return parse_recipe(raw, str(path))


def parse_recipe(raw: Mapping[str, Any], where: str) -> Recipe:
    """Check a recipe read from TOML."""
    kind = raw.get("kind")
    if not isinstance(kind, str) or kind not in MODELS:
        raise Error(f"{where}: kind = {kind!r}, write one of {', '.join(MODELS)}")
    sections = {
        "data": DataConfig,
        "noise": NoiseConfig,
        "model": MODELS[kind][1],
        "train": TrainConfig,
    }
    unknown = set(raw) - set(sections) - {"name", "kind"}
    if unknown:
        raise Error(f"{where}: unknown key {sorted(unknown)[0]!r}")
    if not isinstance(raw.get("name"), str):
        raise Error(f"{where}: name is missing or not a string")
    parsed = {
        key: _section(cls, raw.get(key, {}), f"{where}: [{key}]") for key, cls in sections.items()
    }
    _check_ranges("model", parsed["model"], _MODEL)
    return Recipe(name=raw["name"], kind=kind, **parsed)


def _section(cls: type[Any], raw: object, where: str) -> Any:
    if not isinstance(raw, Mapping):
        raise Error(f"{where} must be a table")
    hints = get_type_hints(cls)
    for key, value in raw.items():
        if key not in hints:
            raise Error(f"{where}: unknown key {key!r}")
        if not _fits(value, hints[key]):
            raise Error(f"{where}: {key} = {value!r} has the wrong type")
    for item in fields(cls):
        required = item.default is MISSING and item.default_factory is MISSING
        if required and item.name not in raw:
            raise Error(f"{where}: {item.name} is missing")
    return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()})


def _fits(value: object, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin is tuple:
        return isinstance(value, list) and all(_fits(v, get_args(hint)[0]) for v in value)
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(v, get_args(hint)[1]) for v in value.values()
        )
    if isinstance(hint, types.UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if hint is float:
        return type(value) is int or (type(value) is float and math.isfinite(value))
    return type(value) is hint


def _override(raw: dict[str, Any], setting: str) -> None:
    key, equals, value = setting.partition("=")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value
    *tables, last = key.strip().split(".")
    if not equals or not last:
        raise Error(f"--set {setting}: write section.key=value")
    for table in tables:
        raw = raw.setdefault(table, {})
        if not isinstance(raw, dict):
            raise Error(f"--set {setting}: {table} is not a section")
    raw[last] = parsed


def _literal(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {_literal(v)}" for k, v in value.items()) + " }"
    written = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
    return written.replace("\x7f", "\\u007f")  # JSON does not escape this character, TOML does
