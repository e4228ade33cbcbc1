"""Predictions of trees."""
