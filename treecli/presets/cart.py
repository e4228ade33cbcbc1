"""CART as in the book (Breiman, Friedman, Olshen and Stone 1984): grown in full, pruned by cross-validation.

Gini or least squares, groups of labels, surrogates for missing values; the smallest tree of the nested sequence within
one standard error of the best.
"""

SETTINGS = {"usual_criterion": "gini", "nominal": "subset", "missing": "surrogate"}

PRUNING = ("cost-complexity", {"one_se": True})
