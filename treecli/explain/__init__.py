"""Explanations of predictions, and counterfactuals: the changes to a row that would change its prediction."""
