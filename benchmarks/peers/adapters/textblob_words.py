"""TextBlob's Word.spellcheck; words are looked up in lower case, like its list."""

from textblob import Word
from words import each, like


def _word(word: str) -> str | None:
    answers = Word(word.lower()).spellcheck()
    best = str(answers[0][0])
    return None if best == word.lower() else like(word, best)


correct = each(_word)
