"""The `[data]` section of a recipe: the lists of misspellings to train with."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DataConfig:
    """Lists of misspellings; the text is a build folder, given on the command line."""

    lists: tuple[str, ...]
    """Files of misspellings, a correct word and a misspelling per line."""
    generated: tuple[str, ...] = ()
    """Files of misspellings made by the `generate` command."""
    confusions: tuple[str, ...] = ()
    """Files of real words that people confuse. They make up a third of the noise of a word."""
    rare_confusions: tuple[str, ...] = ()
    """Files of real words that are typed for each other now and then, such as *my* for *by*."""
    confusion_tables: tuple[str, ...] = ()
    """Files written by the `confusions` command, for `noise.confusions`."""
    spacing: tuple[str, ...] = ()
    """Files with words that are run together or pulled apart, for `noise.listed_spacing`."""
    vocabulary: str = ""
    """A file written by the `vocabulary` command, for `model.classes`."""
    noisy: tuple[str, ...] = ()
    """Files of misspellings for noisy sentences (`noise.noisy`), used without filtering."""
    valid_words: tuple[str, ...] = ()
    """Files of words, one per line, that are never misspellings, even if not in the lexicon."""
    held_out: tuple[str, ...] = ()
    """Files of pairs that are removed from all lists, but not from the confusions."""
    known: tuple[str, ...] = ()
    """Files of pairs to train with, even if `held_out` has them in another case."""
    tidy: bool = True
    """Drop implausible pairs; the paper's recipes keep them."""
    permissive: bool = False
    """Train only on text with a free licence."""
