"""A checkpoint into a bundle: ONNX, 8-bit weights and products, a parity gate, a card."""

import argparse
import itertools
import logging
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from respell.bundle import CARD, CONFIG, LEXICON, MODEL, Bundle, Preset, check_presets, digest
from respell.corrector import Corrector
from respell.features import WIDTH, WORD_OFFSET, Features, Forward
from respell.lab.calibration import SENTENCES, record_inputs
from respell.lab.card import FACTS, render
from respell.lab.checkpoint import WEIGHTS, Checkpoint, check_finite, torch_forward
from respell.lab.evaluate import score
from respell.lab.models.base import Model
from respell.lab.models.heads import OpenHead
from respell.lab.quantize import quantize
from respell.lab.storage import read_json, replacing_folder, save_text, to_json
from respell.lab.systems import check_aligned, read_tokens
from respell.lexicon import Lexicon
from respell.session import COMPOSED, NEW_WORDS, OUTPUTS, open_session
from respell.types import Error

OPSET = 20
SMALLEST_AGREEMENT = 0.998
LARGEST_DROP = 0.002
LARGEST_BUNDLE = 30_000_000


class _Graph(nn.Module):
    """What is exported: flat tensors in, flat tensors out."""

    def __init__(self, model: Model, k: int) -> None:
        super().__init__()
        self.model, self.k = model, k

    def forward(
        self,
        words: Tensor,
        shapes: Tensor,
        slots: Tensor,
        spellings: Tensor,
        gate: Tensor,
        new_words: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        said = self.model.predict(words, shapes, slots, spellings, gate, self.k, new_words)
        answers = tuple(getattr(said, name) for name in OUTPUTS)
        return answers if said.composed is None else (*answers, said.composed)


def to_onnx(model: Model, path: Path, *, k: int = 8) -> None:
    """Write a model as an ONNX graph that ranks the `k` best words."""
    batch, length, spellings = 3, 7, 5
    inputs: tuple[Tensor, ...] = (
        torch.ones(batch, length, dtype=torch.long),
        torch.zeros(batch, length, dtype=torch.long),
        torch.zeros(batch, length, dtype=torch.long),
        torch.full((spellings, WIDTH), 4, dtype=torch.long),
        torch.tensor(0.0),
    )
    sentence = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    spelled = {0: torch.export.Dim("spellings")}
    if model.any_width:
        spelled[1] = torch.export.Dim.AUTO
    names = [field.name for field in fields(Features) if field.name != NEW_WORDS] + ["gate"]
    sizes: tuple[object, ...] = (sentence, sentence, sentence, spelled, None)
    outputs = OUTPUTS
    if model.composes:
        with torch.no_grad():
            inputs = (*inputs, model.compose_words(model.spell(inputs[3][:4])))
        names, outputs = [*names, NEW_WORDS], (*OUTPUTS, COMPOSED)
        sizes = (*sizes, {0: torch.export.Dim("new_words")})
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter warns of its own internals
        # After a model with an LSTM, torch 2.13 unrolls the next one to the length of the example;
        # exporting anything else in between makes it forget.
        torch.onnx.export(nn.Linear(1, 1), (torch.zeros(1, 1),), dynamo=True, verbose=False)
        program = torch.onnx.export(
            _Graph(model.eval(), k),
            inputs,
            dynamo=True,
            verbose=False,
            opset_version=OPSET,
            input_names=names,
            output_names=list(outputs),
            dynamic_shapes=sizes,
        )
    if program is None:
        raise Error("torch gave no ONNX program")
    graph = program.model_proto.graph
    if any(d.dim_value == length for i in graph.input for d in i.type.tensor_type.shape.dim):
        raise Error(f"torch fixed the graph to sentences of {length} words: it cannot be used")
    forget_origin(program.model_proto)
    onnx.save(program.model_proto, path)


def forget_origin(model: onnx.ModelProto) -> None:
    """Drop what torch notes of the code a graph came from: paths of this machine among it."""
    graph = model.graph
    noted = (model, graph, *graph.node, *graph.initializer)
    for part in (*noted, *graph.input, *graph.output, *graph.value_info):
        del part.metadata_props[:]
    del graph.value_info[:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How one form of the model did on the parity sentences."""

    bytes: int
    f05: float
    agreement: float
    """Share of the tokens for which it decides as torch does."""
    words_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity:
    """How far the bundle is from the checkpoint it was made of."""

    tokens: int
    torch: Run
    onnx: Run
    bundle: Run

    def failures(self) -> list[str]:
        """What keeps the bundle from being written."""
        failed = []
        for name, form in (("ONNX", self.onnx), ("8-bit", self.bundle)):
            if form.agreement < SMALLEST_AGREEMENT:
                failed.append(f"only {form.agreement:.3%} of the {name} model's decisions agree")
            if self.torch.f05 - form.f05 > LARGEST_DROP:
                failed.append(f"F0.5 falls from {self.torch.f05:.4f} to {form.f05:.4f} ({name})")
        if self.bundle.bytes > LARGEST_BUNDLE:
            size = f"{self.bundle.bytes / 1e6:.1f} MB"
            failed.append(f"{size} are more than {LARGEST_BUNDLE / 1e6:.0f} MB")
        return failed


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
    encoder = replace(plain.encoder, folded=fold is not None)
    reader = Corrector(plain, torch_forward(model))  # for how it cuts sentences
    windows = (w for words in calibration for w in reader.split_tokens(words))
    read = [window.tokens for window in itertools.islice(windows, SENTENCES)]
    quantize(wide, folder / MODEL, inputs=record_inputs(wide, encoder, read) if read else None)
    shutil.copyfile(checkpoint.path / LEXICON, folder / LEXICON)
    hashes = {name: digest(folder / name) for name in (LEXICON, MODEL)}
    config = replace(plain.config, folded=fold is not None, sha256=hashes)
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


def compare(
    forms: Sequence[tuple[Bundle, Forward, int]],
    noisy: Sequence[list[str]],
    gold: Sequence[list[str]],
) -> Parity:
    """Run the sentences through torch, ONNX and the bundle, in this order."""
    tokens = sum(map(len, gold))
    preset = "noisy"  # the lowest threshold: the most decisions to disagree on
    runs: list[Run] = []
    reference: list[list[str]] = []
    for bundle, forward, size in forms:
        corrector = Corrector(bundle, forward, preset=preset)
        started = time.perf_counter()
        predicted = list(corrector.correct_tokens_many(noisy))
        seconds = time.perf_counter() - started
        reference = reference or predicted
        same = sum(
            a == b
            for left, right in zip(predicted, reference, strict=True)
            for a, b in zip(left, right, strict=True)
        )
        f05 = score(noisy, gold, predicted, is_word=None, known=None).all.table.f05
        runs.append(
            Run(bytes=size, f05=f05, agreement=same / tokens, words_per_second=tokens / seconds)
        )
    return Parity(tokens=tokens, torch=runs[0], onnx=runs[1], bundle=runs[2])


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def read_presets(path: Path) -> dict[str, Preset]:
    """The operating points that `presets` wrote."""
    try:
        raw = read_json(path)["presets"]
        presets = {name: Preset(**preset) for name, preset in raw.items()}
        check_presets(presets)
    except (KeyError, TypeError, AttributeError) as error:
        raise Error(f"{path}: not written by `presets`, which chooses them ({error})") from error
    except ValueError as error:
        raise Error(f"{path}: {error}") from error
    return presets


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
