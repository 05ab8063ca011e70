"""Compare a bundle with its checkpoint, and decide whether it is good enough to be written."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from respell.corrector import Corrector
from respell.lab.common.metrics import score
from respell.model.bundle import Bundle
from respell.model.forward import Forward
from respell.types import SPACING

MIN_AGREEMENT = 0.998
MIN_SPACING_AGREEMENT = 0.98
MAX_F05_DROP = 0.002
MAX_BUNDLE_BYTES = 36_000_000
PRESET = "noisy"
"""Models are compared at its threshold, the lowest: it leaves the most decisions to disagree on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Results of one version of the model on the parity sentences."""

    bytes: int
    f05: float
    agreement: float
    """Share of the tokens with the same decision as torch."""
    words_per_second: float
    spacing_agreement: float = 1.0
    """Share of sentences with a wrong space that get the same corrections of spaces as from torch.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity:
    """Results of the checkpoint, the 32-bit graph and the bundle."""

    tokens: int
    torch: Run
    onnx: Run
    bundle: Run

    def failures(self) -> list[str]:
        """The reasons not to write the bundle."""
        failed = []
        for name, run in (("ONNX", self.onnx), ("8-bit", self.bundle)):
            if run.agreement < MIN_AGREEMENT:
                failed.append(
                    f"the {name} model agrees with the checkpoint on only {run.agreement:.3%} of "
                    "the tokens"
                )
            if run.spacing_agreement < MIN_SPACING_AGREEMENT:
                failed.append(
                    f"the {name} model agrees with the checkpoint on the spaces of only "
                    f"{run.spacing_agreement:.3%} of the sentences"
                )
            if self.torch.f05 - run.f05 > MAX_F05_DROP:
                failed.append(f"F0.5 drops from {self.torch.f05:.4f} to {run.f05:.4f} ({name})")
        if self.bundle.bytes > MAX_BUNDLE_BYTES:
            size, limit = self.bundle.bytes / 1e6, MAX_BUNDLE_BYTES / 1e6
            failed.append(f"{size:.1f} MB is more than the limit of {limit:.0f} MB")
        return failed


Spaces = frozenset[tuple[int, str]]
"""Corrections of spaces: the offset and the replacement."""


def with_wrong_spaces(gold: Sequence[list[str]]) -> Iterator[str]:
    """Each sentence that has two words, with a missing or an extra space, in turn."""
    for number, tokens in enumerate(gold):
        places = [i for i, pair in enumerate(pairwise(tokens)) if _are_words(*pair)]
        if places:
            at = places[number % len(places)]
            first, second = tokens[at : at + 2]
            middle = (len(first) + 1) // 2
            wrong = first + second if number % 2 else f"{first[:middle]} {first[middle:]} {second}"
            yield " ".join([*tokens[:at], wrong, *tokens[at + 2 :]])


def _are_words(*tokens: str) -> bool:
    return all(token.isalpha() and token.islower() and len(token) > 2 for token in tokens)


def corrected_spaces(corrector: Corrector, texts: Sequence[str]) -> Iterator[Spaces]:
    """The corrections of spaces in each text; none if the model does not find them."""
    for found in corrector.check_many(texts):
        yield frozenset((c.start, c.replacement) for c in found if c.kind in SPACING)


def compare(
    versions: Sequence[tuple[Bundle, Forward, int]],
    noisy: Sequence[list[str]],
    gold: Sequence[list[str]],
) -> Parity:
    """Correct the sentences with torch, the 32-bit graph and the bundle, given in this order."""
    tokens = sum(map(len, gold))
    spaced = list(with_wrong_spaces(gold))
    runs: list[Run] = []
    reference: list[list[str]] = []
    reference_spaces: list[Spaces] = []
    for bundle, forward, size in versions:
        corrector = Corrector(bundle, forward, preset=PRESET, spacing="auto")
        started = time.perf_counter()
        predicted = list(corrector.correct_tokens_many(noisy))
        seconds = time.perf_counter() - started
        spaces = list(corrected_spaces(corrector, spaced))
        reference, reference_spaces = reference or predicted, reference_spaces or spaces
        same = sum(
            a == b
            for left, right in zip(predicted, reference, strict=True)
            for a, b in zip(left, right, strict=True)
        )
        same_spaces = sum(a == b for a, b in zip(spaces, reference_spaces, strict=True))
        runs.append(
            Run(
                bytes=size,
                f05=score(noisy, gold, predicted).all.table.f05,
                agreement=same / tokens,
                words_per_second=tokens / seconds,
                spacing_agreement=same_spaces / max(len(spaced), 1),
            )
        )
    return Parity(tokens=tokens, torch=runs[0], onnx=runs[1], bundle=runs[2])
