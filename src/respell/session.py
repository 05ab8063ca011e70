"""An ONNX model as a Forward; the only file that imports onnxruntime."""

from dataclasses import fields
from pathlib import Path

import numpy as np

from respell.features import Features, Forward, TopK
from respell.types import Error

INPUTS = (*(field.name for field in fields(Features)), "gate")
OUTPUTS = tuple(field.name for field in fields(TopK))


def open_session(model: Path, *, threads: int = 0) -> Forward:
    """Load the model; `threads` 0 lets onnxruntime use every core."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Weights are stored in 8 bits and widened once, at load: without this switch onnxruntime
    # keeps the widening in the graph and repeats it at every call.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    # Idle threads that spin burn the other core of a laptop between two calls.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime raises a dozen classes without a common one
        raise Error(f"{model}: onnxruntime cannot load it ({error})") from error
    takes = {value.name for value in session.get_inputs()}
    gives = {value.name for value in session.get_outputs()}
    if not gives >= set(OUTPUTS):
        raise Error(f"{model}: lacks the outputs {', '.join(sorted(set(OUTPUTS) - gives))}")
    if not takes <= set(INPUTS):
        raise Error(f"{model}: wants unknown inputs {', '.join(sorted(takes - set(INPUTS)))}")

    def forward(features: Features, gate: float) -> TopK:
        feed = {field.name: getattr(features, field.name) for field in fields(Features)}
        feed["gate"] = np.array(gate, np.float32)
        feed = {name: value for name, value in feed.items() if name in takes}
        return TopK(*session.run(list(OUTPUTS), feed))

    return forward
