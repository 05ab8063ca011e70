"""The misspellings that a recipe names: what is taught, what is doubted, what is right."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from respell.features import FormStyle
from respell.lab import misspellings
from respell.lab.corpus import read_lines
from respell.lab.dataset import checkable
from respell.lab.recipe import DataConfig
from respell.lab.variants import without_variants
from respell.lexicon import Lexicon
from respell.text import is_mangled
from respell.types import Error


def read_pairs(
    data: DataConfig, folders: Sequence[Path], *, lexicon: Lexicon, style: FormStyle
) -> dict[str, list[str]]:
    """The misspellings a recipe teaches; lists are looked for in each folder."""
    pairs = _read(data.lists, folders)
    confusions = _read(data.confusions, folders)
    if data.tidy:
        pairs = misspellings.tidy(pairs)
    pairs = misspellings.merge(pairs, _read(data.invented, folders))
    pairs = _without_right(pairs, read_right(data, folders, lexicon=lexicon), lexicon)
    if style == "lower":
        pairs, confusions = _lowered(pairs), _lowered(confusions)
    held_out = _read(data.held_out, folders)
    pairs, confusions = (misspellings.without(p, held_out) for p in (pairs, confusions))
    if data.tidy:
        pairs, confusions = (without_variants(p, lexicon) for p in (pairs, confusions))
        pairs = misspellings.nearest(pairs)
    return _weighted(pairs, confusions)


def read_doubtful(data: DataConfig, folders: Sequence[Path], *, lexicon: Lexicon) -> frozenset[str]:
    """Spellings that people's lists call wrong: where the text has them, they may be its typos."""
    if not data.tidy:
        return frozenset()
    lists = without_variants(_lowered(misspellings.tidy(_read(data.lists, folders))), lexicon)
    wrong = frozenset(spelling for spellings in lists.values() for spelling in spellings)
    return wrong - read_right(data, folders, lexicon=lexicon)


def read_right(data: DataConfig, folders: Sequence[Path], *, lexicon: Lexicon) -> frozenset[str]:
    """Words that are right wherever they stand, though the lexicon may lack them.

    Those are left out that a slip makes of a word of the lexicon: *cant* is hardly ever cant.
    """
    paths = [_find(name, folders) for name in data.right]
    words = frozenset(line.strip() for path in paths for line in read_lines(path))
    return words - {"", *(word.replace("'", "") for word in lexicon.words if "'" in word)}


def _without_right(
    pairs: Mapping[str, Sequence[str]], right: Collection[str], lexicon: Lexicon
) -> dict[str, list[str]]:
    """Leave out misspellings that are words nobody has to correct."""
    kept = {
        word: [s for s in spellings if s not in right or s in lexicon]
        for word, spellings in pairs.items()
    }
    return {word: spellings for word, spellings in kept.items() if spellings}


def read_wild(data: DataConfig, folders: Sequence[Path], style: FormStyle) -> dict[str, list[str]]:
    """The misspellings of the wild lists; for the product only those it would look at."""
    pairs = _read(data.wild, folders)
    if style == "lower":
        pairs = _lowered(
            {
                word: [s for s in spelled if checkable(s) or is_mangled(s)]
                for word, spelled in pairs.items()
            }
        )
    return misspellings.without(pairs, _read(data.held_out, folders))


def _read(names: Sequence[str], folders: Sequence[Path]) -> dict[str, list[str]]:
    return misspellings.merge(*(misspellings.read_tsv(_find(name, folders)) for name in names))


def _find(name: str, folders: Sequence[Path]) -> Path:
    found = [folder / name for folder in folders if (folder / name).is_file()]
    if not found:
        raise Error(f"{name}: no such list in {' or '.join(map(str, folders))}")
    return found[0]


def _weighted(
    pairs: dict[str, list[str]], confusions: dict[str, list[str]]
) -> dict[str, list[str]]:
    """Repeat a word's confusions until they are about a third of its list."""
    merged = {word: list(spellings) for word, spellings in pairs.items()}
    for word, others in confusions.items():
        known = merged.setdefault(word, [])
        repeats = max(1, round(len(known) / (2 * len(others))))
        known += others * repeats
    return merged


def _lowered(pairs: dict[str, list[str]]) -> dict[str, list[str]]:
    lowered: dict[str, set[str]] = {}
    for word, spellings in pairs.items():
        lowered.setdefault(word.lower(), set()).update(s.lower() for s in spellings)
    return {word: sorted(spellings - {word}) for word, spellings in sorted(lowered.items())}
