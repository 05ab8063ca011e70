"""Turn blocks of text into clean lines: one sentence or paragraph each, and nothing but prose."""

import hashlib
import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from respell.lab.data.fetch.origin import Cleaning
from respell.lab.data.fetch.prose import HOLE
from respell.text.sentences import sentences
from respell.text.tokenize import tokenize

MAX_WORDS = 400
RARE = 20
"""A word outside the word lists that a corpus has this often is not a misspelling."""
SHORTEST_LISTED = 4
"""Shorter listed misspellings are more often abbreviations: hi-fi, URI."""
HELD_OUT_WORDS, HELD_OUT_LETTERS = 8, 25
"""The shortest held-out sentence that is searched for."""

_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»", '"'),
        **dict.fromkeys("‘’‚‛´ʼ", "'"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
        "…": "...",
    }
)
_WINDOWS = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
"""Characters of Windows-1252 that were read as Latin-1."""
_SPACE = re.compile(r"\s+")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_LETTERS = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def tidy(text: str) -> str:
    """One line without entities, tags and invisible characters, with straight quotes."""
    text = _TAG.sub("", html.unescape(text))
    text = text.translate(_WINDOWS).translate(_CHARACTERS)
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def units(block: str, cleaning: Cleaning) -> Iterator[str]:
    """The sentences of a block, or paragraphs of at most MAX_WORDS words.

    Sentences with a HOLE, such as inline code, are dropped.
    """
    if cleaning.unit == "as-is":
        yield block
    elif cleaning.unit == "sentence":
        yield from (text for text in split_sentences(block) if HOLE not in text)
    elif HOLE not in block and block.count(" ") < MAX_WORDS:
        yield block
    else:
        yield from _paragraphs(text for text in split_sentences(block) if HOLE not in text)


_STOP_AFTER_QUOTE = re.compile(r"(?<=[)\]\"']\.) (?=[\"'(\[]?[A-Z])")
"""A sentence end that the runtime does not see: (in 1940). Then"""


def split_sentences(text: str) -> list[str]:
    """The sentences of a line, cut by the rules of the runtime."""
    found: list[str] = []
    for part in _STOP_AFTER_QUOTE.split(text):
        tokens = tokenize(part)
        found += (part[tokens[a].start : tokens[b - 1].end] for a, b in sentences(part, tokens))
    return found


def _paragraphs(parts: Iterable[str]) -> Iterator[str]:
    """Join sentences to paragraphs of at most MAX_WORDS words; a longer sentence is left out."""
    paragraph: list[str] = []
    words = 0
    for part in parts:
        length = part.count(" ") + 1
        if words + length > MAX_WORDS and paragraph:
            yield " ".join(paragraph)
            paragraph, words = [], 0
        if length <= MAX_WORDS:
            paragraph.append(part)
            words += length
    if paragraph:
        yield " ".join(paragraph)


_NOT_PROSE = re.compile(
    r"^[,;:!?)\]%]|^\.(?!\.\.)"  # fragments
    r"|https?:|www\.|\w@\w+\.\w|://|\w\.(?:com|org|net|gov|edu)/"  # addresses
    r"|[<>{}|\\^~`]|\[\[|\]\]|\]\(|\*\*|__|==|::|\$\w+\$|#\w+\[|\(\)|=>|&[a-z]+;"  # markup
    r"|\ufffd|[\x00-\x08\x0e-\x1f\x7f-\x9f]|[ÃÂ][\x80-\xbf]|â€"  # wrong encodings
)
_END = re.compile(r"[.!?…:][\"')\]”’*]*$|--?$|—$|[\"')\]]$")
_FUNCTION_WORDS = frozenset(
    "the of and to a in is that it for was on are as with be at by this i from or have an they "
    "which not but you his her he she had were we their has will there been if more when who would "
    "no my what your so about do its all can out up one our how me just let us some don't it's i'm "
    "than then them these those into did does am get go please yes where why him could may".split()
)


def is_prose(line: str, cleaning: Cleaning) -> bool:
    """Whether a line is English prose: not code, an address, a heading, a table or a fragment."""
    words = _WORD.findall(line)
    if not cleaning.min_words <= len(words) <= MAX_WORDS or _NOT_PROSE.search(line):
        return False
    if cleaning.ends and not _END.search(line):
        return False
    letters = sum(map(len, words))
    if letters < 0.6 * (len(line) - line.count(" ")):
        return False  # numbers, tables
    upper = sum(len(word) for word in words if word.isupper() and len(word) > 1)
    return upper <= 0.5 * letters and _is_english(words)


def _is_english(words: list[str]) -> bool:
    """Whether most letters are ASCII, and a long text has English function words."""
    letters = "".join(words)
    if sum(letter > "\x7f" for letter in letters) > 0.2 * len(letters):
        return False
    known = sum(word.lower() in _FUNCTION_WORDS for word in words)
    return len(words) < 8 or known >= 0.08 * len(words)


_SLIPS = re.compile(
    r"\b(?:(?:could|should|would|must|might) of(?! course)|your (?:welcome|right[.!,])|alot"
    r"|(?:more|less|better|worse|rather|other) then|its (?:a|an|not|been|going)"
    r"|they're (?:own|is|are)|(?:could|would|didn't|don't|not|to) loose(?! (?:fitting|ends?))"
    r"|(?:an|no|any) affect|i (?:seen|done))\b",
    re.IGNORECASE,
)


def has_slip(line: str) -> bool:
    """Whether a line has a frequent slip, such as "could of" or "your welcome"."""
    return _SLIPS.search(line) is not None


def is_punctuated(text: str) -> bool:
    """Whether a text has about as many sentence ends as people write."""
    words = text.count(" ") + text.count("\n") + 1
    return len(re.findall(r"[.!?]", text)) * 40 >= words


def letters_of(text: str) -> str:
    """The letters and digits of a text in lower case: equal for copies with other punctuation."""
    return "".join(_LETTERS.findall(text)).lower()


class Seen:
    """Remembers texts in a fixed amount of memory (a Bloom filter).

    Of 10 million texts about 3 in 100,000 are wrongly taken for known ones.
    """

    def __init__(self, size: int = 1 << 26) -> None:
        self._bits = bytearray(size)

    def add(self, text: str) -> bool:
        """Remember a text; say whether it is new."""
        digest = hashlib.blake2b(text.encode(), digest_size=32).digest()
        new = False
        for i in range(0, 32, 8):
            at, bit = divmod(int.from_bytes(digest[i : i + 8]) % (8 * len(self._bits)), 8)
            new |= not self._bits[at] >> bit & 1
            self._bits[at] |= 1 << bit
        return new


class HeldOut:
    """The sentences of the dev and test sets."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._sentences: dict[str, list[str]] = {}  # by their first letters
        for line in lines:
            for sentence in {line, *split_sentences(line)}:
                self._add(sentence)

    def __len__(self) -> int:
        return sum(map(len, self._sentences.values()))

    def _add(self, sentence: str) -> None:
        letters = letters_of(sentence)
        if len(letters) >= HELD_OUT_LETTERS and len(_WORD.findall(sentence)) >= HELD_OUT_WORDS:
            same_start = self._sentences.setdefault(letters[:HELD_OUT_LETTERS], [])
            if letters not in same_start:
                same_start.append(letters)

    def inside(self, line: str) -> bool:
        """Whether a line holds one of the sentences, whatever the punctuation."""
        words = [word.lower() for word in _LETTERS.findall(line)]
        letters, at = "".join(words), 0
        for word in words:
            for sentence in self._sentences.get(letters[at : at + HELD_OUT_LETTERS], ()):
                if letters.startswith(sentence, at):
                    return True
            at += len(word)
        return False


class WordCheck:
    """Counts the words of a corpus that are in no word list, and finds lines with rare ones.

    Only lower-case words count, as the others may be names.
    """

    def __init__(
        self, known: frozenset[str], misspellings: frozenset[str], *, capacity: int = 1 << 20
    ) -> None:
        self._known = known
        self._misspellings = misspellings
        self._counts: Counter[str] = Counter()
        self._capacity = capacity
        self._pruned = 0  # at most this many occurrences of a word were forgotten

    def unknown(self, text: str) -> list[str]:
        """The words of a text that are in no word list."""
        return [word for word in _WORD.findall(text) if word.islower() and not self._knows(word)]

    def share(self, text: str) -> float:
        """The share of unknown words in a text."""
        return len(self.unknown(text)) / max(len(_WORD.findall(text)), 1)

    def count(self, line: str) -> None:
        """Count the unknown words of a line."""
        self._counts.update(self.unknown(line))
        while len(self._counts) > self._capacity:
            self._pruned += 1
            self._counts = Counter({w: n - 1 for w, n in self._counts.items() if n > 1})

    def accepts(self, line: str, limit: int) -> bool:
        """Whether a line has no listed misspelling and at most `limit` rare unknown words."""
        unknown = self.unknown(line)
        if any(len(word) >= SHORTEST_LISTED and word in self._misspellings for word in unknown):
            return False
        return sum(self._counts[word] + self._pruned < RARE for word in unknown) <= limit

    def _knows(self, word: str) -> bool:
        word = word.replace("’", "'")
        stem, _, ending = word.rpartition("'")
        return word in self._known or (
            bool(stem) and (stem in self._known or stem in _CONTRACTED) and ending in _ENDINGS
        )


_ENDINGS = frozenset("s t d m ll re ve".split())
_CONTRACTED = frozenset(
    "don can won isn aren wasn weren doesn didn hasn haven hadn couldn shouldn "
    "wouldn mustn needn ain y'all".split()
)
