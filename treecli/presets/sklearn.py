"""scikit-learn 1.9's DecisionTreeClassifier and DecisionTreeRegressor.

scikit-learn breaks ties between attributes at random; here the first one wins. It has no nominal attributes; here one
label is split from the rest, as after one-hot encoding.
"""

SETTINGS = {
    "usual_criterion": "gini",
    "nominal": "binary",
    "missing": "branch",
    "min_gain": 0.0,
    "gain_of_all": True,
    "tolerance": 2.220446049250313e-16,  # the spacing of doubles at 1
    "value_gap": 1.0000000116860974e-07,  # 1e-7 in 32 bits
    "single_precision": True,
    "counts_rows": True,
    "pure_impurity": 2.220446049250313e-16,
    "arithmetic": "remainders",
}
