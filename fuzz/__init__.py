"""Fuzzing: targets that take bytes, and what runs them."""
