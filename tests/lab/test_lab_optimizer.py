"""Muon: orthogonal updates of the right size."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from respell.lab.train.models.layers import Stack, SuspectStack
from respell.lab.train.optimizer import Muon, inner_matrices, orthogonal


@settings(max_examples=20, deadline=None)
@given(rows=st.integers(1, 40), columns=st.integers(1, 40), seed=st.integers(0, 99))
def test_all_singular_values_are_about_one(rows: int, columns: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    left = torch.linalg.qr(torch.randn(rows, rows, generator=generator)).Q
    right = torch.linalg.qr(torch.randn(columns, columns, generator=generator)).Q
    lengths = torch.logspace(0, -1, min(rows, columns))
    given_matrix = left[:, : len(lengths)] @ torch.diag(lengths) @ right[:, : len(lengths)].T
    found = torch.linalg.svdvals(orthogonal(given_matrix[None] * 1e-3)[0])
    assert found.min() > 0.6
    assert found.max() < 1.3


def test_steps_have_the_given_size() -> None:
    stack = Stack(32, 2, 4, 0.0)
    matrices = inner_matrices(stack)
    assert len(matrices) == 8
    before = [matrix.detach().clone() for matrix in matrices]
    for matrix in matrices:
        matrix.grad = torch.randn_like(matrix)
    Muon(matrices, 0.01, size=0.2, weight_decay=0.0).step()
    for matrix, old in zip(matrices, before, strict=True):
        moved = float((matrix.detach() - old).square().mean().sqrt())
        assert moved == pytest.approx(0.002, rel=0.2)


def test_keys_and_values_of_suspects_are_separate_matrices() -> None:
    stack = SuspectStack(32, 48, 1, 4)
    weight = stack.keys_values.weight
    matrices = inner_matrices(stack)
    assert matrices[weight] == 2
    before = weight.detach().clone()
    weight.grad = torch.zeros_like(weight)
    weight.grad[:48] = torch.randn(48, 32)
    Muon(matrices, 0.01, size=0.2, weight_decay=0.0).step()
    moved = (weight.detach() - before).abs().sum(1)
    assert moved[:48].min() > 0
    assert moved[48:].max() == 0


def test_muon_learns_and_ignores_weights_without_gradients() -> None:
    linear = nn.Linear(16, 16, bias=False)
    wanted = torch.randn(16, 16, generator=torch.Generator().manual_seed(1))
    optimizer = Muon({linear.weight: 1}, 0.1, size=0.2, weight_decay=0.0)
    losses = []
    for _ in range(100):
        loss = (linear.weight - wanted).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 20
    still = linear.weight.detach().clone()
    optimizer.step()
    assert torch.equal(linear.weight, still)
