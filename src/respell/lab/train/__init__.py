"""TODO train."""
