"""Integer codes of impurities, rules and branches; codes.pxd declares the same for compiled kernels."""

# Impurities. Absolute error is not computed from sums: see score_medians. DEVIATION is the standard deviation.
ENTROPY, GINI, ERROR, VARIANCE, ABSOLUTE, DEVIATION = range(6)

IMPURITIES = {"entropy": ENTROPY, "gini": GINI, "error": ERROR, "variance": VARIANCE, "absolute": ABSOLUTE}
IMPURITIES["deviation"] = DEVIATION

# Arithmetics: sums with a tolerance, or the exact order of operations of another program.
SUMS, RPART, SKLEARN, C45, C50 = range(5)

# How candidates are ranked; BY_PYTHON: by the criterion's own function.
BY_GAIN, BY_RATIO, BY_TEST, BY_PYTHON = range(4)

# How labels are split; OTHER_GROUPS: by a grouping that kernels do not know.
MULTIWAY, ONE_AGAINST_REST, GROUPS, MERGED, OTHER_GROUPS = range(5)

# The branch of a case or of missing values.
SPREAD = -1
"""All branches, weighted by their shares, or the heaviest branch."""
STAYS = -2
"""No branch: the case ends at the node."""

# The side of missing values at a cut, beside the branches 0 and 1.
NO_SIDE = -1
"""Missing values were not used in the search."""
KNOWN_OR_NOT = 2
"""The split is not a cut: it separates known values from missing ones."""

NO_BRANCH = -1
"""In a table from labels to branches: the label does not occur."""

# A cut in a packed list.
NO_CUT = -1
CONSTANT = -2
"""All values are equal at the node, and so below it."""

# The columns of outcomes of a numeric target, in the tree's format.
WEIGHT, MEAN, DEVIANCE = range(3)

SHIFT = 32
"""The row of a case of a forest, or the rank of its value, stands above so many bits."""
