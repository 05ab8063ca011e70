"""Score models and other correctors, and write pages about the results."""
