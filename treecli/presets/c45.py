"""Quinlan's C4.5 release 8 (1993, 1996), with the options -c 25 -m 2."""

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
    "many_labels": 0.3,
    "collapse": True,
    "arithmetic": "c45",
}

PRUNING = ("pessimistic", {"confidence": 0.25, "raises": True, "c45_estimate": True})
