"""Transformer layers over packed rows."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


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
        rows, length, width = x.shape
        split = self.queries_keys_values(self.norm_attention(x))
        split = split.view(rows, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        x = x + self._drop(self.attended(seen.transpose(1, 2).reshape(rows, length, width)))
        return x + self._drop(self.narrow(F.gelu(self.widen(self.norm_inner(x)))))

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


def embedding(rows: int, width: int) -> nn.Embedding:
    """A table of small random vectors."""
    table = nn.Embedding(rows, width)
    torch.nn.init.normal_(table.weight, std=0.02)
    return table
