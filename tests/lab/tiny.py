"""Tiny data for the tests of the lab: sentences, misspellings, recipes and trained models."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import torch

from respell.lab.__main__ import main
from respell.lab.data.build import SCAN_OPTIONS, build
from respell.lab.data.corpus import Source
from respell.lab.export.command import export
from respell.lab.export.int8.weights import quantize
from respell.lab.export.onnx import to_onnx
from respell.lab.export.parity import Parity
from respell.lab.misspellings.spacing import SpacingLists
from respell.lab.train.batches import Batcher
from respell.lab.train.checkpoint import Checkpoint
from respell.lab.train.dataset import Corpus
from respell.lab.train.models.base import Batch, Targets
from respell.lab.train.packing import Packed, Packer
from respell.lab.train.recipe import Recipe, parse_recipe
from respell.model.bundle import Bundle
from respell.model.encode import Casing
from respell.model.vocabulary import Vocabulary, class_id, write_vocabulary
from respell.types import Token

MISSPELLINGS = {
    line.split()[0]: line.split()[1:]
    for line in """\
the teh hte
their there thier
there their ther
from form frm
and adn nad
with whit wiht
careful carefull carful
different diffrent diferent
beautiful beutiful beautifull
necessary neccessary necesary
separate seperate
famous famus famouse
strange stange strang
foreign foriegn foreing
government goverment govermnent
library libary librery
business buisness bussiness
knowledge knowlege nowledge
restaurant restaraunt resturant
calendar calender
question qestion quesiton
machine mashine machien
received recieved
believed beleived belived
remembered rememberd
noticed notised notcied
described discribed
really realy reelly
usually usualy
finally finaly finnally
probably probaly propably
school shcool scool
hospital hopsital hospitel
station staton
garden gardan graden
village vilage villege
letters leters lettres
""".splitlines()
}
"""Correct word -> its misspellings."""
CONFUSIONS = [("their", "there", 1.0), ("there", "their", 1.0), ("from", "for", 1.0)]
"""Words written for others, with weights."""
SPACING = SpacingLists({("there", "is"), ("near", "their")}, {("gar", "den"), ("hos", "pital")})
"""Words that are run together or pulled apart."""
VALID = {word: class_id("common", 1) for word in ("gardener", "letterbox", "schoolyard")}
"""Valid words outside the lexicon, with their classes."""

_WORDS = {
    "adjective": "careful different beautiful necessary separate famous strange foreign",
    "noun": "government library business knowledge restaurant calendar question machine",
    "verb": "received believed remembered noticed described",
    "adverb": "really usually finally probably REALLY",
    "place": "school hospital station garden village",
    "number": "3 27 1984 4.5",
}
_TEMPLATES = (
    "The {adjective} {noun} {adverb} {verb} the {noun} near their {place}.",
    "There is a {adjective} {noun} at the {place}, and it is {adverb} {adjective}.",
    "We {verb} {number} letters from the {noun} of the {place}.",
    '"{name} {verb} that the {noun} was too {adjective} for them," she said.',
    "They {verb} it with the {adjective} {noun}; we {adverb} {verb} the {place}!",
    "In the {place} there is their {adjective} {noun} with {number} letters.",
)
SIZE = 60
"""Words in the lexicon: all words of the sentences except the names."""


def sentences(count: int, seed: int = 0) -> list[str]:
    """Random English sentences."""
    rng = Random(seed)
    written = []
    for i in range(count):
        template = _TEMPLATES[i % len(_TEMPLATES)]
        while "{" in template:
            slot = template[template.index("{") + 1 : template.index("}")]
            word = _name(rng) if slot == "name" else rng.choice(_WORDS[slot].split())
            template = template.replace("{" + slot + "}", word, 1)
        written.append(template)
    return written


def _name(rng: Random) -> str:
    """A random name, too rare for the lexicon."""
    return "".join(rng.choice(letters) for letters in ("BDKZ", "aou", "rlmn", "aeiu", "xvz", "ou"))


def misspell(words: Sequence[str], seed: int) -> list[str]:
    """A sentence with a quarter of the words in `MISSPELLINGS` misspelled."""
    rng = Random(seed)
    listed = [word in MISSPELLINGS and rng.random() < 0.25 for word in words]
    return [
        rng.choice(MISSPELLINGS[word]) if wrong else word
        for word, wrong in zip(words, listed, strict=True)
    ]


def parity_sentences(count: int = 40) -> tuple[list[list[str]], list[list[str]]]:
    """Noisy and gold tokens of sentences without names that are not in the training data."""
    lines = [line for line in sentences(count, 99) if not line.startswith('"')]
    gold = [line.replace(".", " .").replace(",", " ,").split() for line in lines]
    return [misspell(words, i) for i, words in enumerate(gold)], gold


def calibration_sentences() -> list[list[str]]:
    """Misspelled sentences, different from the parity sentences."""
    return [misspell(line.split(), i) for i, line in enumerate(sentences(60, 7))]


@functools.cache
def lists_folder(base: Path) -> Path:
    """A folder with the misspellings as "tiny.tsv"."""
    folder = base / "tiny-lists"
    folder.mkdir()
    pairs = [(word, wrong) for word, spellings in MISSPELLINGS.items() for wrong in spellings]
    blanks = [(f"{one} {other}", one + other) for one, other in sorted(SPACING.together)]
    blanks += [(one + other, f"{one} {other}") for one, other in sorted(SPACING.apart)]
    weighted = [(word, f"{other}\t{weight}") for word, other, weight in CONFUSIONS]
    lists = {"tiny": pairs, "spacing": blanks, "confusions_weighted": weighted}
    for name, rows in lists.items():
        lines = "".join(f"{word}\t{wrong}\n" for word, wrong in rows)
        (folder / f"{name}.tsv").write_text(lines, encoding="utf-8")
    write_vocabulary(VALID, folder / "vocabulary.gz")
    return folder


@functools.cache
def build_folder(base: Path, casing: Casing) -> Path:
    """Training data of a few hundred sentences; built once."""
    text = base / f"tiny-{casing}.txt"
    text.write_text("\n".join(sentences(400)) + "\n", encoding="utf-8")
    out = base / f"tiny-{casing}"
    build([Source(text.name)], out, data=base, size=SIZE, options=SCAN_OPTIONS[casing])
    return out


_TRAIN = {
    "rows": 8,
    "length": 40,
    "spellings": 1.0,
    "learning_rate": 4e-3,
    "warmup": 20,
    "log_every": 20,
}
_TRANSFORMER = {
    "width": 64,
    "layers": 2,
    "heads": 4,
    "char_width": 32,
    "char_layers": 1,
    "char_heads": 2,
    "dropout": 0.0,
}
_PRODUCT_NOISE = {
    "clean": 0.1,
    "at_least_one": False,
    "synthetic": 0.1,
    "mixed": True,
    "methods": {"insert": 1, "keyboard": 1},
    "mask": 0.05,
    "random_case": 0.2,
}
_SUBWORD = {
    **_TRANSFORMER,
    "layers": 1,
    "char_layers": 0,
    "pieces": 150,
    "positions": 128,
    "factor": 3.0,
    "vocabulary": str(Path(__file__).with_name("tiny_vocab.txt")),
}
_CHANNELS_DATA = {
    "confusion_tables": ["confusions_weighted.tsv"],
    "spacing": ["spacing.tsv"],
    "vocabulary": "vocabulary.gz",
}
_CHANNELS = {
    "confusions": 0.1,
    "balance": 2.0,
    "run_together": 0.02,
    "listed_spacing": 0.2,
    "odd_letters": 0.02,
    "inserted_valid_words": 0.02,
}
_CHANNELS_MODEL = {"keep": True, "noise_flag": True, "classes": True, "spacing": True}
RAW_RECIPES: dict[str, dict[str, Any]] = {
    "scrnn": {
        "kind": "scrnn",
        "model": {"width": 64, "dropout": 0.0},
        "train": {"learning_rate": 8e-3},
    },
    "mude": {
        "kind": "mude",
        "model": {
            "width": 32,
            "layers": 1,
            "heads": 4,
            "reader_width": 64,
            "dropout": 0.0,
            "beta": 0.1,
        },
    },
    "char": {"kind": "word_char", "model": {**_TRANSFORMER, "layers": 0}},
    "word": {"kind": "word_char", "model": {**_TRANSFORMER, "char_layers": 0}},
    "word_char": {"kind": "word_char", "model": _TRANSFORMER},
    "subword_bio2": {"kind": "subword", "model": {**_SUBWORD, "labels": "bio2", "char_layers": 1}},
    "subword_keep": {
        "kind": "subword",
        "noise": _PRODUCT_NOISE,
        "model": {**_SUBWORD, "relative": True, "keep": True},
        "train": {"learning_rate": 8e-3},
    },
    "word_char_keep": {
        "kind": "word_char",
        "noise": _PRODUCT_NOISE,
        "model": {**_TRANSFORMER, "fused": 1, "keep": True, "tied": True, "noise_flag": True},
    },
    "word_char_suspects": {
        "kind": "word_char",
        "data": _CHANNELS_DATA,
        "noise": {**_PRODUCT_NOISE, **_CHANNELS},
        "model": {
            **_TRANSFORMER,
            **_CHANNELS_MODEL,
            "width": 144,  # so that torch stores the shared table only once
            "layers": 1,
            "suspect_layers": 1,
            "suspect_width": 160,
            "suspect_share": 0.75,
            "fused": 1,
            "tied": True,
            "composed": 0.3,
        },
        "train": {"muon": 0.2},
    },
    "subword_channels": {
        "kind": "subword",
        "data": _CHANNELS_DATA,
        "noise": {**_PRODUCT_NOISE, **_CHANNELS},
        "model": {**_SUBWORD, **_CHANNELS_MODEL},
        "train": {"learning_rate": 8e-3},
    },
}
"""Tiny recipes: every model at least once, Word+Char as in the paper and as in the product."""
COMPOSED = "word_char_composed"
_COMPOSED_RECIPE = {
    "kind": "word_char",
    "noise": {**_PRODUCT_NOISE, "synthetic": 0.5, "methods": {"delete": 1, "transpose": 1}},
    "model": {**_TRANSFORMER, "keep": True, "tied": True, "composed": 0.3},
    "train": {"muon": 0.2},
}
"""As in the product, with output vectors composed from spellings, so that new words are ranked."""
SHIPPED = "word_char_shipped"
_SHIPPED_MODEL = {**_TRANSFORMER, "width": 144, "fused": 1, "keep": True, "tied": True}
_SHIPPED_RECIPE = {
    **_COMPOSED_RECIPE,
    "model": {**_SHIPPED_MODEL, "noise_flag": True, "composed": 0.3},
    "train": {},
}
"""All features of the product, and wide enough that torch stores the shared table only once."""
STEPS = {
    "scrnn": 160,
    "mude": 100,
    "char": 120,
    "word": 80,
    "word_char": 80,
    "subword_bio2": 80,
    "subword_keep": 200,
    "word_char_keep": 240,
    "word_char_suspects": 240,
    "subword_channels": 200,
    COMPOSED: 160,
    SHIPPED: 240,
}
"""Steps of training after which a model has learnt the tiny data."""


def recipe(case: str) -> Recipe:
    """The tiny recipe of a case."""
    raw = (RAW_RECIPES | {COMPOSED: _COMPOSED_RECIPE, SHIPPED: _SHIPPED_RECIPE})[case]
    data = {"lists": ["tiny.tsv"], **raw.get("data", {})}
    common = {"name": f"tiny-{case}", **raw, "data": data}
    return parse_recipe({**common, "train": _TRAIN | raw.get("train", {})}, case)


def casing_of(case: str) -> Casing:
    """The casing of the words of a case."""
    return "lower" if recipe(case).keep else "exact"


def train_arguments(base: Path, case: str, out: Path, *more: str) -> list[str]:
    """The arguments of `train` for a tiny recipe."""
    path = base / f"tiny-{case}.toml"
    if not path.exists():
        path.write_text(recipe(case).to_toml(), encoding="utf-8")
    data, lists = build_folder(base, casing_of(case)), lists_folder(base)
    folders = ["--data", str(data), "--lists", str(lists), "--out", str(out)]
    return ["train", str(path), *folders, *more]


@functools.cache
def checkpoint(base: Path, case: str) -> Checkpoint:
    """A model trained on the tiny data; trained once."""
    out = base / f"tiny-{case}-checkpoint"
    if main(train_arguments(base, case, out, "--steps", str(STEPS[case]))) != 0:
        raise AssertionError(f"training {case} failed")
    return Checkpoint.read(out)


@functools.cache
def graphs(base: Path, case: str) -> tuple[Path, Path]:
    """The checkpoint as ONNX with 32-bit and with 8-bit weights; exported once."""
    saved = checkpoint(base, case)
    model = saved.model()
    fold = getattr(model, "fold", None)
    if fold is not None:
        fold(torch.from_numpy(saved.bundle().encoder.spell(saved.lexicon.words)))
    wide, small = base / f"tiny-{case}.onnx", base / f"tiny-{case}-int8.onnx"
    to_onnx(model, wide)
    quantize(wide, small)
    return wide, small


@functools.cache
def onnx_bundle(base: Path, case: str) -> Bundle:
    """A bundle for the graphs of a case."""
    saved = checkpoint(base, case)
    plain = saved.bundle(saved.presets())
    folds = hasattr(saved.model(), "fold")
    return replace(plain, config=replace(plain.config, spell_oov_only=folds))


@functools.cache
def exported(base: Path) -> tuple[Path, Parity]:
    """The bundle of the model with KEEP, and its parity with torch; exported once."""
    saved = checkpoint(base, "word_char_keep")
    noisy, gold = parity_sentences()
    out = base / "tiny-bundle"
    sources = [{"file": "tiny.txt", "licence": "CC0", "words": 5000}]
    return out, export(
        saved,
        out,
        noisy=noisy,
        gold=gold,
        presets=saved.presets(),
        sources=sources,
    )


@functools.cache
def corpus(base: Path, casing: Casing) -> Corpus:
    """The training data in memory; read once."""
    return Corpus.read(build_folder(base, casing))


def batcher(base: Path, case: str, *, composed: float | None = None) -> Batcher:
    """The batcher of a case."""
    made = recipe(case)
    channels: dict[str, Any] = {}
    if made.data.vocabulary:
        vocabulary = Vocabulary.read(lists_folder(base) / made.data.vocabulary)
        channels = {"confusions": CONFUSIONS, "spacing": SPACING, "vocabulary": vocabulary}
    return Batcher(
        corpus(base, casing_of(case)),
        MISSPELLINGS,
        made.noise,
        casing=casing_of(case),
        length=made.train.length,
        spellings=made.train.spellings,
        device=torch.device("cpu"),
        noise_flag=made.noise_flag,
        composed=getattr(made.model, "composed", 0.0) if composed is None else composed,
        **channels,
    )


def packed_rows(base: Path, case: str, rows: int = 4) -> Packed:
    """Rows of several sentences each."""
    data, length = corpus(base, casing_of(case)), recipe(case).train.length
    packer = Packer(data, rows=rows, length=length, device=torch.device("cpu"))
    return next(packer.epoch(1, 0))


def single_rows(base: Path, case: str, rows: int = 8) -> Packed:
    """Padded rows of one sentence each."""
    data = corpus(base, casing_of(case))
    ends = data.lengths[:rows].cumsum()
    lengths = torch.from_numpy(data.lengths[:rows]).long()
    column = torch.arange(int(lengths.max())).expand(rows, -1)
    real = column < lengths[:, None]
    index = (torch.from_numpy(ends) - lengths)[:, None] + column.where(real, 0)
    return Packed(
        surfaces=torch.from_numpy(data.tokens)[index].long().where(real, -1),
        shapes=torch.from_numpy(data.shapes)[index].where(real, 0),
        segments=real.long(),
        places=column.where(real, 0),
    )


def noise(base: Path, case: str, packed: Packed, seed: int = 1) -> tuple[Batch, Targets]:
    """A batch with noise, and its targets."""
    return batcher(base, case)(packed, torch.Generator().manual_seed(seed))


def tokens(words: Sequence[str]) -> list[Token]:
    """Words as tokens, separated by spaces."""
    starts = [len(" ".join(words[:i])) + bool(i) for i in range(len(words))]
    return [Token(start, word) for start, word in zip(starts, words, strict=True)]
