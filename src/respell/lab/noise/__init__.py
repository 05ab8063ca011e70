"""Noise: turn clean sentences into misspelled ones, for training and for fixed test sets."""
