"""The p-value of Pearson's chi-square test, as in CHAID (Kass 1980).

Within an attribute, the threshold or binary grouping is chosen by Gini gain, which for two classes gives the same order
as the test.
"""

from treecli.criteria import Criterion

CRITERION = Criterion("nominal", "gini", is_test=True)
