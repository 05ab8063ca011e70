"""TODO respell.lab.export.parity."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from respell.corrector import Corrector
from respell.lab.common.metrics import score
from respell.model.bundle import Bundle
from respell.model.forward import Forward

SMALLEST_AGREEMENT = 0.998
LARGEST_DROP = 0.002
LARGEST_BUNDLE = 30_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How one form of the model did on the parity sentences."""

    bytes: int
    f05: float
    agreement: float
    """Share of the tokens for which it decides as torch does."""
    words_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity:
    """How far the bundle is from the checkpoint it was made of."""

    tokens: int
    torch: Run
    onnx: Run
    bundle: Run

    def failures(self) -> list[str]:
        """What keeps the bundle from being written."""
        failed = []
        for name, form in (("ONNX", self.onnx), ("8-bit", self.bundle)):
            if form.agreement < SMALLEST_AGREEMENT:
                failed.append(f"only {form.agreement:.3%} of the {name} model's decisions agree")
            if self.torch.f05 - form.f05 > LARGEST_DROP:
                failed.append(f"F0.5 falls from {self.torch.f05:.4f} to {form.f05:.4f} ({name})")
        if self.bundle.bytes > LARGEST_BUNDLE:
            size = f"{self.bundle.bytes / 1e6:.1f} MB"
            failed.append(f"{size} are more than {LARGEST_BUNDLE / 1e6:.0f} MB")
        return failed


def compare(
    forms: Sequence[tuple[Bundle, Forward, int]],
    noisy: Sequence[list[str]],
    gold: Sequence[list[str]],
) -> Parity:
    """Run the sentences through torch, ONNX and the bundle, in this order."""
    tokens = sum(map(len, gold))
    preset = "noisy"  # the lowest threshold: the most decisions to disagree on
    runs: list[Run] = []
    reference: list[list[str]] = []
    for bundle, forward, size in forms:
        corrector = Corrector(bundle, forward, preset=preset)
        started = time.perf_counter()
        predicted = list(corrector.correct_tokens_many(noisy))
        seconds = time.perf_counter() - started
        reference = reference or predicted
        same = sum(
            a == b
            for left, right in zip(predicted, reference, strict=True)
            for a, b in zip(left, right, strict=True)
        )
        f05 = score(noisy, gold, predicted, is_word=None, known=None).all.table.f05
        runs.append(
            Run(bytes=size, f05=f05, agreement=same / tokens, words_per_second=tokens / seconds)
        )
    return Parity(tokens=tokens, torch=runs[0], onnx=runs[1], bundle=runs[2])


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
