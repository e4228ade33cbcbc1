"""Decrease of the standard deviation of a numeric target, as in M5 (Quinlan 1992)."""

from treecli.criteria import Criterion

CRITERION = Criterion("numeric", "deviation")
