"""The fall in the mean absolute error about the median, which large errors sway less than squares do."""

from treecli.criteria import Criterion

CRITERION = Criterion("numeric", "absolute")
