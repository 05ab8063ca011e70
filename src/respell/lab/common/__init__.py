"""TODO common."""
