"""TODO misspellings."""
