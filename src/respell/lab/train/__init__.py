"""Training: recipes, models, batches, the training loop and checkpoints."""
