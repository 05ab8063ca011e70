"""The misspellings that a recipe names: what is taught, what is doubted, what is right."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import gcd
from pathlib import Path

from respell.lab.data.corpus import read_lines
from respell.lab.misspellings import word_lists
from respell.lab.misspellings.variants import without_variants
from respell.lab.misspellings.word_lists import Pairs, has_odd_capitals
from respell.model.encode import Casing
from respell.model.lexicon import Lexicon
from respell.text.noisy_tokens import is_noisy_word
from respell.text.tokenize import is_single_word
from respell.types import Error


@dataclass(frozen=True, slots=True, kw_only=True)
class DataConfig:
    """Which misspellings to teach; the text itself is a build folder named on the command line."""

    lists: tuple[str, ...]
    """Files of misspellings, correct and wrong spelling on a line."""
    generated: tuple[str, ...] = ()
    """Files of misspellings that `invent` made."""
    confusions: tuple[str, ...] = ()
    """Files of real words that people take for each other: a third of a word's noise."""
    rare_confusions: tuple[str, ...] = ()
    """Files of real words that slip in for each other now and then, such as *my* for *by*."""
    noisy: tuple[str, ...] = ()
    """Files of misspellings for the sentences of `noise.noisy`, taken as they are."""
    valid_words: tuple[str, ...] = ()
    """Files of words, one a line: outside the lexicon, none of them is a misspelling of another."""
    held_out: tuple[str, ...] = ()
    """Files of pairs that no list may teach; confusions may, they are no secret of any list."""
    known: tuple[str, ...] = ()
    """Files of pairs that may be taught though `held_out` has them in another case."""
    tidy: bool = True
    """Leave out absurd pairs; the paper's recipes keep them."""
    permissive: bool = False
    """Of the text, take only the sources with free licences."""


REPEATS = 10
"""Times that a plain misspelling stands in the list of a word that has rarer ones as well."""
RARE = 0.05
"""How often a real word rare_confusions in, where it would be 1 if people took it for the other."""
Odds = Callable[[str, str], float]
"""How likely a spelling is written for a word: of a word and the spelling."""


def read_pairs(
    data: DataConfig, folders: Sequence[Path], *, lexicon: Lexicon, casing: Casing
) -> dict[str, list[str]]:
    """The misspellings a recipe teaches; lists are looked for in each folder."""
    lists = [_read([name], folders) for name in data.lists]
    confusions, rare_confusions = (
        _read(data.confusions, folders),
        _read(data.rare_confusions, folders),
    )
    if data.tidy:
        lists = [word_lists.tidy(pairs) for pairs in lists]
    pairs = word_lists.merge(*lists, _read(data.generated, folders))
    pairs = _without_valid_words(pairs, read_valid_words(data, folders, lexicon=lexicon), lexicon)
    if casing == "lower":
        lists = [_lowered(each) for each in lists]
        pairs, confusions, rare_confusions = (
            _lowered(pairs),
            _lowered(confusions),
            _lowered(rare_confusions),
        )
    pairs = word_lists.without(pairs, _held_out(data, folders))
    if not data.tidy:
        return _weighted(pairs, confusions, rare_confusions, listed=_certain, real=_certain)
    pairs, confusions, rare_confusions = (
        without_variants(p, lexicon) for p in (pairs, confusions, rare_confusions)
    )
    votes = word_lists.votes(lists)
    odds = partial(_odds, lexicon)

    def listed(word: str, other: str) -> float:
        """A real word that few of the lists call a misspelling is hardly ever one."""
        agreed = votes[word, other] / max(len(lists), 1)
        return odds(word, other) * agreed**2 if other in lexicon else 1.0

    pairs = word_lists.nearest(pairs, votes)
    return _weighted(pairs, confusions, rare_confusions, listed=listed, real=odds)


def _certain(word: str, other: str) -> float:
    return 1.0


def _held_out(data: DataConfig, folders: Sequence[Path]) -> dict[str, list[str]]:
    return word_lists.without(_read(data.held_out, folders), _read(data.known, folders))


def read_listed_misspellings(
    data: DataConfig, folders: Sequence[Path], *, lexicon: Lexicon
) -> frozenset[str]:
    """Spellings that people's lists call wrong: where the text has them, they may be its typos."""
    if not data.tidy:
        return frozenset()
    lists = without_variants(_lowered(word_lists.tidy(_read(data.lists, folders))), lexicon)
    wrong = frozenset(spelling for spellings in lists.values() for spelling in spellings)
    return wrong - read_valid_words(data, folders, lexicon=lexicon)


def read_valid_words(
    data: DataConfig, folders: Sequence[Path], *, lexicon: Lexicon
) -> frozenset[str]:
    """Words that are right wherever they stand, though the lexicon may lack them.

    Those are left out that a slip makes of a word of the lexicon: *cant* is hardly ever cant.
    """
    paths = [_find(name, folders) for name in data.valid_words]
    words = frozenset(line.strip() for path in paths for line in read_lines(path))
    return words - {"", *(word.replace("'", "") for word in lexicon.words if "'" in word)}


def _without_valid_words(
    pairs: Mapping[str, Sequence[str]], valid_words: Collection[str], lexicon: Lexicon
) -> dict[str, list[str]]:
    """Leave out misspellings that are words nobody has to correct."""
    kept = {
        word: [s for s in spellings if s not in valid_words or s in lexicon]
        for word, spellings in pairs.items()
    }
    return {word: spellings for word, spellings in kept.items() if spellings}


def read_noisy_lists(
    data: DataConfig, folders: Sequence[Path], casing: Casing
) -> dict[str, list[str]]:
    """The misspellings of the noisy lists; for the product only those it would look at."""
    pairs = _read(data.noisy, folders)
    if casing == "lower":
        read = {word: [s for s in spelled if _is_read(s)] for word, spelled in pairs.items()}
        pairs = _lowered(read, odd_capitals=True)
    return word_lists.without(pairs, _held_out(data, folders))


def _is_read(spelling: str) -> bool:
    """Whether the runtime takes it for a word in heavily corrupted text; capitals may shout."""
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
    """How likely it is that another is written for a word, given that they can be confused.

    At most as often as it is written itself: *there* for *their*, but hardly ever for *the*, or
    most of what should be *their* would be read as *the*. Words stand in the lexicon in order of
    their frequency, which is about one over their place.
    """
    place, otherwise = lexicon.index(word), lexicon.index(other)
    if place is None or otherwise is None:
        return 1.0
    return min(1.0, (place + 1) / (otherwise + 1))


def _weighted(
    pairs: dict[str, list[str]],
    confusions: dict[str, list[str]],
    rare_confusions: dict[str, list[str]],
    *,
    listed: Odds,
    real: Odds,
) -> dict[str, list[str]]:
    """Lists in which a spelling stands as often as it should be drawn.

    A word's confusions make a third of its list, but for what `real` and being rare_confusions takes from
    them; where it has nothing else they make all of it.
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
    """The pairs in small letters, but for misspellings such as *DE* and *tThe* if these count."""
    lowered: dict[str, set[str]] = {}
    for word, spellings in pairs.items():
        kept = (s if odd_capitals and has_odd_capitals(s) else s.lower() for s in spellings)
        lowered.setdefault(word.lower(), set()).update(kept)
    return {word: sorted(spellings - {word}) for word, spellings in sorted(lowered.items())}
