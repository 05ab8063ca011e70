"""Corpora, noise, models, training, evaluation and export. Not needed at run time."""
