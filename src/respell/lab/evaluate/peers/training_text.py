"""Write training text for peers that need some, and the list of real words, from our corpora."""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from respell.lab.common.metrics import IsWord
from respell.lab.common.storage import replacing, save_text
from respell.lab.data.corpus import Source, training_lines
from respell.lab.data.pretokenize import split, treebank
from respell.text.words import fold_apostrophes
from respell.types import Error

TEXT, WORDS = "text.txt", "words.txt"
MIN_COUNT = 10
"""Words that occur less often in the text do not count as real words."""
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_STYLES: tuple[Callable[[str], list[str]], ...] = (split, treebank)


def write_sample(
    sources: Iterable[Source], data: Path, folder: Path, *, one_in: int
) -> tuple[int, int]:
    """Write one in `one_in` training lines and the frequent words; return bytes and words.

    A fifth of the raw lines is written as tokens, as in the training data of our models, so that
    peers also know tokenized text. The choice of lines depends only on their text.
    """
    counts: Counter[str] = Counter()
    with (
        replacing(folder / TEXT) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as out,
    ):
        for source in sources:
            for line in _chosen(source, data / source.file, one_in):
                out.write(line + "\n")
                counts.update(words_in(line))
    real = sorted(word for word, count in counts.items() if count >= MIN_COUNT)
    save_text("".join(word + "\n" for word in real), folder / WORDS)
    return (folder / TEXT).stat().st_size, len(real)


def _chosen(source: Source, path: Path, one_in: int) -> Iterator[str]:
    for line in training_lines(path, source.heldout):
        number = zlib.crc32(line.encode())
        if number % one_in:
            continue
        style = number // one_in % 10
        if source.style == "raw" and style < len(_STYLES):
            yield " ".join(_STYLES[style](line))
        else:
            yield line


def words_in(text: str) -> list[str]:
    """The words of a text in lower case; contractions are one word."""
    return _WORD.findall(fold_apostrophes(text.lower()))


def read_words(path: Path) -> IsWord:
    """Real words are those of the list; of a token, all words must be in it."""
    if not path.is_file():
        raise Error(f"{path} is missing; run: python -m respell.lab peers text")
    known = frozenset(path.read_text(encoding="utf-8").split("\n"))
    return lambda token: known.issuperset(words_in(token))
