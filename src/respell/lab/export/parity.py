"""Compare a bundle with its checkpoint, and decide whether it is good enough to be written."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from respell.corrector import Corrector
from respell.lab.common.metrics import score
from respell.model.bundle import Bundle
from respell.model.forward import Forward

MIN_AGREEMENT = 0.998
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
            if self.torch.f05 - run.f05 > MAX_F05_DROP:
                failed.append(f"F0.5 drops from {self.torch.f05:.4f} to {run.f05:.4f} ({name})")
        if self.bundle.bytes > MAX_BUNDLE_BYTES:
            size, limit = self.bundle.bytes / 1e6, MAX_BUNDLE_BYTES / 1e6
            failed.append(f"{size:.1f} MB is more than the limit of {limit:.0f} MB")
        return failed


def compare(
    versions: Sequence[tuple[Bundle, Forward, int]],
    noisy: Sequence[list[str]],
    gold: Sequence[list[str]],
) -> Parity:
    """Correct the sentences with torch, the 32-bit graph and the bundle, given in this order."""
    tokens = sum(map(len, gold))
    runs: list[Run] = []
    reference: list[list[str]] = []
    for bundle, forward, size in versions:
        corrector = Corrector(bundle, forward, preset=PRESET)
        started = time.perf_counter()
        predicted = list(corrector.correct_tokens_many(noisy))
        seconds = time.perf_counter() - started
        reference = reference or predicted
        same = sum(
            a == b
            for left, right in zip(predicted, reference, strict=True)
            for a, b in zip(left, right, strict=True)
        )
        runs.append(
            Run(
                bytes=size,
                f05=score(noisy, gold, predicted).all.table.f05,
                agreement=same / tokens,
                words_per_second=tokens / seconds,
            )
        )
    return Parity(tokens=tokens, torch=runs[0], onnx=runs[1], bundle=runs[2])
