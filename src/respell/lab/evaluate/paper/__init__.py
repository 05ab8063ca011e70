"""Train the eleven models of the paper's tables and compare them with the published results."""
