"""Measure how well a model finds missing and extra blanks."""
