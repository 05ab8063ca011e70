"""Output layers: a closed lexicon as in the paper, and KEEP followed by a lexicon."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respell.model.encode import WORD_PAD, WORD_UNKNOWN
from respell.model.forward import KINDS

if TYPE_CHECKING:
    from respell.lab.train.models.base import Batch, Targets

SHAPES = 4
TEACHER_WORDS = 8
"""Words that a teacher ranks at each position."""
CASE_WEIGHT = 0.1
SMALLEST = 1e-9
OUTPUT_SIZE = 0.02
"""Standard deviation of new output vectors."""
KIND_WEIGHT = 0.5
Ranking = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor | None]


@dataclass(frozen=True, slots=True)
class SoftTargets:
    """The output of a teacher for a batch, used in addition to the labels."""

    keep: Tensor  # [words of the batch] probability that the word is correct
    chosen: Tensor  # [chosen] words for which the lexicon is ranked
    ids: Tensor  # [chosen, TEACHER_WORDS] the likeliest words of the lexicon
    probabilities: Tensor  # [chosen, TEACHER_WORDS] their probabilities, which sum to 1
    weight: Tensor  # [words of the batch] weight of the teacher against the labels


class WordOutput(nn.Module):
    """Scores every word of the lexicon, with its own word vectors or those of the input."""

    def __init__(
        self, width: int, lexicon: int, shared_width: int | None, *, composed: bool = False
    ) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(lexicon))
        # The bias of words that are scored by their spelling only.
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
        composed: Tensor | None = None,
    ) -> Tensor:
        """[n, width] -> [n, lexicon]; `composed` are the words with composed vectors."""
        if shared is None:
            return F.linear(vectors, self.table, self.bias)
        bias: Tensor = self.bias
        if composed is not None and self.new_bias is not None:
            bias = bias.index_copy(0, composed, self.new_bias.expand(composed.shape[0]))
        return F.linear(self.project(vectors), shared, bias)

    def with_new(self, vectors: Tensor, shared: Tensor, new: Tensor, known: Tensor) -> Tensor:
        """[n, width] -> [n, lexicon + new]; a word that is `known` [n] is never a new word."""
        projected = self.project(vectors)
        added = F.linear(projected, new[:, :-1], new[:, -1])
        added = added.masked_fill(known.unsqueeze(-1), -torch.inf)
        return torch.cat((F.linear(projected, shared, self.bias), added), -1)


class ClosedHead(nn.Module):
    """The output layer of the paper: a word of the lexicon for every token."""

    def __init__(self, width: int, lexicon: int, shared_width: int | None, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.words = WordOutput(width, lexicon, shared_width)

    def loss(
        self,
        hidden: Tensor,
        shared: Tensor | None,
        batch: "Batch",
        targets: "Targets",
        columns: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """Cross entropy over all tokens whose correct word is in the lexicon."""
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
        """Rank the lexicon for every token; without KEEP, the gate has no effect."""
        keep = torch.zeros_like(hidden[..., 0]) + 0 * gate
        positions = torch.nonzero((batch.words != WORD_PAD).flatten()).squeeze(-1)
        vectors = hidden.flatten(0, 1).index_select(0, positions)
        ranked = torch.softmax(self.scores(vectors, shared), -1)
        best = ranked.topk(min(k, ranked.shape[-1]), -1)
        cases = batch.shapes.flatten().index_select(0, positions)
        return keep, positions, best.indices, best.values, cases, None


class OpenHead(nn.Module):
    """KEEP first, then the lexicon: p(word) = p(not KEEP) * p(word | not KEEP).

    This is one distribution over {KEEP} and the lexicon, factored at KEEP. So p(not KEEP), which is
    cheap, bounds the probability of every word. Where it is below the threshold, the wide layer
    can be skipped without changing any result.
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
        spacing: bool = False,
    ) -> None:
        super().__init__()
        self.capacity = capacity
        self.dropout = nn.Dropout(dropout)
        self.words = WordOutput(width, lexicon, shared_width, composed=composed)
        self.keep = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        self.case = nn.Linear(width, SHAPES)
        self.kinds = nn.Linear(width, KINDS) if spacing else None
        self.skipped: Tensor | None = None

    def skip(self, words: Tensor) -> None:
        """Never rank corrections of these [word input ids] bool; KEEP is not trained for them."""
        self.skipped = words

    def loss(
        self,
        hidden: Tensor,
        shared: Tensor | None,
        batch: "Batch",
        targets: "Targets",
        columns: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """The loss of KEEP for all words, of lexicon and case for wrong and masked words.

        With `columns` [rows, chosen], `hidden` has the vectors of these words of each row only.
        """
        vectors = self.dropout(hidden.flatten(0, 1))
        soft = targets.soft
        checked = (targets.checked & ~targets.masked).flatten()
        right = (~targets.wrong).flatten().float()
        if soft is not None:
            right = right.lerp(soft.keep, soft.weight)
        ranked = self._ranked(targets)
        chosen = self._chosen(ranked) if soft is None else soft.chosen
        counts, place = ranked[chosen], chosen
        if columns is not None:
            first = torch.arange(len(columns), device=columns.device) * targets.wrong.shape[1]
            own = (columns + first[:, None]).flatten()
            places = torch.full_like(ranked, -1, dtype=torch.long)
            places = places.scatter(0, own, torch.arange(len(own), device=own.device))
            place = places[chosen]
            counts, place = counts & (place >= 0), place.clamp(min=0)
            checked, right = checked[own], right[own]
        keep = F.binary_cross_entropy_with_logits(
            self.keep(vectors).squeeze(-1).float(), right, weight=checked.float(), reduction="sum"
        ) / checked.sum().clamp(min=1)
        picked = vectors[place]
        labels = targets.labels.flatten()[chosen].where(counts, -1)
        total = counts.sum().clamp(min=1)
        logits = self.words(picked, shared, batch.composed_ids)
        word = F.cross_entropy(logits.float(), labels, ignore_index=-1, reduction="none")
        if soft is not None:
            distilled = _soft_cross_entropy(logits.float(), soft) * counts
            word = word.lerp(distilled, soft.weight[chosen])
        word = word.sum() / total
        shapes = targets.shapes.flatten()[chosen].long().where(counts, -1)
        case = _mean_cross_entropy(self.case(picked), shapes, total)
        share = total / checked.sum().clamp(min=1)
        loss = keep + share * (word + CASE_WEIGHT * case)
        losses = {"keep": keep, "word": word, "case": case}
        if self.kinds is not None and targets.kinds is not None:
            wrong = counts & targets.wrong.flatten()[chosen]
            kinds = targets.kinds.flatten()[chosen].where(wrong, -1)
            kind = _mean_cross_entropy(self.kinds(picked), kinds, wrong.sum().clamp(min=1))
            loss = loss + share * KIND_WEIGHT * kind
            losses["kind"] = kind
        return {"loss": loss, **losses}

    def soft_targets(
        self,
        hidden: Tensor,
        shared: Tensor | None,
        targets: "Targets",
        weight: float,
        distill_top_n: int,
    ) -> SoftTargets:
        """The output of this head as a teacher, at the words for which the lexicon is ranked.

        If `distill_top_n` is above 0, the teacher has no weight for misspelled words that are not
        among the first `distill_top_n` of the lexicon.
        """
        vectors = hidden.flatten(0, 1)
        rare = (targets.wrong & (targets.labels >= distill_top_n)).flatten()
        chosen = self._chosen(self._ranked(targets))
        best = self.words(vectors[chosen], shared).float().topk(TEACHER_WORDS)
        return SoftTargets(
            keep=torch.sigmoid(self.keep(vectors).squeeze(-1).float()),
            chosen=chosen,
            ids=best.indices,
            probabilities=torch.softmax(best.values, -1),
            weight=torch.where(rare & (distill_top_n > 0), 0.0, weight),
        )

    def _ranked(self, targets: "Targets") -> Tensor:
        """For which words of the batch the lexicon is ranked."""
        return ((targets.wrong | targets.masked) & (targets.labels >= 0)).flatten()

    def _chosen(self, ranked: Tensor) -> Tensor:
        """A fixed number of these words, so that shapes are static: no sync, no recompilation.

        Words beyond this number (in a batch of unusually noisy sentences) are not trained.
        """
        return ranked.int().topk(max(1, int(ranked.numel() * self.capacity))).indices

    def rank(
        self,
        hidden: Tensor,
        shared: Tensor | None,
        batch: "Batch",
        gate: Tensor,
        k: int,
    ) -> Ranking:
        """Rank the lexicon where the probability of an error reaches the gate."""
        keep = torch.sigmoid(self.keep(hidden).squeeze(-1))
        positions = self.suspects(1 - keep, batch, gate)
        vectors = hidden.flatten(0, 1).index_select(0, positions)
        return self._rank(vectors, keep, positions, shared, batch, k)

    def rank_some(
        self,
        vectors: Tensor,
        early: Tensor,
        positions: Tensor,
        shared: Tensor | None,
        batch: "Batch",
        gate: Tensor,
        bound: Tensor,
        k: int,
    ) -> Ranking:
        """The same if only the `suspects` at some positions [n] have vectors [n, width].

        `early` [batch, length] is the error probability of all words, and `bound` the least one of
        a suspect. A word below it that was only added because it is the likeliest error of the
        batch keeps its early probability: an answer must not depend on the batch.
        """
        before = early.flatten().index_select(0, positions)
        new = self.may_be_new(batch).flatten().index_select(0, positions)
        some = torch.sigmoid(self.keep(vectors).squeeze(-1))
        some = torch.where((before >= bound) | new, some, 1 - before)
        keep = (1 - early).flatten().scatter(0, positions, some).view_as(early)
        wanted = ((1 - some) >= gate) | new
        chosen = torch.nonzero(wanted | (some == some.min())).squeeze(-1)
        vectors, positions = vectors.index_select(0, chosen), positions.index_select(0, chosen)
        return self._rank(vectors, keep, positions, shared, batch, k)

    def suspects(self, error: Tensor, batch: "Batch", gate: Tensor) -> Tensor:
        """Positions [n] of the words whose error probability reaches the gate.

        The likeliest error is always among them, since runtimes fail on empty tensors; below the
        gate it changes no answer.
        """
        error = error.where(self.checked(batch), -1.0)
        suspect = (error >= gate.clamp(min=0)) | self.may_be_new(batch) | (error == error.max())
        return torch.nonzero(suspect.flatten()).squeeze(-1)

    def checked(self, batch: "Batch") -> Tensor:
        """The words that may be corrected: [batch, length] bool."""
        checked = batch.words != WORD_PAD
        return checked if self.skipped is None else checked & ~self.skipped[batch.words]

    def may_be_new(self, batch: "Batch") -> Tensor:
        """The words that are compared with new words: [batch, length] bool."""
        unknown = batch.words == WORD_UNKNOWN
        new = batch.new_words
        return unknown & False if new is None else unknown & (self._is_new(new).sum() > 0)

    def _rank(
        self,
        vectors: Tensor,
        keep: Tensor,
        positions: Tensor,
        shared: Tensor | None,
        batch: "Batch",
        k: int,
    ) -> Ranking:
        new = batch.new_words
        error = (1 - keep).flatten().index_select(0, positions).unsqueeze(-1)
        scale = error
        if new is None or shared is None:
            ranked = torch.softmax(self.words(vectors, shared), -1)
        else:
            known = batch.words.flatten().index_select(0, positions) != WORD_UNKNOWN
            ranked = torch.softmax(self.words.with_new(vectors, shared, new, known), -1)
            scale, factor = _rescale(ranked @ self._is_new(new).unsqueeze(-1), error)
            kept = keep.flatten().index_select(0, positions) * factor.squeeze(-1)
            keep = keep.flatten().scatter(0, positions, kept).view_as(keep)
        best = ranked.topk(min(k, ranked.shape[-1]), -1)
        # Not argmax: that of onnxruntime gives a wrong shape if there are no suspects.
        cases = self.case(vectors).topk(1, -1).indices.squeeze(-1)
        kinds = None if self.kinds is None else torch.softmax(self.kinds(vectors), -1)
        return keep, positions, best.indices, best.values * scale, cases, kinds

    def _is_new(self, new: Tensor) -> Tensor:
        """0 for the lexicon, then 1 for each new word; never empty, since runtimes fail on that."""
        return torch.cat((torch.zeros_like(self.words.bias), torch.ones_like(new[:, 0])))


def _rescale(share: Tensor, error: Tensor) -> tuple[Tensor, Tensor]:
    """Factors for the probabilities of the words and of KEEP: [suspects, 1] each.

    The model learns to keep unknown words, even if they are misspelled new words. So the new words,
    which have this share of the probability of all words, take it from KEEP as well as from the
    lexicon. The odds between KEEP and the words of the lexicon do not change.
    """
    # The sum is never below p(not KEEP) but may be rounded below it.
    whole = torch.maximum(1 - (1 - error) * share, error).clamp(min=SMALLEST)
    return error / whole, (1 - share) / whole


def _soft_cross_entropy(logits: Tensor, soft: SoftTargets) -> Tensor:
    """Cross entropy with the probabilities of the teacher: [chosen]."""
    expected = (logits.gather(1, soft.ids) * soft.probabilities).sum(1)
    return logits.logsumexp(1) - expected


def _mean_cross_entropy(logits: Tensor, labels: Tensor, total: Tensor) -> Tensor:
    summed = F.cross_entropy(logits.float(), labels, ignore_index=-1, reduction="sum")
    return summed / total
