"""Gini gain, the criterion of CART (Breiman et al. 1984), with the impurity 1 - Σ p²."""

from treecli.criteria import Criterion

CRITERION = Criterion("nominal", "gini")
