"""Cases of the JavaScript package that need no model: the classes of words, and blanks."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from js_texts import foreign, prose, respaced

from respell.decision.decode import decode
from respell.decision.policy import Policy
from respell.model.encode import Encoder, normalize
from respell.model.forward import KINDS, Features, TopK
from respell.model.lexicon import Lexicon
from respell.model.vocabulary import ABSENT, ODD, Vocabulary, write_vocabulary
from respell.text.tokenize import tokenize
from respell.text.windows import Window

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
SUGGESTED, RANKED = 6, 4


def word_inputs(count: int, seed: int) -> Iterator[Case]:
    """Texts with words that are outside the lexicon of a model."""
    dice = random.Random(seed)
    texts = prose()
    for _ in range(count // 10):
        text = foreign(dice, dice.choice(texts)[:150])
        words = _words(text)
        table = {word: dice.randrange(ABSENT + 1, ODD) for word in (*TABLE, *words[::3])}
        text += f" {' '.join(dice.sample(SPELLINGS, 8))}"
        yield {"lexicon": words[1::3], "table": sorted(table.items()), "text": text}


def with_features(cases: Iterable[Case]) -> Iterator[Case]:
    """The cases with what a model reads."""
    for case in cases:
        vocabulary = _vocabulary(case["table"])
        encoder = Encoder(
            Lexicon(case["lexicon"]), CHARACTERS, spell_oov_only=True, vocabulary=vocabulary
        )
        tokens = tokenize(case["text"])
        features = encoder.encode_windows([Window(0, tokens, 0, len(tokens))])
        tables = {field.name: getattr(features, field.name) for field in fields(Features)}
        listed = {name: table.ravel().tolist() for name, table in tables.items() if table.size}
        yield {
            **case,
            "characters": CHARACTERS,
            "blocks": vocabulary._blocks,
            "features": listed,
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


def blank_inputs(count: int, seed: int) -> Iterator[Case]:
    """Texts with missing and extra blanks, and what a model may say about their words."""
    dice = random.Random(seed)
    texts = prose()
    for _ in range(count // 3):
        text = dice.choice(("", "", "\U0001f600 ")) + dice.choice(texts)[:60]
        lexicon = [*dict.fromkeys((*_words(text), "a", "i", "the", "tomorrow"))]
        changed = respaced(dice, text, share=0.5)
        tokens = tokenize(changed)
        places = [j for j, token in enumerate(tokens) if token.kind == "word"]
        ranked = sorted(dice.sample(places, min(len(places), SUGGESTED)))
        yield {
            "lexicon": lexicon,
            "text": changed,
            "keep": [round(dice.random() * 0.6, 4) for _ in tokens],
            "positions": ranked,
            "ids": [_likely(dice, lexicon, tokens[j].text) for j in ranked],
            "probabilities": [[0.3, 0.2, 0.2, round(dice.random() / 10, 4)] for _ in ranked],
            "cases": [dice.randrange(4) for _ in ranked],
            "kinds": [_shares(dice) for _ in ranked],
            "policy": {
                "threshold": dice.choice((0.05, 0.2)),
                "spacing_threshold": dice.choice((0.05, 0.2)),
                "spacing": False,
                "max_suggestions": dice.choice((1, 3)),
            },
        }


def _likely(dice: random.Random, lexicon: list[str], text: str) -> list[int]:
    """Numbers of words that begin as a text, and of others."""
    word = normalize(text)
    alike = [i for i, one in enumerate(lexicon) if word.startswith(one) or one.startswith(word[:3])]
    ids = alike[:RANKED]
    others = [i for i in range(len(lexicon)) if i not in ids]
    ids += dice.sample(others, RANKED - len(ids))
    dice.shuffle(ids)
    return ids


def _shares(dice: random.Random) -> list[float]:
    weights = [dice.random() ** 3 for _ in range(KINDS)]
    return [round(weight / sum(weights), 4) for weight in weights]


def with_decisions(cases: Iterable[Case]) -> Iterator[Case]:
    """The cases with their corrections."""
    for case in cases:
        tokens = tokenize(case["text"])
        ranks = len(case["positions"]), RANKED
        topk = TopK(
            keep=np.array([case["keep"]], np.float32),
            positions=np.array(case["positions"], np.int64),
            ids=np.array(case["ids"], np.int64).reshape(ranks),
            probabilities=np.array(case["probabilities"], np.float32).reshape(ranks),
            cases=np.array(case["cases"], np.int64),
            kinds=np.array(case["kinds"], np.float32).reshape(-1, KINDS),
        )
        policy = Policy(dictionary=frozenset(), casing="lower", **case["policy"])
        window = Window(0, tokens, 0, len(tokens), text=case["text"])
        (found,) = decode([window], topk, Lexicon(case["lexicon"]), policy)
        yield {**case, "corrections": [one.to_dict() for one in found]}
