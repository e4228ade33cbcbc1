"""The p-value of Pearson's chi-square test, as in CHAID (Kass 1980).

Within an attribute, a threshold or one of two-way groupings is chosen by Gini gain, which for two classes orders them
as the test does.
"""

from treecli.criteria import Criterion

CRITERION = Criterion("nominal", "gini", is_test=True)
