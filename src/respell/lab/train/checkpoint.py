"""Checkpoints: folders with recipe.toml, lexicon.txt, model.safetensors and facts.json."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from respell.lab.common.storage import finish_replacing, read_json, replacing, sha256
from respell.lab.train.models import MODELS
from respell.lab.train.models.base import Model, Sizes
from respell.lab.train.recipe import LONGEST, Recipe, read_recipe
from respell.model.bundle import FORMAT, Bundle, BundleConfig
from respell.model.bundle import VOCABULARY as VOCABULARY
from respell.model.compose import UserWordScorer
from respell.model.encode import FIRST_CHARACTER, Casing
from respell.model.forward import NO_WORDS, Features, Floats, Forward, Ints, TopK
from respell.model.lexicon import Lexicon
from respell.model.presets import Preset
from respell.model.vocabulary import Vocabulary
from respell.types import PRESETS, Error

RECIPE, LEXICON, WEIGHTS, OPTIMIZER, FACTS, METRICS = (
    "recipe.toml",
    "lexicon.txt",
    "model.safetensors",
    "optimizer.safetensors",
    "facts.json",
    "metrics.jsonl",
)
PARTS = (RECIPE, LEXICON, VOCABULARY, WEIGHTS, OPTIMIZER, FACTS, METRICS)
DEFAULT_PRESETS = {
    name: Preset(threshold=0.5, mode="noisy" if name == "noisy" else "light") for name in PRESETS
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts about a checkpoint that are not in its recipe: its data and its progress."""

    characters: str
    casing: Casing
    length: int
    data_hash: str
    step: int = 0
    words: int = 0
    seconds: float = 0.0


def build_model(recipe: Recipe, sizes: Sizes) -> Model:
    """A new model for a recipe."""
    model = _construct(recipe, sizes)
    model.prepare(sizes.alphabet)
    return model


def _construct(recipe: Recipe, sizes: Sizes) -> Model:
    model_class, _ = MODELS[recipe.kind]
    return model_class(recipe.model, sizes)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The contents of a checkpoint folder, without the weights."""

    path: Path
    recipe: Recipe
    lexicon: Lexicon
    facts: Facts
    vocabulary: Vocabulary | None = None

    @classmethod
    def read(cls, path: Path) -> "Checkpoint":
        """Read everything except the weights."""
        finish_replacing(path)
        for name in (RECIPE, LEXICON, WEIGHTS, FACTS):
            if not (path / name).is_file():
                raise Error(f"{path}: not a checkpoint, {name} is missing")
        facts = _read_facts(path / FACTS)
        recipe = read_recipe(path / RECIPE)
        lexicon, table = Lexicon.read(path / LEXICON), path / VOCABULARY
        if getattr(recipe.model, "classes", False) != table.is_file():
            raise Error(f"{path}: model.classes and {VOCABULARY} belong together, one is missing")
        vocabulary = Vocabulary.read(table) if table.is_file() else None
        return cls(path, recipe, lexicon, facts, vocabulary)

    @property
    def sizes(self) -> Sizes:
        """The sizes of the data of the model."""
        characters = len(self.facts.characters) + FIRST_CHARACTER
        return Sizes(len(self.lexicon), characters, self.facts.length)

    def model(self, device: torch.device | str = "cpu") -> Model:
        """The model with its weights."""
        model = _construct(self.recipe, self.sizes)
        self.load_weights(model)
        return model.to(device).eval()

    def load_weights(self, model: Model) -> None:
        """Load the weights into a model."""
        try:
            model.load_state_dict(load_tensors(self.path / WEIGHTS))
        except RuntimeError as error:
            raise Error(f"{self.path / WEIGHTS}: does not fit {RECIPE} and {LEXICON}") from error

    def bundle(self, presets: Mapping[str, Preset] | None = None) -> Bundle:
        """A bundle for this checkpoint, for use with `torch_forward`."""
        config = BundleConfig(
            format=FORMAT,
            name=self.recipe.name,
            edition=1,
            model=self.recipe.kind,
            casing=self.facts.casing,
            keep=self.recipe.keep,
            spell_oov_only=False,
            noise_flag=self.recipe.noise_flag,
            characters=self.facts.characters,
            length=self.facts.length,
            presets=dict(presets or self.presets()),
            sha256={},
            spacing=getattr(self.recipe.model, "spacing", False),
        )
        return Bundle(self.path, config, self.lexicon, vocabulary=self.vocabulary)

    def presets(self) -> dict[str, Preset]:
        """Presets before any were tuned; a closed lexicon has no threshold."""
        if self.recipe.keep:
            return dict(DEFAULT_PRESETS)
        return {name: Preset(threshold=0.0) for name in PRESETS}

    def digest(self) -> str:
        """SHA-256 of the weights."""
        return sha256(self.path / WEIGHTS)


def _read_facts(path: Path) -> Facts:
    raw = read_json(path)
    if set(raw) != {field.name for field in fields(Facts)}:
        raise Error(f"{path}: written by another version")
    kinds: dict[type, tuple[str, ...]] = {
        str: ("characters", "casing", "data_hash"),
        int: ("length", "step", "words"),
    }
    fits = all(type(raw[key]) is kind for kind, keys in kinds.items() for key in keys)
    if not fits or type(raw["seconds"]) not in (int, float):
        raise Error(f"{path}: damaged, a value has the wrong type")
    facts = Facts(**raw)
    counted = min(facts.step, facts.words) >= 0 and 0 <= facts.seconds < math.inf
    if not counted or not facts.characters or not 1 <= facts.length <= LONGEST:
        raise Error(f"{path}: damaged, a value is out of range")
    if facts.casing not in get_args(Casing):
        raise Error(f"{path}: damaged, casing is not one of {', '.join(get_args(Casing))}")
    return facts


def clear(folder: Path) -> None:
    """Remove a checkpoint from a folder; other files stay."""
    finish_replacing(folder)
    for name in PARTS:
        (folder / name).unlink(missing_ok=True)


def check_finite(model: Model, where: object) -> None:
    """Raise an error if a weight is infinite or not a number."""
    if not all(parameter.isfinite().all() for parameter in model.parameters()):
        raise Error(
            f"{where}: weights are not finite, training has diverged; lower train.learning_rate"
        )


def pick_device(name: str | None = None) -> torch.device:
    """The device with this name; without a name, a GPU if there is one."""
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
    except RuntimeError as error:
        raise Error(f"--device {name}: no such kind of device; write cpu or cuda") from error
    try:
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError) as error:  # torch accepts names of absent devices
        raise Error(f"--device {name}: no such device on this machine; write cpu") from error
    return device


def device_name(device: torch.device) -> str:
    """The name of a device in results."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def torch_forward(model: Model, device: torch.device | str = "cpu") -> Forward:
    """The `Forward` function of a torch model, as the runtime calls it."""

    def forward(features: Features, gate: float) -> TopK:
        words, shapes, slots, spellings, new, classes = (
            torch.from_numpy(getattr(features, field.name)).to(device) for field in fields(Features)
        )
        with torch.inference_mode():
            bound = torch.tensor(gate, device=device)
            ranked = new if len(new) else None
            known = classes if classes.numel() else None
            found = model.predict(
                words, shapes, slots, spellings, bound, new_words=ranked, classes=known
            )
        values = (getattr(found, field.name) for field in fields(TopK))
        arrays: list[Any] = [NO_WORDS if v is None else v.cpu().numpy() for v in values]
        return TopK(*(a.astype(np.float32) if a.dtype.kind == "f" else a for a in arrays))

    def compose(spellings: Ints) -> Floats:
        with torch.inference_mode():
            rows = model.compose_words(model.spell(torch.from_numpy(spellings).to(device)))
        return rows.float().cpu().numpy()

    return UserWordScorer(forward, compose) if model.composes else forward


def save_tensors(tensors: Mapping[str, Tensor], path: Path) -> None:
    """Write tensors to a file; an existing file is replaced atomically."""
    with replacing(path) as temporary:
        try:
            save_file({name: t.detach().contiguous() for name, t in tensors.items()}, temporary)
        except SafetensorError as error:  # e.g. a full disk
            raise Error(f"{path}: cannot be written ({error})") from error


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Read tensors; a safetensors file cannot contain code."""
    try:
        tensors: dict[str, Tensor] = load_file(path)
    except (SafetensorError, OSError) as error:
        raise Error(f"{path}: not a safetensors file, or damaged ({error})") from error
    return tensors
