"""Weka's J48 3.6.14: C4.5 release 8 in Java, with the options -C 0.25 -M 2."""

SETTINGS = {
    "criterion": "gainratio",
    "nominal": "multiway",
    "threshold": "datavalue",
    "missing": "fractional",
    "min_leaf": 2.0,
    "zero_gain": False,
    "tolerance": 1e-6,
    "value_gap": 1e-5,
    "branch_share": 0.1,
    "cut_cost": True,
    "many_labels": 0.3,
    "collapse": True,
}

PRUNING = ("pessimistic", {"confidence": 0.25, "raises": True})

SETTINGS_WITH = {"reduced-error": {"collapse": False}}

TUNE_FOLD = 3

BOOSTING = "j48"
