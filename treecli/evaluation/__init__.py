"""How good a model is."""
