"""Turn checkpoints into bundles, and bundles back into checkpoints."""
