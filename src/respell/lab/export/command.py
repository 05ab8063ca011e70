"""The `export` command: write a checkpoint as a bundle."""

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

from respell.cli.args import count
from respell.corrector import Corrector
from respell.lab.common.presets_file import read_presets
from respell.lab.common.storage import read_json, replacing_folder, save_text, to_json
from respell.lab.common.tokens import check_aligned, read_tokens
from respell.lab.export.card import FACTS, render
from respell.lab.export.int8.activations import SENTENCES, record_inputs
from respell.lab.export.int8.exact import make_exact
from respell.lab.export.int8.weights import quantize
from respell.lab.export.lineage import Stage, as_json, last_stage, read_lineage
from respell.lab.export.onnx import to_onnx
from respell.lab.export.parity import Parity, compare
from respell.lab.train.checkpoint import WEIGHTS, Checkpoint, check_finite, torch_forward
from respell.lab.train.models.heads import OpenHead
from respell.model.bundle import CARD, CONFIG, LEXICON, MODEL, VOCABULARY, Bundle, digest
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
    lineage: Sequence[Stage] = (),
    edition: int = 1,
) -> Parity:
    """Write a bundle, unless it differs too much from the checkpoint.

    With calibration sentences, matrix products are computed in 8 bits, otherwise in 32. An older
    bundle at `out` is replaced; anything else there is an error.
    """
    _check_out(out, checkpoint.path)
    check_finite(checkpoint.model(), checkpoint.path)
    plain = checkpoint.bundle(presets)
    plain = replace(plain, config=replace(plain.config, edition=edition))
    with replacing_folder(out) as folder, tempfile.TemporaryDirectory() as scratch:
        float_model = Path(scratch) / MODEL
        bundle = _write_model(checkpoint, plain, folder, float_model, calibration)
        versions: list[tuple[Bundle, Forward, int]] = [
            (plain, torch_forward(checkpoint.model()), _size(checkpoint.path / WEIGHTS)),
            (bundle, open_session(float_model), _size(float_model)),
            (bundle, open_session(bundle.model), sum(map(_size, folder.iterdir()))),
        ]
        parity = compare(versions, noisy, gold)
        if failures := parity.failures():
            if calibration and any("8-bit" in failure for failure in failures):
                failures.append("omit --calibration to compute matrix products in 32 bits")
            raise Error(f"{out}: not written, {'; '.join(failures)}")
        facts = _facts(checkpoint, parity) | {
            "lineage": as_json(lineage or [last_stage(checkpoint)]),
            "sources": list(sources),
            "matmul_bits": 8 if calibration else 32,
        }
        save_text(to_json(facts), folder / FACTS)
        save_text(render(bundle, facts, []), folder / CARD)
    return parity


def _check_out(out: Path, checkpoint: Path) -> None:
    """Only an older bundle or an empty folder may be replaced."""
    if checkpoint.resolve().is_relative_to(out.resolve()):
        raise Error(f"{out}: contains the checkpoint; export into another folder")
    if out.exists() and not _is_bundle(out) and not (out.is_dir() and not any(out.iterdir())):
        raise Error(f"{out}: exists and is not a bundle; remove it or export into another folder")


def _is_bundle(folder: Path) -> bool:
    path = folder / CONFIG
    return path.is_file() and {"format", "presets", "sha256"} <= read_json(path).keys()


def _size(path: Path) -> int:
    return path.stat().st_size


def _write_model(
    checkpoint: Checkpoint,
    plain: Bundle,
    folder: Path,
    float_model: Path,
    calibration: Sequence[list[str]],
) -> Bundle:
    """Write model, lexicon and config to a folder, and the 32-bit model to `float_model`."""
    model = checkpoint.model()
    fold = getattr(model, "fold", None)
    if fold is not None:
        fold(torch.from_numpy(plain.encoder.spell(checkpoint.lexicon.words)))
    if isinstance(model.head, OpenHead):
        model.head.skip(_without_letters(checkpoint.lexicon))
    to_onnx(model, float_model)
    encoder = replace(plain.encoder, spell_oov_only=fold is not None)
    splitter = Corrector(plain, torch_forward(model))
    windows = (w for words in calibration for w in splitter.split_tokens(words))
    tokens = [window.tokens for window in itertools.islice(windows, SENTENCES)]
    inputs = record_inputs(float_model, encoder, tokens) if tokens else None
    quantize(float_model, folder / MODEL, inputs=inputs)
    if tokens:
        make_exact(folder / MODEL, encoder, tokens)
    files = [LEXICON] + [VOCABULARY] * (checkpoint.vocabulary is not None)
    for name in files:
        shutil.copyfile(checkpoint.path / name, folder / name)
    hashes = {name: digest(folder / name) for name in (*files, MODEL)}
    config = replace(plain.config, spell_oov_only=fold is not None, sha256=hashes)
    save_text(config.to_json(), folder / CONFIG)
    return Bundle.read(folder)


def _without_letters(lexicon: Lexicon) -> Tensor:
    """Mark punctuation and numbers, by input ID: they are never corrected."""
    marks = [not any(map(str.isalpha, word)) for word in lexicon.words]
    return torch.tensor([False] * WORD_OFFSET + marks)


def _facts(checkpoint: Checkpoint, parity: Parity) -> dict[str, object]:
    training = asdict(checkpoint.facts)
    return {
        "parity": asdict(parity),
        "checkpoint": checkpoint.digest(),
        "training": {k: v for k, v in training.items() if k != "characters"},
        "recipe": checkpoint.recipe.to_toml(),
        "parameters": sum(p.numel() for p in checkpoint.model().parameters()),
    }


def _read_sources(path: Path) -> list[Mapping[str, object]]:
    """The corpora in a manifest of `build`."""
    sources = read_json(path).get("sources")
    types = {"file": str, "licence": str, "words": int}
    if not isinstance(sources, list) or not all(
        isinstance(source, dict) and all(type(source.get(k)) is types[k] for k in types)
        for source in sources
    ):
        raise Error(f"{path}: not written by `build`, it lists no sources")
    return sources


def _read_calibration(path: Path, noisy: Sequence[list[str]]) -> list[list[str]]:
    """The sentences of a file that are not among the parity sentences."""
    compared = {tuple(words) for words in noisy}
    sentences = [w for w in read_tokens(path) if any(w) and tuple(w) not in compared]
    if not sentences:
        raise Error(f"{path}: every sentence is in --noisy too; calibrate on other sentences")
    return sentences


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `export`."""
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="bundle folder to write")
    parser.add_argument(
        "--noisy", type=Path, required=True, help="dev sentences to compare bundle and checkpoint"
    )
    parser.add_argument("--gold", type=Path, required=True, help="the same, corrected")
    parser.add_argument(
        "--calibration",
        type=Path,
        help="a few hundred misspelled sentences that are not in --noisy: matrix products are "
        "quantized with them and computed in 8 bits (default: in 32 bits, slower)",
    )
    parser.add_argument("--presets", type=Path, help="JSON file written by `presets`")
    parser.add_argument("--manifest", type=Path, help="manifest.json of the training data")
    parser.add_argument(
        "--lineage",
        type=Path,
        help="JSON list of the stages that led to the weights, for the model card",
    )
    parser.add_argument("--edition", type=count, default=1, help="of the model (default 1)")


def run(args: argparse.Namespace) -> int:
    """Export and print the comparison."""
    checkpoint = Checkpoint.read(args.checkpoint)
    noisy, gold = read_tokens(args.noisy), read_tokens(args.gold)
    check_aligned(noisy, gold, str(args.gold))
    if not all(any(map(any, side)) for side in (noisy, gold)):
        raise Error(f"{args.gold}: no sentences to compare the models on")
    parity = export(
        checkpoint,
        args.out,
        noisy=noisy,
        gold=gold,
        presets=read_presets(args.presets) if args.presets else checkpoint.presets(),
        calibration=_read_calibration(args.calibration, noisy) if args.calibration else (),
        sources=_read_sources(args.manifest) if args.manifest else (),
        lineage=read_lineage(args.lineage, checkpoint) if args.lineage else (),
        edition=args.edition,
    )
    sys.stdout.write(to_json(asdict(parity)))
    return 0
