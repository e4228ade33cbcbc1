"""Quinlan's ID3 (1986) as in Weka 3.6.14: information gain, one branch per label, no pruning.

Weka's Id3 refuses numeric attributes and missing values; here they are treated as in C4.5. Its empty branches are
unclassified; here they predict the same as their parent.
"""

SETTINGS = {"criterion": "gain", "nominal": "multiway", "missing": "fractional", "min_gain": 1e-6}
