"""Gain ratio: information gain per bit of split information, as in C4.5 (Quinlan 1993)."""

from treecli.criteria import Criterion

CRITERION = Criterion("nominal", "entropy", is_ratio=True)
