"""SPRINT (Shafer, Agrawal and Mehta 1996): the trees of SLIQ, whose class list in memory it replaces.

Gini index, two groups of labels, a full tree pruned by MDL. The paper does not treat missing values; here they take the
heaviest branch.
"""

SETTINGS = {"criterion": "gini", "nominal": "subset", "threshold": "midpoint", "missing": "majority"}

PRUNING: tuple[str, dict[str, object]] = ("mdl", {})
