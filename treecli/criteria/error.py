"""Decrease of the misclassification rate; often 0 for useful splits, so a poor guide while growing."""

from treecli.criteria import Criterion

CRITERION = Criterion("nominal", "error")
