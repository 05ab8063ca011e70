"""Cases of the JavaScript package that need no model.

They say what a model with a vocabulary reads, and what is found with a fake model that knows about
blanks and composes words. The fake model exists once, here: a case has all its answers, and the
JavaScript tests look them up. So both packages must also ask the model the same.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from js_texts import foreign, misspelled, prose, respaced

from respell.corrector import Corrector
from respell.decision.valid_words import SHORTEST, SUGGESTED
from respell.decision.vocabulary import table
from respell.model.bundle import FORMAT, Bundle, BundleConfig
from respell.model.compose import UserWordScorer
from respell.model.encode import (
    CHAR_UNKNOWN,
    FIRST_CHARACTER,
    WORD_OFFSET,
    WORD_PAD,
    Encoder,
    normalize,
)
from respell.model.forward import JOIN, KINDS, SPLIT, Features, Floats, Forward, Ints, TopK
from respell.model.hidden_words import is_hidden_word
from respell.model.lexicon import Lexicon
from respell.model.presets import Preset
from respell.model.vocabulary import ABSENT, ODD, Vocabulary, write_vocabulary
from respell.text.edits import count_edits
from respell.text.tokenize import tokenize
from respell.text.windows import Window
from respell.types import Correction

Case = dict[str, Any]

CHARACTERS = "abcdefghijklmnopqrstuvwxyzéł'-0"
TABLE = "aback abacus éclair naïve łódź straße mutex webhook 中文 𐐨𐐩 \uff41 zürich".split()
SPELLINGS = (
    *(
        "abacuses",
        "Abaci",
        "webhook's",
        "Mutexes",
        "NAÏVE",
        "naıve",
        "łódź",
        "lódź",
        "wébhооk",
        "中",
    ),
    *("sựpported", "ﬁnd", "Ⅷth", "ทำ", "\u0301", "e\u0301clair", "𐐨𐐩s", "\uff41s", "1st", "'s"),
)
ALWAYS = (
    *"a i the to in into every day everyday lot colour color gray grey tomorrow fact".split(),
    *"at one tone no now here where them men en get together multicolour u".split(),
    *"ba ban bana banan banana na ana nana anana nanana".split(),
)
"""Words that every fake lexicon has."""
PIECES = (
    *("", " The col our of alot bananana.", " INFACT, to morrow bananana toget her."),
    *(" The grey gr ay cat.", " He atone nowhere bananana.", " Bananana. Tomor ow."),
    *(" Themen were ATONE; tomorow NO WHERE.", " Toget her, ulot gr Ay in multi colour."),
    *(" MULTI COLOUR EVERY DAY.", " A multi colour, bananana themen toget her."),
)
"""Where blanks are missing, or there is one too many."""
ALONE = ("Alot", "bananana", "ATONE", "- Nowhere -", "Every Day", "colo ur", "Toget her")
WAYS = (*["check"] * 6, "checkTokens", "checkDocument")
"""Functions of a corrector, by their names in JavaScript."""
RANKED = 4
SHARES = (0.7, 0.2, 0.08, 0.005)
"""Of the probability of an error, for the words that are ranked."""
ERRORS = (0.97, 0.9, 0.6, 0.3, 0.1, 0.0)
"""Probabilities that an unknown word is wrong."""
RARE_ERRORS = (*[0.0] * 7, 0.05, 0.4, 0.995)
"""Probabilities that a known word is wrong."""
HIDDEN = (
    "he11o HE11O th3re w0rdl a11y becFame bEcame getName iPhone aBc 1990 x2y he11o2 ꜷ1b".split()
)
"""Words with digits and capitals inside, and what looks like them."""
NOT_HIDDEN = "hello there get name iphone became world".split()


def word_inputs(count: int, seed: int) -> Iterator[Case]:
    """Texts with words that are outside the lexicon of a model."""
    dice = random.Random(seed)
    texts = prose()
    for _ in range(count // 10):
        text = foreign(dice, dice.choice(texts)[:150])
        words = _words(text)
        table = {word: dice.randrange(ABSENT + 1, ODD) for word in (*TABLE, *words[::3])}
        text += f" {' '.join(dice.sample(SPELLINGS, 8) + dice.sample(HIDDEN, 4))}"
        lexicon = list(dict.fromkeys([*words[1::3], *dice.sample(NOT_HIDDEN, 4)]))
        yield {"lexicon": lexicon, "table": sorted(table.items()), "text": text}


def with_features(cases: Iterable[Case]) -> Iterator[Case]:
    """The cases with what a model reads."""
    for case in cases:
        vocabulary = _vocabulary(case["table"])
        encoder = Encoder(
            Lexicon(case["lexicon"]), CHARACTERS, spell_oov_only=True, vocabulary=vocabulary
        )
        tokens = tokenize(case["text"])
        hidden = [
            [token.start for token in tokens if is_hidden_word(token, encoder.lexicon, noisy=noisy)]
            for noisy in (False, True)
        ]
        features = encoder.encode_windows([Window(0, tokens, 0, len(tokens))])
        tables = {field.name: getattr(features, field.name) for field in fields(Features)}
        listed = {name: table.ravel().tolist() for name, table in tables.items() if table.size}
        yield {
            **case,
            "characters": CHARACTERS,
            "blocks": vocabulary._blocks,
            "features": listed,
            "hidden": hidden,
        }


def _vocabulary(table: Iterable[tuple[str, int]]) -> Vocabulary:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "vocabulary.gz"
        write_vocabulary(dict(table), path)
        return Vocabulary.read(path)


def _words(text: str) -> list[str]:
    """The distinct words of a text that a vocabulary can hold."""
    words = (normalize(token.text) for token in tokenize(text) if token.kind == "word")
    return [word for word in dict.fromkeys(words) if word.isalpha() and len(word) <= 20]


def fake_inputs(count: int, seed: int) -> Iterator[Case]:
    """Texts with missing and extra blanks and misspelled rare words, and a fake model for each."""
    dice = random.Random(seed)
    texts = prose()
    for _ in range(count // 6):
        text = dice.choice(texts)[:70]
        lexicon = list(dict.fromkeys((*_words(text), *ALWAYS)))
        text = respaced(dice, text, share=dice.choice((0, 0.4))) + dice.choice(PIECES)
        rare = [dice.choice(_valid_words()[dice.random() < 0.2]) for _ in range(3)]
        lexicon += [word for word in rare if dice.random() < 0.2 and word not in lexicon]
        seen = dice.sample(rare, dice.choice((0, 2, 3)))
        text += "".join(f" {_misspelled(dice, word)}" for word in seen)
        if dice.random() < 0.1:
            text = dice.choice(ALONE)
        listed = [*dice.sample(text.split(), 1), *dice.sample(rare, 2)]
        ask = dice.choice(WAYS)
        if ask == "checkDocument":
            text = ". ".join([text] * 3)  # what recurs is a term
        knows_blanks = dice.random() < 0.9
        yield {
            "lexicon": lexicon,
            "config": _config(dice, spacing=knows_blanks),
            "composes": dice.random() < 0.9,
            "seed": dice.randrange(1000),
            "ask": ask,
            "options": {
                "dictionary": sorted(listed) if dice.random() < 0.3 else [],
                "variant": dice.choice(("auto", "en-US", "en-GB")),
                "spacing": dice.choice((True, True, "auto", False) if knows_blanks else ("auto",)),
                "max_suggestions": dice.choice((1, 3, 3)),
            },
            "text": text,
        }


def _config(dice: random.Random, *, spacing: bool) -> Case:
    """The contents of config.json of a bundle with a fake model, without hashes."""
    preset = Preset(
        threshold=dice.choice((0.05, 0.3)),
        oov_threshold=dice.choice((1.0, 0.2)),
        name_threshold=dice.choice((0.0, 0.7)),
        spacing_threshold=dice.choice((0.05, 0.5)),
        mode=dice.choice(("light", "light", "noisy")),
        rewrite_threshold=dice.choice((0.0, 0.4)),
        dictionary_bias=dice.choice((0.0, 1.3)),
        vocabulary_bias=dice.choice((None, -1.7, 0.3, 1.1, 2.3)),
    )
    config = BundleConfig(
        format=FORMAT,
        name="fake",
        edition=1,
        model="fake",
        casing="lower",
        keep=True,
        spell_oov_only=dice.random() < 0.5,
        noise_flag=True,
        characters=CHARACTERS,
        length=dice.choice((12, 64)),
        presets={"default": preset},
        sha256={},
        spacing=spacing,
    )
    return asdict(config)


@cache
def _valid_words() -> tuple[list[str], list[str]]:
    """Valid words outside the lexicon, and the first ones of each letter and table."""
    every = [[word for word in table(name) if len(word) >= SHORTEST] for name in SUGGESTED]
    first = [next(group) for words in every for _, group in groupby(words, itemgetter(0))]
    return [word for words in every for word in words], first


def _misspelled(dice: random.Random, word: str) -> str:
    return misspelled(dice, word + dice.choice(("", "", "s")), share=1 / len(word))


def with_corrections(cases: Iterable[Case]) -> Iterator[Case]:
    """The cases with what the fake model says, and what is found."""
    for case in cases:
        presets = {name: Preset(**preset) for name, preset in case["config"]["presets"].items()}
        config = BundleConfig(**{**case["config"], "presets": presets})
        bundle = Bundle(Path("fake"), config, Lexicon(case["lexicon"]))
        model = FakeModel(bundle, seed=case["seed"])
        forward: Forward = model.rank
        if case["composes"]:
            forward = UserWordScorer(model.rank, model.compose)
        found = _ask(Corrector(bundle, forward, **case["options"]), case)
        corrections = [one.to_dict() for one in found]
        yield {**case, "answers": model.answers, "corrections": corrections}


def _ask(corrector: Corrector, case: Case) -> list[Correction]:
    if case["ask"] == "checkTokens":
        return corrector.check_tokens(case["text"].split(" "))
    ask = corrector.check_document if case["ask"] == "checkDocument" else corrector.check
    return ask(case["text"])


class NewWord(NamedTuple):
    """A word that is ranked beside the lexicon, as the fake model composes it."""

    spelling: str
    bias: float


class FakeModel:
    """Doubts words by chance, and ranks those that are spelled alike. It remembers its answers.

    An answer depends on the sentence and on the new words alone.
    """

    def __init__(self, bundle: Bundle, *, seed: int) -> None:
        self._lexicon, self._kinds, self._seed = bundle.lexicon, bundle.config.spacing, seed
        numbered = enumerate(bundle.config.characters, FIRST_CHARACTER)
        self._alphabet = {CHAR_UNKNOWN: "?", **dict(numbered)}
        self.answers: dict[str, Case] = {}
        """What it has said, by what it was asked."""

    def compose(self, spellings: Ints) -> Floats:
        """The numbers of the characters, and no bias."""
        return np.pad(spellings, ((0, 0), (0, 1))).astype(np.float32)

    def rank(self, features: Features, gate: float) -> TopK:
        """The ranking of a batch."""
        new = [NewWord(self._spelled(row[:-1]), float(row[-1])) for row in features.new_words]
        width = features.words.shape[1]
        keep = np.ones(features.words.shape, np.float32)
        rows: list[tuple[int, Sequence[Any]]] = []
        for i, words in enumerate(self._sentences(features)):
            shapes = "".join(map(str, features.shapes[i, : len(words)].tolist()))
            beside = [f"{word.spelling} {word.bias:.4f}" for word in new]
            question = "|".join((" ".join(words), shapes, f"{np.float32(gate):.6f}", *beside))
            answer = self.answers.setdefault(question, self._read(words, new))
            for j, row in answer.items():
                keep[i, int(j)] = 1 - row[0]
                if row[0] >= gate or (new and words[int(j)] not in self._lexicon):
                    rows.append((i * width + int(j), row))
        positions = [position for position, _ in rows]
        ids, probabilities, cases, kinds = ([row[n] for _, row in rows] for n in range(1, 5))
        return TopK(
            keep=keep,
            positions=np.array(positions, np.int64),
            ids=np.array(ids, np.int64).reshape(-1, RANKED),
            probabilities=np.array(probabilities, np.float32).reshape(-1, RANKED),
            cases=np.array(cases, np.int64),
            kinds=np.array(kinds if self._kinds else [], np.float32).reshape(-1, KINDS),
        )

    def _sentences(self, features: Features) -> Iterator[list[str]]:
        """The sentences of a batch as the model can read them."""
        spellings = [self._spelled(row) for row in features.spellings]
        for words, slots in zip(features.words.tolist(), features.slots.tolist(), strict=True):
            yield [
                spellings[slot] if slot else self._lexicon.words[word - WORD_OFFSET]
                for word, slot in zip(words, slots, strict=True)
                if word != WORD_PAD
            ]

    def _spelled(self, row: Any) -> str:
        return "".join(self._alphabet.get(int(number), "") for number in row)

    def _read(self, words: Sequence[str], new: Sequence[NewWord]) -> Case:
        """What it says about the words that it doubts, by their places."""
        answer: Case = {}
        for j, (word, following) in enumerate(zip(words, [*words[1:], ""], strict=True)):
            dice = random.Random(f"{self._seed} {word} {following} {len(new)}")
            error = dice.choice(RARE_ERRORS if word in self._lexicon else ERRORS)
            if error:
                answer[str(j)] = self._rank_word(dice, word, following, error, new)
        return answer

    def _rank_word(
        self,
        dice: random.Random,
        word: str,
        following: str,
        error: float,
        new: Sequence[NewWord],
    ) -> Sequence[Any]:
        """The probabilities of an error, of words by number, and of kinds; and the case."""
        both = word + following

        def likeness(other: str) -> float:
            likelier = 2.0 if other == both else 1.5 * bool(other and word.startswith(other))
            return likelier - min(count_edits(word, other), count_edits(both, other))

        every = [likeness(other) for other in self._lexicon]
        every += [likeness(other.spelling) + other.bias for other in new]
        order = sorted(range(len(every)), key=lambda i: -every[i])
        if dice.random() < 0.2:
            dice.shuffle(order)
        ids = [i for i in order if i != self._lexicon.index(word)][:RANKED]
        weights = [dice.random() ** 3 for _ in range(KINDS)]
        cuts = ((word[:i], word[i:]) for i in range(1, len(word)))
        more = dice.choice((0.2, 1.0, 1.0))
        weights[SPLIT] += more * any(a in self._lexicon and b in self._lexicon for a, b in cuts)
        weights[JOIN] += more * (both in self._lexicon or following not in self._lexicon)
        shares = [round(weight / sum(weights), 4) for weight in weights]
        likely = [round(error * share, 4) for share in SHARES]
        return error, ids, likely, dice.randrange(4), shares
