"""The `vocabulary` command: write the table of valid words outside a lexicon.

Dictionary words, names and technical terms come from the tables of `decision/data`, frequencies
from the package wordfreq (data: CC BY-SA 4.0). The tables lack the words of the shipped model's
lexicon. Another lexicon may lack them too, so a dictionary is read as well.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from respell.decision.vocabulary import CLASSES, table
from respell.lab.common.storage import replacing
from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import read_lexicon
from respell.lab.misspellings.word_lists import read_tsv
from respell.model.encode import LONGEST
from respell.model.lexicon import Lexicon
from respell.model.vocabulary import Group, class_id, write_vocabulary
from respell.types import Error

SHORTEST = 3
LEAST = 1.5
"""The least frequency (logarithm of occurrences in a billion words) of a word in no other list:
below it are many typing errors."""
FREQUENT = 2.0
"""From this frequency on, a word counts as less rare."""


def classes(
    lexicon: Lexicon,
    frequencies: Mapping[str, float],
    misspellings: Collection[str] = (),
    dictionary: Collection[str] = (),
) -> dict[str, int]:
    """The classes of all valid words outside the lexicon, by word."""
    groups: dict[str, Group] = dict.fromkeys(dictionary, "common")
    groups |= {word: group for group in reversed(CLASSES) for word in table(group)}
    frequent = {word for word, level in frequencies.items() if level >= LEAST}
    words = groups.keys() | frequent.difference(misspellings)
    return {
        word: class_id(groups.get(word, "unlisted"), _level(frequencies.get(word)))
        for word in sorted(words)
        if SHORTEST <= len(word) <= LONGEST
        and word.isalpha()
        and word == word.lower()
        and word not in lexicon
    }


def _level(frequency: float | None) -> int:
    return 0 if frequency is None else 1 + (frequency >= FREQUENT)


def read_frequencies() -> dict[str, float]:
    """Logarithms of the occurrences of each word in a billion words."""
    try:
        from wordfreq import get_frequency_dict
    except ModuleNotFoundError as error:
        raise Error("wordfreq is not installed; run: pip install wordfreq") from error
    return {word: math.log10(f) + 9 for word, f in get_frequency_dict("en", "large").items()}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `vocabulary`."""
    parser.add_argument("--lexicon", type=Path, required=True, help="words that need no class")
    parser.add_argument(
        "--lists", type=Path, nargs="+", default=[], help="misspellings, which are not valid words"
    )
    parser.add_argument(
        "--dictionary", type=Path, help="dictionary words in lower case, one per line"
    )
    parser.add_argument("--out", type=Path, required=True, help="table to write, a .gz file")


def run(args: argparse.Namespace) -> int:
    """Write the table and print how many words it has of each class."""
    lists = (read_tsv(path) for path in args.lists)
    wrong = {s.lower() for pairs in lists for spellings in pairs.values() for s in spellings}
    dictionary = frozenset(read_lines(args.dictionary) if args.dictionary else ())
    found = classes(read_lexicon(args.lexicon), read_frequencies(), wrong, dictionary)
    with replacing(args.out) as draft:
        write_vocabulary(found, draft)
    counts = Counter(found.values())
    size = args.out.stat().st_size
    sys.stderr.write(f"{args.out}: {len(found):,} words, {size:,} bytes\n")
    for number in sorted(counts):
        sys.stderr.write(f"  class {number}: {counts[number]:,}\n")
    return 0
