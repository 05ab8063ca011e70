"""Training steps as CUDA graphs."""

from collections.abc import Callable
from dataclasses import fields

import torch
from torch import Tensor

from respell.lab.train.packing import Packed


class GraphStep:
    """A training step that is recorded as a CUDA graph after a few rounds and then replayed.

    A step consists of many small kernels. Launching them one by one takes longer than running them;
    a graph is launched at once.
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
        """Make one step and return its losses."""
        if self.rounds < self.ROUNDS:  # compiles kernels and creates the state of the optimizer
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
