"""Subword: a BERT over the pieces of words, trained from scratch or begun with a language model's.

Every sentence is [CLS], the pieces of its words, [SEP]. A word's label is read off its first piece.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respell.lab.train.models.base import Batch, Model, Sizes, Targets
from respell.lab.train.models.heads import OUTPUT_SIZE, SHAPES, ClosedHead, OpenHead
from respell.lab.train.models.layers import PostStack, Speller, embedding
from respell.lab.train.pretrained import read_encoder
from respell.lab.train.wordpiece import Tables, WordPiece, read_vocabulary
from respell.model.encode import LONGEST, NOISE_FLAG
from respell.types import Error


@dataclass(frozen=True, slots=True, kw_only=True)
class SubwordConfig:
    """Sizes; the defaults are the paper's."""

    width: int = 768
    layers: int = 12
    heads: int = 0
    """0: one for every 64 of the width, as BERT has them."""
    pieces: int = 30_522
    """Rows of the table of pieces, at least as many as the vocabulary has."""
    positions: int = 512
    """Places within a sentence; pieces further behind share the last one."""
    relative: bool = False
    """A bias by relative place in every layer, as MPNet has it."""
    epsilon: float = 1e-12
    """Of the layer norms."""
    char_width: int = 256
    char_layers: int = 0
    """Layers over the characters of a whole word; 0 leaves them out."""
    char_heads: int = 8
    dropout: float = 0.1
    factor: float = 2.0
    """Room for pieces in training, as a multiple of a row's words; the rest is cut off."""
    labels: str = "first"
    """"first": one label for a word, on its first piece. "bio2": the paper's B- and I- labels."""
    vocabulary: str = ""
    """A vocab.txt that a fresh model takes its pieces from."""
    pretrained: str = ""
    """A folder with a language model, which a fresh model takes its pieces and weights from."""
    keep: bool = False
    noise_flag: bool = False
    """With KEEP: the model is told which sentences have wild noise."""
    capacity: float = 0.4

    def __post_init__(self) -> None:
        for width, heads in (("width", self.attention_heads), ("char_width", self.char_heads)):
            if heads < 1 or getattr(self, width) % heads:
                name = "heads" if width == "width" else "char_heads"
                raise Error(f"model.{width} must be a multiple of model.{name}")
        if self.labels not in ("first", "bio2"):
            raise Error(f'model.labels = {self.labels!r}: write "first" or "bio2"')
        if self.keep and self.labels == "bio2":
            raise Error('model.labels = "bio2" knows no KEEP: write "first"')
        if self.noise_flag and not self.keep:
            raise Error("model.noise_flag needs model.keep")
        if self.factor <= 0:
            raise Error(f"model.factor = {self.factor}: write a number above 0")
        if self.vocabulary and self.pretrained:
            raise Error("model.pretrained has a vocabulary of its own: leave model.vocabulary out")

    @property
    def attention_heads(self) -> int:
        """How many heads the layers over pieces have."""
        return self.heads or max(1, self.width // 64)


@dataclass(frozen=True, slots=True)
class Layout:
    """The pieces of packed rows side by side."""

    pieces: Tensor  # [rows, columns] piece ids
    segments: Tensor  # [rows, columns] sentence number within the row from 1, 0 = padding
    positions: Tensor  # [rows, columns] place of the piece in its sentence
    words: Tensor  # [rows, columns] word of the row that has the piece, from 1; 0 = none has
    first: Tensor  # [rows, length] column of each word's first piece
    fits: Tensor  # [rows, length] bool: a word, and its first piece was not cut off


class BioHead(ClosedHead):
    """Two labels for every word of the lexicon: B-, for its first piece, and I-, for the rest."""

    def __init__(self, width: int, lexicon: int, dropout: float) -> None:
        super().__init__(width, 2 * lexicon, None, dropout)
        self.lexicon = lexicon

    def scores(self, vectors: Tensor, shared: Tensor | None) -> Tensor:
        """Of the B- labels, which first pieces are asked for; I- labels are only trained."""
        return F.linear(vectors, self.words.table[: self.lexicon], self.words.bias[: self.lexicon])


class Subword(Model):
    """Pieces in their context, and beside them the spelling of the whole word if wanted."""

    def __init__(self, config: SubwordConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.config = config
        width = config.width
        self.wordpiece = WordPiece(sizes.characters)
        self.pieces = embedding(config.pieces, width)
        self.positions = embedding(config.positions, width)
        self.norm = nn.LayerNorm(width, config.epsilon)
        self.dropout = nn.Dropout(config.dropout)
        self.context = PostStack(
            width,
            config.layers,
            config.attention_heads,
            config.dropout,
            epsilon=config.epsilon,
            relative=config.relative,
        )
        self.speller: Speller | None = None
        if config.char_layers:
            self.speller = Speller(
                sizes.characters,
                config.char_width,
                config.char_layers,
                config.char_heads,
                config.dropout,
            )
        width += config.char_width if config.char_layers else 0
        # Where words keep their case, a shape would tell in training how the right word is written.
        shapes = SHAPES + NOISE_FLAG if config.noise_flag else SHAPES
        self.shapes = embedding(shapes, width) if config.keep else None
        self.head = self._head(width, sizes.lexicon)

    def _head(self, width: int, lexicon: int) -> OpenHead | ClosedHead:
        config = self.config
        if config.keep:
            return OpenHead(width, lexicon, None, config.dropout, config.capacity)
        if config.labels == "bio2":
            return BioHead(width, lexicon, config.dropout)
        return ClosedHead(width, lexicon, None, config.dropout)

    def prepare(self, alphabet: str) -> None:
        """Take the vocabulary, and a language model's weights, from the recipe's files."""
        config = self.config
        if not config.vocabulary and not config.pretrained:
            raise Error("model.vocabulary or model.pretrained must name a vocab.txt or its folder")
        path = Path(config.vocabulary or Path(config.pretrained) / "vocab.txt")
        vocabulary = read_vocabulary(path)
        if len(vocabulary) > config.pieces:
            raise Error(f"{path}: {len(vocabulary)} pieces, write model.pieces = {len(vocabulary)}")
        self.wordpiece.fill(Tables.build(vocabulary, alphabet))
        if config.pretrained:
            encoder = read_encoder(Path(config.pretrained))
            encoder.check(config)
            self.load_state_dict(encoder.state, strict=False)
            self.context.rescale()

    def meet(self, spellings: Tensor) -> None:
        """Begin a word's output vector as the mean of its pieces in a language model's table.

        Language models share that table with their output, so half of the way is made already;
        the vectors have the size that fresh ones have.
        """
        if not self.config.pretrained:
            return
        with torch.no_grad():
            ids, counts = self.wordpiece(spellings)
            counts = counts[:, None]
            share = (torch.arange(LONGEST, device=ids.device) < counts) / counts.clamp(min=1)
            known = F.embedding_bag(ids, self.pieces.weight, mode="sum", per_sample_weights=share)
            known -= known.mean(0)
            known *= OUTPUT_SIZE / known.std()
            table = self.head.words.table
            table[:, : self.config.width] = known.repeat(len(table) // len(known), 1)  # B- and I-

    def lay_out(self, batch: Batch) -> Layout:
        """Give every piece its column: shapes are fixed in training, as long as needed elsewhere.

        So no word is ever cut off where it counts, and an answer never depends on what shares
        the batch.
        """
        length = batch.words.shape[1]
        room = -(-(int(self.config.factor * length) + 2) // 8) * 8  # attention likes eights
        columns = room if self.training else (LONGEST + 2) * length
        real = batch.segments > 0
        ids, counts = self._pieces(batch, real)
        first = counts.cumsum(1) - counts + 2 * batch.segments - 1
        word = torch.arange(length, device=first.device)
        opening = first.gather(1, (word - batch.places).clamp(min=0)) - 1  # of its sentence
        last = batch.segments != F.pad(batch.segments[:, 1:], (0, 1))
        place = torch.arange(LONGEST, device=first.device)
        there = torch.where(place < counts[..., None], first[..., None] + place, columns)
        starts = torch.where(real & (batch.places == 0), opening, columns)
        ends = torch.where(real & last, first + counts, columns)
        target = torch.cat((starts[..., None], there, ends[..., None]), -1).clamp(max=columns)
        owner = F.pad((word + 1)[None, :, None].expand(ids.shape[0], -1, LONGEST), (1, 1))
        values = (ids, batch.segments[..., None], target - opening[..., None], owner)
        packed = torch.stack([v.expand_as(target) for v in values], -1).flatten(1, 2)
        grid = packed.new_zeros(ids.shape[0], columns + 1, len(values))
        grid = grid.scatter(1, target.flatten(1)[..., None].expand_as(packed), packed)[:, :columns]
        if not self.training:
            used = torch.nonzero((grid[..., 1] > 0).any(0)).squeeze(-1)
            # The exporter must know that there is something: [CLS], a piece and [SEP] at least.
            torch._check(used.shape[0] > 2)  # type: ignore[no-untyped-call]
            grid = grid.index_select(1, used)
        fits = real & (first < columns)
        pieces, segments, positions, words = grid.unbind(-1)
        return Layout(pieces, segments, positions, words, first.where(fits, 0), fits)

    def _pieces(self, batch: Batch, real: Tensor) -> tuple[Tensor, Tensor]:
        """Pieces of each word between the marks of a sentence, and their number without these."""
        ids, counts = self.wordpiece(batch.spellings)
        unknown, start, end = self.wordpiece.special[:3].unbind(0)
        # BERT reads nothing in some words, such as a lone soft hyphen; a word they are still.
        ids = torch.cat((torch.where(counts > 0, ids[:, 0], unknown)[:, None], ids[:, 1:]), 1)
        ids = torch.cat((start.expand(ids.shape[0], 1), ids, end.expand(ids.shape[0], 1)), 1)
        return ids[batch.slots], torch.where(real, counts.clamp(min=1)[batch.slots], 0)

    def _read(self, layout: Layout) -> Tensor:
        """Every piece in its context: [rows, columns, width]."""
        places = layout.positions.clamp(max=self.config.positions - 1)
        x = self.dropout(self.norm(self.pieces(layout.pieces) + self.positions(places)))
        mask = (layout.segments[:, :, None] == layout.segments[:, None, :]).unsqueeze(1)
        context: Tensor = self.context(x, mask)
        return context

    def _words(self, hidden: Tensor, layout: Layout, batch: Batch) -> Tensor:
        """Every word by its first piece: [rows, length, width + char_width]."""
        vectors = hidden.gather(1, layout.first[..., None].expand(-1, -1, hidden.shape[-1]))
        if self.speller is not None:
            spelled = F.embedding(batch.slots, self.speller(batch.spellings, batch.buckets))
            vectors = torch.cat((vectors, spelled), -1)
        return vectors if self.shapes is None else vectors + self.shapes(batch.shapes)

    def encode(self, batch: Batch) -> Tensor:
        """Words in their context, by their first pieces: [rows, length, width + char_width]."""
        layout = self.lay_out(batch)
        return self._words(self._read(layout), layout, batch)

    def forward(self, batch: Batch, targets: Targets) -> dict[str, Tensor]:
        """The head's losses over the words that fit, and the share of those that did not."""
        layout = self.lay_out(batch)
        hidden = self._read(layout)
        fitting = replace(
            targets,
            labels=targets.labels.where(layout.fits, -1),
            wrong=targets.wrong & layout.fits,
            judged=targets.judged & layout.fits,
        )
        if isinstance(self.head, BioHead):
            vectors, fitting = self._every_piece(hidden, layout, batch, fitting)
        else:
            vectors = self._words(hidden, layout, batch)
        losses = self.head.loss(vectors, None, batch, fitting)
        return {**losses, "cut": 1 - layout.fits.sum() / (batch.segments > 0).sum().clamp(min=1)}

    def _every_piece(
        self, hidden: Tensor, layout: Layout, batch: Batch, targets: Targets
    ) -> tuple[Tensor, Targets]:
        """Vectors of all pieces and their B- or I- labels, the latter behind all of the former."""
        word = (layout.words - 1).clamp(min=0)
        if self.speller is not None:
            spelled = F.embedding(
                batch.slots.gather(1, word), self.speller(batch.spellings, batch.buckets)
            )
            hidden = torch.cat((hidden, spelled), -1)
        column = torch.arange(word.shape[1], device=word.device)
        begins = layout.first.gather(1, word) == column
        labels = targets.labels.gather(1, word)
        half = self.head.words.bias.shape[0] // 2
        labels = torch.where(begins, labels, labels + half)
        asked = (layout.words > 0) & (targets.labels.gather(1, word) >= 0)
        return hidden, replace(targets, labels=labels.where(asked, -1))
