"""Transformer layers over packed rows."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respell.model.encode import CHAR_PAD, WIDTH

BUCKETS, FARTHEST = 32, 128
"""Rows of MPNet's relative bias, and the distance from which all keys share the last row."""
MASKED = -1e4
"""Added to the attention score of a masked key; its weight becomes exactly 0."""
PACK = 8
"""Spellings in one row of attention, if they come in buckets."""


class Layer(nn.Module):
    """Self-attention and a feed-forward network, each after a layer norm."""

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

    def forward(self, x: Tensor, mask: Tensor, stride: int = 1) -> Tensor:
        """x [rows, length, width], mask [rows, 1, length or 1, length] -> every stride-th of x."""
        attended = self._attend(self.norm_attention(x), mask, stride=stride)
        x = (x if stride == 1 else x[:, ::stride]) + attended
        return x + self._feed(self.norm_inner(x))

    def _attend(self, x: Tensor, mask: Tensor, dropout: float = 0.0, stride: int = 1) -> Tensor:
        rows, length, width = x.shape
        split = self.queries_keys_values(x)
        if torch.onnx.is_in_onnx_export():
            fused: Tensor = self.attended(_fused(split, mask, self.heads, stride))
            return fused
        split = split.view(rows, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        if stride > 1:
            query = query[:, :, ::stride]
            mask = mask[:, :, ::stride]
        if mask.is_floating_point():
            mask = mask.to(query.dtype)  # there is no fast kernel for a bias of other precision
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
        return self._drop(self.attended(seen.transpose(1, 2).flatten(2)))

    def _feed(self, x: Tensor) -> Tensor:
        return self._drop(self.narrow(F.gelu(self.widen(x))))

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)


def _fused(split: Tensor, mask: Tensor, heads: int, stride: int) -> Tensor:
    """Attention as one node of onnxruntime: split [rows, length, 3 * width] -> [.., width]."""
    query, key, value = split.chunk(3, -1)
    if stride > 1:
        query, mask = query[:, ::stride], mask[:, :, ::stride]
    bias = mask if mask.is_floating_point() else torch.where(mask, 0.0, MASKED)
    bias = bias.expand(-1, -1, query.shape[1], -1)  # the node broadcasts no other dimension
    seen: Tensor = torch.onnx.ops.symbolic(
        "com.microsoft::MultiHeadAttention",
        (query, key, value, None, None, bias),
        {"num_heads": heads},
        dtype=split.dtype,
        shape=query.shape,
        version=1,
    )
    return seen


class Stack(nn.Module):
    """A sequence of layers and a final norm."""

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        stride: int = 1,
        *,
        joining: Tensor | None = None,
        fused: int = 0,
    ) -> Tensor:
        """x [rows, length, width], mask [rows, 1, length or 1, length] -> every stride-th of x.

        `joining` [rows, length, width] is added before the last `fused` layers.
        """
        last = len(self.layers) - 1
        for number, layer in enumerate(self.layers):
            if joining is not None and number == len(self.layers) - fused:
                x = x + joining
            x = layer(x, mask, stride if number == last else 1)
        normed: Tensor = self.norm(x)
        return normed


class SuspectLayer(nn.Module):
    """Attention of some words to all words, and a feed-forward network, each after a layer norm.

    All layers of a stack share the keys and values, which come from the layers below the stack. So
    a word that does not go through the stack costs nothing in it.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_attention = nn.LayerNorm(width)
        self.queries = nn.Linear(width, width)
        self.attended = nn.Linear(width, width)
        self.norm_inner = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """x [rows, chosen, width], keys and values [rows, heads, length, width / heads].

        `mask` [rows, 1, chosen, length] says what each word may see.
        """
        rows, chosen, width = x.shape
        query = self.queries(self.norm_attention(x))
        query = query.view(rows, chosen, self.heads, width // self.heads).transpose(1, 2)
        seen = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask)
        return self._feed(x + self.attended(seen.transpose(1, 2).flatten(2)))

    def one_by_one(self, x: Tensor, keys: Tensor, values: Tensor, bias: Tensor) -> Tensor:
        """The same for a flat list of words, each with its own sentence.

        x [n, width], keys [n, heads, width / heads, length], values [n, heads, length,
        width / heads], bias [n, 1, 1, length] added to the scores.
        """
        size = x.shape[1] // self.heads
        query = self.queries(self.norm_attention(x)).view(-1, self.heads, 1, size)
        scores = query @ keys * (size**-0.5) + bias
        seen = (torch.softmax(scores, -1) @ values).flatten(1)
        return self._feed(x + self.attended(seen))

    def _feed(self, x: Tensor) -> Tensor:
        fed: Tensor = x + self.narrow(F.gelu(self.widen(self.norm_inner(x))))
        return fed


class SuspectStack(nn.Module):
    """Layers that only suspicious words go through; they may be wider than those before."""

    def __init__(self, read_width: int, width: int, layers: int, heads: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.enter = nn.Identity() if width == read_width else _orthogonal(read_width, width)
        self.keys_values = nn.Linear(read_width, 2 * width)
        self.layers = nn.ModuleList(SuspectLayer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, read: Tensor, chosen: Tensor, segments: Tensor) -> Tensor:
        """read [rows, length, read_width], chosen [rows, chosen] -> [rows, chosen, width]."""
        rows, length, read_width = read.shape
        split = self.keys_values(read).view(rows, length, 2, self.heads, self.size)
        keys, values = split.permute(2, 0, 3, 1, 4).unbind(0)
        mask = segments.gather(1, chosen)[:, :, None] == segments[:, None, :]
        x = self.enter(read.gather(1, chosen[:, :, None].expand(-1, -1, read_width)))
        for layer in self.layers:
            x = layer(x, keys, values, mask.unsqueeze(1))
        normed: Tensor = self.norm(x)
        return normed

    def one_by_one(self, read: Tensor, positions: Tensor, seen: Tensor) -> Tensor:
        """The same for flat positions; this is exported.

        read [batch, length, read_width], positions [n], seen [batch, length] bool: words, not
        padding -> [n, width].
        """
        row = positions // read.shape[1]
        keys, values = self.keys_values(read).chunk(2, -1)
        keys = keys.view(*read.shape[:2], self.heads, self.size).permute(0, 2, 3, 1)
        values = values.view(*read.shape[:2], self.heads, self.size).transpose(1, 2)
        bias = torch.where(seen, 0.0, MASKED)[:, None, None, :]
        keys, values, bias = (part.index_select(0, row) for part in (keys, values, bias))
        x = self.enter(read.flatten(0, 1).index_select(0, positions))
        for layer in self.layers:
            assert isinstance(layer, SuspectLayer)
            x = layer.one_by_one(x, keys, values, bias)
        normed: Tensor = self.norm(x)
        return normed


def _orthogonal(width: int, out: int) -> nn.Linear:
    """A layer that keeps lengths and angles at first."""
    linear = nn.Linear(width, out)
    nn.init.orthogonal_(linear.weight)
    nn.init.zeros_(linear.bias)
    return linear


class Speller(nn.Module):
    """A transformer over the characters of each spelling; its output is the start character's."""

    def __init__(
        self,
        characters: int,
        width: int,
        layers: int,
        heads: int,
        dropout: float,
        *,
        places: bool = True,
    ) -> None:
        super().__init__()
        self.characters = embedding(characters, width)
        self.places = embedding(WIDTH, width) if places else None
        self.dropout = nn.Dropout(dropout)
        self.stack = Stack(width, layers, heads, dropout)

    def forward(self, spellings: Tensor, buckets: tuple[tuple[int, int], ...] = ()) -> Tensor:
        """[spellings, WIDTH] -> [spellings, width]; buckets as in a `Batch`."""
        if not buckets:
            return self._read(spellings, 1)
        blocks = torch.split(spellings, [count for count, _ in buckets])
        widths = [width for _, width in buckets]
        return torch.cat(
            [
                self._read(block[:, :width], PACK if len(block) % PACK == 0 else 1)
                for block, width in zip(blocks, widths, strict=True)
            ]
        )

    def _read(self, spellings: Tensor, pack: int) -> Tensor:
        """Encode `pack` spellings per row, since the kernels of attention prefer long rows."""
        length = spellings.shape[1]
        x = self.characters(spellings)
        if self.places is not None:
            x = x + self.places.weight[:length]
        x = self.dropout(x)
        mask = (spellings != CHAR_PAD)[:, None, None, :]
        if pack > 1:
            x = x.view(-1, pack * length, x.shape[-1])
            word = torch.arange(pack * length, device=x.device) // length
            mask = (word[:, None] == word) & mask.view(-1, 1, 1, pack * length)
        vectors: Tensor = self.stack(x, mask, length).flatten(0, 1)
        return vectors


class PostLayer(Layer):
    """A layer of BERT: with the layer norms last, and dropout on attention."""

    def __init__(self, width: int, heads: int, dropout: float, epsilon: float) -> None:
        super().__init__(width, heads, dropout)
        self.norm_attention.eps = self.norm_inner.eps = epsilon

    def forward(self, x: Tensor, mask: Tensor, stride: int = 1) -> Tensor:
        """x [rows, length, width], mask [rows, 1 or heads, length, length] -> like x."""
        dropout = self.dropout if self.training else 0.0
        attended = self._attend(x, mask, dropout, stride)
        x = self.norm_attention((x if stride == 1 else x[:, ::stride]) + attended)
        fed: Tensor = self.norm_inner(x + self._feed(x))
        return fed


class PostStack(nn.Module):
    """Layers of BERT, or of MPNet, whose layers share a bias by relative position."""

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

    def rescale(self) -> None:
        """Scale the output to the size of that of a new stack.

        Models for sentence similarity use only directions. Their vectors may be so short that a
        new output layer hardly learns from them.
        """
        last = self.layers[-1]
        assert isinstance(last, PostLayer)
        norm = last.norm_inner
        with torch.no_grad():
            size = norm.weight.square().mean().sqrt()
            norm.weight.div_(size)
            norm.bias.div_(size)

    def _biased(self, bias: nn.Embedding, mask: Tensor) -> Tensor:
        """The mask as numbers to add to the scores: [rows, heads, length, length]."""
        column = torch.arange(mask.shape[-1], device=mask.device)
        apart = (column[None, :] - column[:, None]).clamp(-FARTHEST, FARTHEST) + FARTHEST
        by_head = bias(self.buckets[apart]).permute(2, 0, 1).contiguous()  # the kernel needs it
        return torch.where(mask, by_head, -torch.inf)


def _buckets() -> Tensor:
    """The row of MPNet's bias for each distance of key and query, from -FARTHEST to FARTHEST.

    Half of the rows are for keys before the query, half for keys after it. Near keys have a row
    each; far keys share rows whose ranges grow with the distance.
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
