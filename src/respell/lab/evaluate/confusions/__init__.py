"""Measure how well a model restores words that were replaced by a confusable word."""
