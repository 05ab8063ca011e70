"""TODO int8."""
