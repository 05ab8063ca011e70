"""The model as onnxruntime-web runs it."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from respell.model.forward import Features, Floats, Ints, TopK
from respell.types import Error

PACKAGE = Path(__file__).parents[1] / "js"
FLOATS = dict.fromkeys(("keep", "probabilities", "kinds", "composed"), np.float32)


class WebModel:
    """The model as onnxruntime-web runs it, in a process of Node."""

    def __init__(self, model: Path) -> None:
        script = PACKAGE / "test" / "model.mjs"
        if not (PACKAGE / "dist").is_dir():
            raise Error("js/dist is missing: run npm ci && npm run build in js/")
        self._process = subprocess.Popen(
            ["node", str(script), str(model)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "WebModel":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def rank(self, features: Features, gate: float) -> TopK:
        """Run the model on a batch."""
        inputs = {field.name: getattr(features, field.name) for field in fields(Features)}
        given = {name: value for name, value in inputs.items() if value.size}
        return TopK(**self._ask(given, gate))

    def compose(self, spellings: Ints) -> Floats:
        """Output vectors and biases of spelled words: [words, width + 1]."""
        rows: Floats = self._ask({"spellings": spellings}, 1.0)["composed"]
        return rows

    def _ask(self, inputs: Mapping[str, Any], gate: float) -> dict[str, Any]:
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        assert pipe_in is not None
        assert pipe_out is not None
        given = {
            name: {"data": value.ravel().tolist(), "dims": value.shape}
            for name, value in inputs.items()
        }
        pipe_in.write(json.dumps({"inputs": given, "gate": gate}) + "\n")
        pipe_in.flush()
        return {
            name: np.array(value["data"], FLOATS.get(name, np.int64)).reshape(value["dims"])
            for name, value in json.loads(pipe_out.readline()).items()
        }
