"""CHAID (Kass 1980), with the default sizes of R's CHAID package.

Kass has nominal and ordinal attributes. Numeric attributes are cut into ten quantile bins, and missing values join an
ordinal attribute's groups, as in SPSS. Merged categories are not split again, the default of both programs.
"""

SETTINGS = {
    "criterion": "chi2",
    "nominal": "merged",
    "discretize": "frequency:10",
    "missing": "branch",
    "merge_alpha": 0.05,
    "chi2_alpha": 0.05,
    "min_split": 20.0,
    "min_leaf": 7.0,
}
