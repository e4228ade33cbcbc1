"""Estimates of how good a model is."""
