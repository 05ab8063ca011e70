"""A checkpoint into a bundle: ONNX, 8-bit weights and products, a parity gate, a card."""

import argparse
import itertools
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor

from respell.corrector import Corrector
from respell.lab.common.storage import read_json, replacing_folder, save_text, to_json
from respell.lab.common.tokens import check_aligned, read_tokens
from respell.lab.export.card import FACTS, render
from respell.lab.export.int8.activations import SENTENCES, record_inputs
from respell.lab.export.int8.weights import quantize
from respell.lab.export.onnx import to_onnx
from respell.lab.export.parity import Parity, _size, compare
from respell.lab.export.read_presets import read_presets
from respell.lab.train.checkpoint import WEIGHTS, Checkpoint, check_finite, torch_forward
from respell.lab.train.models.heads import OpenHead
from respell.model.bundle import CARD, CONFIG, LEXICON, MODEL, Bundle, digest
from respell.model.encode import WORD_OFFSET
from respell.model.forward import Forward
from respell.model.lexicon import Lexicon
from respell.model.presets import Preset
from respell.model.session import open_session
from respell.types import Error


def export(
    checkpoint: Checkpoint,
    out: Path,
    *,
    noisy: Sequence[list[str]],
    gold: Sequence[list[str]],
    presets: Mapping[str, Preset],
    calibration: Sequence[list[str]] = (),
    sources: Sequence[Mapping[str, object]] = (),
) -> Parity:
    """Write a bundle, unless the gate fails: then nothing is written.

    With sentences to calibrate on, it computes in 8 bits, else in 32. Of what is there already,
    only an older bundle is replaced.
    """
    _check_place(out, checkpoint.path)
    check_finite(checkpoint.model(), checkpoint.path)
    plain = checkpoint.bundle(presets)
    with replacing_folder(out) as folder, tempfile.TemporaryDirectory() as scratch:
        wide = Path(scratch) / MODEL
        bundle = _write_model(checkpoint, plain, folder, wide=wide, calibration=calibration)
        weights = (checkpoint.path / WEIGHTS).stat().st_size
        forms: list[tuple[Bundle, Forward, int]] = [
            (plain, torch_forward(checkpoint.model()), weights),
            (bundle, open_session(wide), wide.stat().st_size),
            (bundle, open_session(bundle.model), _size(folder)),
        ]
        parity = compare(forms, noisy, gold)
        if failures := parity.failures():
            if calibration and any("8-bit" in failure for failure in failures):
                failures.append("leave out --calibration to keep products in 32 bits")
            raise Error(f"{out}: not written, {'; '.join(failures)}")
        facts = _facts(checkpoint, parity)
        facts |= {"sources": list(sources), "products": 8 if calibration else 32}
        save_text(to_json(facts), folder / FACTS)
        save_text(render(bundle, facts, []), folder / CARD)
    return parity


def _check_place(out: Path, checkpoint: Path) -> None:
    """Nobody's work but an older bundle may lie where the new one goes."""
    if checkpoint.resolve().is_relative_to(out.resolve()):
        raise Error(f"{out}: holds the checkpoint; export into another folder")
    if out.exists() and not _is_bundle(out) and not (out.is_dir() and not any(out.iterdir())):
        raise Error(f"{out}: exists and is no bundle; remove it or export into another folder")


def _is_bundle(folder: Path) -> bool:
    path = folder / CONFIG
    return path.is_file() and {"format", "presets", "sha256"} <= read_json(path).keys()


def _write_model(
    checkpoint: Checkpoint,
    plain: Bundle,
    folder: Path,
    *,
    wide: Path,
    calibration: Sequence[list[str]],
) -> Bundle:
    """Write what a bundle is read from into a folder, and the model in 32 bits to `wide`."""
    model = checkpoint.model()
    fold = getattr(model, "fold", None)
    if fold is not None:
        fold(torch.from_numpy(plain.encoder.spell(checkpoint.lexicon.words)))
    if isinstance(model.head, OpenHead):
        model.head.spare(_without_letters(checkpoint.lexicon))
    to_onnx(model, wide)
    encoder = replace(plain.encoder, spell_oov_only=fold is not None)
    reader = Corrector(plain, torch_forward(model))  # for how it cuts sentences
    windows = (w for words in calibration for w in reader.split_tokens(words))
    read = [window.tokens for window in itertools.islice(windows, SENTENCES)]
    quantize(wide, folder / MODEL, inputs=record_inputs(wide, encoder, read) if read else None)
    shutil.copyfile(checkpoint.path / LEXICON, folder / LEXICON)
    hashes = {name: digest(folder / name) for name in (LEXICON, MODEL)}
    config = replace(plain.config, spell_oov_only=fold is not None, sha256=hashes)
    save_text(config.to_json(), folder / CONFIG)
    return Bundle.read(folder)


def _without_letters(lexicon: Lexicon) -> Tensor:
    """Marks and numbers, by their word input ids: whatever is said of them is passed over."""
    marks = [not any(map(str.isalpha, word)) for word in lexicon.words]
    return torch.tensor([False] * WORD_OFFSET + marks)


def _facts(checkpoint: Checkpoint, parity: Parity) -> dict[str, object]:
    """What the card tells of the checkpoint a bundle was made of, and how near it came."""
    training = asdict(checkpoint.facts)
    return {
        "parity": asdict(parity),
        "checkpoint": checkpoint.digest(),
        "training": {k: v for k, v in training.items() if k != "characters"},
        "recipe": checkpoint.recipe.to_toml(),
        "parameters": sum(p.numel() for p in checkpoint.model().parameters()),
    }


def _read_sources(path: Path) -> list[Mapping[str, object]]:
    """The texts that `build` has noted."""
    sources = read_json(path).get("sources")
    kinds = {"file": str, "licence": str, "words": int}
    if not isinstance(sources, list) or not all(
        isinstance(source, dict) and all(type(source.get(k)) is kinds[k] for k in kinds)
        for source in sources
    ):
        raise Error(f"{path}: not written by `build`, it lists no sources")
    return sources


def _calibration(path: Path, noisy: Sequence[list[str]]) -> list[list[str]]:
    """The sentences that the bundle is not compared on."""
    compared = {tuple(words) for words in noisy}
    read = read_tokens(path)
    sentences = [words for words in read if any(words) and tuple(words) not in compared]
    if not sentences:
        raise Error(f"{path}: no sentences but those of --noisy; calibrate on others")
    return sentences


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `export`."""
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="bundle folder to write")
    parser.add_argument("--noisy", type=Path, required=True, help="parity sentences (dev)")
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument(
        "--calibration",
        type=Path,
        help="misspelled sentences that are not in --noisy, a few hundred: the products are "
        "fitted to them and computed in 8 bits (default: in 32, slower)",
    )
    parser.add_argument("--presets", type=Path, help="JSON written by `presets`")
    parser.add_argument("--manifest", type=Path, help="manifest.json of the training data")


def run(args: argparse.Namespace) -> int:
    """Export and report the parity."""
    checkpoint = Checkpoint.read(args.checkpoint)
    noisy, gold = read_tokens(args.noisy), read_tokens(args.gold)
    check_aligned(noisy, gold, str(args.gold))
    if not all(any(map(any, side)) for side in (noisy, gold)):
        raise Error(f"{args.gold}: no sentences to compare the forms of the model on")
    presets = read_presets(args.presets) if args.presets else checkpoint.presets()
    sources = _read_sources(args.manifest) if args.manifest else []
    parity = export(
        checkpoint,
        args.out,
        noisy=noisy,
        gold=gold,
        presets=presets,
        calibration=_calibration(args.calibration, noisy) if args.calibration else (),
        sources=sources,
    )
    sys.stdout.write(to_json(asdict(parity)))
    return 0
