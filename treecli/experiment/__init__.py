"""Experiments: a learner on folds of a data set, grids of settings, learning curves."""
