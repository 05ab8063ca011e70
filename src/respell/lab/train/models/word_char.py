"""Word+Char: a transformer over words and a transformer over the characters of each word.

Without word layers this is the Char model of the paper, without character layers its Word model.
The last layers over words may be fused: they also read the spellings.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respell.lab.train.models.base import Batch, Model, Sizes, Targets
from respell.lab.train.models.heads import SHAPES, ClosedHead, OpenHead, Ranking
from respell.lab.train.models.layers import Speller, Stack, SuspectStack, embedding
from respell.model.encode import NOISE_FLAG, WORD_OFFSET
from respell.model.vocabulary import CLASS_IDS
from respell.types import Error

EARLY_WEIGHT = 0.5
"""Weight of the early loss."""
EARLY_BOUND = 0.03
"""A word goes through the suspect layers if its early error probability reaches this, or the gate
if that is lower. The bound is the same for all higher gates, so that a threshold that was chosen
with a low gate stays right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCharConfig:
    """Sizes; the defaults are the paper's."""

    width: int = 512
    layers: int = 6
    """Layers over words; 0 = no context."""
    heads: int = 8
    fused: int = 0
    """How many of the layers over words, from the last, also read the spellings. They can guess
    what misspelled neighbours mean."""
    char_width: int = 256
    char_layers: int = 4
    """Layers over characters; 0 = no spelling."""
    char_heads: int = 8
    dropout: float = 0.1
    keep: bool = False
    """KEEP label and case head (the product) instead of a closed lexicon (the paper)."""
    noise_flag: bool = False
    """With KEEP: an input feature that says whether a sentence is noisy; presets can set it."""
    tied: bool = False
    """The output shares the word vectors of the input."""
    composed: float = 0.0
    """With tied vectors: share of the lexicon whose output vectors are composed from the spelling
    in each step, so that words outside the lexicon can be scored too."""
    capacity: float = 0.4
    """With KEEP: share of the words of a batch for which the wide output is computed."""
    suspect_layers: int = 0
    """With KEEP: layers over words that follow the others, but only for words that may be wrong
    after those."""
    suspect_width: int = 0
    """The width of these layers; 0 = that of the others."""
    suspect_share: float = 0.5
    """The share of the words of a row that go through these layers in training."""
    classes: bool = False
    """With KEEP: an input feature that says which words outside the lexicon are valid."""
    spacing: bool = False
    """With KEEP: also find words that are run together or pulled apart."""

    def __post_init__(self) -> None:
        for width, heads in (
            ("width", "heads"),
            ("suspect_width", "heads"),
            ("char_width", "char_heads"),
        ):
            if getattr(self, heads) < 1 or getattr(self, width) % getattr(self, heads):
                raise Error(f"model.{width} must be a multiple of model.{heads}")
        if min(self.layers, self.char_layers) < 0 or not self.layers + self.char_layers:
            raise Error("model.layers and model.char_layers: one of them must be above 0")
        if self.tied and not self.layers:
            raise Error("model.tied needs word vectors: set model.layers above 0")
        if not 0 <= self.fused <= self.layers or (self.fused and not self.char_layers):
            raise Error("model.fused: at most model.layers, and model.char_layers above 0")
        self._check_product()

    def _check_product(self) -> None:
        for name in ("suspect_layers", "classes", "spacing"):
            if getattr(self, name) and not (self.keep and self.layers):
                raise Error(f"model.{name} needs model.keep, and model.layers above 0")
        if self.suspect_width and not self.suspect_layers:
            raise Error("model.suspect_width needs model.suspect_layers above 0")
        if min(self.suspect_layers, self.suspect_width) < 0 or not 0 < self.suspect_share <= 1:
            raise Error(
                "model.suspect_layers and model.suspect_width: 0 or more; "
                "model.suspect_share: above 0, at most 1"
            )
        if self.noise_flag and not (self.keep and self.layers):
            raise Error("model.noise_flag needs model.keep, and model.layers above 0")
        if self.composed and not (self.tied and self.keep and self.char_layers):
            raise Error("model.composed needs model.keep, model.tied and model.char_layers above 0")
        if not 0 <= self.composed < 1:
            raise Error(f"model.composed = {self.composed}: write a share from 0 to below 1")


class WordChar(Model):
    """Late concatenation: the vectors of context and spelling are joined before the output."""

    any_width = True

    def __init__(self, config: WordCharConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        width = 0
        self.context: Stack | None = None
        self.speller: Speller | None = None
        # With exact casing, the shape would reveal the correct word in training.
        self.shapes: nn.Embedding | None = None
        if config.layers:
            width += config.suspect_width or config.width
            self.words = embedding(sizes.lexicon + WORD_OFFSET, config.width)
            self.places = embedding(sizes.length, config.width)
            shapes = SHAPES + NOISE_FLAG if config.noise_flag else SHAPES
            self.shapes = embedding(shapes, config.width) if config.keep else None
            self.context = Stack(config.width, config.layers, config.heads, config.dropout)
        self.classes = embedding(CLASS_IDS, config.width) if config.classes else None
        self.reads_classes = config.classes
        self.suspects: SuspectStack | None = None
        self.early: nn.Sequential | None = None
        if config.suspect_layers:
            self.suspects = SuspectStack(
                config.width,
                config.suspect_width or config.width,
                config.suspect_layers,
                config.heads,
            )
            self.early = _small_head(config.width)
        self.suspect_share = config.suspect_share
        if config.char_layers:
            width += config.char_width
            self.speller = Speller(
                sizes.characters,
                config.char_width,
                config.char_layers,
                config.char_heads,
                config.dropout,
            )
        self.fused = config.fused
        self.join = _zero_linear(config.char_width, config.width) if config.fused else None
        self.dropout = nn.Dropout(config.dropout)
        shared_width = config.width if config.tied else None
        self.tied = config.tied
        self.head = (
            OpenHead(
                width,
                sizes.lexicon,
                shared_width,
                config.dropout,
                config.capacity,
                composed=config.composed > 0,
                spacing=config.spacing,
            )
            if config.keep
            else ClosedHead(width, sizes.lexicon, shared_width, config.dropout)
        )
        self.composes = config.composed > 0
        self.compose = _zero_linear(config.char_width, config.width) if config.composed else None
        self.folded: Tensor | None = None

    def fold(self, spellings: Tensor) -> None:
        """Precompute the spelling vectors of the lexicon: [lexicon, WIDTH] character ids."""
        if self.speller is not None:
            with torch.no_grad():
                self.folded = torch.cat([self.speller(p) for p in torch.split(spellings, 4096)])

    def encode(self, batch: Batch) -> Tensor:
        """Context and spelling of each word: [rows, length, width + char_width]."""
        read, spelled = self._encode(batch)
        if self.suspects is not None and read is not None:
            every = torch.arange(read.shape[1], device=read.device).expand(len(read), -1)
            read = self.suspects(read, every, batch.segments)
        return _joined(read, spelled)

    def forward(self, batch: Batch, targets: Targets) -> dict[str, Tensor]:
        """The losses by name; `loss` is their weighted sum."""
        if self.suspects is None or self.early is None:
            return super().forward(batch, targets)
        read, spelled = self._encode(batch)
        assert read is not None
        early = self.early(read).squeeze(-1).float()
        checked = (targets.checked & ~targets.masked).float()
        early_loss = F.binary_cross_entropy_with_logits(
            early, targets.wrong.float(), weight=checked, reduction="sum"
        ) / checked.sum().clamp(min=1)
        # The words to rank always go through the other layers, then the likeliest errors.
        needed = targets.wrong | targets.masked
        order = torch.sigmoid(early.detach()) + 2 * needed - 2 * (~targets.checked & ~needed)
        columns = order.topk(max(1, int(order.shape[1] * self.suspect_share)), 1).indices
        vectors = self.suspects(read, columns, batch.segments)
        some = None if spelled is None else _take(spelled, columns)
        losses = self.head.loss(
            _joined(vectors, some), self.output_table(batch), batch, targets, columns
        )
        losses["loss"] = losses["loss"] + EARLY_WEIGHT * early_loss
        return {**losses, "early": early_loss}

    def rank(self, batch: Batch, gate: Tensor, k: int) -> Ranking:
        """Rank words at suspicious positions."""
        head = self.head
        if self.suspects is None or self.early is None or not isinstance(head, OpenHead):
            return super().rank(batch, gate, k)
        read, spelled = self._encode(batch)
        assert read is not None
        early = torch.sigmoid(self.early(read).squeeze(-1))
        bound = gate.clamp(max=EARLY_BOUND)
        positions = head.suspects(early, batch, bound)
        vectors = self.suspects.one_by_one(read, positions, batch.segments > 0)
        some = None if spelled is None else spelled.flatten(0, 1).index_select(0, positions)
        table = self.output_table(batch)
        joined = _joined(vectors, some)
        return head.rank_some(joined, early, positions, table, batch, gate, bound, k)

    def _encode(self, batch: Batch) -> tuple[Tensor | None, Tensor | None]:
        """Context and spelling of each word, before the suspect layers."""
        spelled = None if self.speller is None else self._spelled(batch, self.speller)
        read = None if self.context is None else self._read(batch, self.context, spelled)
        return read, spelled

    def _read(self, batch: Batch, stack: Stack, spelled: Tensor | None) -> Tensor:
        """The vector of each word in its context: [rows, length, width]."""
        x = self.words(batch.words) + self.places(batch.places)
        if self.shapes is not None:
            x = x + self.shapes(batch.shapes)
        if self.classes is not None and batch.classes is not None:
            x = x + self.classes(batch.classes)
        mask = (batch.segments[:, :, None] == batch.segments[:, None, :]).unsqueeze(1)
        joining = None if self.join is None or spelled is None else self.join(spelled)
        context: Tensor = stack(self.dropout(x), mask, joining=joining, fused=self.fused)
        return context

    def _spelled(self, batch: Batch, speller: Speller) -> Tensor:
        """The spelling vector of each word: [rows, length, char_width]."""
        rows = batch.spelled
        if rows is None:
            rows = speller(batch.spellings, batch.buckets)
        spelled = F.embedding(batch.slots, rows)
        if self.folded is None:
            return spelled
        known = batch.words >= WORD_OFFSET
        looked_up = F.embedding((batch.words - WORD_OFFSET).clamp(min=0), self.folded)
        return torch.where(known.unsqueeze(-1), looked_up, spelled)

    def output_table(self, batch: Batch) -> Tensor | None:
        """The word vectors of the input, if they are tied; some are composed from the spelling."""
        if not self.tied:
            return None
        table = self.words.weight[WORD_OFFSET:]
        ids, rows = batch.composed_ids, batch.composed_spellings
        if self.compose is None or self.speller is None or ids is None or rows is None:
            return table
        composed = self.compose(self.speller(rows, ((rows.shape[0], rows.shape[1]),)))
        return table.index_copy(0, ids, composed.to(table.dtype))

    def spell(self, spellings: Tensor) -> Tensor:
        """Vectors of spellings: [words, WIDTH] -> [words, char_width]."""
        if self.speller is None:
            raise Error("model.char_layers is 0: this model has no spelling vectors")
        spelled: Tensor = self.speller(spellings)
        return spelled

    def compose_words(self, spelled: Tensor) -> Tensor:
        """Output vectors and biases of spelled words: [words, char_width] -> [words, width + 1]."""
        bias = self.head.words.new_bias
        if self.compose is None or bias is None:
            raise Error("model.composed is 0: this model was not trained to compose words")
        return torch.cat((self.compose(spelled), bias.expand(spelled.shape[0], 1)), -1)


def _joined(read: Tensor | None, spelled: Tensor | None) -> Tensor:
    return torch.cat([vectors for vectors in (read, spelled) if vectors is not None], -1)


def _take(vectors: Tensor, columns: Tensor) -> Tensor:
    """[rows, length, width], [rows, chosen] -> [rows, chosen, width]."""
    return vectors.gather(1, columns[:, :, None].expand(-1, -1, vectors.shape[-1]))


def _small_head(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, width // 4), nn.GELU(), nn.Linear(width // 4, 1))


def _zero_linear(width: int, out: int) -> nn.Linear:
    """A layer that starts at zero, since random vectors would hide the trained ones."""
    linear = nn.Linear(width, out)
    nn.init.zeros_(linear.weight)
    nn.init.zeros_(linear.bias)
    return linear
