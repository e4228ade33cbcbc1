"""Experiments: data divided into folds and parts, learners on folds, grids of settings, learning curves."""
