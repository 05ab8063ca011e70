"""Choose thresholds and other settings of a model on dev sets."""
