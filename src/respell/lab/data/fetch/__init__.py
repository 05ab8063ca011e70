"""Fetch the texts of a list of corpora, extract their sentences and clean them."""
