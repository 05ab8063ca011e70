"""The `[noise]` section of a recipe: how much noise of which kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from respell.lab.noise.synthetic import METHODS, PAPER_METHODS
from respell.types import Error


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseConfig:
    """How much noise of which kind; the defaults are the paper's natural noise."""

    clean: float = 0.0
    """Share of the sentences without noise (words may still be masked)."""
    sigmas: tuple[float, ...] = (0.2,)
    """Each sentence draws one of these; its noise rate is alpha = min(|N(0, sigma)|, 1)."""
    at_least_one: bool = True
    """Noise max(floor(alpha·n), 1) of n tokens, as in the paper; else alpha·n, rounded randomly."""
    synthetic: float = 0.0
    """Share of the sentences with synthetic instead of natural noise ("+ random char": 0.5)."""
    mixed: bool = False
    """Make `synthetic` a share of the noised tokens instead of the sentences.

    A token whose word has no list of misspellings always gets synthetic noise.
    """
    noisy: float = 0.0
    """Share of noisy sentences. They get the paper's amount of natural noise, mostly from the
    lists under `data.noisy`."""
    light_in_noisy: float = 0.0
    """Share of the tokens of noisy sentences that get light noise instead, if they get any.
    Without it, a model sees only listed misspellings in noisy sentences."""
    frequency_exponent: float = 0.0
    """Above 0, frequent words get less light noise, since people misspell them less often. The
    noise of the word with rank r is multiplied by min(r / 1000, 1) to this power."""
    inserted_rare_words: float = 0.0
    """Share of the words that are replaced by a random word of the lexicon, misspelled as a
    non-word. Text alone has too few rare words to learn how they are spelled. This comes on top of
    all other noise, also in clean sentences."""
    methods: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(PAPER_METHODS, 1.0))
    """Synthetic methods by name, with their weights."""
    mask: float = 0.0
    """Share of the words of the lexicon that are masked."""
    confusions: float = 0.0
    """Share of the occurrences of a word that become a word it is often confused with, from the
    lists under `data.confusion_tables`. This comes on top of all other noise, also in clean
    sentences. It holds for weight 1 and rank 1000 and is multiplied by the weight and by rank /
    1000 to the power of `frequency_exponent`."""
    balance: float = 0.5
    """A real word is written for all others together at most this often, as a share of its correct
    occurrences. Holds for `confusions` and for words made by `run_together`."""
    run_together: float = 0.0
    """Share of the words that are run together with the next one, and of those that are pulled
    apart, for models with `model.spacing`."""
    listed_spacing: float = 0.0
    """The same share for words that people often run together or pull apart, such as *a lot*, from
    the lists under `data.spacing`."""
    confused_spacing: float = 0.0
    """The same share for listed words that then are other words (*everyday* for *every day*), 0 =
    `listed_spacing`. Only the context shows these mistakes, which takes more examples to learn."""
    inserted_valid_words: float = 0.0
    """Share of the words that are replaced by a random valid word, which is right: a rare word or
    one outside the lexicon. The model learns to leave it alone even where it does not expect it."""
    odd_letters: float = 0.0
    """Share of the words that have a foreign letter instead of an English one; in noisy sentences
    ten times as many. The model sees the English letter and a flag."""
    uncased: float = 0.0
    """Share of the sentences without capitals, except the first token and *I*."""
    random_case: float = 0.0
    """Share of the changed tokens that get a random case shape: lower, Title or UPPER."""
    case_noise: float = 0.0
    """Share of the words with a wrong case: MIXED, as in *THe*; in noisy sentences any shape."""

    def __post_init__(self) -> None:
        rates = (
            *("mask", "inserted_rare_words", "uncased", "random_case", "case_noise"),
            *("confusions", "run_together", "listed_spacing", "confused_spacing"),
            *("inserted_valid_words", "odd_letters"),
        )
        for name in ("clean", "synthetic", "noisy", "light_in_noisy", *rates):
            if not 0 <= getattr(self, name) <= 1:
                raise Error(f"noise.{name} = {getattr(self, name)}: write a share from 0 to 1")
        if self.frequency_exponent < 0:
            raise Error(f"noise.frequency_exponent = {self.frequency_exponent}: write 0 or more")
        if self.balance < 0:
            raise Error(f"noise.balance = {self.balance}: write 0 or more")
        if not self.sigmas or min(self.sigmas) < 0:
            raise Error(f"noise.sigmas = {list(self.sigmas)}: write at least one, none below 0")
        for name, needed in (
            ("mixed", "synthetic"),
            ("inserted_rare_words", "mixed"),
            ("listed_spacing", "run_together"),
            ("confused_spacing", "run_together"),
        ):
            if getattr(self, name) and not getattr(self, needed):
                raise Error(f"noise.{name} needs noise.{needed}")
        self._check_methods()

    def _check_methods(self) -> None:
        if unknown := sorted(set(self.methods) - set(METHODS)):
            raise Error(f"noise.methods.{unknown[0]}: unknown, write one of {', '.join(METHODS)}")
        if min(self.methods.values(), default=0) < 0 or not sum(self.methods.values()):
            raise Error("noise.methods: write weights of 0 or more, at least one above 0")
