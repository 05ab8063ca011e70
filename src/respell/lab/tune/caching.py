"""A model that is asked the same again and again, and computes each answer once."""

from dataclasses import fields
from hashlib import blake2b

import numpy as np

from respell.model.forward import Features, Forward, TopK


class CachedForward:
    """A Forward that keeps what another said: readings differ in what is made of it."""

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._said: dict[bytes, TopK] = {}

    def __call__(self, features: Features, gate: float) -> TopK:
        """What was said of this batch at this gate, or what is said now."""
        key = _key(features, gate)
        if key not in self._said:
            self._said[key] = self._forward(features, gate)
        return self._said[key]


def _key(features: Features, gate: float) -> bytes:
    hashed = blake2b(repr(gate).encode(), digest_size=16)
    for field in fields(features):
        array = np.ascontiguousarray(getattr(features, field.name))
        hashed.update(repr(array.shape).encode())
        hashed.update(array.tobytes())
    return hashed.digest()
