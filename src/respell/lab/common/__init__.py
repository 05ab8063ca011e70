"""Helpers shared by the commands of the lab: files, metrics, tables, plots."""
