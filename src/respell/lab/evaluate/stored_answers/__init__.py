"""Score the stored answers of correctors that cannot be run here."""
