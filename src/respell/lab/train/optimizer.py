"""The optimizers, AdamW and Muon, and the schedule of the learning rate.

AdamW scales each element of a matrix separately. Muon replaces the running mean of the gradient of
a matrix by the nearest orthogonal matrix, so that rare directions are learnt as fast as dominant
ones.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from respell.lab.train.models.base import Model
from respell.lab.train.models.layers import Layer, SuspectLayer, SuspectStack
from respell.lab.train.recipe import TrainConfig

MOMENTUM = 0.95
ROUNDS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # by Keller Jordan; singular values converge to about 1


def inner_matrices(model: nn.Module) -> dict[Tensor, int]:
    """The weights of attention and feed-forward networks, without tables and heads.

    The values say how many matrices each of them stacks, such as queries, keys and values.
    """
    found: dict[Tensor, int] = {}
    for module in model.modules():
        linears: tuple[nn.Linear, ...] = ()
        if isinstance(module, Layer):
            found[module.queries_keys_values.weight] = 3
            linears = (module.attended, module.widen, module.narrow)
        elif isinstance(module, SuspectLayer):
            linears = (module.queries, module.attended, module.widen, module.narrow)
        elif isinstance(module, SuspectStack):
            found[module.keys_values.weight] = 2
        found |= dict.fromkeys((linear.weight for linear in linears), 1)
    return found


class Muon(torch.optim.Optimizer):
    """An optimizer for `inner_matrices`; those of the same shape are orthogonalised together."""

    def __init__(
        self,
        matrices: Mapping[Tensor, int],
        rate: float | Tensor,
        *,
        size: float,
        weight_decay: float,
    ) -> None:
        super().__init__(list(matrices), {"lr": rate, "weight_decay": weight_decay})
        self.parts, self.size = dict(matrices), size

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Make one step, without synchronising the device."""
        for group in self.param_groups:
            by_shape: dict[tuple[int, int], list[tuple[Tensor, Tensor]]] = defaultdict(list)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    for weight, update in self._updates(parameter, parameter.grad):
                        by_shape[weight.shape[0], weight.shape[1]].append((weight, update))
            for (rows, columns), pairs in by_shape.items():
                weights = [weight for weight, _ in pairs]
                steps = orthogonal(torch.stack([update for _, update in pairs]))
                size = self.size * max(rows, columns) ** 0.5  # for steps of the same mean square
                scaled = (steps * (-size * group["lr"])).to(weights[0].dtype).unbind(0)
                torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
                torch._foreach_add_(weights, scaled)

    def _updates(self, parameter: Tensor, gradient: Tensor) -> Iterable[tuple[Tensor, Tensor]]:
        """The matrices that a weight stacks, with their updates."""
        state: dict[str, Any] = self.state[parameter]
        if not state:
            state["exp_avg"] = torch.zeros_like(parameter)
        mean = state["exp_avg"]
        mean.mul_(MOMENTUM).add_(gradient)
        update = gradient + MOMENTUM * mean
        parts = self.parts[parameter]
        return zip(parameter.chunk(parts), update.chunk(parts), strict=True)


def orthogonal(matrices: Tensor) -> Tensor:
    """[n, rows, columns] -> the nearest orthogonal matrices, approximately."""
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


def make_optimizers(
    model: Model, train: TrainConfig, device: torch.device
) -> list[torch.optim.Optimizer]:
    """AdamW without weight decay on norms and biases; optionally Muon for the inner matrices."""
    cuda = device.type == "cuda"
    matrices = inner_matrices(model) if train.muon else {}
    others = [p for p in model.parameters() if p not in matrices]
    groups = [
        {"params": [p for p in others if p.dim() > 1], "weight_decay": train.weight_decay},
        {"params": [p for p in others if p.dim() <= 1], "weight_decay": 0.0},
    ]
    # On a GPU the rate is a tensor, so that a CUDA graph reads its current value.
    rate = torch.tensor(train.learning_rate, device=device) if cuda else train.learning_rate
    betas = (0.9, train.beta2)
    adam = torch.optim.AdamW(groups, rate, betas, eps=1e-6, fused=cuda, capturable=cuda)
    if not matrices:
        return [adam]
    return [adam, Muon(matrices, rate, size=train.muon, weight_decay=train.weight_decay)]


def set_rate(optimizers: Sequence[torch.optim.Optimizer], rate: float) -> None:
    """Set the learning rate of all optimizers."""
    for group in (group for optimizer in optimizers for group in optimizer.param_groups):
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate


def learning_rate(train: TrainConfig, step: int, progress: float) -> float:
    """Linear warm-up, then linear decay to zero."""
    return train.learning_rate * min(1.0, (step + 1) / train.warmup) * max(0.0, 1 - progress)
