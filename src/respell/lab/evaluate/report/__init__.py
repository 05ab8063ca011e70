"""The page about the model, rendered from the files of results/model."""
