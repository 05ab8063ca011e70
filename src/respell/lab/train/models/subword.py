"""Subword: a BERT over pieces of words, trained from scratch or from a pretrained language model.

Every sentence is [CLS], the pieces of its words, [SEP]. The label of a word is predicted at its
first piece.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respell.lab.train.models.base import Batch, Model, Sizes, Targets
from respell.lab.train.models.heads import (
    OUTPUT_SIZE,
    SHAPES,
    ClosedHead,
    OpenHead,
    SoftTargets,
)
from respell.lab.train.models.layers import PostStack, Speller, embedding
from respell.lab.train.models.wordpiece import Tables, WordPiece, read_vocabulary
from respell.lab.train.pretrained import read_encoder
from respell.model.encode import LONGEST, NOISE_FLAG
from respell.model.vocabulary import CLASS_IDS
from respell.types import Error


@dataclass(frozen=True, slots=True, kw_only=True)
class SubwordConfig:
    """Sizes; the defaults are the paper's."""

    width: int = 768
    layers: int = 12
    heads: int = 0
    """0: one head for every 64 of the width, as in BERT."""
    pieces: int = 30_522
    """Rows of the table of pieces, at least as many as the vocabulary has."""
    positions: int = 512
    """Positions within a sentence; later pieces share the last one."""
    relative: bool = False
    """A bias by relative position in every layer, as in MPNet."""
    epsilon: float = 1e-12
    """Epsilon of the layer norms."""
    char_width: int = 256
    char_layers: int = 0
    """Layers over the characters of a whole word; 0 = none."""
    char_heads: int = 8
    dropout: float = 0.1
    factor: float = 2.0
    """Room for pieces in training, as a multiple of the words of a row; more are cut off."""
    labels: str = "first"
    """"first": one label per word, on its first piece. "bio2": the paper's B- and I- labels."""
    vocabulary: str = ""
    """A vocab.txt with the pieces of a new model."""
    pretrained: str = ""
    """A folder of a language model with the pieces and weights of a new model."""
    keep: bool = False
    noise_flag: bool = False
    """With KEEP: an input feature that says whether a sentence is noisy."""
    classes: bool = False
    """With KEEP: an input feature that says which words outside the lexicon are valid."""
    spacing: bool = False
    """With KEEP: also find words that are run together or pulled apart."""
    capacity: float = 0.4

    def __post_init__(self) -> None:
        for width, heads in (("width", self.attention_heads), ("char_width", self.char_heads)):
            if heads < 1 or getattr(self, width) % heads:
                name = "heads" if width == "width" else "char_heads"
                raise Error(f"model.{width} must be a multiple of model.{name}")
        if self.labels not in ("first", "bio2"):
            raise Error(f'model.labels = {self.labels!r}: write "first" or "bio2"')
        if self.keep and self.labels == "bio2":
            raise Error('model.labels = "bio2" does not support KEEP: write "first"')
        needing = [n for n in ("noise_flag", "classes", "spacing") if getattr(self, n)]
        if needing and not self.keep:
            raise Error(f"model.{needing[0]} needs model.keep")
        if self.factor <= 0:
            raise Error(f"model.factor = {self.factor}: write a number above 0")
        if self.vocabulary and self.pretrained:
            raise Error("model.pretrained has its own vocabulary: remove model.vocabulary")

    @property
    def attention_heads(self) -> int:
        """The number of heads of the layers over pieces."""
        return self.heads or max(1, self.width // 64)


@dataclass(frozen=True, slots=True)
class Layout:
    """The pieces of packed rows."""

    pieces: Tensor  # [rows, columns] piece ids
    segments: Tensor  # [rows, columns] number of the sentence within the row from 1, 0 = padding
    positions: Tensor  # [rows, columns] position of the piece in its sentence
    words: Tensor  # [rows, columns] number of the word within the row from 1; 0 = no word
    first: Tensor  # [rows, length] column of the first piece of each word
    fits: Tensor  # [rows, length] bool: a word whose first piece was not cut off


class BioHead(ClosedHead):
    """Two labels for every word of the lexicon: B- for its first piece, I- for the others."""

    def __init__(self, width: int, lexicon: int, dropout: float) -> None:
        super().__init__(width, 2 * lexicon, None, dropout)
        self.lexicon = lexicon

    def scores(self, vectors: Tensor, shared: Tensor | None) -> Tensor:
        """The scores of the B- labels; I- labels are used only in training."""
        return F.linear(vectors, self.words.table[: self.lexicon], self.words.bias[: self.lexicon])


class Subword(Model):
    """Pieces in their context and, optionally, the spelling of the whole word."""

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
        # With exact casing, the shape would reveal the correct word in training.
        shapes = SHAPES + NOISE_FLAG if config.noise_flag else SHAPES
        self.shapes = embedding(shapes, width) if config.keep else None
        self.classes = embedding(CLASS_IDS, width) if config.classes else None
        self.reads_classes = config.classes
        self.head = self._head(width, sizes.lexicon)

    def _head(self, width: int, lexicon: int) -> OpenHead | ClosedHead:
        config = self.config
        if config.keep:
            spacing = config.spacing
            return OpenHead(width, lexicon, None, config.dropout, config.capacity, spacing=spacing)
        if config.labels == "bio2":
            return BioHead(width, lexicon, config.dropout)
        return ClosedHead(width, lexicon, None, config.dropout)

    def prepare(self, alphabet: str) -> None:
        """Read the vocabulary, and the weights of a language model, from the recipe's files."""
        config = self.config
        if not config.vocabulary and not config.pretrained:
            raise Error("set model.vocabulary to a vocab.txt or model.pretrained to a folder")
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

    def init_output(self, spellings: Tensor) -> None:
        """Start the output vector of a word as the mean of its pieces in the language model.

        Language models share these vectors with their own output. They are scaled to the size of
        new vectors.
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
        """Give every piece its column.

        The number of columns is fixed in training, where pieces may be cut off. Elsewhere it is as
        large as needed, so that no word is cut off and a result does not depend on its batch.
        """
        length = batch.words.shape[1]
        room = -(-(int(self.config.factor * length) + 2) // 8) * 8  # a multiple of 8 is faster
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
            # The exporter must know the minimum: [CLS], a piece and [SEP].
            torch._check(used.shape[0] > 2)  # type: ignore[no-untyped-call]
            grid = grid.index_select(1, used)
        fits = real & (first < columns)
        pieces, segments, positions, words = grid.unbind(-1)
        return Layout(pieces, segments, positions, words, first.where(fits, 0), fits)

    def _pieces(self, batch: Batch, real: Tensor) -> tuple[Tensor, Tensor]:
        """[CLS], the pieces and [SEP] for each word, and the number of the pieces."""
        ids, counts = self.wordpiece(batch.spellings)
        unknown, start, end = self.wordpiece.special[:3].unbind(0)
        # Some words, such as a single soft hyphen, have no pieces in BERT: they are unknown.
        ids = torch.cat((torch.where(counts > 0, ids[:, 0], unknown)[:, None], ids[:, 1:]), 1)
        ids = torch.cat((start.expand(ids.shape[0], 1), ids, end.expand(ids.shape[0], 1)), 1)
        return ids[batch.slots], torch.where(real, counts.clamp(min=1)[batch.slots], 0)

    def _read(self, layout: Layout) -> Tensor:
        """The vector of each piece in its context: [rows, columns, width]."""
        places = layout.positions.clamp(max=self.config.positions - 1)
        x = self.dropout(self.norm(self.pieces(layout.pieces) + self.positions(places)))
        mask = (layout.segments[:, :, None] == layout.segments[:, None, :]).unsqueeze(1)
        context: Tensor = self.context(x, mask)
        return context

    def _words(self, hidden: Tensor, layout: Layout, batch: Batch) -> Tensor:
        """The vector of each word at its first piece: [rows, length, width + char_width]."""
        vectors = hidden.gather(1, layout.first[..., None].expand(-1, -1, hidden.shape[-1]))
        if self.speller is not None:
            spelled = F.embedding(batch.slots, self.speller(batch.spellings, batch.buckets))
            vectors = torch.cat((vectors, spelled), -1)
        if self.classes is not None and batch.classes is not None:
            vectors = vectors + self.classes(batch.classes)
        return vectors if self.shapes is None else vectors + self.shapes(batch.shapes)

    def encode(self, batch: Batch) -> Tensor:
        """Words in their context, at their first pieces: [rows, length, width + char_width]."""
        layout = self.lay_out(batch)
        return self._words(self._read(layout), layout, batch)

    def soft_targets(
        self, batch: Batch, targets: Targets, weight: float, distill_top_n: int
    ) -> SoftTargets:
        """The output of this model as a teacher; words that were cut off have no weight."""
        if not isinstance(self.head, OpenHead):
            return super().soft_targets(batch, targets, weight, distill_top_n)
        layout = self.lay_out(batch)
        vectors = self._words(self._read(layout), layout, batch)
        soft = self.head.soft_targets(vectors, None, targets, weight, distill_top_n)
        return replace(soft, weight=soft.weight.where(layout.fits.flatten(), 0.0))

    def forward(self, batch: Batch, targets: Targets) -> dict[str, Tensor]:
        """The losses of the head for the words that fit, and the share of the others."""
        layout = self.lay_out(batch)
        hidden = self._read(layout)
        fitting = replace(
            targets,
            labels=targets.labels.where(layout.fits, -1),
            wrong=targets.wrong & layout.fits,
            checked=targets.checked & layout.fits,
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
        """Vectors of all pieces and their labels; the I- labels come after all B- labels."""
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
        labelled = (layout.words > 0) & (targets.labels.gather(1, word) >= 0)
        return hidden, replace(targets, labels=labels.where(labelled, -1))
