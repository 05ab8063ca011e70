"""Quantize ONNX graphs to 8 bits."""
