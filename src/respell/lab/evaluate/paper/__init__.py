"""The paper's eleven rows: train each, score all alike, show them beside the published figures."""
