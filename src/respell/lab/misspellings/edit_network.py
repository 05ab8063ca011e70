"""Misspell as a list does, its absurdities included: a small network that learns the list.

It goes through a word letter by letter. At each it keeps the letter, drops it, or writes another
one first. It sees the letters around (a convolution) and all it has done so far (a GRU), so that
who began carelessly goes on carelessly.
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
"""Actions; those from FIRST on write a letter. In words, DROP marks the end."""
LONGEST = 40
"""Letters of a word or misspelling."""
ROWS = 8192
"""Misspellings written at once."""
PATIENCE = 6
"""Times as many draws as misspellings wanted, at the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditNetworkConfig:
    """How the network is made and taught."""

    width: int = 128
    depth: int = 4
    dropout: float = 0.2
    epochs: int = 12
    rows: int = 256
    learning_rate: float = 3e-3
    seed: int = 1


class Network(nn.Module):
    """Scores of the actions at each step of a walk through a word."""

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
        """[rows, letters] ids -> [rows, letters, 2 * width]: each letter, and with those around."""
        letter = self.letters(words)
        real = (words != PAD)[:, None]
        around = self.dropout(letter).transpose(1, 2)
        for layer in self.around:
            around = around + F.gelu(layer(self.dropout(around))) * real
        return torch.cat([letter, around.transpose(1, 2)], -1)

    def forward(
        self, at: Tensor, before: Tensor, state: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Scores of the actions, and the state behind them.

        at: [rows, steps, 2 * width], what was read where each step stands; before: [rows, steps],
        the action before it (PAD at the start) -> [rows, steps, actions], [1, rows, width]
        """
        around = at[..., self.letters.embedding_dim :]
        done, state = self.history(
            torch.cat([self.dropout(self.actions(before)), around], -1), state
        )
        return self.out(self.dropout(torch.cat([done, at], -1))), state


@dataclass(frozen=True, slots=True)
class Batch:
    """Walks of about the same length."""

    words: Tensor  # [rows, letters] int64
    places: Tensor  # [rows, steps] int64: the letter each step stands at
    actions: Tensor  # [rows, steps] int64


Walk = tuple[list[int], list[int], list[int]]  # a row of each


class EditNetwork:
    """A network and the letters it knows."""

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
        tell: Callable[[str], object] = lambda line: None,
    ) -> "EditNetwork":
        """Teach a network the pairs; those with anything but letters in them are left out."""
        config = config or EditNetworkConfig()
        known = [(w, s) for w, spellings in pairs.items() for s in spellings if _learnable(w, s)]
        if not known:
            raise Error("the lists hold no pair to learn from")
        dice = random.Random(config.seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            imitator = cls("".join(sorted({c for pair in known for c in "".join(pair)})), config)
            imitator._train([imitator.walk(*pair) for pair in known], dice, tell)
        return imitator

    def _train(self, walks: list[Walk], dice: random.Random, tell: Callable[[str], object]) -> None:
        config, network = self.config, self.network.train()
        optimizer = torch.optim.AdamW(network.parameters(), lr=config.learning_rate)
        steps = config.epochs * len(list(_batches(walks, config.rows, random.Random(0))))
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, config.learning_rate, total_steps=steps + 1, pct_start=0.1
        )
        began = time.monotonic()
        for epoch in range(1, config.epochs + 1):
            total = 0.0
            for batch in _batches(walks, config.rows, dice):
                loss = -self._likelihoods(batch).sum()
                optimizer.zero_grad()
                torch.autograd.backward(loss / len(batch.words))
                nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                total += loss.item()
            seconds = time.monotonic() - began
            tell(f"round {epoch}: {-total / len(walks):.3f} a pair, {seconds:.0f} s")
        network.eval()

    def knows(self, text: str) -> bool:
        """Whether the network can read and write a text."""
        return 0 < len(text) <= LONGEST and all(letter in self.ids for letter in text)

    def walk(self, word: str, spelling: str) -> Walk:
        """The steps that lead from a word to a spelling."""
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

    def _likelihoods(self, batch: Batch) -> Tensor:
        """[rows]: the log-probability of each walk."""
        read = self.network.read(batch.words)
        at = read.gather(1, batch.places[..., None].expand(-1, -1, read.shape[-1]))
        scores, _ = self.network(at, F.pad(batch.actions[:, :-1], (1, 0), value=PAD))
        lost = F.cross_entropy(
            scores.transpose(1, 2), batch.actions, ignore_index=PAD, reduction="none"
        )
        return -lost.sum(1)

    @torch.no_grad()
    def likelihood(self, pairs: Iterable[tuple[str, str]]) -> float:
        """The mean log-probability of pairs, each by its shortest way."""
        walks = [self.walk(*pair) for pair in pairs]
        batches = _batches(walks, self.config.rows, random.Random(0))
        return sum(self._likelihoods(batch).sum().item() for batch in batches) / len(walks)

    def misspell(
        self,
        words: Sequence[str],
        count: int,
        *,
        seed: int,
        boldness: float = 1.0,
        known: Mapping[str, Collection[str]] | None = None,
    ) -> Iterator[tuple[str, list[str]]]:
        """Each word with up to `count` different misspellings, none of those known already.

        Below 1, `boldness` draws fewer unlikely ones.
        """
        generator = torch.Generator().manual_seed(seed)
        words = [word for word in words if self.knows(word)]
        share = max(1, ROWS // count)
        for first in range(0, len(words), share):
            made: dict[str, dict[str, None]] = {w: {} for w in words[first : first + share]}
            for _ in range(PATIENCE):
                lacking = [word for word, spellings in made.items() if len(spellings) < count]
                if not lacking:
                    break
                drawn = iter(self._draw(lacking, count, generator, boldness))
                for word in lacking:
                    avoid = {"", word, *(known or {}).get(word, ())}
                    made[word] |= {s: None for s in islice(drawn, count) if s not in avoid}
            yield from ((word, list(spellings)[:count]) for word, spellings in made.items())

    @torch.no_grad()
    def _draw(
        self, words: Sequence[str], draws: int, generator: torch.Generator, boldness: float
    ) -> list[str]:
        """So many spellings of each word, which may be its own."""
        ids = _padded([self._word(word) for word in words])
        read = self.network.read(ids)
        rows = torch.arange(len(words)).repeat_interleave(draws)
        ends = torch.tensor([len(word) for word in words])[rows]
        place, before = torch.zeros_like(ends), torch.zeros_like(ends)
        going = torch.ones_like(ends, dtype=torch.bool)
        state, written = None, []
        for _ in range(2 * LONGEST):
            scores, state = self.network(read[rows, place][:, None], before[:, None], state)
            scores = scores[:, 0].index_fill(1, torch.tensor([PAD]), -torch.inf)
            chances = (scores / boldness).softmax(-1)
            before = torch.multinomial(chances, 1, generator=generator)[:, 0]
            passes = before < FIRST
            kept = (before == KEEP) & (place < ends)
            new = torch.where(kept, ids[rows, place], before * ~passes)
            written.append(new * going)
            going = going & ~(passes & (place == ends))
            place = torch.minimum(place + passes, ends)
            if not going.any():
                break
        letters = ["", "", "", *self.letters]
        return ["".join(letters[i] for i in row) for row in torch.stack(written, 1).tolist()]


def _learnable(word: str, spelling: str) -> bool:
    letters = (word + spelling).replace("'", "")
    return letters.isascii() and letters.isalpha() and max(len(word), len(spelling)) <= LONGEST


def _batches(walks: Sequence[Walk], rows: int, dice: random.Random) -> Iterator[Batch]:
    """All walks in an order of chance, those of the same length together."""
    order = dice.sample(walks, len(walks))
    order.sort(key=lambda walk: len(walk[1]))
    starts = list(range(0, len(order), rows))
    dice.shuffle(starts)
    for start in starts:
        yield Batch(*(_padded(column) for column in zip(*order[start : start + rows], strict=True)))


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows])
