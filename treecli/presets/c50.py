"""Quinlan's C5.0 (2012 release) with the options -c 25 -m 2, from descriptions: no C5.0 was run.

Grown as C4.5, with C5.0's choice between splits; pruned locally, then globally; sibling leaves that agree are merged.
With --boost, weights move half-way and the trees vote with their confidence.
"""

SETTINGS = {
    "criterion": "gainratio",
    "nominal": "multiway",
    "threshold": "datavalue",
    "missing": "fractional",
    "min_leaf": 2.0,
    "zero_gain": False,
    "value_gap": 1e-5,
    "branch_share": 0.1,
    "cut_cost": True,
    "pure_share": 0.999,
    "collapse_share": 0.999,
    "merges_leaves": True,
    "arithmetic": "c50",
}

PRUNING = ("c50", {"cf": 0.25, "regrows": True, "globally": True})

BOOSTING = "c50"
