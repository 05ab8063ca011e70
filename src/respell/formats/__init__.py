"""File formats: hide everything that is not prose, and keep every offset."""
