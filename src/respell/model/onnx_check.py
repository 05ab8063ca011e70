"""Check an ONNX file before onnxruntime reads it: it must contain all its weights."""

from collections.abc import Iterator

from respell.types import Error

# The messages of onnx.proto that can contain tensors: message -> field -> message inside.
_INSIDE: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {},
}
_EXTERNAL_DATA, _DATA_LOCATION = 13, 14
_DEEPEST = 64
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5


def refuse_external_data(data: memoryview) -> None:
    """Raise an Error if the data of a tensor is in another file, which no hash would cover.

    A file that is not a protobuf raises a ValueError.
    """
    waiting = [("model", data, 0)]
    while waiting:
        kind, message, depth = waiting.pop()
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        inside = _INSIDE[kind]
        for number, content in _fields(message):
            if kind == "tensor" and _is_external(number, content):
                raise Error("its weights are in another file; export it with all weights inside")
            if number in inside and isinstance(content, memoryview):
                waiting.append((inside[number], content, depth + 1))


def _is_external(number: int, content: memoryview | int) -> bool:
    return number == _EXTERNAL_DATA or (number == _DATA_LOCATION and content != 0)


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """The fields of a message: integers as they are, everything else as bytes."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, at = _varint(message, at)
            yield number, value
            continue
        if wire == _BYTES:
            size, at = _varint(message, at)
        elif wire in (_EIGHT, _FOUR):
            size = 8 if wire == _EIGHT else 4
        else:  # groups, which onnx.proto never had
            raise ValueError(f"not an ONNX file: field {number} has wire type {wire}")
        if size > len(message) - at:
            raise ValueError(f"cut short: field {number} claims {size} bytes")
        yield number, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 70:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("cut short, or not an ONNX file")
