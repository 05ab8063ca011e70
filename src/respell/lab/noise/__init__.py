"""TODO noise."""
