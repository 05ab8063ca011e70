"""The workshop: corpora, noise, models, training, evaluation and export; not needed at run time."""
