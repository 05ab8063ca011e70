"""Cases of the JavaScript package with recorded answers of the native model.

The probabilities of onnxruntime-web are not those of the native onnxruntime. So the model is run
here, once, and its answers are written down, sentence by sentence. The JavaScript package decides
on the same numbers: whatever differs then is a mistake of its own code. It must also ask the model
the same, to the last bit, because an answer is found by what was asked.
"""

import base64
import hashlib
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from js_texts import changed, misspelled, prose, samples

from respell.corrector import Corrector
from respell.formats.languages import FORMATS
from respell.model.bundle import Bundle
from respell.model.compose import UserWordScorer
from respell.model.encode import WORD_PAD
from respell.model.forward import NO_CLASSES, Features, Floats, Forward, Ints, TopK
from respell.model.session import open_session
from respell.types import PRESETS, VARIANTS, Correction

Case = dict[str, Any]

DICTIONARY = ("Kubernetes", "refspec", "Åland", "wombat's", "co-op", "teh", "IPHONE", "brouhahas")
SENTENCES = 250
"""Characters of a text."""


def recorded_inputs(count: int, seed: int) -> list[Case]:
    """Texts of all formats, some of them documents, and who shall check them."""
    dice = random.Random(seed)
    sentences, odd = prose(), samples()
    found: list[Case] = []
    for _ in range(count):
        text = misspelled(dice, dice.choice(sentences)[:SENTENCES])
        document = dice.random() < 0.1
        if document:  # what recurs is a term
            word = dice.choice(text.split() or ["refspec"])
            text = f"{text} {word}. {misspelled(dice, text)} A {word} is {word}."
        if dice.random() < 0.4:
            text = changed(dice, text, odd if dice.random() < 0.5 else sentences)
        words = sorted(DICTIONARY) if dice.random() < 0.1 else []
        if words:
            text += misspelled(dice, f" {' '.join(dice.sample(DICTIONARY, 3))}", share=0.1)
        found.append(
            {
                "preset": dice.choice(("default", *PRESETS)),
                "format": dice.choice(("plain", "plain", "markdown", dice.choice(FORMATS))),
                "dictionary": words,
                "variant": dice.choice(("auto", *VARIANTS)),
                "document": document,
                "text": text,
            }
        )
    return sorted(found, key=_checker)


def _checker(case: Case) -> tuple[str, list[str], str, str, bool]:
    return (
        *(case["preset"], case["dictionary"], case["variant"]),
        *(case["format"], case["document"]),
    )


def with_recorded_answers(cases: Iterable[Case], bundle: Bundle) -> Iterator[Case]:
    """The cases with their corrections; the first of a group has the answers of the model."""
    recorder = Recorder(open_session(bundle.model))
    forward: Forward = recorder.rank
    if recorder.composes:
        forward = UserWordScorer(recorder.rank, recorder.compose)
    for (preset, dictionary, variant, format, document), group in groupby(cases, _checker):
        corrector = Corrector(
            bundle, forward, preset=preset, dictionary=dictionary, variant=variant
        )
        rows = list(group)
        texts = [case["text"] for case in rows]
        found: Iterable[list[Correction]] = (
            (corrector.check_document(text, format=format) for text in texts)
            if document
            else corrector.check_many(texts, format=format)
        )
        answered = [[one.to_dict() for one in corrections] for corrections in found]
        for case, corrections in zip(rows, answered, strict=True):
            yield {**case, "corrections": corrections, **recorder.news()}


@dataclass(frozen=True, slots=True)
class _Sentence:
    """What the model says about one sentence; `positions` count in it."""

    keep: Floats
    positions: Ints
    ids: Ints
    probabilities: Floats
    cases: Ints
    kinds: Floats

    def to_dict(self) -> Case:
        return {
            "keep": _bytes(self.keep),
            "positions": self.positions.tolist(),
            "ids": self.ids.tolist(),
            "probabilities": _bytes(self.probabilities),
            "cases": self.cases.tolist(),
            "kinds": _bytes(self.kinds),
        }


class Recorder:
    """Runs a model and writes its answers down.

    The last digits of an answer may depend on the other sentences of a batch. A sentence that is
    asked again, in whatever batch, gets the same answer.
    """

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._known: dict[str, _Sentence] = {}
        self._answers: Case = {}
        self._composed: dict[str, str] = {}
        self._compose: Callable[[Ints], Floats] | None = getattr(forward, "compose", None)

    @property
    def composes(self) -> bool:
        """Whether the model can rank words outside its lexicon."""
        return self._compose is not None

    def news(self) -> Case:
        """What has been asked since the last call, and the answers."""
        news: Case = {"answers": self._answers} if self._answers else {}
        if self._composed:
            news["composed"] = self._composed
        self._answers, self._composed = {}, {}
        return news

    def compose(self, spellings: Ints) -> Floats:
        """Output vectors and biases of spelled words: [words, width + 1]."""
        assert self._compose is not None
        rows = self._compose(spellings)
        for spelling, row in zip(spellings, rows, strict=True):
            self._composed[_digest(_ints(spelling))] = _bytes(row)
        return rows

    def rank(self, features: Features, gate: float) -> TopK:
        """The ranking of a batch."""
        keys = [_question(features, i, gate) for i in range(len(features.words))]
        new = list(dict.fromkeys(key for key in keys if key not in self._known))
        if new:
            chosen = [keys.index(key) for key in new]
            classes = features.classes[chosen] if features.classes.size else NO_CLASSES
            asked = replace(
                features,
                words=features.words[chosen],
                shapes=features.shapes[chosen],
                slots=features.slots[chosen],
                classes=classes,
            )
            topk = self._forward(asked, gate)
            for i, key in enumerate(new):
                self._known[key] = _sentence(topk, i)
                self._answers[key] = self._known[key].to_dict()
        return _together([self._known[key] for key in keys], features.words.shape)


def _question(features: Features, i: int, gate: float) -> str:
    """What the model is asked about a sentence, as a hash."""
    words = features.words[i]
    n = int((words != WORD_PAD).sum())
    rows = (words, features.shapes[i], *(features.classes[i : i + 1]))
    parts = [_ints(row[:n]) for row in rows]
    spelled = _ints(features.spellings[features.slots[i, :n]])
    floats = np.float32(gate).tobytes() + features.new_words.astype("<f4").tobytes()
    return _digest(b"".join(parts) + spelled + floats)


def _sentence(topk: TopK, i: int) -> _Sentence:
    width = topk.keep.shape[1]
    inside = topk.positions // width == i
    kinds = topk.kinds[inside] if topk.kinds.size else topk.kinds
    return _Sentence(
        topk.keep[i],
        topk.positions[inside] % width,
        *(topk.ids[inside], topk.probabilities[inside], topk.cases[inside], kinds),
    )


def _together(sentences: list[_Sentence], shape: tuple[int, ...]) -> TopK:
    """The answers to a batch; in a longer batch, a sentence has more padding."""
    keep = np.ones(shape, np.float32)
    for i, one in enumerate(sentences):
        n = min(len(one.keep), shape[1])
        keep[i, :n] = one.keep[:n]
    positions = [one.positions + i * shape[1] for i, one in enumerate(sentences)]
    return TopK(
        keep=keep,
        positions=np.concatenate(positions),
        ids=np.concatenate([one.ids for one in sentences]),
        probabilities=np.concatenate([one.probabilities for one in sentences]),
        cases=np.concatenate([one.cases for one in sentences]),
        kinds=np.concatenate([one.kinds for one in sentences]),
    )


def _ints(numbers: Ints) -> bytes:
    return numbers.astype("<i4").tobytes()


def _bytes(numbers: Floats) -> str:
    return base64.b64encode(numbers.astype("<f4").tobytes()).decode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:24]
