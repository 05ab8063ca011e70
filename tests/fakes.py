"""Fake models for tests: they rank by spelling or by place, and record what they were shown."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from respell.corrector import Corrector
from respell.decision.policy import Policy
from respell.model.bundle import FORMAT, LEXICON, MODEL, Bundle, BundleConfig, digest
from respell.model.encode import CHAR_UNKNOWN, FIRST_CHARACTER, WORD_PAD, WORD_UNKNOWN, Casing
from respell.model.forward import KINDS, Features, TopK
from respell.model.lexicon import Lexicon
from respell.model.presets import Preset
from respell.text.case import LOWER
from respell.text.windows import Window
from respell.types import Token

CHARACTERS = "abcdefghijklmnopqrstuvwxyz'<>.-0"
WORDS = tuple("zebra apple the receive i'm i don't it's its would straße café their 1990 .".split())
Ranking = Sequence[tuple[str, float]]
PLAIN = Policy(
    threshold=0.5,
    max_suggestions=5,
    dictionary=frozenset(),
    casing="lower",
    min_probability=0.0,
)
ALWAYS: Ranking = (("zebra", 0.9), ("apple", 0.05))
NEVER: Ranking = ()
K = 5


FAKE_CONFIG = BundleConfig(
    format=FORMAT,
    name="fake",
    edition=1,
    model="fake",
    casing="lower",
    keep=True,
    spell_oov_only=False,
    noise_flag=False,
    characters=CHARACTERS,
    length=64,
    presets={"default": Preset(threshold=0.5), "noisy": Preset(threshold=0.2, mode="noisy")},
    sha256={},
)


def fake_bundle(
    *, words: Sequence[str] = WORDS, casing: Casing = "lower", length: int = 64
) -> Bundle:
    config = replace(FAKE_CONFIG, casing=casing, length=length)
    return Bundle(Path("nowhere"), config, Lexicon(words))


def hashed_config(folder: Path, *, threshold: float) -> BundleConfig:
    """What config.json should hold for the model and the lexicon that lie in a folder."""
    return replace(
        FAKE_CONFIG,
        characters="abcehst",
        length=8,
        presets={"default": Preset(threshold=threshold)},
        sha256={name: digest(folder / name) for name in (LEXICON, MODEL)},
    )


def doubt_unknown(features: Features, *, error: float, kind: int) -> TopK:
    """Every unknown word is wrong with this probability, and its error is of this kind."""
    unknown = features.words == WORD_UNKNOWN
    positions = np.flatnonzero(unknown)
    kinds = np.zeros((len(positions), KINDS), np.float32)
    kinds[:, kind] = 1.0
    return TopK(
        keep=np.where(unknown, 1 - error, 1.0).astype(np.float32),
        positions=positions,
        ids=np.zeros((len(positions), 1), np.int64),
        probabilities=np.full((len(positions), 1), 0.01, np.float32),
        cases=np.zeros(len(positions), np.int64),
        kinds=kinds,
    )


def window(tokens: Sequence[Token], *, lone: bool = False) -> Window:
    """A window in which all tokens are judged."""
    return Window(0, tokens, 0, len(tokens), lone)


class Fake:
    """A Forward that ranks words by spelling: by `answers`, or else as `otherwise`."""

    def __init__(
        self,
        answers: Mapping[str, Ranking] | None = None,
        *,
        otherwise: Ranking = NEVER,
        case: int = LOWER,
    ) -> None:
        self.seen: list[list[str]] = []
        """The spellings of every sentence shown."""
        self.gates: list[float] = []
        self._answers = answers or {}
        self._otherwise = otherwise
        self._case = case

    def __call__(self, features: Features, gate: float) -> TopK:
        self.gates.append(gate)
        length = features.words.shape[1]
        positions: list[int] = []
        rankings: list[Ranking] = []
        for i, sentence in enumerate(spelled(features)):
            self.seen.append(sentence)
            for j, word in enumerate(sentence):
                ranking = self._answers.get(word, self._otherwise)
                if ranking:
                    positions.append(i * length + j)
                    rankings.append(ranking)
        return _topk(features, positions, rankings, self._case)


def spelled(features: Features) -> list[list[str]]:
    """The sentences of a batch as the model can read them; "?" is an unknown character."""
    alphabet = {CHAR_UNKNOWN: "?"}
    alphabet |= {i + FIRST_CHARACTER: c for i, c in enumerate(CHARACTERS)}
    rows = ["".join(alphabet.get(c, "") for c in row) for row in features.spellings.tolist()]
    lengths = (features.words != WORD_PAD).sum(axis=1).tolist()
    return [
        [rows[slot] for slot in slots[:n]]
        for slots, n in zip(features.slots.tolist(), lengths, strict=True)
    ]


def show_places(features: Features, gate: float) -> TopK:
    """A Forward that doubts every word; the score tells where in its window the word stood."""
    length = features.words.shape[1]
    positions: list[int] = []
    rankings: list[Ranking] = []
    for i, count in enumerate((features.words != WORD_PAD).sum(axis=1).tolist()):
        for j in range(count):
            positions.append(i * length + j)
            rankings.append((("zebra", (j * 1024 + count) / 2**20),))  # exact in 32 bits
    return _topk(features, positions, rankings, LOWER)


def place(score: float) -> tuple[int, int]:
    """The place of a word in its window and the length of the window, from its score."""
    return divmod(round(score * 2**20), 1024)


def _topk(
    features: Features, positions: Sequence[int], rankings: Sequence[Ranking], case: int
) -> TopK:
    ids = np.zeros((len(positions), K), np.int64)
    probabilities = np.zeros((len(positions), K), np.float32)
    keep = np.ones(features.words.shape, np.float32)
    for row, ranking in enumerate(rankings):
        for rank, (word, probability) in enumerate(ranking):
            ids[row, rank] = WORDS.index(word)
            probabilities[row, rank] = probability
        ids[row, len(ranking) :] = ids[row, 0]
    np.put(keep, positions, 1 - probabilities.sum(1))
    return TopK(
        keep=keep,
        positions=np.array(positions, np.int64),
        ids=ids,
        probabilities=probabilities,
        cases=np.full(len(positions), case, np.int64),
    )


def eager() -> Corrector:
    """A corrector that changes every word it may to "zebra"."""
    return Corrector(fake_bundle(), Fake(otherwise=ALWAYS))
