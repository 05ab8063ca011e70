"""The `train` command: train a checkpoint from a recipe and a build folder."""

import argparse
import contextlib
import json
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import torch
import torch.distributed as dist

from respell.corrector import Corrector
from respell.lab.common.metrics import score
from respell.lab.common.stopping import watched
from respell.lab.common.storage import made, read_json, replacing_files, save_text, to_json
from respell.lab.common.tokens import check_aligned, read_tokens
from respell.lab.misspellings.weighting import (
    read_confusion_tables,
    read_listed_misspellings,
    read_noisy_lists,
    read_pairs,
    read_spacing_lists,
    read_valid_words,
    read_vocabulary,
)
from respell.lab.train import checkpoint as ck
from respell.lab.train.dataset import Corpus
from respell.lab.train.init_from import init_from
from respell.lab.train.recipe import Recipe, read_recipe
from respell.lab.train.resume import optimizer_tensors, resume, truncate_log
from respell.lab.train.trainer import Budget, Process, Step, Trainer
from respell.model.encode import Casing
from respell.types import Error


def save(trainer: Trainer, folder: Path, data_hash: str) -> None:
    """Write a checkpoint that can be resumed, evaluated and exported."""
    facts = ck.Facts(
        characters=trainer.batcher.characters,
        casing="lower" if trainer.recipe.keep else "exact",
        length=trainer.recipe.train.length,
        data_hash=data_hash,
        step=trainer.step,
        words=trainer.words,
        seconds=trainer.seconds,
    )
    ck.check_finite(trainer.model, f"step {trainer.step}")
    with replacing_files(folder) as drafts:  # weights and optimizer must have the same step
        save_text("".join(f"{word}\n" for word in trainer.lexicon), drafts / ck.LEXICON)
        if trainer.vocabulary is not None:
            trainer.vocabulary.write(drafts / ck.VOCABULARY)
        ck.save_tensors(optimizer_tensors(trainer), drafts / ck.OPTIMIZER)
        ck.save_tensors(trainer.model.state_dict(), drafts / ck.WEIGHTS)
        save_text(trainer.recipe.to_toml(), drafts / ck.RECIPE)
        save_text(to_json(asdict(facts)), drafts / ck.FACTS)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `train`."""
    parser.add_argument("recipe", type=Path, help="TOML file")
    parser.add_argument("--data", type=Path, required=True, help="folder written by `build`")
    parser.add_argument("--lists", type=Path, required=True, help="folder of misspelling lists")
    parser.add_argument("--out", type=Path, required=True, help="checkpoint folder to write")
    parser.add_argument("--minutes", type=float, help="train for this many minutes")
    parser.add_argument("--steps", type=int, help="train for this many steps")
    parser.add_argument("--resume", action="store_true", help="continue the run in --out")
    parser.add_argument("--start", type=Path, help="weights that a new run begins with")
    parser.add_argument("--teacher", type=Path, help="distill from this checkpoint")
    parser.add_argument("--save-minutes", type=float, default=5, help="minutes between saves (5)")
    parser.add_argument(
        "--dev", nargs=2, type=Path, metavar=("NOISY", "GOLD"), help="score on these when saving"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="override a key of the recipe",
    )


def run(args: argparse.Namespace) -> int:
    """Train, log to metrics.jsonl, save checkpoints, plot the learning curve."""
    budget = Budget(minutes=args.minutes, steps=args.steps)
    _check_out(args)
    recipe = read_recipe(args.recipe, tuple(args.set))
    dev = _read_dev(*args.dev) if args.dev else None
    process = _process()
    corpus = Corpus.read(args.data, permissive=recipe.data.permissive)
    manifest = read_json(args.data / "manifest.json")
    trainer = _trainer(recipe, corpus, process, args)
    if args.resume:
        resume(trainer, args.out, manifest["data_hash"])
    elif args.start:
        saved = ck.Checkpoint.read(args.start)
        init_from(saved, trainer.model, corpus.lexicon.words, trainer.batcher.characters)
    status = 0
    if budget.progress(trainer.step, trainer.seconds) >= 1:
        if process.rank == 0:
            done = f"{trainer.step} steps in {trainer.seconds / 60:.1f} minutes"
            sys.stderr.write(f"{args.out}: nothing left to do after {done}\n")
    elif process.rank == 0:
        with made(args.out):
            status = _train(trainer, budget, args, manifest["data_hash"], dev)
    else:
        for _ in trainer.run(budget):
            pass
    if process.world > 1:
        dist.barrier()
        dist.destroy_process_group()
    return status


def _trainer(recipe: Recipe, corpus: Corpus, process: Process, args: argparse.Namespace) -> Trainer:
    """A trainer with the lists of the recipe."""
    casing: Casing = "lower" if recipe.keep else "exact"
    folders = (args.lists, args.recipe.parent, args.data)
    pairs = read_pairs(recipe.data, folders, lexicon=corpus.lexicon, casing=casing)
    noisy_pairs = read_noisy_lists(recipe.data, folders, casing)
    if recipe.noise.noisy and recipe.data.noisy and not noisy_pairs:
        names = ", ".join(recipe.data.noisy)
        raise Error(f"{names}: no pair is left for noise.noisy, data.held_out has all of them")
    listed_misspellings = read_listed_misspellings(recipe.data, folders, lexicon=corpus.lexicon)
    valid_words = read_valid_words(recipe.data, folders, lexicon=corpus.lexicon)
    spacing = getattr(recipe.model, "spacing", False)
    classes = getattr(recipe.model, "classes", False)
    if classes and not recipe.data.vocabulary:
        raise Error("model.classes needs data.vocabulary; see `vocabulary`")
    return Trainer(
        recipe,
        corpus,
        pairs,
        process,
        noisy_pairs=noisy_pairs,
        listed_misspellings=listed_misspellings,
        valid_words=valid_words,
        confusions=read_confusion_tables(recipe.data, folders),
        spacing=read_spacing_lists(recipe.data, folders) if spacing else None,
        vocabulary=read_vocabulary(recipe.data, folders) if classes else None,
        teacher=args.teacher,
    )


def _check_out(args: argparse.Namespace) -> None:
    """Raise an error if an existing checkpoint would be overwritten."""
    if not args.resume and (args.out / ck.WEIGHTS).exists():
        raise Error(
            f"{args.out}: holds a checkpoint; use --resume, name another --out or remove it"
        )


Sentences = list[list[str]]


def _train(
    trainer: Trainer,
    budget: Budget,
    args: argparse.Namespace,
    data_hash: str,
    dev: tuple[Sentences, Sentences] | None,
) -> int:
    """Train, write the log and save checkpoints; return the exit status, 0 if not interrupted."""
    saved_at = trainer.seconds
    metrics = args.out / ck.METRICS
    if args.resume:
        truncate_log(metrics, trainer.step)
    with (
        metrics.open("a" if args.resume else "w", encoding="utf-8") as file,
        watched() as signalled,
    ):

        def log(row: Mapping[str, float]) -> None:
            file.write(json.dumps({"step": trainer.step, **row}) + "\n")
            file.flush()

        def save_and_score() -> None:
            save(trainer, args.out, data_hash)
            if dev is not None:
                log(score_dev(trainer, args.out, *dev))

        for step in trainer.run(budget):
            _check_losses(step)
            row = {"words": step.words, "seconds": round(step.seconds, 2)}
            log(row | {"lr": round(step.learning_rate, 8), **step.losses})
            _show(step, budget)
            if trainer.seconds - saved_at > 60 * args.save_minutes:
                save_and_score()
                saved_at = trainer.seconds
            if signalled() and trainer.process.world == 1:  # other processes would wait forever
                break
        save_and_score()
        status = signalled()
    with contextlib.suppress(Error):  # a machine that only trains may lack matplotlib
        from respell.lab.common.plots import plot_metrics

        plot_metrics(metrics, args.out / "curve.png")
    return status


def _check_losses(step: Step) -> None:
    if not all(map(math.isfinite, step.losses.values())):
        raise Error(
            f"step {step.number}: the loss is no longer finite, training has diverged; lower "
            "train.learning_rate. The last checkpoint was kept"
        )


def _read_dev(noisy: Path, gold: Path) -> tuple[Sentences, Sentences]:
    sides = read_tokens(noisy), read_tokens(gold)
    check_aligned(*sides, str(gold))
    return sides


def score_dev(
    trainer: Trainer, folder: Path, noisy: Sentences, gold: Sentences
) -> dict[str, float]:
    """The scores on a dev set of a model that was just saved, by the rule of the tables."""
    forward = ck.torch_forward(trainer.model.eval(), trainer.process.device)
    corrector = Corrector(ck.Checkpoint.read(folder).bundle(), forward)
    rule = score(noisy, gold, list(corrector.correct_tokens_many(noisy))).all.table
    trainer.model.train()
    scores = {"dev_f05": rule.f05, "dev_precision": rule.precision, "dev_recall": rule.recall}
    return {name: round(value, 5) for name, value in scores.items()}


def _show(step: Step, budget: Budget) -> None:
    """Show a progress bar on a terminal, a line per report elsewhere."""
    done = min(1.0, budget.progress(step.number, step.seconds))
    rate = step.words / max(step.seconds, 1e-9)
    line = f"step {step.number}  loss {step.losses['loss']:.4f}  {rate:,.0f} words/s"
    if sys.stderr.isatty():
        bar = "#" * int(30 * done)
        sys.stderr.write(f"\r[{bar:<30}] {line}" + ("\n" if done >= 1 else ""))
    else:
        sys.stderr.write(f"{100 * done:5.1f}%  {line}\n")
    sys.stderr.flush()


def _process() -> Process:
    """This process, which `torchrun` may have started together with others."""
    cuda = torch.cuda.is_available()
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        return Process(torch.device("cuda" if cuda else "cpu"))
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)  # compiled kernels and barriers use the current device
    return Process(device, rank, world)
