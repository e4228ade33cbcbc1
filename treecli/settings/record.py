"""Order of the settings in a model file, and the ones that it contains only if they are changed."""

from __future__ import annotations

from dataclasses import fields

from treecli.settings.searching import Inputs, Sampling, Searching

WIRE = (
    *("criterion", "nominal", "threshold", "missing", "unseen", "max_depth", "min_split", "min_leaf", "min_gain"),
    *("max_leaves", "chi2_alpha", "discretize", "merge_alpha", "zero_gain", "tolerance", "value_gap", "branch_share"),
    *("most_branch_share", "cut_cost", "many_labels", "collapse", "laplace", "priors", "costs", "cp", "counts_rows"),
    *("arithmetic", "least_share", "most_exhaustive", "is_strict", "blank_rows", "max_surrogates", "surrogate_slip"),
    *(
        "competitors",
        "usual_criterion",
        "gain_of_all",
        "single_precision",
        "pure_impurity",
        "seed",
        "insists",
        "splits",
        "search",
        "beam",
        "most_work",
        "skew",
        "skew_gain",
        "penalty",
        "time_limit",
        "leaf_model",
        "smooth",
        *("pure_share", "collapse_share", "leaf_rate", "merges_leaves", "prior_case"),
        "ties",
    ),
    *(own.name for own in fields(Inputs)),
    *(own.name for own in fields(Sampling)),
)
"""The order of the settings in a model file."""

LATER = (
    "insists",
    "splits",
    *(own.name for own in fields(Searching)),
    "leaf_model",
    "smooth",
    *("pure_share", "collapse_share", "leaf_rate", "merges_leaves", "prior_case"),
    "ties",
    *(own.name for own in fields(Inputs)),
    *(own.name for own in fields(Sampling)),
)
"""Settings that model files contain only if they differ from the default: the first files did not have them."""
