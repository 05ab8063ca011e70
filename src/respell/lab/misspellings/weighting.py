"""Read the lists that a recipe names, and weight their misspellings for training."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import gcd
from pathlib import Path

from respell.lab.common.text_files import read_lines
from respell.lab.misspellings import word_lists
from respell.lab.misspellings.config import DataConfig
from respell.lab.misspellings.spacing import SpacingLists, read_spacing
from respell.lab.misspellings.variants import without_variants
from respell.lab.misspellings.word_lists import Pairs, has_odd_capitals
from respell.model.encode import Casing
from respell.model.lexicon import Lexicon
from respell.model.vocabulary import Vocabulary
from respell.text.noisy_tokens import is_noisy_word
from respell.text.tokenize import is_single_word
from respell.types import Error

REPEATS = 10
"""How often a misspelling of weight 1 is repeated in a weighted list."""
RARE = 0.05
"""Weight of a rare confusion, compared with a common one."""
Odds = Callable[[str, str], float]
"""(word, spelling) -> how likely the spelling is written for the word, from 0 to 1."""


def read_pairs(
    data: DataConfig, folders: Sequence[Path], *, lexicon: Lexicon, casing: Casing
) -> dict[str, list[str]]:
    """The misspellings to train with; lists are searched in each folder."""
    lists = [_read([name], folders) for name in data.lists]
    confusions, rare = _read(data.confusions, folders), _read(data.rare_confusions, folders)
    if data.tidy:
        lists = [word_lists.tidy(pairs) for pairs in lists]
    pairs = word_lists.merge(*lists, _read(data.generated, folders))
    pairs = _without_valid_words(pairs, read_valid_words(data, folders, lexicon=lexicon), lexicon)
    if casing == "lower":
        lists = [_lowered(each) for each in lists]
        pairs, confusions, rare = _lowered(pairs), _lowered(confusions), _lowered(rare)
    pairs = word_lists.without(pairs, _held_out(data, folders))
    if not data.tidy:
        return _weighted(pairs, confusions, rare, listed=_certain, real=_certain)
    pairs, confusions, rare = (without_variants(p, lexicon) for p in (pairs, confusions, rare))
    votes = word_lists.votes(lists)
    odds = partial(_odds, lexicon)

    def listed(word: str, other: str) -> float:
        """A real word that only few lists call a misspelling hardly ever is one."""
        agreed = votes[word, other] / max(len(lists), 1)
        return odds(word, other) * agreed**2 if other in lexicon else 1.0

    pairs = word_lists.nearest(pairs, votes)
    return _weighted(pairs, confusions, rare, listed=listed, real=odds)


def _certain(word: str, other: str) -> float:
    return 1.0


def _held_out(data: DataConfig, folders: Sequence[Path]) -> dict[str, list[str]]:
    return word_lists.without(_read(data.held_out, folders), _read(data.known, folders))


def read_listed_misspellings(
    data: DataConfig, folders: Sequence[Path], *, lexicon: Lexicon
) -> frozenset[str]:
    """Spellings that the lists call wrong; where the text contains them, they may be typos."""
    if not data.tidy:
        return frozenset()
    lists = without_variants(_lowered(word_lists.tidy(_read(data.lists, folders))), lexicon)
    wrong = frozenset(spelling for spellings in lists.values() for spelling in spellings)
    return wrong - read_valid_words(data, folders, lexicon=lexicon)


def read_valid_words(
    data: DataConfig, folders: Sequence[Path], *, lexicon: Lexicon
) -> frozenset[str]:
    """Words that are always correct, even if they are not in the lexicon.

    Words that are a lexicon word without its apostrophe are not included: *cant* is nearly always
    a misspelling of *can't*.
    """
    paths = [_find(name, folders) for name in data.valid_words]
    words = frozenset(line.strip() for path in paths for line in read_lines(path))
    return words - {"", *(word.replace("'", "") for word in lexicon.words if "'" in word)}


def _without_valid_words(
    pairs: Mapping[str, Sequence[str]], valid_words: Collection[str], lexicon: Lexicon
) -> dict[str, list[str]]:
    """Drop misspellings that are valid words outside the lexicon."""
    kept = {
        word: [s for s in spellings if s not in valid_words or s in lexicon]
        for word, spellings in pairs.items()
    }
    return {word: spellings for word, spellings in kept.items() if spellings}


def read_noisy_lists(
    data: DataConfig, folders: Sequence[Path], casing: Casing
) -> dict[str, list[str]]:
    """The misspellings of the noisy lists; if lower-cased, only those that the runtime checks."""
    pairs = _read(data.noisy, folders)
    if casing == "lower":
        checked = {word: [s for s in spelled if _is_checked(s)] for word, spelled in pairs.items()}
        pairs = _lowered(checked, odd_capitals=True)
    return word_lists.without(pairs, _held_out(data, folders))


def read_confusion_tables(
    data: DataConfig, folders: Sequence[Path]
) -> list[tuple[str, str, float]]:
    """Lines with a word, another word that is written for it, and a weight."""
    found: list[tuple[str, str, float]] = []
    for path in (_find(name, folders) for name in data.confusion_tables):
        for number, line in enumerate(read_lines(path), 1):
            if line.startswith("#"):
                continue
            try:
                word, written, weight = line.split("\t")
                found.append((word, written, float(weight)))
            except ValueError as error:
                raise Error(
                    f"{path}:{number}: expected word, tab, other word, tab, weight: {line!r}"
                ) from error
    return found


def read_spacing_lists(data: DataConfig, folders: Sequence[Path]) -> SpacingLists:
    """Words that are run together or pulled apart, without those held out."""
    held = _held_out(data, folders)
    pairs = {(word, spelling) for word, spellings in held.items() for spelling in spellings}
    return read_spacing((_find(name, folders) for name in data.spacing), pairs)


def read_vocabulary(data: DataConfig, folders: Sequence[Path]) -> Vocabulary | None:
    """The valid words outside the lexicon, if the recipe names a file of them."""
    return Vocabulary.read(_find(data.vocabulary, folders)) if data.vocabulary else None


def _is_checked(spelling: str) -> bool:
    """Whether the runtime checks a spelling in noisy text; it may be all in capitals."""
    return is_noisy_word(spelling) or is_single_word(
        spelling.lower() if spelling.isupper() else spelling
    )


def _read(names: Sequence[str], folders: Sequence[Path]) -> dict[str, list[str]]:
    return word_lists.merge(*(word_lists.read_tsv(_find(name, folders)) for name in names))


def _find(name: str, folders: Sequence[Path]) -> Path:
    found = [folder / name for folder in folders if (folder / name).is_file()]
    if not found:
        raise Error(f"{name}: no such list in {' or '.join(map(str, folders))}")
    return found[0]


def _odds(lexicon: Lexicon, word: str, other: str) -> float:
    """How likely another word is written for a word that it can be confused with.

    At most as often as the other word is written correctly. Otherwise, if *there* replaced *the*
    as often as *their*, most occurrences of *there* would have to be read as *the*. The lexicon is
    sorted by frequency, which is about 1 / rank.
    """
    rank, other_rank = lexicon.index(word), lexicon.index(other)
    if rank is None or other_rank is None:
        return 1.0
    return min(1.0, (rank + 1) / (other_rank + 1))


def _weighted(
    pairs: dict[str, list[str]],
    confusions: dict[str, list[str]],
    rare_confusions: dict[str, list[str]],
    *,
    listed: Odds,
    real: Odds,
) -> dict[str, list[str]]:
    """Lists in which each spelling is repeated in proportion to its weight.

    The confusions of a word make up a third of its list, less what `real` and `RARE` take away.
    A word without other misspellings has only its confusions.
    """
    weighted: dict[str, list[str]] = {}
    for word in {**pairs, **confusions, **rare_confusions}:
        others = dict.fromkeys(rare_confusions.get(word, ()), RARE)
        others |= dict.fromkeys(confusions.get(word, ()), 1.0)
        known = [s for s in pairs.get(word, ()) if s not in others]
        third = max(len(known) / 2 / len(others), 1 / REPEATS) if known and others else 1.0
        weights = {s: listed(word, s) for s in known}
        weights |= {s: third * share * real(word, s) for s, share in others.items()}
        times = {s: round(REPEATS * weight) for s, weight in weights.items()}
        common = gcd(*times.values())
        weighted[word] = [s for s, count in times.items() for _ in range(count // (common or 1))]
    return {word: spellings for word, spellings in weighted.items() if spellings}


def _lowered(pairs: Pairs, *, odd_capitals: bool = False) -> dict[str, list[str]]:
    """The pairs in lower case; `odd_capitals` keeps misspellings such as *DE* and *tThe*."""
    lowered: dict[str, set[str]] = {}
    for word, spellings in pairs.items():
        kept = (s if odd_capitals and has_odd_capitals(s) else s.lower() for s in spellings)
        lowered.setdefault(word.lower(), set()).update(kept)
    return {word: sorted(spellings - {word}) for word, spellings in sorted(lowered.items())}
