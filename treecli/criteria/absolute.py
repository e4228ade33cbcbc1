"""Decrease of the mean absolute error about the median, which is less sensitive to large errors than squares."""

from treecli.criteria import Criterion

CRITERION = Criterion("numeric", "absolute")
