"""Corpora: read them, count their words and store them as arrays of word ids."""
