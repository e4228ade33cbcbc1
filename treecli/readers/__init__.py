"""Formats of data files: one file each, named by the suffix that chooses it."""
