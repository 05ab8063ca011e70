"""A small neural network that learns to misspell words as a list does.

It goes through a word letter by letter. At each letter it keeps the letter, drops it, or writes
another letter first. It sees the surrounding letters (a convolution) and its previous actions
(a GRU), so that edits of one misspelling depend on each other.
"""

import random
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from respell.lab.misspellings.edit_model import edits
from respell.types import Error

PAD, KEEP, DROP, FIRST = 0, 1, 2, 3
"""Actions; FIRST and above write a letter. In the ids of a word, DROP marks the end."""
LONGEST = 40
"""Most letters of a word or misspelling."""
ROWS = 8192
"""Misspellings generated at once."""
ROUNDS = 6
"""How often missing misspellings are drawn again, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditNetworkConfig:
    """Sizes and training settings of the network."""

    width: int = 128
    depth: int = 4
    dropout: float = 0.2
    epochs: int = 12
    rows: int = 256
    learning_rate: float = 3e-3
    seed: int = 1


class Network(nn.Module):
    """Scores of the possible actions at each step through a word."""

    def __init__(self, letters: int, config: EditNetworkConfig) -> None:
        super().__init__()
        width = config.width
        self.letters = nn.Embedding(letters + FIRST, width, padding_idx=PAD)
        self.actions = nn.Embedding(letters + FIRST, width)
        self.around = nn.ModuleList(
            nn.Conv1d(width, width, 3, padding=1) for _ in range(config.depth)
        )
        self.history = nn.GRU(2 * width, width, batch_first=True)
        self.out = nn.Sequential(
            nn.Linear(3 * width, width), nn.GELU(), nn.Linear(width, letters + FIRST)
        )
        self.dropout = nn.Dropout(config.dropout)

    def read(self, words: Tensor) -> Tensor:
        """[rows, letters] ids -> [rows, letters, 2 * width]: letters, and letters in context."""
        letter = self.letters(words)
        real = (words != PAD)[:, None]
        around = self.dropout(letter).transpose(1, 2)
        for layer in self.around:
            around = around + F.gelu(layer(self.dropout(around))) * real
        return torch.cat([letter, around.transpose(1, 2)], -1)

    def forward(
        self, at: Tensor, before: Tensor, state: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Scores of the actions, and the new state of the GRU.

        at: [rows, steps, 2 * width], the vectors of the letter at each step; before: [rows, steps],
        the previous action (PAD at the start) -> [rows, steps, actions], [1, rows, width]
        """
        around = at[..., self.letters.embedding_dim :]
        done, state = self.history(
            torch.cat([self.dropout(self.actions(before)), around], -1), state
        )
        return self.out(self.dropout(torch.cat([done, at], -1))), state


@dataclass(frozen=True, slots=True)
class Batch:
    """Edit sequences of about the same length."""

    words: Tensor  # [rows, letters] int64
    places: Tensor  # [rows, steps] int64: the index of the letter at each step
    actions: Tensor  # [rows, steps] int64


EditSequence = tuple[list[int], list[int], list[int]]  # one row of words, places and actions


class EditNetwork:
    """A trained network and its alphabet."""

    def __init__(self, letters: str, config: EditNetworkConfig) -> None:
        self.letters = letters
        self.ids = {letter: FIRST + i for i, letter in enumerate(letters)}
        self.config = config
        self.network = Network(len(letters), config)

    @classmethod
    def learn(
        cls,
        pairs: Mapping[str, Sequence[str]],
        config: EditNetworkConfig | None = None,
        *,
        report: Callable[[str], object] = lambda line: None,
    ) -> "EditNetwork":
        """Train a network on pairs; pairs with anything but letters are ignored."""
        config = config or EditNetworkConfig()
        known = [(w, s) for w, spellings in pairs.items() for s in spellings if _learnable(w, s)]
        if not known:
            raise Error("the lists have no pair to learn from")
        rng = random.Random(config.seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            made = cls("".join(sorted({c for pair in known for c in "".join(pair)})), config)
            made._train([made.edit_sequence(*pair) for pair in known], rng, report)
        return made

    def _train(
        self, sequences: list[EditSequence], rng: random.Random, report: Callable[[str], object]
    ) -> None:
        config, network = self.config, self.network.train()
        optimizer = torch.optim.AdamW(network.parameters(), lr=config.learning_rate)
        steps = config.epochs * len(list(_batches(sequences, config.rows, random.Random(0))))
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, config.learning_rate, total_steps=steps + 1, pct_start=0.1
        )
        began = time.monotonic()
        for epoch in range(1, config.epochs + 1):
            total = 0.0
            for batch in _batches(sequences, config.rows, rng):
                loss = -self._log_probabilities(batch).sum()
                optimizer.zero_grad()
                torch.autograd.backward(loss / len(batch.words))
                nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                total += loss.item()
            seconds = time.monotonic() - began
            mean = -total / len(sequences)
            report(f"epoch {epoch}: log-likelihood {mean:.3f} per pair, {seconds:.0f} s")
        network.eval()

    def supports(self, text: str) -> bool:
        """Whether the network knows all letters of a text, and it is not too long."""
        return 0 < len(text) <= LONGEST and all(letter in self.ids for letter in text)

    def edit_sequence(self, word: str, spelling: str) -> EditSequence:
        """The actions that turn a word into a spelling."""
        places: list[int] = []
        actions: list[int] = []
        here = 0
        for start, end, new in [*edits(word, spelling), (len(word), len(word), "")]:
            plan = [KEEP] * (start - here)
            for k in range(max(end - start, len(new))):
                plan += [self.ids[c] for c in new[k : k + 1]] + [DROP] * (start + k < end)
            for action in plan:
                places.append(here)
                actions.append(action)
                here += action in (KEEP, DROP)
        return self._word(word), [*places, here], [*actions, KEEP]

    def _word(self, word: str) -> list[int]:
        return [*(self.ids[c] for c in word), DROP]

    def _log_probabilities(self, batch: Batch) -> Tensor:
        """[rows]: the log-probability of each edit sequence."""
        read = self.network.read(batch.words)
        at = read.gather(1, batch.places[..., None].expand(-1, -1, read.shape[-1]))
        scores, _ = self.network(at, F.pad(batch.actions[:, :-1], (1, 0), value=PAD))
        lost = F.cross_entropy(
            scores.transpose(1, 2), batch.actions, ignore_index=PAD, reduction="none"
        )
        return -lost.sum(1)

    @torch.no_grad()
    def log_likelihood(self, pairs: Iterable[tuple[str, str]]) -> float:
        """The mean log-probability of pairs, each by its shortest edit sequence."""
        sequences = [self.edit_sequence(*pair) for pair in pairs]
        batches = _batches(sequences, self.config.rows, random.Random(0))
        total = sum(self._log_probabilities(batch).sum().item() for batch in batches)
        return total / len(sequences)

    def misspell(
        self,
        words: Sequence[str],
        count: int,
        *,
        seed: int,
        temperature: float = 1.0,
        known: Mapping[str, Collection[str]] | None = None,
    ) -> Iterator[tuple[str, list[str]]]:
        """Each word with up to `count` different misspellings, without the known ones.

        A `temperature` below 1 makes unlikely misspellings rarer.
        """
        generator = torch.Generator().manual_seed(seed)
        words = [word for word in words if self.supports(word)]
        share = max(1, ROWS // count)
        for first in range(0, len(words), share):
            found: dict[str, dict[str, None]] = {w: {} for w in words[first : first + share]}
            for _ in range(ROUNDS):
                missing = [word for word, spellings in found.items() if len(spellings) < count]
                if not missing:
                    break
                samples = iter(self._sample(missing, count, generator, temperature))
                for word in missing:
                    avoid = {"", word, *(known or {}).get(word, ())}
                    found[word] |= {s: None for s in islice(samples, count) if s not in avoid}
            yield from ((word, list(spellings)[:count]) for word, spellings in found.items())

    @torch.no_grad()
    def _sample(
        self, words: Sequence[str], samples: int, generator: torch.Generator, temperature: float
    ) -> list[str]:
        """Random spellings, `samples` of each word; the correct one is possible."""
        ids = _padded([self._word(word) for word in words])
        read = self.network.read(ids)
        rows = torch.arange(len(words)).repeat_interleave(samples)
        ends = torch.tensor([len(word) for word in words])[rows]
        place, before = torch.zeros_like(ends), torch.zeros_like(ends)
        going = torch.ones_like(ends, dtype=torch.bool)
        state, written = None, []
        for _ in range(2 * LONGEST):
            scores, state = self.network(read[rows, place][:, None], before[:, None], state)
            scores = scores[:, 0].index_fill(1, torch.tensor([PAD]), -torch.inf)
            chances = (scores / temperature).softmax(-1)
            before = torch.multinomial(chances, 1, generator=generator)[:, 0]
            advances = before < FIRST
            kept = (before == KEEP) & (place < ends)
            new = torch.where(kept, ids[rows, place], before * ~advances)
            written.append(new * going)
            going = going & ~(advances & (place == ends))
            place = torch.minimum(place + advances, ends)
            if not going.any():
                break
        letters = ["", "", "", *self.letters]
        return ["".join(letters[i] for i in row) for row in torch.stack(written, 1).tolist()]


def _learnable(word: str, spelling: str) -> bool:
    letters = (word + spelling).replace("'", "")
    return letters.isascii() and letters.isalpha() and max(len(word), len(spelling)) <= LONGEST


def _batches(sequences: Sequence[EditSequence], rows: int, rng: random.Random) -> Iterator[Batch]:
    """All edit sequences in random order, grouped by length."""
    order = rng.sample(sequences, len(sequences))
    order.sort(key=lambda sequence: len(sequence[1]))
    starts = list(range(0, len(order), rows))
    rng.shuffle(starts)
    for start in starts:
        yield Batch(*(_padded(column) for column in zip(*order[start : start + rows], strict=True)))


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows])
