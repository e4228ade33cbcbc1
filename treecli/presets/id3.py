"""Quinlan's ID3 (1986) as Weka 3.6.14 has it: information gain, a branch for each label, no pruning.

Weka's refuses numeric attributes and missing values; here they are treated as C4.5 treats them. Its empty branches
are unclassified; here they predict what their parent does.
"""

SETTINGS = {"criterion": "gain", "nominal": "multiway", "missing": "fractional", "min_gain": 1e-6}
