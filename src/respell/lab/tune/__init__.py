"""TODO tune."""
