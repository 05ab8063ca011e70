"""The command `words`: list unknown words."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from respell.cli import files
from respell.cli.job import Job, Outcome
from respell.decision.vocabulary import word_class
from respell.formats.languages import language_of
from respell.formats.masker import Masker
from respell.text.tokenize import tokenize
from respell.types import Error

if TYPE_CHECKING:
    from respell.corrector import Corrector


def words(job: Job) -> Outcome:
    """Print the words that are in no list of words, the most frequent first."""
    corrector = cast("Corrector", job.run.corrector)
    spellings: dict[str, Counter[str]] = {}
    for source in job.sources:
        try:
            for word in _prose_words(source, job):
                if not _is_known(word, corrector):
                    spellings.setdefault(word.lower(), Counter())[word] += 1
        except Error as error:
            job.fail(source, error)
    rows = sorted((-counts.total(), _usual(counts)) for counts in spellings.values())
    least = job.options.min_count
    job.run.emit(f"{-count}\t{word}\n" for count, word in rows if -count >= least)
    return Outcome()


def _prose_words(source: files.Source, job: Job) -> Iterator[str]:
    masker = Masker(language_of(source.name).name)
    for block in files.read(source):
        yield from (token.text for token in tokenize(masker.mask(block)) if token.kind == "word")
        job.run.progress.advance(block, label=source.name)


def _is_known(word: str, corrector: "Corrector") -> bool:
    from respell.model.encode import normalize  # imported here because it needs numpy

    policy = corrector.policy
    normalized = normalize(word, casing=policy.casing)
    if len(word) == 1 or normalized in corrector.bundle.lexicon or policy.accepts(word):
        return True
    found = word_class(word)
    return found is not None and (found != "name" or word[0].isupper())


def _usual(spellings: Counter[str]) -> str:
    """The most frequent spelling of a word; of equally frequent ones the lower-case one."""
    return max(spellings, key=lambda word: (spellings[word], word))
