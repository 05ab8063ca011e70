"""Muon: steps along all directions of a matrix alike, for the matrices inside transformer layers.

Adam scales every number of a matrix by itself. Muon takes the running mean of the gradient as a
whole matrix and replaces it by the nearest orthogonal one, so that rare directions are learnt as
fast as the few that dominate.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from respell.lab.train.models.layers import Layer

MOMENTUM = 0.95
ROUNDS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # Keller Jordan's, which drive singular values to about 1


def inner_matrices(model: nn.Module) -> list[Tensor]:
    """The weights of attention and feed-forward nets; tables and heads are no such matrices."""
    layers = [module for module in model.modules() if isinstance(module, Layer)]
    return [
        linear.weight
        for layer in layers
        for linear in (layer.queries_keys_values, layer.attended, layer.widen, layer.narrow)
    ]


class Muon(torch.optim.Optimizer):
    """An optimizer of matrices; those of a shape are orthogonalised together."""

    def __init__(
        self,
        matrices: Iterable[Tensor],
        rate: float | Tensor,
        *,
        size: float,
        weight_decay: float,
    ) -> None:
        super().__init__(matrices, {"lr": rate, "weight_decay": weight_decay})
        self.size = size

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """One step; what it does, the host need not wait for."""
        for group in self.param_groups:
            by_shape: dict[tuple[int, int], list[tuple[Tensor, Tensor]]] = defaultdict(list)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    for weight, update in self._squares(parameter, parameter.grad):
                        by_shape[weight.shape[0], weight.shape[1]].append((weight, update))
            for (rows, columns), pairs in by_shape.items():
                weights = [weight for weight, _ in pairs]
                steps = orthogonal(torch.stack([update for _, update in pairs]))
                size = self.size * max(rows, columns) ** 0.5  # by that `steps` are smaller
                scaled = (steps * (-size * group["lr"])).to(weights[0].dtype).unbind(0)
                torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
                torch._foreach_add_(weights, scaled)

    def _squares(self, parameter: Tensor, gradient: Tensor) -> Iterable[tuple[Tensor, Tensor]]:
        """Views of the weight with their updates: queries, keys and values are three matrices."""
        state: dict[str, Any] = self.state[parameter]
        if not state:
            state["exp_avg"] = torch.zeros_like(parameter)
        mean = state["exp_avg"]
        mean.mul_(MOMENTUM).add_(gradient)
        update = gradient + MOMENTUM * mean
        parts = 3 if parameter.shape[0] == 3 * parameter.shape[1] else 1
        return zip(parameter.chunk(parts), update.chunk(parts), strict=True)


def orthogonal(matrices: Tensor) -> Tensor:
    """[n, rows, columns] -> about the nearest matrices whose singular values are all 1."""
    tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if tall else matrices
    if x.is_cuda:
        x = x.bfloat16()
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    a, b, c = _COEFFICIENTS
    for _ in range(ROUNDS):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    found: Tensor = x.mT if tall else x
    return found
