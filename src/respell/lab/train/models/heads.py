"""Output layers: the paper's closed lexicon, and KEEP with a lexicon behind it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respell.model.encode import WORD_PAD, WORD_UNKNOWN

if TYPE_CHECKING:
    from respell.lab.train.models.base import Batch, Targets

SHAPES = 4
LESSON = 8
"""Words that a teacher names."""
CASE_WEIGHT = 0.1
SMALLEST = 1e-9
OUTPUT_SIZE = 0.02
"""Of the numbers in fresh output vectors."""
Ranking = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class SoftTargets:
    """What a teacher says of a batch: soft targets beside the right answers."""

    keep: Tensor  # [words of the batch] probability that the word is right
    chosen: Tensor  # [chosen] words that the lexicon is asked about
    ids: Tensor  # [chosen, LESSON] the likeliest words of the lexicon
    shares: Tensor  # [chosen, LESSON] their probabilities, which sum to 1
    weight: Tensor  # [words of the batch] of the teacher's word against that of the text


class WordOutput(nn.Module):
    """Scores every word of the lexicon; shares the input's word vectors where it is given them."""

    def __init__(
        self, width: int, lexicon: int, shared_width: int | None, *, composed: bool = False
    ) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(lexicon))
        # Of words that are scored by their spelling alone.
        self.new_bias = nn.Parameter(torch.zeros(1)) if composed else None
        if shared_width is None:
            self.table = nn.Parameter(torch.randn(lexicon, width) * OUTPUT_SIZE)
        else:
            self.project = nn.Sequential(
                nn.Linear(width, shared_width), nn.GELU(), nn.LayerNorm(shared_width)
            )

    def forward(
        self,
        vectors: Tensor,
        shared: Tensor | None,
        drawn: Tensor | None = None,
    ) -> Tensor:
        """[n, width] -> [n, lexicon]; `drawn` are words whose vectors were composed."""
        if shared is None:
            return F.linear(vectors, self.table, self.bias)
        bias: Tensor = self.bias
        if drawn is not None and self.new_bias is not None:
            bias = bias.index_copy(0, drawn, self.new_bias.expand(drawn.shape[0]))
        return F.linear(self.project(vectors), shared, bias)

    def with_new(self, vectors: Tensor, shared: Tensor, new: Tensor, known: Tensor) -> Tensor:
        """[n, width] -> [n, lexicon + new]; where the word is `known` [n] it is no new word."""
        projected = self.project(vectors)
        added = F.linear(projected, new[:, :-1], new[:, -1])
        added = added.masked_fill(known.unsqueeze(-1), -torch.inf)
        return torch.cat((F.linear(projected, shared, self.bias), added), -1)


class ClosedHead(nn.Module):
    """The paper's output: one word of the lexicon for every token, right or wrong."""

    def __init__(self, width: int, lexicon: int, shared_width: int | None, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.words = WordOutput(width, lexicon, shared_width)

    def loss(
        self, hidden: Tensor, shared: Tensor | None, batch: "Batch", targets: "Targets"
    ) -> dict[str, Tensor]:
        """Cross entropy over all tokens whose right word is in the lexicon."""
        logits = self.words(self.dropout(hidden.flatten(0, 1)), shared)
        loss = F.cross_entropy(logits.float(), targets.labels.flatten(), ignore_index=-1)
        return {"loss": loss}

    def scores(self, vectors: Tensor, shared: Tensor | None) -> Tensor:
        """[n, width] -> [n, lexicon]."""
        scored: Tensor = self.words(vectors, shared)
        return scored

    def rank(
        self,
        hidden: Tensor,
        shared: Tensor | None,
        batch: "Batch",
        gate: Tensor,
        k: int,
    ) -> Ranking:
        """Rank the lexicon for every token; this head knows no KEEP, so the gate is no bound."""
        keep = torch.zeros_like(hidden[..., 0]) + 0 * gate
        positions = torch.nonzero((batch.words != WORD_PAD).flatten()).squeeze(-1)
        vectors = hidden.flatten(0, 1).index_select(0, positions)
        ranked = torch.softmax(self.scores(vectors, shared), -1)
        best = ranked.topk(min(k, ranked.shape[-1]), -1)
        wanted = batch.shapes.flatten().index_select(0, positions)
        return keep, positions, best.indices, best.values, wanted


class OpenHead(nn.Module):
    """KEEP first, then the lexicon: p(word) = p(not KEEP) * p(word | not KEEP).

    This is one distribution over {KEEP} and the lexicon, factored at KEEP. So the cheap
    p(not KEEP) bounds every word's probability: where it is below the threshold, the wide
    layer need not be computed, and no answer changes.
    """

    def __init__(
        self,
        width: int,
        lexicon: int,
        shared_width: int | None,
        dropout: float,
        capacity: float,
        *,
        composed: bool = False,
    ) -> None:
        super().__init__()
        self.capacity = capacity
        self.dropout = nn.Dropout(dropout)
        self.words = WordOutput(width, lexicon, shared_width, composed=composed)
        self.keep = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        self.case = nn.Linear(width, SHAPES)
        self.unjudged: Tensor | None = None

    def spare(self, unjudged: Tensor) -> None:
        """Never rank words for these [word input ids] bool: training says nothing of KEEP there."""
        self.unjudged = unjudged

    def loss(
        self, hidden: Tensor, shared: Tensor | None, batch: "Batch", targets: "Targets"
    ) -> dict[str, Tensor]:
        """KEEP over all words; the lexicon and the case where a word is wrong or hidden."""
        vectors = self.dropout(hidden.flatten(0, 1))
        soft = targets.soft
        judged = (targets.judged & ~targets.masked).flatten()
        right = (~targets.wrong).flatten().float()
        if soft is not None:
            right = right.lerp(soft.keep, soft.weight)
        keep = F.binary_cross_entropy_with_logits(
            self.keep(vectors).squeeze(-1).float(), right, weight=judged.float(), reduction="sum"
        ) / judged.sum().clamp(min=1)
        asked = self._asked(targets)
        chosen = self._chosen(asked) if soft is None else soft.chosen
        counts = asked[chosen]
        picked = vectors[chosen]
        labels = targets.labels.flatten()[chosen].where(counts, -1)
        total = counts.sum().clamp(min=1)
        logits = self.words(picked, shared, batch.drawn)
        word = F.cross_entropy(logits.float(), labels, ignore_index=-1, reduction="none")
        if soft is not None:
            word = word.lerp(_taught(logits.float(), soft) * counts, soft.weight[chosen])
        word = word.sum() / total
        shapes = targets.shapes.flatten()[chosen].long().where(counts, -1)
        case = _mean_cross_entropy(self.case(picked), shapes, total)
        share = total / judged.sum().clamp(min=1)
        loss = keep + share * (word + CASE_WEIGHT * case)
        return {"loss": loss, "keep": keep, "word": word, "case": case}

    def teach(
        self,
        hidden: Tensor,
        shared: Tensor | None,
        targets: "Targets",
        weight: float,
        distill_top_n: int,
    ) -> SoftTargets:
        """What a model that is not trained any more says of the words that a student is asked.

        Above 0, `distill_top_n` are the words of the lexicon that it may speak of if they are misspelled.
        """
        vectors = hidden.flatten(0, 1)
        silent = (targets.wrong & (targets.labels >= distill_top_n)).flatten()
        chosen = self._chosen(self._asked(targets))
        best = self.words(vectors[chosen], shared).float().topk(LESSON)
        return SoftTargets(
            keep=torch.sigmoid(self.keep(vectors).squeeze(-1).float()),
            chosen=chosen,
            ids=best.indices,
            shares=torch.softmax(best.values, -1),
            weight=torch.where(silent & (distill_top_n > 0), 0.0, weight),
        )

    def _asked(self, targets: "Targets") -> Tensor:
        """Which words of the batch the lexicon is asked about."""
        return ((targets.wrong | targets.masked) & (targets.labels >= 0)).flatten()

    def _chosen(self, asked: Tensor) -> Tensor:
        """A fixed number of them, to keep shapes static: no host sync, no recompilation.

        The few beyond it (a batch of unusually noisy sentences) are left out of this step.
        """
        return asked.int().topk(max(1, int(asked.numel() * self.capacity))).indices

    def rank(
        self,
        hidden: Tensor,
        shared: Tensor | None,
        batch: "Batch",
        gate: Tensor,
        k: int,
    ) -> Ranking:
        """Rank the lexicon where the probability of a mistake reaches the gate."""
        keep = torch.sigmoid(self.keep(hidden).squeeze(-1))
        suspect = ((1 - keep) >= gate) & (batch.words != WORD_PAD)
        if self.unjudged is not None:
            suspect &= ~self.unjudged[batch.words]
        new = batch.new_words
        if new is not None:
            suspect |= (batch.words == WORD_UNKNOWN) & (self._is_new(new).sum() > 0)
        positions = torch.nonzero(suspect.flatten()).squeeze(-1)
        vectors = hidden.flatten(0, 1).index_select(0, positions)
        mistake = (1 - keep).flatten().index_select(0, positions).unsqueeze(-1)
        scale = mistake
        if new is None or shared is None:
            ranked = torch.softmax(self.words(vectors, shared), -1)
        else:
            known = batch.words.flatten().index_select(0, positions) != WORD_UNKNOWN
            ranked = torch.softmax(self.words.with_new(vectors, shared, new, known), -1)
            scale, factor = _admit(ranked @ self._is_new(new).unsqueeze(-1), mistake)
            kept = keep.flatten().index_select(0, positions) * factor.squeeze(-1)
            keep = keep.flatten().scatter(0, positions, kept).view_as(keep)
        best = ranked.topk(min(k, ranked.shape[-1]), -1)
        # Not argmax: onnxruntime's gives a wrong shape where there is no suspect.
        wanted = self.case(vectors).topk(1, -1).indices.squeeze(-1)
        return keep, positions, best.indices, best.values * scale, wanted

    def _is_new(self, new: Tensor) -> Tensor:
        """1 for each of the new words behind the lexicon; never empty, for no runtime sums that."""
        return torch.cat((torch.zeros_like(self.words.bias), torch.ones_like(new[:, 0])))


def _admit(share: Tensor, mistake: Tensor) -> tuple[Tensor, Tensor]:
    """What the words' probabilities and that of KEEP are to be multiplied by: [suspects, 1] each.

    An unknown word may be a new word however sure the model is that it can stay, for it was taught
    that rare words do: so the new words, which have this share of all words' probability, take
    their room from KEEP as well as from the lexicon, and the odds among these stay as they were.
    """
    # The sum of all is never below p(not KEEP), but 32 bits may round it so.
    whole = torch.maximum(1 - (1 - mistake) * share, mistake).clamp(min=SMALLEST)
    return mistake / whole, (1 - share) / whole


def _taught(logits: Tensor, soft: SoftTargets) -> Tensor:
    """Cross entropy with the teacher's shares: [chosen]."""
    wanted = (logits.gather(1, soft.ids) * soft.shares).sum(1)
    return logits.logsumexp(1) - wanted


def _mean_cross_entropy(logits: Tensor, labels: Tensor, total: Tensor) -> Tensor:
    summed = F.cross_entropy(logits.float(), labels, ignore_index=-1, reduction="sum")
    return summed / total
