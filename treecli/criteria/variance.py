"""Decrease of the variance of a numeric target: least squares, as in CART (Breiman et al. 1984)."""

from treecli.criteria import Criterion

CRITERION = Criterion("numeric", "variance")
