"""Cache the outputs of a model that is run on the same batches many times."""

from dataclasses import fields
from hashlib import blake2b

import numpy as np

from respell.model.forward import Features, Forward, TopK


class CachedForward:
    """A Forward that runs another one only once per batch and gate."""

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._outputs: dict[bytes, TopK] = {}

    def __call__(self, features: Features, gate: float) -> TopK:
        """Return the cached output, or run the model."""
        key = _key(features, gate)
        if key not in self._outputs:
            self._outputs[key] = self._forward(features, gate)
        return self._outputs[key]


def _key(features: Features, gate: float) -> bytes:
    hashed = blake2b(repr(gate).encode(), digest_size=16)
    for field in fields(features):
        array = np.ascontiguousarray(getattr(features, field.name))
        hashed.update(repr(array.shape).encode())
        hashed.update(array.tobytes())
    return hashed.digest()
