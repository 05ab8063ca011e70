"""Lists of misspellings: read, filter and weight them, and generate more."""
