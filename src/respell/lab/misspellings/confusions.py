"""The `confusions` command: a table of real words that people write for each other.

The table comes from curated lists, from real words in lists of misspellings, and from rules: the
inflections of curated pairs, habits, apostrophes, sound, slips of the fingers, and endings.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from respell.lab.common.storage import save_text
from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import read_lexicon
from respell.lab.misspellings import confusion_rules as rules
from respell.lab.misspellings import word_lists
from respell.lab.misspellings.confusion_rules import Pair
from respell.lab.misspellings.pronunciation import alike, nearly_alike, read_pronunciations
from respell.lab.misspellings.variants import same_word
from respell.model.lexicon import Lexicon
from respell.text.edits import count_edits
from respell.types import Error

Weights = dict[Pair, float]
"""(word, written) -> how often, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Curated:
    """A list of confusions; each pair counts both ways."""

    name: str
    weight: float
    dictionary: bool = False
    """Drop pairs with a word that is not in the dictionaries, or has a single letter."""
    grammar: bool = True
    """Keep pairs that differ in a grammatical ending."""


NGRAM_PAIRS = "languagetool_ngram_pairs.tsv"
CURATED = (
    Curated("confusions.tsv", 1.0),
    Curated("confusion_languagetool.tsv", 0.3, dictionary=True, grammar=False),
    Curated("confusion_languagetool_ext.tsv", 0.2, dictionary=True, grammar=False),
    Curated("confusion_atd_homophonedb.tsv", 1.0, dictionary=True),
    Curated("confusion_homophones_pimentel.tsv", 1.0, dictionary=True),
    Curated("confusion_cmudict_homophones.tsv", 0.5, dictionary=True),
)
MISSPELLINGS = (
    "typos_rs.tsv", "codespell.tsv", "misspell_go.tsv", "wikipedia_csv.tsv",
    "wikipedia_machines.tsv", "aspell_orig.tsv", "omega_train80.tsv",
)  # fmt: skip
HELD_OUT, KNOWN = "omega_heldout20.tsv", "omega_train80.tsv"
"""Pairs of the first list that are not in the second must not be used."""
DICTIONARIES = (Path("/usr/share/dict/american-english"), Path("/usr/share/dict/british-english"))


def _pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair.split("/")) for pair in text.split())


VARIANTS = _pairs(
    "practice/practise practiced/practised practicing/practising practices/practises "
    "whisky/whiskey smoky/smokey adviser/advisor advisers/advisors tire/tyre tires/tyres "
    "curb/kerb enquiry/inquiry enquiries/inquiries enquire/inquire benefited/benefitted "
    "chili/chile cipher/cypher flier/flyer fliers/flyers moustache/mustache "
    "programing/programming protesters/protestors savanna/savannah sizable/sizeable "
    "sulfur/sulphur disc/disk discs/disks forego/forgo foregoing/forgoing "
    "dispatch/despatch dispatched/despatched entrusted/intrusted blond/blonde cozy/cosy"
)
"""Variants of one word that the rules of `same_word` do not know."""
DISTINCT = _pairs(
    "are/ore are/re bellow/below check/cheque checks/cheques click/clique clicks/cliques "
    "complained/complaint constrained/constraint dart/dared filed/filled filing/filling for/four "
    "forth/fourth joined/joint lama/llama leased/least more/mare morn/mourn morning/mourning "
    "or/our poring/pouring restrained/restraint timber/timbre"
)
"""Different words that `same_word` takes for variants."""
LISTED, AGREED = 0.2, 0.2
"""Weight of a pair of one list of misspellings, and of each further list. A single list often has
pairs that only one writer confused."""
INFLECTED = 0.5
HABIT, APOSTROPHE, POSSESSIVE = 1.0, 1.0, 0.3
ALIKE, NEARLY_ALIKE, SPOKEN = 0.5, 0.2, 30_000
SLIP, TYPED = 0.1, 5_000
ENDING = 0.3
"""Weights of the other sources; `SPOKEN` and `TYPED` are how many frequent words they cover."""
EXAMPLES = 6


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `confusions`."""
    parser.add_argument("--lexicon", type=Path, required=True, help="words, most frequent first")
    parser.add_argument(
        "--lists",
        type=Path,
        nargs="+",
        required=True,
        metavar="FOLDER",
        help="where to search the lists of confusions and misspellings",
    )
    parser.add_argument(
        "--dictionaries",
        type=Path,
        nargs="+",
        default=DICTIONARIES,
        metavar="FILE",
        help="lists of real words, names with a capital (Debian's American and British English)",
    )
    parser.add_argument("--samples", type=int, default=EXAMPLES, help="examples to print (6)")
    parser.add_argument("--out", type=Path, required=True, help="TSV file to write")


def run(args: argparse.Namespace) -> int:
    """Collect the confusions of all sources, and write the table."""
    lexicon = read_lexicon(args.lexicon)
    real, regional = _read_dictionaries(args.dictionaries)
    table = Table(lexicon, regional=regional, held_out=_held_out(args.lists))
    for name, weights in _sources(args.lists, lexicon, real):
        table.add(name, weights)
    if not table.weights:
        raise Error(f"{args.lexicon}: no two words of it are confused; is it a list of words?")
    save_text(table.text(), args.out)
    for line in table.summary(args.samples):
        sys.stderr.write(f"{line}\n")
    sys.stderr.write(f"{args.out}: {len(table.weights):,} confusions\n")
    return 0


class Table:
    """Confusions of several sources; the largest weight of a pair counts."""

    def __init__(
        self, lexicon: Lexicon, *, regional: Mapping[str, int], held_out: frozenset[Pair]
    ) -> None:
        self.weights: Weights = {}
        self._lexicon = lexicon
        self._regional = regional
        self._held_out = held_out
        self._by_source: dict[str, Weights] = {}
        self._new: Counter[str] = Counter()
        self._kept_out: dict[str, list[Pair]] = {}

    def add(self, source: str, weights: Mapping[Pair, float]) -> None:
        """Add the pairs of a source that are confusions of two words of the lexicon.

        As in `data.confusions` of a recipe, held-out pairs are kept if they are well-known
        confusions (weight 1), such as *there* for *their*.
        """
        usable = {pair: w for pair, w in weights.items() if self._usable(*pair)}
        self._kept_out[source] = [p for p, w in usable.items() if p in self._held_out and w < 1]
        kept = {p: w for p, w in usable.items() if p not in self._held_out or w >= 1}
        self._by_source[source] = kept
        self._new[source] = len(kept.keys() - self.weights.keys())
        for pair, weight in kept.items():
            self.weights[pair] = max(weight, self.weights.get(pair, 0.0))

    def _usable(self, word: str, written: str) -> bool:
        return (
            word != written
            and word in self._lexicon
            and written in self._lexicon
            and not self._are_variants(word, written)
        )

    def _are_variants(self, a: str, b: str) -> bool:
        """Whether two words are one, perhaps because each is in another dictionary only."""
        both = frozenset((a, b))
        regions = {self._regional.get(a), self._regional.get(b)}
        if both in DISTINCT:
            return False
        return same_word(a, b) or both in VARIANTS or (None not in regions and len(regions) == 2)

    def text(self) -> str:
        """The table: word, what is written for it, weight; sorted by word."""
        lines = [f"{a}\t{b}\t{weight:.2f}\n" for (a, b), weight in sorted(self.weights.items())]
        return "# word\twritten for it\thow often (1: a confusion people often make)\n" + "".join(
            lines
        )

    def summary(self, examples: int) -> Iterator[str]:
        """A line per source: pairs, new pairs, held-out pairs, random examples."""
        rng = random.Random(1)
        for source, weights in self._by_source.items():
            pairs = sorted(weights)
            shown = rng.sample(pairs, min(examples, len(pairs)))
            sample = ", ".join(f"{word}/{written}" for word, written in shown)
            out = len(self._kept_out[source])
            yield (
                f"{source}: {len(pairs):,} pairs, {self._new[source]:,} of them new, "
                f"{out:,} held out; {sample}"
            )


def _sources(
    folders: Sequence[Path], lexicon: Lexicon, real: frozenset[str]
) -> Iterator[tuple[str, Weights]]:
    """(name, weights) of each source."""
    words = [word for word in lexicon.words if word in real]
    known = frozenset(words)
    curated = _ngram_pairs(_find(NGRAM_PAIRS, folders))
    yield NGRAM_PAIRS, curated
    strong = set(curated)
    for each in CURATED:
        weights = _curated(each, folders, real, lexicon)
        yield each.name, weights
        strong |= {pair for pair, weight in weights.items() if weight >= INFLECTED}
    yield "lists of misspellings", _listed(folders, known)
    used = (pair for pair in sorted(strong) if not rules.is_grammar(*pair))
    yield "inflections", dict.fromkeys(rules.inflections(used, known), INFLECTED)
    yield "habits", dict.fromkeys(rules.habits(), HABIT)
    yield "apostrophes", dict.fromkeys(rules.apostrophes(lexicon.words, real), APOSTROPHE)
    yield "possessives", dict.fromkeys(rules.possessives(frozenset(lexicon.words)), POSSESSIVE)
    pronunciations = read_pronunciations()
    words = [word for word in words if len(word) > 1 or word in "ai"]
    spoken = [word for word in words if (lexicon.index(word) or 0) < SPOKEN]
    near = filter(_look_alike, nearly_alike(spoken, pronunciations))
    yield "nearly alike", _both_ways(dict.fromkeys(near, NEARLY_ALIKE))
    yield "alike", _both_ways(dict.fromkeys(alike(spoken, pronunciations), ALIKE))
    typed = [word for word in words if (lexicon.index(word) or 0) < TYPED]
    yield "slips", _both_ways(dict.fromkeys(rules.slips(typed), SLIP))
    yield "endings", _both_ways(dict.fromkeys(rules.endings(known), ENDING))
    yield "beginnings", _both_ways(dict.fromkeys(rules.beginnings(known), ENDING))


def _look_alike(pair: Pair) -> bool:
    """Whether few letters differ, and not only a grammatical ending."""
    a, b = pair
    most = min(map(word_lists.limit, pair))
    return count_edits(a, b) <= most and not rules.is_grammar(a, b)


def _both_ways(weights: Mapping[Pair, float]) -> Weights:
    return {**{(b, a): weight for (a, b), weight in weights.items()}, **weights}


def _ngram_pairs(path: Path) -> Weights:
    """Read `word other directed …` lines: the word is written where the other is meant."""
    weights: Weights = {}
    for number, line in enumerate(read_lines(path), 1):
        match line.lower().split("\t"):
            case ["word", "other", "directed", *_] if number == 1:
                continue
            case [written, word, "0" | "1" as directed, *_] if written and word:
                weights[word, written] = 1.0
                if directed == "0":
                    weights[written, word] = 1.0
            case _:
                raise Error(f"{path}:{number}: expected word, other, 0 or 1: {line!r}")
    return weights


def _curated(
    each: Curated, folders: Sequence[Path], real: frozenset[str], lexicon: Lexicon
) -> Weights:
    def wanted(a: str, b: str) -> bool:
        if each.dictionary and not (min(len(a), len(b)) > 1 and a in real and b in real):
            return False
        return each.grammar or not rules.is_grammar(a, b)

    pairs = _lowered(word_lists.read_tsv(_find(each.name, folders)))
    return _both_ways({pair: each.weight for pair in pairs if wanted(*pair)})


def _listed(folders: Sequence[Path], known: frozenset[str]) -> Weights:
    """Real words of the lists of misspellings; more lists give more weight.

    A name or another rare word counts as written only if several lists have it.
    """
    lists = [word_lists.tidy(word_lists.read_tsv(_find(name, folders))) for name in MISSPELLINGS]
    votes = Counter(pair for each in lists for pair in set(_lowered(each)))
    return {
        (word, written): min(1.0, LISTED + AGREED * (count - 1))
        for (word, written), count in votes.items()
        if word in known and (written in known or count >= word_lists.CONFIRMED)
    }


def _lowered(pairs: word_lists.Pairs) -> Iterator[Pair]:
    return ((a.lower(), b.lower()) for a, others in pairs.items() for b in others)


def _held_out(folders: Sequence[Path]) -> frozenset[Pair]:
    held_out, known = (word_lists.read_tsv(_find(name, folders)) for name in (HELD_OUT, KNOWN))
    return frozenset(_lowered(word_lists.without(held_out, known)))


def _find(name: str, folders: Sequence[Path]) -> Path:
    found = [folder / name for folder in folders if (folder / name).is_file()]
    if not found:
        raise Error(f"{name}: no such list in {' or '.join(map(str, folders))}; add its folder")
    return found[0]


def _read_dictionaries(paths: Iterable[Path]) -> tuple[frozenset[str], dict[str, int]]:
    """The words in lower case, and for words of one dictionary only, which one.

    Words that occur only with a capital (names, abbreviations) are not included, except *I*.
    """
    found: dict[str, set[int]] = {}
    for i, path in enumerate(paths):
        for line in read_lines(path):
            word = line.strip()
            if word == "I" or word.startswith("I'") or word == word.lower():
                found.setdefault(word.lower(), set()).add(i)
    regional = {word: min(regions) for word, regions in found.items() if len(regions) == 1}
    return frozenset(found), regional
