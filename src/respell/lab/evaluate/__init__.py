"""TODO evaluate."""
