"""TODO respell.lab.noise.config."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from respell.lab.noise.synthetic import METHODS, PAPER_METHODS
from respell.types import Error


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseConfig:
    """How much of which noise; the defaults are the paper's natural noise."""

    clean: float = 0.0
    """Share of sentences left untouched (words may still be masked)."""
    sigmas: tuple[float, ...] = (0.2,)
    """Each sentence draws one of these; its noise rate is alpha = min(|N(0, sigma)|, 1)."""
    at_least_one: bool = True
    """Noise max(floor(alpha·n), 1) of n tokens, as the paper; else alpha·n rounded by chance."""
    synthetic: float = 0.0
    """Share of the sentences that get synthetic noise instead of natural ("+ random char": .5)."""
    mixed: bool = False
    """`synthetic` is a share of the noised tokens instead, each drawing by itself.

    A token whose word has no list of misspellings is always noised synthetically.
    """
    noisy: float = 0.0
    """Share of the sentences that get the paper's natural noise instead, from lists of their own:
    much of it, and much of that from_noisy_lists."""
    light_in_noisy: float = 0.0
    """Share of the tokens of noisy sentences that get the ordinary noise if they get any: else a
    model meets no misspelling there that is not in the lists."""
    frequency_exponent: float = 0.0
    """Above 0: frequent words get less of the ordinary noise, as people misspell them less. The
    share of a word at place p of the lexicon is (p / 1000) to this power, and no more than 1."""
    inserted_rare_words: float = 0.0
    """Share of the lexicon's words in whose place another word of the lexicon stands, misspelled
    so that it is no word: text alone has too few rare words to learn how they are spelled. It comes
    on top of all other noise, in sentences that are left clean otherwise too."""
    methods: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(PAPER_METHODS, 1.0))
    """Synthetic methods by name, with their weights."""
    mask: float = 0.0
    """Share of the lexicon's words that are masked."""
    uncased: float = 0.0
    """Share of the sentences written without capitals, but for the first token and *I*."""
    random_case: float = 0.0
    """Share of the changed tokens whose shape is drawn anew: lower, Title or UPPER."""
    case_noise: float = 0.0
    """Share of the lexicon's words whose capitals slip, as in *THe*; in noisy sentences to any."""

    def __post_init__(self) -> None:
        rates = ("mask", "inserted_rare_words", "uncased", "random_case", "case_noise")
        for name in ("clean", "synthetic", "noisy", "light_in_noisy", *rates):
            if not 0 <= getattr(self, name) <= 1:
                raise Error(f"noise.{name} = {getattr(self, name)}: write a share from 0 to 1")
        if self.frequency_exponent < 0:
            raise Error(f"noise.frequency_exponent = {self.frequency_exponent}: write 0 or more")
        if not self.sigmas or min(self.sigmas) < 0:
            raise Error(f"noise.sigmas = {list(self.sigmas)}: write at least one, none below 0")
        for name, needed in (("mixed", "synthetic"), ("inserted_rare_words", "mixed")):
            if getattr(self, name) and not getattr(self, needed):
                raise Error(f"noise.{name} needs noise.{needed}")
        self._check_methods()

    def _check_methods(self) -> None:
        if unknown := sorted(set(self.methods) - set(METHODS)):
            raise Error(f"noise.methods.{unknown[0]}: unknown, write one of {', '.join(METHODS)}")
        if min(self.methods.values(), default=0) < 0 or not sum(self.methods.values()):
            raise Error("noise.methods: write weights of 0 or more, at least one above 0")
