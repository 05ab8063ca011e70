"""The training loop, on a GPU or the CPU, on one device or several."""

import contextlib
import gc
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from respell.lab.misspellings.spacing import SpacingLists
from respell.lab.train.batches import Batcher
from respell.lab.train.checkpoint import build_model
from respell.lab.train.cuda_graph import GraphStep
from respell.lab.train.dataset import Corpus
from respell.lab.train.distill import read_teacher
from respell.lab.train.models.base import Batch, Model, Targets
from respell.lab.train.optimizer import learning_rate, make_optimizers, set_rate
from respell.lab.train.packing import Packed, Packer
from respell.lab.train.recipe import Recipe
from respell.model.vocabulary import Vocabulary
from respell.types import Error


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of training; losses are means since the previous report."""

    number: int
    words: int
    seconds: float
    learning_rate: float
    losses: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """When to stop: after a number of minutes or of steps."""

    minutes: float | None = None
    steps: int | None = None

    def __post_init__(self) -> None:
        if (self.minutes is None) == (self.steps is None):
            raise Error("give either --minutes or --steps")
        if not ((self.minutes or 0) > 0 or (self.steps or 0) > 0):
            raise Error("--minutes and --steps must be above 0")

    def progress(self, step: int, seconds: float) -> float:
        """From 0 at the start to 1 at the end."""
        if self.steps is not None:
            return step / self.steps
        return seconds / (60 * (self.minutes or 0))


@dataclass(frozen=True, slots=True)
class Process:
    """A training process: its device, its rank and the number of processes."""

    device: torch.device
    rank: int = 0
    world: int = 1


class Trainer:
    """The training loop; the caller logs its reports and saves checkpoints."""

    def __init__(
        self,
        recipe: Recipe,
        corpus: Corpus,
        pairs: Mapping[str, Sequence[str]],
        process: Process,
        *,
        noisy_pairs: Mapping[str, Sequence[str]] = MappingProxyType({}),
        listed_misspellings: Collection[str] = (),
        valid_words: Collection[str] = (),
        confusions: Sequence[tuple[str, str, float]] = (),
        spacing: SpacingLists | None = None,
        vocabulary: Vocabulary | None = None,
        teacher: Path | None = None,
    ) -> None:
        train = recipe.train
        torch.manual_seed(train.seed)
        self.recipe, self.process, self.lexicon = recipe, process, corpus.lexicon
        self.vocabulary = vocabulary
        self.batcher = Batcher(
            corpus,
            pairs,
            recipe.noise,
            casing="lower" if recipe.keep else "exact",
            length=train.length,
            spellings=train.spellings,
            device=process.device,
            noisy_pairs=noisy_pairs,
            noise_flag=recipe.noise_flag,
            listed_misspellings=listed_misspellings,
            valid_words=valid_words,
            composed=getattr(recipe.model, "composed", 0.0),
            confusions=confusions,
            spacing=spacing,
            vocabulary=vocabulary,
        )
        if process.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        self.packer = Packer(corpus, rows=train.rows, length=train.length, device=process.device)
        self.model: Model = build_model(recipe, self.batcher.sizes).to(process.device)
        self.model.init_output(self.batcher.lexicon_spellings)
        self.teacher: Model | None = None
        if teacher is not None:
            sizes = self.batcher.sizes
            self.teacher = read_teacher(teacher, recipe, corpus.lexicon, sizes, process.device)
        self.optimizers = make_optimizers(self.model, train, process.device)
        self.generator = torch.Generator(process.device)
        self.step, self.words, self.seconds = 0, 0, 0.0

    def run(self, budget: Budget) -> Iterator[Step]:
        """Train until the budget is spent; yield reports every `log_every` steps and at the end."""
        train = self.recipe.train
        advance = GraphStep(self._stepper(), self.generator) if self._graphs else self._stepper()
        since: dict[str, Tensor] = {}
        counted = torch.zeros((), dtype=torch.long, device=self.process.device)
        started, before = time.perf_counter(), self.seconds
        begun = logged = self.step
        self.model.train()
        for packed in self._epochs():
            progress = self._shared_progress(budget)
            if progress >= 1:
                break
            rate = learning_rate(train, self.step, progress)
            set_rate(self.optimizers, rate)
            seed = _noise_seed(train.seed, self.step, self.process.rank)
            self.generator.manual_seed(seed)
            torch.manual_seed(~seed)  # dropout does not depend on whether the run was resumed
            losses = advance(packed)
            self.step += 1
            for name, loss in losses.items():  # summed on the device, without synchronisation
                since[name] = since.get(name, 0) + loss
            counted += (packed.segments > 0).sum()
            if self._graphs and self.step - begun <= GraphStep.ROUNDS + 1:
                torch.cuda.synchronize()  # compilation does not count as training time
                started = time.perf_counter()
            self.seconds = before + time.perf_counter() - started
            if (self.step - logged) == train.log_every:
                report = self._report(since, counted, rate, self.step - logged)
                paused = time.perf_counter()
                yield report
                # The time of the caller, for saving and scoring, does not count either.
                started += time.perf_counter() - paused
                logged, since = self.step, {}
        if self.step > logged:
            yield self._report(since, counted, 0.0, self.step - logged)

    @property
    def _graphs(self) -> bool:
        return self.process.device.type == "cuda" and self.process.world == 1

    def _stepper(self) -> Callable[[Packed], dict[str, Tensor]]:
        """A function that makes one step, after learning rate and seeds have been set."""
        forward, distill = self._parallel(), self._distiller()

        def advance(packed: Packed) -> dict[str, Tensor]:
            batch, targets = self.batcher(packed, self.generator)
            with self._autocast():
                losses = forward(batch, distill(batch, targets))
            torch.autograd.backward(losses["loss"])
            nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.train.clip)
            for optimizer in self.optimizers:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
            return {name: loss.detach() for name, loss in losses.items()}

        return advance

    def _shared_progress(self, budget: Budget) -> float:
        """Progress by the clock of the first process, so that all processes stop together."""
        progress = budget.progress(self.step, self.seconds)
        if self.process.world == 1 or budget.minutes is None:
            return progress
        shared = torch.tensor(progress, dtype=torch.float64, device=self.process.device)
        torch.distributed.broadcast(shared, 0)
        return float(shared)

    def _report(self, since: dict[str, Tensor], counted: Tensor, rate: float, steps: int) -> Step:
        self.words += int(counted) * self.process.world
        counted.zero_()
        losses = {name: round(float(total) / steps, 5) for name, total in since.items()}
        return Step(self.step, self.words, self.seconds, rate, losses)

    def _epochs(self) -> Iterator[Packed]:
        """An endless stream of batches for this process; a resumed run skips those already used."""
        seed, number, seen = self.recipe.train.seed, 0, 0
        while True:
            batches = 0
            for packed in self.packer.epoch(seed, number):
                batches += 1
                if batches % self.process.world != self.process.rank % self.process.world:
                    continue
                seen += 1
                if seen > self.step:
                    yield packed
            if batches < self.process.world:
                raise Error(f"the data fill {batches} batches, too few for {self.process.world}")
            number += 1

    def _parallel(self) -> Callable[..., dict[str, Tensor]]:
        module: nn.Module = self.model
        if self.process.world > 1:
            module = DistributedDataParallel(module, find_unused_parameters=True)
        if self.process.device.type == "cuda":
            module.compile(dynamic=False)
        return module

    def _distiller(self) -> Callable[[Batch, Targets], Targets]:
        """A function that adds the soft targets of the teacher, if there is one."""
        teacher = self.teacher
        if teacher is None:
            return lambda batch, targets: targets
        soft_targets, train = teacher.soft_targets, self.recipe.train
        if self.process.device.type == "cuda":
            soft_targets = torch.compile(soft_targets, dynamic=False)

        def distill(batch: Batch, targets: Targets) -> Targets:
            with torch.no_grad():
                soft = soft_targets(batch, targets, train.distill_weight, train.distill_top_n)
            return replace(targets, soft=soft)

        return distill

    def _autocast(self) -> contextlib.AbstractContextManager[object]:
        if self.process.device.type != "cuda":
            return contextlib.nullcontext()
        return torch.autocast("cuda", torch.bfloat16, cache_enabled=False)


def forget_compiled() -> None:
    """Free all compiled models, since torch compiles only a few models per process."""
    if torch.cuda.is_available():  # elsewhere nothing is compiled
        gc.collect()
        torch.compiler.reset()
        torch.cuda.empty_cache()


def _noise_seed(seed: int, step: int, rank: int) -> int:
    return (seed * 1_000_003 + step) * 64 + rank
