"""Transformer layers over packed rows."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

BUCKETS, FARTHEST = 32, 128
"""Rows of MPNet's relative bias, and the distance from which all share the last one."""


class Layer(nn.Module):
    """Self-attention and a feed-forward net, each behind a layer norm."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.norm_attention = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.norm_inner = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x [rows, length, width], mask [rows, 1, length or 1, length] -> like x."""
        x = x + self._attend(self.norm_attention(x), mask)
        return x + self._feed(self.norm_inner(x))

    def _attend(self, x: Tensor, mask: Tensor, dropout: float = 0.0) -> Tensor:
        rows, length, width = x.shape
        split = self.queries_keys_values(x)
        split = split.view(rows, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
        return self._drop(self.attended(seen.transpose(1, 2).reshape(rows, length, width)))

    def _feed(self, x: Tensor) -> Tensor:
        return self._drop(self.narrow(F.gelu(self.widen(x))))

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)


class Stack(nn.Module):
    """Layers one after another, and a last norm."""

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x [rows, length, width], mask [rows, 1, length or 1, length] -> like x."""
        for layer in self.layers:
            x = layer(x, mask)
        normed: Tensor = self.norm(x)
        return normed


class PostLayer(Layer):
    """The same with each layer norm behind, and dropout on attention: a layer of BERT."""

    def __init__(self, width: int, heads: int, dropout: float, epsilon: float) -> None:
        super().__init__(width, heads, dropout)
        self.norm_attention.eps = self.norm_inner.eps = epsilon

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x [rows, length, width], mask [rows, 1 or heads, length, length] -> like x."""
        dropout = self.dropout if self.training else 0.0
        x = self.norm_attention(x + self._attend(x, mask, dropout))
        fed: Tensor = self.norm_inner(x + self._feed(x))
        return fed


class PostStack(nn.Module):
    """Layers of BERT, or of MPNet, where all layers share a bias by relative place."""

    buckets: Tensor

    def __init__(
        self,
        width: int,
        layers: int,
        heads: int,
        dropout: float,
        *,
        epsilon: float,
        relative: bool,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            PostLayer(width, heads, dropout, epsilon) for _ in range(layers)
        )
        self.bias = embedding(BUCKETS, heads) if relative else None
        if relative:
            self.register_buffer("buckets", _buckets(), persistent=False)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x [rows, length, width], mask [rows, 1, length, length] -> like x."""
        if self.bias is not None:
            mask = self._biased(self.bias, mask)
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def _biased(self, bias: nn.Embedding, mask: Tensor) -> Tensor:
        """The mask as numbers to add to the scores: [rows, heads, length, length]."""
        column = torch.arange(mask.shape[-1], device=mask.device)
        apart = (column[None, :] - column[:, None]).clamp(-FARTHEST, FARTHEST) + FARTHEST
        return torch.where(mask, bias(self.buckets[apart]).permute(2, 0, 1), -torch.inf)


def _buckets() -> Tensor:
    """The row of MPNet's bias for a key so far behind its query, from -FARTHEST to FARTHEST.

    Half of the rows are for keys behind, half for those ahead; the near ones have a row each,
    the far ones share rows that grow with the distance.
    """
    apart = torch.arange(-FARTHEST, FARTHEST + 1)
    half, near = BUCKETS // 2, BUCKETS // 4
    distance = apart.abs()
    growth = torch.log(distance.clamp(min=1).float() / near) / math.log(FARTHEST / near)
    far = (near + (growth * (half - near)).long()).clamp(max=half - 1)
    return torch.where(distance < near, distance, far) + half * (apart > 0)


def embedding(rows: int, width: int) -> nn.Embedding:
    """A table of small random vectors."""
    table = nn.Embedding(rows, width)
    torch.nn.init.normal_(table.weight, std=0.02)
    return table
