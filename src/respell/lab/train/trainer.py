"""The training loop: batches in, steps out, on a GPU or the CPU, on one device or several."""

import contextlib
import gc
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from respell.lab.train.checkpoint import build_model
from respell.lab.train.dataset import Batcher, Corpus, Packed, Packer
from respell.lab.train.distill import read_teacher
from respell.lab.train.models.base import Batch, Model, Targets
from respell.lab.train.optimizer import Muon, inner_matrices
from respell.lab.train.recipe import Recipe, TrainConfig
from respell.types import Error


@dataclass(frozen=True, slots=True)
class Step:
    """How training stands; losses are means since the last one."""

    number: int
    words: int
    seconds: float
    learning_rate: float
    losses: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """When to stop: after so many minutes or steps, whichever is given."""

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
class Place:
    """Where this process trains: its device, its number and how many there are."""

    device: torch.device
    rank: int = 0
    world: int = 1


class Trainer:
    """The training loop; what it yields, the caller logs and saves."""

    def __init__(
        self,
        recipe: Recipe,
        corpus: Corpus,
        pairs: Mapping[str, Sequence[str]],
        place: Place,
        *,
        noisy_pairs: Mapping[str, Sequence[str]] = MappingProxyType({}),
        listed_misspellings: Collection[str] = (),
        valid_words: Collection[str] = (),
        teacher: Path | None = None,
    ) -> None:
        train = recipe.train
        torch.manual_seed(train.seed)
        self.recipe, self.place, self.lexicon = recipe, place, corpus.lexicon
        self.batcher = Batcher(
            corpus,
            pairs,
            recipe.noise,
            casing="lower" if recipe.keep else "exact",
            length=train.length,
            spellings=train.spellings,
            device=place.device,
            noisy_pairs=noisy_pairs,
            noise_flag=recipe.noise_flag,
            listed_misspellings=listed_misspellings,
            valid_words=valid_words,
            composed=getattr(recipe.model, "composed", 0.0),
        )
        if place.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        self.packer = Packer(corpus, rows=train.rows, length=train.length, device=place.device)
        self.model: Model = build_model(recipe, self.batcher.sizes).to(place.device)
        self.model.meet(self.batcher.lexicon_spellings)
        self.teacher: Model | None = None
        if teacher is not None:
            sizes = self.batcher.sizes
            self.teacher = read_teacher(teacher, recipe, corpus.lexicon, sizes, place.device)
        self.optimizers = _optimizers(self.model, train, place.device)
        self.generator = torch.Generator(place.device)
        self.step, self.words, self.seconds = 0, 0, 0.0

    def run(self, budget: Budget) -> Iterator[Step]:
        """Train until the budget is spent; a Step now and then, and one at the end."""
        train = self.recipe.train
        advance = _Recorded(self._stepper(), self.generator) if self._records else self._stepper()
        since: dict[str, Tensor] = {}
        counted = torch.zeros((), dtype=torch.long, device=self.place.device)
        started, before = time.perf_counter(), self.seconds
        begun = logged = self.step
        self.model.train()
        for packed in self._epochs():
            progress = self._agreed(budget)
            if progress >= 1:
                break
            rate = _learning_rate(train, self.step, progress)
            _set_rate(self.optimizers, rate)
            seed = _noise_seed(train.seed, self.step, self.place.rank)
            self.generator.manual_seed(seed)
            torch.manual_seed(~seed)  # dropout: a resumed run goes on as if it had not stopped
            losses = advance(packed)
            self.step += 1
            for name, loss in losses.items():  # summed on the device: no sync in the loop
                since[name] = since.get(name, 0) + loss
            counted += (packed.segments > 0).sum()
            if self._records and self.step - begun <= _Recorded.ROUNDS + 1:
                torch.cuda.synchronize()  # compiling is no training: the clock starts behind it
                started = time.perf_counter()
            self.seconds = before + time.perf_counter() - started
            if (self.step - logged) == train.log_every:
                report = self._report(since, counted, rate, self.step - logged)
                paused = time.perf_counter()
                yield report
                started += time.perf_counter() - paused  # nor is what the caller does, such as
                logged, since = self.step, {}  # saving and scoring
        if self.step > logged:
            yield self._report(since, counted, 0.0, self.step - logged)

    @property
    def _records(self) -> bool:
        return self.place.device.type == "cuda" and self.place.world == 1

    def _stepper(self) -> Callable[[Packed], dict[str, Tensor]]:
        """One step of training; its learning rate and seeds are set beforehand."""
        forward, teach = self._parallel(), self._teaching()

        def advance(packed: Packed) -> dict[str, Tensor]:
            batch, targets = self.batcher(packed, self.generator)
            with self._autocast():
                losses = forward(batch, teach(batch, targets))
            torch.autograd.backward(losses["loss"])
            nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.train.clip)
            for optimizer in self.optimizers:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
            return {name: loss.detach() for name, loss in losses.items()}

        return advance

    def _agreed(self, budget: Budget) -> float:
        """Progress by the first process's clock, so that all processes stop at the same step."""
        progress = budget.progress(self.step, self.seconds)
        if self.place.world == 1 or budget.minutes is None:
            return progress
        told = torch.tensor(progress, dtype=torch.float64, device=self.place.device)
        torch.distributed.broadcast(told, 0)
        return float(told)

    def _report(self, since: dict[str, Tensor], counted: Tensor, rate: float, steps: int) -> Step:
        self.words += int(counted) * self.place.world
        counted.zero_()
        losses = {name: round(float(total) / steps, 5) for name, total in since.items()}
        return Step(self.step, self.words, self.seconds, rate, losses)

    def _epochs(self) -> Iterator[Packed]:
        """Batches of this process for ever, going on where a resumed run stopped."""
        seed, number, seen = self.recipe.train.seed, 0, 0
        while True:
            batches = 0
            for packed in self.packer.epoch(seed, number):
                batches += 1
                if batches % self.place.world != self.place.rank % self.place.world:
                    continue
                seen += 1
                if seen > self.step:
                    yield packed
            if batches < self.place.world:
                raise Error(f"the data fill {batches} batches, too few for {self.place.world}")
            number += 1

    def _parallel(self) -> Callable[..., dict[str, Tensor]]:
        module: nn.Module = self.model
        if self.place.world > 1:
            module = DistributedDataParallel(module, find_unused_parameters=True)
        if self.place.device.type == "cuda":
            module.compile(dynamic=False)
        return module

    def _teaching(self) -> Callable[[Batch, Targets], Targets]:
        """What puts a teacher's soft beside the right answers, where there is a teacher."""
        teacher = self.teacher
        if teacher is None:
            return lambda batch, targets: targets
        ask, train = teacher.teach, self.recipe.train
        if self.place.device.type == "cuda":
            ask = torch.compile(ask, dynamic=False)

        def teach(batch: Batch, targets: Targets) -> Targets:
            with torch.no_grad():
                return replace(
                    targets, soft=ask(batch, targets, train.distill_weight, train.distill_top_n)
                )

        return teach

    def _autocast(self) -> contextlib.AbstractContextManager[object]:
        if self.place.device.type != "cuda":
            return contextlib.nullcontext()
        return torch.autocast("cuda", torch.bfloat16, cache_enabled=False)


class _Recorded:
    """A step that is recorded after a few rounds and then replayed.

    A step is a great many small kernels: launching them one by one takes the host longer than the
    GPU takes to run them. A recording is launched at once.
    """

    ROUNDS = 3

    def __init__(
        self, advance: Callable[[Packed], dict[str, Tensor]], generator: torch.Generator
    ) -> None:
        self.advance, self.generator = advance, generator
        self.rounds = 0
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, packed: Packed) -> dict[str, Tensor]:
        if self.rounds < self.ROUNDS:  # compiles kernels and makes the optimizer's state
            self.rounds += 1
            self.stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.stream):
                losses = self.advance(packed)
            torch.cuda.current_stream().wait_stream(self.stream)
            return losses
        if self.graph is None:
            self.graph = self._record(packed)
        if packed.surfaces.shape != self.packed.surfaces.shape:
            return self.advance(packed)
        for name in _FIELDS:
            getattr(self.packed, name).copy_(getattr(packed, name))
        self.graph.replay()
        return self.losses

    def _record(self, packed: Packed) -> torch.cuda.CUDAGraph:
        self.packed = Packed(**{name: getattr(packed, name).clone() for name in _FIELDS})
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self.generator)
        with torch.cuda.graph(graph):
            self.losses = self.advance(self.packed)
        return graph


_FIELDS = tuple(field.name for field in fields(Packed))


def forget_compiled() -> None:
    """Forget the models before: torch compiles a few models a process, then gives up."""
    if torch.cuda.is_available():  # nothing is compiled elsewhere
        gc.collect()
        torch.compiler.reset()
        torch.cuda.empty_cache()


def _optimizers(
    model: Model, train: TrainConfig, device: torch.device
) -> list[torch.optim.Optimizer]:
    """AdamW without decay on norms and biases; Muon for the inner matrices, if it is asked for."""
    cuda = device.type == "cuda"
    matrices = inner_matrices(model) if train.muon else []
    others = [p for p in model.parameters() if not any(p is matrix for matrix in matrices)]
    groups = [
        {"params": [p for p in others if p.dim() > 1], "weight_decay": train.weight_decay},
        {"params": [p for p in others if p.dim() <= 1], "weight_decay": 0.0},
    ]
    # On a GPU the rate is a tensor, so that a recorded step reads what was written there last.
    rate = torch.tensor(train.learning_rate, device=device) if cuda else train.learning_rate
    betas = (0.9, train.beta2)
    adam = torch.optim.AdamW(groups, rate, betas, eps=1e-6, fused=cuda, capturable=cuda)
    if not matrices:
        return [adam]
    return [adam, Muon(matrices, rate, size=train.muon, weight_decay=train.weight_decay)]


def _set_rate(optimizers: Sequence[torch.optim.Optimizer], rate: float) -> None:
    for group in (group for optimizer in optimizers for group in optimizer.param_groups):
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate


def _learning_rate(train: TrainConfig, step: int, progress: float) -> float:
    """Linear warm-up, then linear decay to nothing."""
    return train.learning_rate * min(1.0, (step + 1) / train.warmup) * max(0.0, 1 - progress)


def _noise_seed(seed: int, step: int, rank: int) -> int:
    return (seed * 1_000_003 + step) * 64 + rank
