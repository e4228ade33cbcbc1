"""R's rpart 4.1.19: CART with the options minsplit 20, minbucket 7, cp 0.01, maxdepth 30, usesurrogate 2.

With three or more classes, treecli does not try all groupings of an attribute's labels if that would take more than
some seconds, from about 25 labels; rpart always tries them, even if that takes years.
"""

SETTINGS = {
    "usual_criterion": "gini",
    "nominal": "subset",
    "missing": "surrogate",
    "max_depth": 30,
    "min_split": 20.0,
    "min_leaf": 7.0,
    "zero_gain": False,
    "cp": 0.01,
    "counts_rows": True,
    "arithmetic": "shares",
    "least_share": 1e-10,
    "most_exhaustive": 30,
    "is_strict": True,
    "blank_rows": False,
    "surrogate_slip": True,
}

FOLLOWING = {"min_split": ("min_leaf", 3.0), "min_leaf": ("min_split", 1 / 3)}
