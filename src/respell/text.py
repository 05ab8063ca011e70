"""Text in, tokens with offsets out; case shapes; corrections put back into the text."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from respell.types import Correction, Error, Kind, Token

LOWER, TITLE, UPPER, MIXED = range(4)
"""Case shapes of a word; what has no letters is LOWER."""

LONGEST_ACRONYM = 5

# Words in 's that are contractions of a verb, not possessives: they stay whole, so that
# it's/its and who's/whose can be told apart. From any other word the 's is split off.
_WHOLE_IN_S = frozenset(
    "it's that's he's she's who's what's there's here's let's where's how's when's why's this's "
    "everyone's everybody's someone's somebody's nobody's nothing's something's one's".split()
)
_EXTENSIONS = (
    "bash|bat|bib|bz2|c|cc|cfg|cpp|cs|css|csv|dll|doc|docx|dylib|exe|gif|go|gz|h|hpp|htm|html|ini|"
    "ipynb|jar|java|jpeg|jpg|js|json|jsonl|jsx|lock|log|md|mp3|mp4|onnx|pdf|php|png|ppt|pptx|ps1|"
    "py|pyi|pyx|rb|rs|rst|scss|sh|so|sql|svg|tar|tex|tgz|toml|ts|tsv|tsx|txt|wav|whl|xls|xlsx|xml|"
    "xz|yaml|yml|zip|zst"
)
_DOMAINS = "ai|app|au|ca|ch|co|com|de|dev|edu|eu|fr|gov|info|int|io|mil|net|nl|nz|org|uk|us"
# In one case or the other, but not in Title case: that is a sentence after a full stop.
_EXTENSION = rf"(?:{_EXTENSIONS}|{_EXTENSIONS.upper().replace('|C|', '|').replace('|H|', '|')})"
_DOMAIN = f"(?:{_DOMAINS}|{_DOMAINS.upper()})"
# Where a path follows, any country and what else is seldom the word after a full stop.
_DOMAIN_OF_PATH = "(?:[a-z]{2}|blog|cloud|link|museum|news|online|page|pro|shop|site|tech|wiki|xyz)"
# Accents and what nobody sees, such as soft hyphens, belong to the letter before them.
_LETTER = r"[^\W\d_](?:[\u0300-\u036f]|[\u00ad\u200b\u200c\u200d\u2060\ufeff](?=[^\W\d_]))*"
_APOSTROPHE = "['\u2019]"
_CLITICS = "s|t|re|ve|ll|d|m"
_STEP = r"/[\w.@+-]*[\w@+-]"
# Base64 changes between small letters, capitals and digits all the time; words in chains do not.
_JUMP = r"(?:[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z])"
_SIXTY_FOUR = "[A-Za-z0-9+/_-]"
_BASE64 = (
    f"(?={_SIXTY_FOUR}{{40}})(?=(?:(?:(?!{_JUMP}){_SIXTY_FOUR}){{0,40}}+{_JUMP}){{3}})"
    f"{_SIXTY_FOUR}++={{0,2}}"
)
_NEXT_LINE = r"\r?\n(?=[A-Za-z/]{0,76}+[0-9+=])[A-Za-z0-9+/]{1,76}+={0,2}(?=[\t\r]{0,9}(?:\n|\Z))"

# Counts are bounded and runs possessive so that no text takes more than linear time.
_TOKEN = re.compile(
    rf"""
    # the common cases first, for speed
    (?P<plain>[A-Z]?[a-z]+(?=[\s,;!?)\]"\u201d\u2026\u2013\u2014]|[.:]?(?!\S)))
  | (?P<stop>[.,;:!?](?!\S))
  | (?P<initials>(?:[A-Za-z]\.)+[A-Za-z]\b\.?(?![\w@/]|\.\w))  # U.S., e.g., p.m
  | (?P<code>
        # inline code; blanks inside its edges mean quotes ``like these''
        (?<!`)(?P<ticks>`{{1,3}})(?=[^\s`]|\ `)(?:[^`\n]|(?!(?P=ticks)(?!`))`++)++
        (?:(?<!\s)|(?<=`\ ))(?P=ticks)(?!`)
      | \ufffc+                                          # what a masker hid
      | {_BASE64}(?:{_NEXT_LINE})*+
      | data:[\w.+-]{{1,64}}+/[\w.+-]{{1,64}}+(?:;[\w=.-]{{1,64}}+){{0,4}},[^\s<>"'()]*
      | (?i:doi:\ ?)?\b10\.\d{{4,9}}/[^\s<>"]*\w
      | [A-Za-z][A-Za-z0-9+.-]{{1,20}}+://[^\s<>"]*[\w/&=\#-]
      | [Ww]{{3}}\.[^\s<>"]*[\w/] | mailto:\S+\w
      | [\w.+-]{{1,64}}+@[\w-]{{1,64}}(?:\.[\w-]{{1,64}}){{0,8}}  # e-mail, login
        (?::[\w.~-]{{0,64}}{_STEP})?
      | [@\#]\w+(?:[./-]\w+)*                            # handle, tag
      | \\\\[^\s"<>|]+ | [A-Za-z]:[\\/][^\s"<>|]*        # Windows path
      | [\w.+-]{{0,64}}+(?:\\[\w.+-]{{1,64}}+){{1,16}}\\?
      | (?<![\w)])(?:~|\.{{1,2}})?(?:{_STEP})+/? | ~/    # Unix path
      | (?:[\w.+-]{{1,64}}+/){{1,16}}+[\w.+-]{{0,64}}\.{_EXTENSION}\b
      | (?:[\w.+-]{{1,64}}+/){{2,16}}+(?![\w*])
      | (?:[\w-]{{1,64}}+\.){{1,8}}{_EXTENSION}\b(?:\.\w+)*(?![\w(])
      | (?<![\w.)])\*?\.(?:{_EXTENSION}|env|venv|ssh|config|github|\w{{1,20}}(?:ignore|rc))\b
        (?:\.\w+)*
      | (?:(?:[A-Za-z0-9-]{{1,64}}+\.){{1,8}}{_DOMAIN}|localhost)\b(?:\.\w+)*
        (?::\d+)?(?:[/?][^\s<>"]*[\w/])?
      | (?:[A-Za-z0-9-]{{1,64}}+\.){{1,8}}{_DOMAIN_OF_PATH}(?::\d+)?/(?:[^\s<>"]*[\w/])?
      | (?<![\w-])(?:--[A-Za-z][\w-]*\w(?:=[^\s,;]+)?|-[A-Za-z]\b(?!['\u2019-]))  # option
      | &\#?\w{{1,32}};                                  # entity
      | (?<!\w):[A-Za-z0-9_+-]{{2,32}}:(?!\w)            # :smile:
      | (?:\$\{{[^{{}}\n]{{1,99}}\}}|\$\{{?[A-Za-z_]\w*)(?:{_STEP})*          # variable
      | %[A-Za-z]\w{{0,64}}%
      | \w{{1,64}}+(?:(?:\.|::|->)\w{{1,64}}+){{0,8}}+\(\)          # call
      | \w{{1,64}}+(?:(?:\.|::|->)\w{{1,64}}+){{1,8}}+(?=\()
      | \w{{1,64}}+(?:(?:::|->)\w{{1,64}}+){{1,8}}       # qualified name
      | [A-Za-z]\w{{1,64}}+(?:\.\w{{2,64}}+){{2,8}}      # dotted name
      | (?:\w[\w./-]{{0,64}})?[^\W_]_++[^\W_]\w*(?:(?:[./-]|::|->)\w+)*  # snake_case
      # _private, but neither _emphasis_ nor _that of several words_
      | (?!_[^\W\d_]++(?:['\u2019-][^\W\d_]++)*+[.,:;!?]?_(?!\w)
          |_{{1,3}}[^\W_][^\s_]*+\ [^_\n]{{0,200}}+(?<=\S)_{{1,3}}(?!\w))
        _+[^\W_]\w*
      | (?:[a-z]\w{{0,64}}+\.){{0,4}}[A-Za-z]*[a-z]\d*[A-Z]\w*(?:\.[a-z]\w*)*  # camelCase
      | [A-Z]{{3,}}[a-z]{{3,}}\b                         # HTMLElement
      | [vV]?\d+(?:\.\d+)++[.-](?:alpha|beta|dev|post|pre|rc)\b[.-]?\d*        # version
      | [0-9A-Fa-f]{{8}}(?:-[0-9A-Fa-f]{{4}}){{3}}-[0-9A-Fa-f]{{12}}           # UUID
    )
  | (?P<name>
        [A-Z]{{1,5}}&[A-Z]{{1,5}}\b | [a-z]&[a-z]\b | [A-Z](?:\#|\+\+)(?!\w)   # AT&T, r&d, C++
      # clitics that someone has split off, or that stand after a number or a name
      | (?:{_APOSTROPHE}(?i:{_CLITICS}|em|n|til|tis|twas)|[Nn]{_APOSTROPHE}[Tt])
        (?![\w\u0300-\u036f])
    )
  | (?P<number>
        \d+(?:[.,:/]\d+)*\w*(?:%|°[CFK]\b)?(?:/(?:s|h|d|min|sec|hr|yr)\b)? | (?:{_LETTER})+\d\w*
    )
  | (?P<word>(?:{_LETTER})+(?:{_APOSTROPHE}(?:{_LETTER})+)*)
  | (?P<mark>(?P<sign>[^\w\s])(?P=sign)*|_+|\w+)
    """,
    re.VERBOSE,
)
_MANGLED = re.compile(
    r"[A-Za-z]+(?:_[A-Za-z]+)+ | \[\[[A-Za-z]+ | (?=[A-Za-z]*0)(?=0*[A-Za-z])[A-Za-z0]+", re.VERBOSE
)
# Words that own nothing: an apostrophe behind one of them makes no possessive.
_NO_OWNERS = (
    "i|me|my|you|your|he|him|his|she|her|hers|it|its|we|us|our|they|them|their|this|thi|these|hi|"
    "am|is|are|was|were|be|do|does|did|has|have|had|will|would|can|could|not|say|says|go|goes|got|"
    "always?|the|and|or|but|if|so|to|of|in|on|at|by|for|from|with"
)
# Short words that may end a question; of other letters, the mark stands for some that are lost.
_SHORT = "a|i|am|an|as|at|be|by|do|go|he|hi|if|in|is|it|me|my|no|of|oh|ok|on|or|so|to|up|us|we"
_MARKED = re.compile(
    rf"""
    (?:[a-z]{{1,2}}|(?i:{_NO_OWNERS})){_APOSTROPHE}[sS]          # i's, not's, but Ann's
  | (?:[A-Za-z]*[A-RT-Za-rt-z]|(?i:{_NO_OWNERS})){_APOSTROPHE}   # its', but workers'
  | [A-Za-z]+\?[A-Za-z]+ | (?!(?i:{_SHORT})\?)[A-Za-z]{{1,2}}\?  # ex?iting, th?
  | [a-z][A-Z][a-z]+                                             # tThe
  | [0-9][A-Za-z]{{3,}} | [A-Za-z]{{2,}}[0-9][A-Za-z]+           # 5the, th3re
    """,
    re.VERBOSE,
)
_OWNING = re.compile(rf"[A-Za-z]+{_APOSTROPHE}[sS]?")
_CLITIC = re.compile(rf"(?i:{_APOSTROPHE}(?:{_CLITICS})|n{_APOSTROPHE}t)")
_ENGLISH = re.compile("[A-Za-z\u00c0-\u024f'\u2019]+")
_ACRONYM = re.compile(rf"[A-Z]{{2,{LONGEST_ACRONYM}}}s?")
_POSSESSIVE = re.compile(rf"(.+)({_APOSTROPHE}[sS])")
_NOT = ("n't", "n\u2019t")
_SENTENCE_END = re.compile(r"[.!?\u2026]+")
_CLOSING = frozenset("\"')]}\u2019\u201d")
_MOST_CLOSING = 8
_TITLES = frozenset(
    "mr mrs ms dr st jr sr prof gen col lt sgt capt rev hon gov sen rep vs no inc ltd co corp "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)


def tokenize(text: str) -> list[Token]:
    """All tokens of a text, in order; each is a slice of it."""
    return _keep_halves(_keep_names(list(_tokens(text, 0)), text), text)


def tokenize_words(words: Sequence[str], *, mangled: bool = False) -> list[Token]:
    """Tokens of words the caller has split; offsets count in `" ".join(words)`.

    With `mangled`, what else would be code, a number or mark-up is read as a misspelled word.
    """
    tokens: list[Token] = []
    start = 0
    splitting = Splitting.of(words) if mangled else None
    for word in words:
        if splitting and is_mangled(word, splitting):
            tokens.append(Token(start, word, "word"))
        else:
            tokens.extend(_tokens(word, start))
        start += len(word) + 1
    return _keep_names(tokens, " ".join(words))


class Splitting(NamedTuple):
    """What the caller has split off words."""

    marks: bool
    clitics: bool

    @classmethod
    def of(cls, words: Sequence[str]) -> "Splitting":
        """Tell it from what stands alone in a sentence."""
        marks = any(word and not any(map(str.isalnum, word)) for word in words)
        return cls(marks, marks and any(map(_CLITIC.fullmatch, words)))


THOROUGH = Splitting(marks=True, clitics=True)


def is_mangled(word: str, splitting: Splitting = THOROUGH) -> bool:
    """Whether heavily corrupted text may mean a word by it: any_one, 0f, [[the.

    Where marks and clitics are split off, those inside a token are slips: th?, not's, same's.
    """
    if _MANGLED.fullmatch(word):
        return True
    odd = (splitting.marks and _MARKED.fullmatch(word)) or (
        splitting.clitics and _OWNING.fullmatch(word)
    )
    return bool(odd) and word.lower().replace("\u2019", "'") not in _WHOLE_IN_S


def _tokens(text: str, start: int) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        piece, at = match.group(), start + match.start()
        if kind == "plain":
            yield Token(at, piece, "word")
        elif kind == "word":
            yield from _word_tokens(at, piece)
        else:
            yield Token(at, piece, _KINDS[str(kind)])


_KINDS: dict[str, Kind] = {
    "stop": "mark",
    "initials": "name",
    "code": "code",
    "name": "name",
    "number": "number",
    "mark": "mark",
}


def _word_tokens(at: int, piece: str) -> Iterator[Token]:
    """A word with what it carries: possessives are split, other scripts are kept as names."""
    if not _ENGLISH.fullmatch(piece):
        yield Token(at, piece, "name")
        return
    possessive = _POSSESSIVE.fullmatch(piece)
    if possessive and piece.lower().replace("\u2019", "'") not in _WHOLE_IN_S:
        stem, clitic = possessive.groups()
        yield Token(at, stem, "word")
        yield Token(at + len(stem), clitic, "name")
    else:
        yield Token(at, piece, "word")


def _keep_names(tokens: list[Token], text: str) -> list[Token]:
    """Acronyms become names, except in a line of capitals; so does what n't was split from."""
    end, shouting = -1, False
    for i, token in enumerate(tokens):
        if token.kind == "word" and len(token.text) > 1 and _ACRONYM.fullmatch(token.text):
            if token.start > end:
                line = text.rfind("\n", 0, token.start) + 1
                end = text.find("\n", token.start)
                end = end if end >= 0 else len(text)
                shouting = _shouts(text[line:end])
            if not shouting:
                tokens[i] = Token(token.start, token.text, "name")
        elif (
            token.kind == "name"
            and i > 0
            and token.text.lower() in _NOT
            and _is_stem(tokens[i - 1])
        ):
            tokens[i - 1] = Token(tokens[i - 1].start, tokens[i - 1].text, "name")
    return tokens


def _keep_halves(tokens: list[Token], text: str) -> list[Token]:
    """What a hyphen at the end of a line parts becomes names: no half of nine-teenth is a word."""
    for i in range(1, len(tokens) - 1):
        if tokens[i].text == "-":
            before, hyphen, behind = tokens[i - 1 : i + 2]
            if (
                (before.kind, before.end) == ("word", hyphen.start)
                and (behind.kind, behind.text[0].islower()) == ("word", True)
                and text.count("\n", hyphen.end, behind.start) == 1
            ):
                tokens[i - 1] = replace(before, kind="name")
                tokens[i + 1] = replace(behind, kind="name")
    return tokens


def _is_stem(token: Token) -> bool:
    """Whether it is the first half of can't, won't, shan't and ain't, which is no word alone."""
    return token.kind == "word" and token.text.lower() in ("ai", "ca", "sha", "wo")


def _shouts(line: str) -> bool:
    return line.upper() == line and len(re.findall(r"[^\W\d_]{2,}", line)) >= 3


def sentences(text: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Cut tokens into sentences: index ranges that cover them all, in order."""
    cuts = [0]
    for i in range(1, len(tokens)):
        if _starts_sentence(text, tokens, i):
            cuts.append(i)
    cuts.append(len(tokens))
    return [(a, b) for a, b in itertools.pairwise(cuts) if a < b]


def _starts_sentence(text: str, tokens: Sequence[Token], i: int) -> bool:
    gap = text[tokens[i - 1].end : tokens[i].start]
    if not gap:
        return False
    if "\n" in gap and (gap.count("\n") > 1 or not tokens[i].text[0].isalpha()):
        return True
    if tokens[i].text[0].islower():
        return False
    j = i - 1
    while j > max(0, i - _MOST_CLOSING) and tokens[j].text in _CLOSING:
        j -= 1
    if not _SENTENCE_END.fullmatch(tokens[j].text):
        return False
    before = tokens[j - 1].text if j > 0 else ""
    abbreviated = tokens[j].text == "." and (before.lower() in _TITLES or len(before) == 1)
    return not abbreviated


def shape(word: str) -> int:
    """LOWER, TITLE, UPPER or MIXED; one capital letter alone is TITLE."""
    if word.islower() or word.lower() == word:
        return LOWER
    if word[0].isupper() and word[1:].lower() == word[1:]:
        return TITLE
    return UPPER if word.upper() == word else MIXED


def reshape(word: str, wanted: int) -> str:
    """Write a lower-case word in a shape; MIXED leaves it as it is."""
    if wanted == TITLE:
        return word[:1].upper() + word[1:]
    return word.upper() if wanted == UPPER else word


def transfer_case(original: str, word: str) -> str:
    """Write `word` in the case of `original`; a mixed original counts by its first letter."""
    wanted = shape(original)
    if wanted == MIXED:
        wanted = TITLE if original[0].isupper() else LOWER
    return reshape(word, wanted)


def apply(text: str, corrections: Iterable[Correction]) -> str:
    """The text with every correction's first suggestion; raises if one does not fit."""
    pieces: list[str] = []
    done = 0
    for correction in sorted(corrections, key=lambda c: c.start):
        start, end = correction.start, correction.end
        if start < done or text[start:end] != correction.original:
            raise Error(f"correction of {correction.original!r} at {start} does not fit the text")
        if not correction.suggestions:
            raise Error(f"correction of {correction.original!r} at {start} suggests nothing")
        pieces += (text[done:start], correction.suggestions[0].text)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)
