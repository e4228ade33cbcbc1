"""Predictions of a tree for rows."""
